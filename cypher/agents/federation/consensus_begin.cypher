// Makes the intent with the uid $intent a consensus about $key of $quorum of the agents $asked, whose keys are $keys. It ends in $milliseconds. Returns its state. A finished consensus stays unchanged.
MATCH (i:Intent {uid: $intent})
SET i.consensus_state = coalesce(i.consensus_state, 'open')
WITH i, i.consensus_state = 'open' AS open
FOREACH (none IN CASE WHEN open THEN [1] ELSE [] END |
  SET i.consensus_key = $key, i.quorum = $quorum, i.asked = $asked, i.asked_keys = $keys, i.ends_at = datetime() + duration({milliseconds: $milliseconds}))
RETURN i.consensus_state AS state

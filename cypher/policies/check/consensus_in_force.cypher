// Returns the newest consensus about $key that was reached and is still valid by the database's clock.
// Asks the leader, because the answer must not be outdated.
MATCH (i:Intent {consensus_key: $key})
WHERE i.consensus_state = 'reached' AND i.valid_until > datetime()
RETURN i.uid AS id, i.quorum AS quorum, i.agreed AS agreed, i.objected AS objected, i.settled_at AS at, i.valid_until AS valid_until
ORDER BY i.settled_at DESC LIMIT 1

// Claims sending to the peer at $url for $milliseconds unless another server has the claim. Returns whether the claim succeeded.
MATCH (p:Peer {url: $url})
SET p.held = true
REMOVE p.held
WITH p, coalesce(p.push_until < datetime(), true) AS free
SET p.push_until = CASE WHEN free THEN datetime() + duration({milliseconds: $milliseconds}) ELSE p.push_until END
RETURN free AS claimed

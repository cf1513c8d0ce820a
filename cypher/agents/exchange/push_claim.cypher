// Claims the sending to the peer at $url for $milliseconds, unless another server has: whether it was.
MATCH (p:Peer {url: $url})
SET p.held = true
REMOVE p.held
WITH p, coalesce(p.push_until < datetime(), true) AS free
SET p.push_until = CASE WHEN free THEN datetime() + duration({milliseconds: $milliseconds}) ELSE p.push_until END
RETURN free AS claimed

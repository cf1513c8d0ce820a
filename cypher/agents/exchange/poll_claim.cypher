// Claims the next poll of the peer at $url, called $name, unless any server polled it within $milliseconds. Returns whether the claim succeeded.
MERGE (p:Peer {url: $url})
ON CREATE SET p.uid = $uid, p.schema_version = 1, p.name = $name
SET p.held = true
REMOVE p.held
WITH p, coalesce(p.polled_at + duration({milliseconds: $milliseconds}) <= datetime(), true) AS due
SET p.polled_at = CASE WHEN due THEN datetime() ELSE p.polled_at END
RETURN due AS claimed

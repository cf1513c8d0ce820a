// Adds the peer at $url, called $name, with the setting $no_answer for missing responses, listed in the registry if $listed. Returns whether it is new.
MERGE (p:Peer {url: $url})
ON CREATE SET p.uid = $uid, p.schema_version = 1
WITH p, coalesce(p.added, false) AS before
SET p.name = $name, p.no_answer = $no_answer, p.listed = $listed, p.added = true, p.added_at = coalesce(p.added_at, datetime())
RETURN NOT before AS new

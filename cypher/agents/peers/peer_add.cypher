// Adds the peer at $url, called $name, which counts for $no_answer where it does not answer, told in the registry if $listed; and whether it is new.
MERGE (p:Peer {url: $url})
ON CREATE SET p.uid = $uid, p.schema_version = 1
WITH p, coalesce(p.added, false) AS before
SET p.name = $name, p.no_answer = $no_answer, p.listed = $listed, p.added = true, p.added_at = coalesce(p.added_at, datetime())
RETURN NOT before AS new

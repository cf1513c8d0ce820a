// Stores that the peer at $url has received the decisions $sent [{uid, at, withdrawn}], oldest first, and releases the claim for other servers.
MATCH (p:Peer {url: $url})
SET p.push_until = null, p.pushed_to = CASE WHEN size($sent) > 0 AND p.pushed_to < $sent[-1].at THEN $sent[-1].at ELSE p.pushed_to END
WITH p
UNWIND $sent AS row
MATCH (d:Decision {uid: row.uid})
MERGE (d)-[s:SENT_TO]->(p)
SET s.at = row.at, s.withdrawn = row.withdrawn

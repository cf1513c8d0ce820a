// Removes the peer at $url and what was sent to it. Its shared decisions stay.
MATCH (p:Peer {url: $url})
REMOVE p.added, p.added_at, p.listed, p.no_answer, p.subscribed_at, p.pushed_to, p.following
WITH p
OPTIONAL MATCH (p)<-[r:SENT_TO]-()
DELETE r

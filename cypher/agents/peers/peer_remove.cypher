// Forgets that the peer at $url was added, and what it was sent; what it said stays.
MATCH (p:Peer {url: $url})
REMOVE p.added, p.added_at, p.listed, p.no_answer, p.subscribed_at, p.pushed_to, p.following
WITH p
OPTIONAL MATCH (p)<-[r:SENT_TO]-()
DELETE r

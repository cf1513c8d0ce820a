// Returns all peers by name. Whether a peer failed to respond recently is determined by the database's clock.
MATCH (p:Peer) WHERE p.url IS NOT NULL
RETURN p.name AS name, p.url AS url, p.card AS card, p.no_answer AS no_answer, coalesce(p.added, false) AS added, coalesce(p.listed, false) AS listed,
       coalesce(p.down_until > datetime(), false) AS down, p.subscribed_at IS NOT NULL AS subscribed, coalesce(p.following, false) AS following,
       p.seen_at AS seen_at, coalesce(p.guardrails, []) AS guardrails
ORDER BY toLower(p.name), p.url

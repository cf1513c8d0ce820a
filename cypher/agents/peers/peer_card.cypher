// Stores the $card of the peer at $url as JSON, the names of its $guardrails, and that it responded.
MERGE (p:Peer {url: $url})
ON CREATE SET p.uid = $uid, p.schema_version = 1
SET p.name = $name, p.card = $card, p.guardrails = $guardrails, p.seen_at = datetime(), p.down_until = null

// Claims the webhook $name for the server $server for $milliseconds unless another one has it. Returns whether the claim succeeded, how far it has read the feed, the breakers that it reported, and up to 20 deliveries that are due.
MERGE (w:SYS_Webhook {name: $name})
SET w.held = true
REMOVE w.held
WITH w, coalesce(w.server = $server OR w.until < datetime(), true) AS free
SET w.until = CASE WHEN free THEN datetime() + duration({milliseconds: $milliseconds}) ELSE w.until END,
  w.server = CASE WHEN free THEN $server ELSE w.server END
RETURN free AS claimed, coalesce(w.position, '') AS position, coalesce(w.breakers, []) AS breakers,
  COLLECT { MATCH (w)-[:FAILED]->(d:WebhookDelivery) WHERE free AND d.next_at <= datetime() RETURN d {.uid, .type, .body, .attempts} ORDER BY d.at, d.uid LIMIT 20 } AS due

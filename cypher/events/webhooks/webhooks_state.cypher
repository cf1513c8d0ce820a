// Returns the webhooks in $names: the server that sends for it, the last delivery, and failed deliveries, newest first, with at most $limit of them in full.
UNWIND $names AS name
MATCH (w:SYS_Webhook {name: name})
RETURN w.name AS name, CASE WHEN w.until > datetime() THEN w.server END AS server, w.delivered_at AS delivered_at,
  COUNT { (w)-[:FAILED]->(d:WebhookDelivery) WHERE d.next_at IS NOT NULL } AS waiting,
  COUNT { (w)-[:FAILED]->(d:WebhookDelivery) WHERE d.next_at IS NULL } AS dead,
  COLLECT { MATCH (w)-[:FAILED]->(d:WebhookDelivery) RETURN d {.uid, .type, .at, .attempts, .error, .next_at} ORDER BY d.at DESC, d.uid DESC LIMIT $limit } AS failed

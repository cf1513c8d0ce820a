// Stores how far the webhook $name of the server $server has read the feed, the breakers that it reported, when it last delivered, and the delivery $failed {uid, type, body, error, attempts, delay}, if any. Returns no row if another server has the webhook.
MATCH (w:SYS_Webhook {name: $name, server: $server})
SET w.position = $position, w.breakers = $breakers,
  w.delivered_at = CASE WHEN $delivered THEN datetime() ELSE w.delivered_at END
FOREACH (f IN $failed |
  CREATE (w)-[:FAILED]->(:WebhookDelivery {uid: f.uid, type: f.type, body: f.body, error: f.error, attempts: f.attempts,
    at: datetime(), next_at: CASE WHEN f.delay IS NOT NULL THEN datetime() + duration({milliseconds: f.delay}) END}))
RETURN w.name AS name

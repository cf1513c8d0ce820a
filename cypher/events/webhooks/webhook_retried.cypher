// Deletes the delivery $uid of the webhook $name after it succeeded ($error is null), or stores its error and, unless $delay is null, the time of the next attempt.
MATCH (w:SYS_Webhook {name: $name})-[:FAILED]->(d:WebhookDelivery {uid: $uid})
SET d.attempts = $attempts, d.error = $error, d.next_at = CASE WHEN $delay IS NOT NULL THEN datetime() + duration({milliseconds: $delay}) END,
  w.delivered_at = CASE WHEN $error IS NULL THEN datetime() ELSE w.delivered_at END
FOREACH (_ IN CASE WHEN $error IS NULL THEN [1] ELSE [] END | DETACH DELETE d)

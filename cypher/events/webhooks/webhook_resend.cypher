// Makes the failed deliveries of the webhook $name due now, or only the delivery $uid. Returns their number.
MATCH (:SYS_Webhook {name: $name})-[:FAILED]->(d:WebhookDelivery)
WHERE $uid IS NULL OR d.uid = $uid
SET d.next_at = datetime(), d.attempts = 0
RETURN count(d) AS due

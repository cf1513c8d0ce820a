// Webhooks are found by their name, and their failed deliveries by id.
CREATE CONSTRAINT sys_webhook_name IF NOT EXISTS FOR (w:SYS_Webhook) REQUIRE w.name IS UNIQUE;
CREATE CONSTRAINT webhook_delivery_uid IF NOT EXISTS FOR (d:WebhookDelivery) REQUIRE d.uid IS UNIQUE;

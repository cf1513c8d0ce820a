// Webhooks are found by their name.
CREATE CONSTRAINT sys_webhook_name IF NOT EXISTS FOR (w:SYS_Webhook) REQUIRE w.name IS UNIQUE;

package tools

import "nomograph/events/webhooks"

var webhookOperations = inToolset("manage",
	define(Operation{
		Name:       "list_webhooks",
		Title:      "Webhooks",
		Use:        "List webhooks and their failed deliveries. Addresses and secrets are not shown.",
		Permission: Govern,
		Command:    "webhook list",
		REST:       "GET /v1/webhooks",
	}, method((*webhooks.Store).Webhooks)),
	define(Operation{
		Name:       "test_webhook",
		Title:      "Test a webhook",
		Use:        "Send a test message to a webhook. Returns the receiver's status.",
		Permission: Govern,
		Hints:      Hints{OpenWorld: true},
		Command:    "webhook test NAME",
		REST:       "POST /v1/webhooks/{name}/test",
	}, method((*webhooks.Store).Test)),
	define(Operation{
		Name:       "resend_webhook",
		Title:      "Resend failed deliveries",
		Use:        "Send failed deliveries again. Includes those that are no longer retried.",
		Permission: Govern,
		Hints:      reachingOut,
		Command:    "webhook resend NAME",
		REST:       "POST /v1/webhooks/{name}/resend",
	}, method((*webhooks.Store).Resend)),
)

package tools

import (
	"context"

	"nomograph/events/webhooks"
)

var webhookOperations = inToolset("manage",
	define(Operation{
		Name:       "list_webhooks",
		Title:      "Webhooks",
		Use:        "List webhooks and their failed deliveries. Addresses and secrets are not shown.",
		Permission: Govern,
		CLI:        CommandLine{Command: "webhook list"},
		REST:       "GET /v1/webhooks",
	}, func(ctx context.Context, app *App, in webhooks.ListQuery) (webhooks.List, error) {
		return app.Webhooks.Webhooks(ctx, in)
	}),
	define(Operation{
		Name:       "test_webhook",
		Title:      "Test a webhook",
		Use:        "Send a test message to a webhook. Returns the receiver's status.",
		Permission: Govern,
		Hints:      Hints{OpenWorld: true},
		CLI:        CommandLine{Command: "webhook test NAME"},
		REST:       "POST /v1/webhooks/{name}/test",
	}, func(ctx context.Context, app *App, in webhooks.Selection) (webhooks.Sent, error) {
		return app.Webhooks.Test(ctx, in)
	}),
	define(Operation{
		Name:       "resend_webhook",
		Title:      "Resend failed deliveries",
		Use:        "Send failed deliveries again. Includes those that are no longer retried.",
		Permission: Govern,
		Hints:      Hints{Idempotent: true, OpenWorld: true},
		CLI:        CommandLine{Command: "webhook resend NAME"},
		REST:       "POST /v1/webhooks/{name}/resend",
	}, func(ctx context.Context, app *App, in webhooks.Resending) (webhooks.Resent, error) {
		return app.Webhooks.Resend(ctx, in)
	}),
)

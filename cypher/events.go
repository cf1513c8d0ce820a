package cypher

// Statements of events: recorded events in the order of their times, and the webhooks that send them.
var (
	EventsSince     = reads("events/events_since")
	EventsCount     = reads("events/events_count")
	EventIDs        = reads("events/event_ids")
	WebhooksState   = reads("events/webhooks/webhooks_state")
	WebhookClaim    = writes("events/webhooks/webhook_claim")
	WebhookProgress = writes("events/webhooks/webhook_progress")
	WebhookRetried  = writes("events/webhooks/webhook_retried")
	WebhookResend   = writes("events/webhooks/webhook_resend")
)

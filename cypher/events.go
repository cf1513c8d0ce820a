package cypher

// Statements of feed: what happened, in the order of its times.
var (
	EventsSince = reads("events/events_since")
	EventsCount = reads("events/events_count")
	EventsKnown = reads("events/events_known")
)

package cypher

// Statements of feed: what happened, in the order of its times.
var (
	EventsSince = reads("feed/events_since")
	EventsCount = reads("feed/events_count")
	EventsKnown = reads("feed/events_known")
)

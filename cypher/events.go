package cypher

// Statements of events: recorded events in the order of their times.
var (
	EventsSince = reads("events/events_since")
	EventsCount = reads("events/events_count")
	EventIDs    = reads("events/event_ids")
)

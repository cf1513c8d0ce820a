package recall

import (
	"strings"
	"time"

	"nomograph/internal/render"
)

// Date formats of the source document.
const (
	aMonth  = "Jan 2006"
	aDay    = "Jan 2"
	aClock  = "3:04 PM"
	aMoment = "Jan 2, 2006, 3:04 PM"
)

// formatMonths returns a range such as Jan 2025 – Feb 2025.
func formatMonths(from, to time.Time, zone *time.Location) string {
	return from.In(zone).Format(aMonth) + " – " + to.In(zone).Format(aMonth)
}

// formatTimes returns a range such as Feb 8, 2:30 PM – 4:15 PM. The end includes its day if it differs.
func formatTimes(from, to time.Time, zone *time.Location) string {
	return timesOf(from.In(zone), to.In(zone), aDay+", "+aClock)
}

// timesWithYear is formatTimes with years, for lists that can span years.
func timesWithYear(from, to time.Time, zone *time.Location) string {
	return timesOf(from.In(zone), to.In(zone), aMoment)
}

func timesOf(from, to time.Time, layout string) string {
	end := layout
	if from.Format(time.DateOnly) == to.Format(time.DateOnly) {
		end = aClock
	}
	return from.Format(layout) + " – " + to.Format(end)
}

// shortID abbreviates a session id. UUIDv7 ids keep their end, because ids created in sequence share the beginning.
func shortID(id string) string {
	const short, uuid, version = 8, 36, 14
	id = render.OneLine(id[strings.LastIndexByte(id, ':')+1:]) // ids of imported sessions start with their source
	switch {
	case len(id) <= short:
		return id
	case len(id) == uuid && id[version] == '7':
		return id[len(id)-short:]
	case len(id) == uuid:
		return id[:short]
	}
	return id
}

package recall

import (
	"strings"
	"time"

	"nomograph/internal/render"
)

// The forms of dates, as people who use these tools know them.
const (
	aMonth  = "Jan 2006"
	aDay    = "Jan 2"
	aClock  = "3:04 PM"
	aMoment = "Jan 2, 2006, 3:04 PM"
)

// monthsSaid is such as Jan 2025 – Feb 2025.
func monthsSaid(from, to time.Time, zone *time.Location) string {
	return from.In(zone).Format(aMonth) + " – " + to.In(zone).Format(aMonth)
}

// timesSaid is such as Feb 8, 2:30 PM – 4:15 PM, with the second day where it is another.
func timesSaid(from, to time.Time, zone *time.Location) string {
	from, to = from.In(zone), to.In(zone)
	end := to.Format(aClock)
	if from.Format(time.DateOnly) != to.Format(time.DateOnly) {
		end = to.Format(aDay + ", " + aClock)
	}
	return from.Format(aDay+", "+aClock) + " – " + end
}

// timesWithYear is timesSaid with the year of each day: a person who reads a list has no other sign of it.
func timesWithYear(from, to time.Time, zone *time.Location) string {
	from, to = from.In(zone), to.In(zone)
	end := to.Format(aClock)
	if from.Format(time.DateOnly) != to.Format(time.DateOnly) {
		end = to.Format(aMoment)
	}
	return from.Format(aMoment) + " – " + end
}

// shortID abbreviates the id of a session. Those that are made one after another differ at their end.
func shortID(id string) string {
	const short, uuid, version = 8, 36, 14
	id = render.OneLine(id[strings.LastIndexByte(id, ':')+1:]) // of an imported session, the source stands before it
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

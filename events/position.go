package events

import (
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strings"
	"time"

	"nomograph/internal/apperr"
)

const (
	// maxCommitDelay is the maximum delay between an event's time and its commit.
	maxCommitDelay = 2 * time.Minute
	// maxPositionEvents is the maximum number of events in a position. It bounds how many events of the last two
	// minutes another server can tell from events that were committed late.
	maxPositionEvents = 32
	// oldest is the maximum age of a position.
	oldest = 7 * 24 * time.Hour
)

func (m eventPosition) String() string { return m.at.UTC().Format(time.RFC3339Nano) + "/" + m.uid }

// shortID identifies an event in a position with 24 bits. A missed event is mistaken for a known one with a
// probability of
// 1 in 500,000.
func (m eventPosition) shortID() string {
	sum := sha256.Sum256([]byte(m.uid))
	return base64.RawURLEncoding.EncodeToString(sum[:3])
}

const shortLength = 4

// Position is how far a subscriber has read: its newest event and the known events right before it. Times are assigned
// before the commit, so an event with an earlier time may become visible later; the marks say which ones were received.
//
// Its text is time/uid~marks: the event's id, and after a tilde four characters for each of up to 32 known events of
// the last two minutes up to it, in order. Without marks everything up to the event counts as known.
type Position struct {
	newest eventPosition
	shorts []string // nil: everything up to newest is known
}

// ParsePosition parses a position. It returns a validation_error.
func ParsePosition(text string) (Position, error) {
	id, shorts, marked := strings.Cut(text, "~")
	moment, uid, ok := strings.Cut(id, "/")
	at, err := time.Parse(time.RFC3339Nano, moment)
	const maxUIDLength = 100
	if err != nil || !ok || len(uid) > maxUIDLength || len(shorts)%shortLength != 0 ||
		len(shorts) > maxPositionEvents*shortLength {
		return Position{}, apperr.New(apperr.Validation, "Invalid Last-Event-ID").
			WithHint("Send the id of the last event unchanged (TIME/UID), or connect without one")
	}
	p := Position{newest: eventPosition{at.UTC(), uid}}
	if marked {
		p.shorts = []string{}
	}
	for short := range slices.Chunk([]byte(shorts), shortLength) {
		p.shorts = append(p.shorts, string(short))
	}
	return p, nil
}

// begins returns the time from which events must be read to continue from the position.
func (p Position) begins() time.Time {
	if p.shorts == nil {
		return p.newest.at
	}
	return p.newest.at.Add(-maxCommitDelay)
}

// split divides events up to the position, in order, into those known and those missed.
func (p Position) split(before []*Event) (known, missed []*Event) {
	full := len(p.shorts) == maxPositionEvents
	reached := !full // the position says nothing about events before the oldest that it names
	for _, e := range before {
		switch {
		case p.shorts == nil || slices.Contains(p.shorts, e.position().shortID()):
			reached = true
			known = append(known, e)
		case reached && e.At.After(p.newest.at.Add(-maxCommitDelay)):
			missed = append(missed, e)
		default:
			known = append(known, e)
		}
	}
	return known, missed
}

// track is the moving position of one subscriber.
type track struct {
	newest eventPosition
	// events up to newest that may be followed by late ones, in order; the last maxPositionEvents
	known []eventPosition
}

// add records an event as known.
func (t *track) add(m eventPosition) {
	i, ok := slices.BinarySearchFunc(t.known, m, eventPosition.compare)
	if ok {
		return
	}
	t.known = slices.Insert(t.known, i, m)
	if m.compare(t.newest) > 0 {
		t.newest = m
	}
	t.trim()
}

// reach records that all events up to a time were sent.
func (t *track) reach(at time.Time) {
	if at.After(t.newest.at) {
		t.newest = eventPosition{at: at.UTC()}
		t.trim()
	}
}

func (t *track) trim() {
	t.known = t.known[max(0, len(t.known)-maxPositionEvents):]
	for len(t.known) > 0 && !t.known[0].at.After(t.newest.at.Add(-maxCommitDelay)) {
		t.known = t.known[1:]
	}
}

// String returns the position as text.
func (t *track) String() string {
	var b strings.Builder
	b.WriteString(t.newest.String())
	b.WriteByte('~')
	for _, m := range t.known {
		b.WriteString(m.shortID())
	}
	return b.String()
}

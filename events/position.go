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
	// late is how long after the time that it bears something may still be committed.
	late = 2 * time.Minute
	// maxMarked is how many events a position names. At most so many of the last two minutes can be told from those that were committed
	// late, when another server goes on from a position.
	maxMarked = 32
	// oldest is how far back a position may lie.
	oldest = 7 * 24 * time.Hour
)

func (m mark) String() string { return m.at.UTC().Format(time.RFC3339Nano) + "/" + m.uid }

// short is what a position names an event by: 24 bits, so that one that was not told is taken for one that was once in 500,000 times.
func (m mark) short() string {
	sum := sha256.Sum256([]byte(m.uid))
	return base64.RawURLEncoding.EncodeToString(sum[:3])
}

const shortLength = 4

// Position is how far a subscriber has come: the newest event that it knows, and what it knows of those right before it. Times are given
// before a commit, so that what bears an earlier time may come later; which ones came is what the second half says.
//
// As text it is time/uid~marks: the event's id, and after a tilde four characters for each of up to 32 known events up to it, of
// the last two minutes, in order. Without the marks everything up to the event counts as known.
type Position struct {
	newest mark
	shorts []string // nil: all up to newest is known
}

// ParsePosition reads a position. It returns a validation_error for what is none.
func ParsePosition(text string) (Position, error) {
	id, shorts, marked := strings.Cut(text, "~")
	moment, uid, ok := strings.Cut(id, "/")
	at, err := time.Parse(time.RFC3339Nano, moment)
	const longestUID = 100
	if err != nil || !ok || len(uid) > longestUID || len(shorts)%shortLength != 0 || len(shorts) > maxMarked*shortLength {
		return Position{}, apperr.New(apperr.Validation, "The Last-Event-ID is none that an event had").
			WithHint("Send the id of the last event as it came, TIME/UID, or connect without one")
	}
	p := Position{newest: mark{at.UTC(), uid}}
	if marked {
		p.shorts = []string{}
	}
	for i := 0; i < len(shorts); i += shortLength {
		p.shorts = append(p.shorts, shorts[i:i+shortLength])
	}
	return p, nil
}

// begins is from when on things have to be read to go on from the position.
func (p Position) begins() time.Time {
	if p.shorts == nil {
		return p.newest.at
	}
	return p.newest.at.Add(-late)
}

// split tells of what happened up to the position, in order, what was known there and what was not.
func (p Position) split(before []*Event) (known, missed []*Event) {
	full := len(p.shorts) == maxMarked
	reached := !full // the position says nothing of what lies before the oldest that it names
	for _, e := range before {
		switch {
		case p.shorts == nil || slices.Contains(p.shorts, e.mark().short()):
			reached = true
			known = append(known, e)
		case reached && e.At.After(p.newest.at.Add(-late)):
			missed = append(missed, e)
		default:
			known = append(known, e)
		}
	}
	return known, missed
}

// track is the position of one subscriber as it moves.
type track struct {
	newest mark
	known  []mark // up to newest, of the time in which more may come, in order; the last maxMarked
}

// add notes that something is known now.
func (t *track) add(m mark) {
	i, ok := slices.BinarySearchFunc(t.known, m, mark.compare)
	if ok {
		return
	}
	t.known = slices.Insert(t.known, i, m)
	if m.compare(t.newest) > 0 {
		t.newest = m
	}
	t.trim()
}

// reach notes that everything up to a moment was told that was there to be told.
func (t *track) reach(at time.Time) {
	if at.After(t.newest.at) {
		t.newest = mark{at: at.UTC()}
		t.trim()
	}
}

func (t *track) trim() {
	t.known = t.known[max(0, len(t.known)-maxMarked):]
	for len(t.known) > 0 && !t.known[0].at.After(t.newest.at.Add(-late)) {
		t.known = t.known[1:]
	}
}

// String is the position as text.
func (t *track) String() string {
	var b strings.Builder
	b.WriteString(t.newest.String())
	b.WriteByte('~')
	for _, m := range t.known {
		b.WriteString(m.short())
	}
	return b.String()
}

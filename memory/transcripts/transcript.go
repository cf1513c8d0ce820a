package transcripts

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"iter"
	"slices"
	"strconv"
	"strings"
	"time"

	"nomograph/internal/pattern"
	"nomograph/memory/turns"
)

// Sources of conversations.
const (
	ClaudeCode = "claude-code"
	Cursor     = "cursor"
	Codex      = "codex"
	Gemini     = "gemini"
	Copilot    = "copilot"
	Goose      = "goose"
	OpenCode   = "opencode"
	ChatGPT    = "chatgpt"
	Markdown   = "markdown"
	JSON       = "json"
)

// Conversation describes a conversation. Fields that appear later in a file, such as the title, are set when they are
// read.
type Conversation struct {
	Source, ExternalID string // identify the conversation together
	Title              string
	Folder             string // working directory, according to the file
	Project            string // set if the file names it
	Agent              string
	Parent             string // external id of the conversation that started this one
}

// Utterance is a message of a conversation, or the end of the conversation.
type Utterance struct {
	*Conversation
	turns.Message
	ID   string // id of the record, if the file states one
	Over bool   // end of the conversation in this file
}

// Sequence yields the messages of a file in order. After an error of type *Problem the sequence continues; any other
// error ends it.
type Sequence = iter.Seq2[Utterance, error]

// Problem is a part of a file that could not be read.
type Problem struct {
	Place string `json:"location" jsonschema:"file and, if known, line"`
	Why   string `json:"reason"`
}

func (p *Problem) Error() string { return p.Place + ": " + p.Why }

// reading is the state of reading a file.
type reading struct {
	file          File
	conversations map[string]*Conversation // by external id
	yield         func(Utterance, error) bool
	stopped       bool
	yielded       bool             // a message or a problem was yielded
	native        func(line)       // reads the lines of a client whose first line names the session; nil for others
	whole         func() io.Reader // returns the decoded file from its beginning
	versions      versions
	skipped       map[string]int                 // number of records that are no messages, by kind
	untimed       int                            // number of records whose time cannot be read
	late          bool                           // times can be out of order, so conversations are sorted at their end
	id            string                         // of the record that is read
	begins        bool                           // the next message is the first of its record
	held          map[*Conversation][]heldRecord // records to sort
	said          map[*Conversation]time.Time    // last time that a conversation states
}

func (f File) reading(yield func(Utterance, error) bool) *reading {
	return &reading{file: f, conversations: map[string]*Conversation{}, yield: yield, skipped: map[string]int{},
		held: map[*Conversation][]heldRecord{}, said: map[*Conversation]time.Time{}}
}

// noText is the kind of messages without text, such as thoughts and images.
const noText = "message without text"

// heldRecord is the messages of a record, and the time that it states.
type heldRecord struct {
	at  time.Time
	all []Utterance
}

// skip counts a record that is no message.
func (r *reading) skip(kind string) { r.skipped[clean(strings.Clone(kind))]++ }

// conversation returns the conversation with this id, new or known.
func (r *reading) conversation(source, id string) *Conversation {
	c := r.conversations[id]
	if c == nil {
		c = &Conversation{Source: source, ExternalID: id}
		r.conversations[id] = c
	}
	return c
}

// yieldMessage yields a message. A message without a time gets the one in its text, else that of the message before
// it, else the modification time of the file.
func (r *reading) yieldMessage(c *Conversation, m turns.Message) {
	if m.At.IsZero() && !m.Act {
		m.At = timeIn(m.Text)
	}
	stated := m.At
	if m.At.IsZero() {
		m.At = cmp.Or(r.said[c], r.file.Changed)
	} else {
		r.said[c] = m.At
	}
	u := Utterance{Conversation: c, Message: m, ID: r.id}
	r.yielded = true
	if !r.late {
		r.emit(u, nil)
		return
	}
	if r.begins || len(r.held[c]) == 0 {
		r.held[c] = append(r.held[c], heldRecord{at: stated})
	}
	r.begins = false
	last := &r.held[c][len(r.held[c])-1]
	last.all = append(last.all, u)
}

// endConversation ends a conversation. Held records are in the order of their times if all state one.
func (r *reading) endConversation(c *Conversation) {
	held := r.held[c]
	if !slices.ContainsFunc(held, func(s heldRecord) bool { return s.at.IsZero() }) {
		slices.SortStableFunc(held, func(a, b heldRecord) int { return a.at.Compare(b.at) })
	}
	for _, s := range held {
		for _, u := range s.all {
			r.emit(u, nil)
		}
	}
	delete(r.held, c)
	r.emit(Utterance{Conversation: c, Over: true}, nil)
	delete(r.conversations, c.ExternalID)
	delete(r.said, c)
}

func (r *reading) problem(place, why string) { r.emit(Utterance{}, &Problem{place, why}) }

func (r *reading) emit(s Utterance, err error) {
	r.yielded = r.yielded || err != nil || !s.Over
	if !r.stopped {
		r.stopped = !r.yield(s, err)
	}
}

// end reports skipped records, and yields the end of all open conversations, in any order.
func (r *reading) end() {
	for kind, records := range r.skipped {
		if r.file.Skipped != nil {
			r.file.Skipped(kind, records)
		}
	}
	if r.untimed > 0 && r.file.Untimed != nil {
		r.file.Untimed(r.untimed)
	}
	for _, c := range r.conversations {
		r.endConversation(c)
	}
}

// contentID returns an id for a conversation without one: a hash of its title and beginning, equal on all machines and
// in all folders.
func contentID(title, first string) string {
	sum := sha256.Sum256([]byte(title + "\x00" + first[:min(len(first), 2000)]))
	return hex.EncodeToString(sum[:8])
}

// stamp parses the time of a record, and counts a record whose time cannot be read.
func (r *reading) stamp(value any) time.Time {
	at := stamp(value)
	if at.IsZero() && value != nil && value != "" && value != 0.0 {
		r.untimed++
	}
	return at
}

// stamp parses a time in RFC 3339, or in seconds or milliseconds since 1970. It returns the zero time if it cannot.
func stamp(value any) time.Time {
	switch v := value.(type) {
	case string:
		for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05Z0700", "2006-01-02T15:04:05",
			"2006-01-02T15:04", "2006-01-02 15:04:05Z07:00", "2006-01-02 15:04:05", "2006-01-02 15:04Z07:00",
			"2006-01-02 15:04", "2006-01-02", "3:04 pm on 2 January, 2006"} {
			if at, err := time.Parse(form, v); err == nil && isPlausible(at) {
				return at.UTC()
			}
		}
	case float64:
		const milliseconds = 1e11 // as seconds, this would be the year 5138
		if v > milliseconds {
			v /= 1000
		}
		if at := time.UnixMicro(int64(v * 1e6)).UTC(); v > 0 && v < milliseconds && isPlausible(at) {
			return at
		}
	}
	return time.Time{}
}

// Times in a text: an element that Cursor adds, and a date in the first line, alone, after a label or in brackets.
var (
	timestamp = pattern.New(`(?s)<timestamp>\s*(.*?)\s*</timestamp>`)
	timeFirst = pattern.New(`(?m)\A[\s>#*_]*[\[(<*_]*` + dateInText + `\s*(?:[\])>*_:|–—-]|$)`)
	timeLabel = pattern.New(`(?im)^[\s>#*_-]*(?:date|time|datum|created|exported|started)(?: (?:on|at))?[*_]*:[*_\s]*` +
		dateInText)
	zoneAtEnd = pattern.New(`\s*\((?:UTC|GMT)([+-]\d{1,2})?(?::(\d{2}))?\)\s*$`)
)

const dateInText = `(\d{4}-\d{2}-\d{2}(?:[T ,]+\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?)`

// timeIn returns the time that a text states about itself, or the zero time. A date within a sentence says nothing
// about when it was written.
func timeIn(text string) time.Time {
	if found := timestamp.FindStringSubmatch(text); found != nil {
		return stampWithZone(found[1])
	}
	for _, form := range []*pattern.Pattern{timeFirst, timeLabel} {
		if found := form.FindStringSubmatch(text); found != nil {
			return stamp(found[1])
		}
	}
	return time.Time{}
}

// stampWithZone parses a time in words, such as "Friday, May 1, 2026, 10:00 AM (UTC+2)".
func stampWithZone(text string) time.Time {
	zone := time.UTC
	if found := zoneAtEnd.FindStringSubmatch(text); found != nil {
		hours, _ := strconv.Atoi(found[1])
		minutes, _ := strconv.Atoi(found[2])
		if hours < 0 {
			minutes = -minutes
		}
		zone, text = time.FixedZone("", (hours*60+minutes)*60), strings.TrimSuffix(text, found[0])
	}
	for _, form := range []string{"Monday, January 2, 2006, 3:04 PM", "Monday, Jan 2, 2006, 3:04 PM",
		"January 2, 2006, 3:04 PM", "Jan 2, 2006, 3:04 PM", "January 2, 2006"} {
		if at, err := time.ParseInLocation(form, text, zone); err == nil && isPlausible(at) {
			return at.UTC()
		}
	}
	return stamp(text)
}

// isPlausible reports whether a time is in the range that the graph stores and sorts correctly.
func isPlausible(at time.Time) bool { return at.Year() >= 1970 && at.Year() < 9999 }

package transcripts

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"time"

	"nomograph/memory/turns"
)

// The sources of conversations.
const (
	ClaudeCode = "claude-code"
	Cursor     = "cursor"
	ChatGPT    = "chatgpt"
	Markdown   = "markdown"
	JSON       = "json"
)

// Conversation says whose words are read. What is said later of one, such as its title, is added to it.
type Conversation struct {
	Source, ExternalID string // together they say which one it is
	Title              string
	Folder             string // in which it was held, as its file says
	Project            string // where its file names one
	Agent              string
	Parent             string // the external id of the conversation that had this one held
}

// Said is one thing that was said in a conversation, or that the conversation is over.
type Said struct {
	*Conversation
	turns.Message
	Over bool // nothing more comes of it in this file
}

// Sequence is what a file says, in its order. An error that is a *Problem concerns one place, and the sequence goes on; any other ends it.
type Sequence = iter.Seq2[Said, error]

// Problem is a place that could not be read.
type Problem struct {
	Place string `json:"place" jsonschema:"file and, if known, line"`
	Why   string `json:"why"`
}

func (p *Problem) Error() string { return p.Place + ": " + p.Why }

// reading is a file under way.
type reading struct {
	file          File
	conversations map[string]*Conversation // by external id
	yield         func(Said, error) bool
	stopped       bool
}

func (f File) reading(yield func(Said, error) bool) *reading {
	return &reading{file: f, conversations: map[string]*Conversation{}, yield: yield}
}

// conversation gives the one of an id, which is new or was heard before.
func (r *reading) conversation(source, id string) *Conversation {
	c := r.conversations[id]
	if c == nil {
		c = &Conversation{Source: source, ExternalID: id}
		r.conversations[id] = c
	}
	return c
}

// say hands on a message. One without a time was said when the file was last changed.
func (r *reading) say(c *Conversation, m turns.Message) {
	if m.At.IsZero() {
		m.At = r.file.Changed
	}
	r.give(Said{Conversation: c, Message: m}, nil)
}

func (r *reading) over(c *Conversation) {
	r.give(Said{Conversation: c, Over: true}, nil)
	delete(r.conversations, c.ExternalID)
}

func (r *reading) problem(place, why string) { r.give(Said{}, &Problem{place, why}) }

func (r *reading) give(s Said, err error) {
	if !r.stopped {
		r.stopped = !r.yield(s, err)
	}
}

// end says that all conversations are over, in the order in which they do not matter.
func (r *reading) end() {
	for _, c := range r.conversations {
		r.over(c)
	}
}

// named is an id for a conversation whose file has none: it is known by how it begins, on any machine and in any folder.
func named(title, first string) string {
	sum := sha256.Sum256([]byte(title + "\x00" + first[:min(len(first), 2000)]))
	return hex.EncodeToString(sum[:8])
}

// stamp reads a time as clients write it: RFC 3339, or seconds or milliseconds since 1970. What is none is the zero time.
func stamp(value any) time.Time {
	switch v := value.(type) {
	case string:
		for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
			if at, err := time.Parse(form, v); err == nil && plausible(at) {
				return at.UTC()
			}
		}
	case float64:
		const milliseconds = 1e11 // as seconds, it would be the year 5138
		if v > milliseconds {
			v /= 1000
		}
		if at := time.UnixMicro(int64(v * 1e6)).UTC(); v > 0 && v < milliseconds && plausible(at) {
			return at
		}
	}
	return time.Time{}
}

// plausible times are those that the graph holds and lists sort.
func plausible(at time.Time) bool { return at.Year() >= 1970 && at.Year() < 9999 }

package transcripts

import (
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"time"

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
	Over bool // end of the conversation in this file
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
	native        func(line) // reads the lines of a client whose first line names the session; nil for others
}

func (f File) reading(yield func(Utterance, error) bool) *reading {
	return &reading{file: f, conversations: map[string]*Conversation{}, yield: yield}
}

// conversation returns the conversation with this id, new or known.
func (r *reading) conversation(source, id string) *Conversation {
	c := r.conversations[id]
	if c == nil {
		c = &Conversation{Source: source, ExternalID: id}
		r.conversations[id] = c
	}
	return c
}

// yieldMessage yields a message. A message without a time gets the modification time of the file.
func (r *reading) yieldMessage(c *Conversation, m turns.Message) {
	if m.At.IsZero() {
		m.At = r.file.Changed
	}
	r.emit(Utterance{Conversation: c, Message: m}, nil)
}

func (r *reading) endConversation(c *Conversation) {
	r.emit(Utterance{Conversation: c, Over: true}, nil)
	delete(r.conversations, c.ExternalID)
}

func (r *reading) problem(place, why string) { r.emit(Utterance{}, &Problem{place, why}) }

func (r *reading) emit(s Utterance, err error) {
	if !r.stopped {
		r.stopped = !r.yield(s, err)
	}
}

// end yields the end of all open conversations, in any order.
func (r *reading) end() {
	for _, c := range r.conversations {
		r.endConversation(c)
	}
}

// contentID returns an id for a conversation without one: a hash of its title and beginning, equal on all machines and in
// all folders.
func contentID(title, first string) string {
	sum := sha256.Sum256([]byte(title + "\x00" + first[:min(len(first), 2000)]))
	return hex.EncodeToString(sum[:8])
}

// stamp parses a time in RFC 3339, or in seconds or milliseconds since 1970. It returns the zero time if it cannot.
func stamp(value any) time.Time {
	switch v := value.(type) {
	case string:
		for _, form := range []string{time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05", "2006-01-02 15:04", "2006-01-02"} {
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

// isPlausible reports whether a time is in the range that the graph stores and sorts correctly.
func isPlausible(at time.Time) bool { return at.Year() >= 1970 && at.Year() < 9999 }

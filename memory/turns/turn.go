package turns

import (
	"strings"
	"time"
)

// Message is a message or an action of a tool.
type Message struct {
	Speaker string
	Asks    bool // starts a turn
	Summary bool // replaces the earlier messages, and is a separate turn
	Act     bool // input or output of a tool, appended to the message as a line
	At      time.Time
	Text    string
}

// Turn is a question with its answer.
type Turn struct {
	Number  int64  // number in the conversation, from 0
	Through int64  // last number that the turn covers; 0 means Number
	Before  string // copied to the piece that starts with this turn
	At      time.Time
	EndsAt  time.Time
	Text    string
	Summary bool
	// Links are copied to the piece that contains this turn.
	Links []string
}

// maxTurnLength is the maximum size of an open turn in bytes. It limits the memory for an assistant that works for
// hours without a question.
const maxTurnLength = 256 << 10

// Builder groups messages into turns. Its zero value is ready to use.
type Builder struct {
	turn  Turn
	text  strings.Builder
	begun bool
}

// Add adds a message and returns the turn that it completes, if any.
func (b *Builder) Add(m Message) (Turn, bool) {
	m.Text = strings.TrimSpace(m.Text)
	if m.Text == "" {
		return Turn{}, false
	}
	var ended Turn
	ends := b.begun && (m.Asks || m.Summary || b.turn.Summary || b.text.Len() > maxTurnLength)
	if ends {
		ended, _ = b.End()
	}
	switch {
	case !b.begun:
		b.begun, b.turn.At, b.turn.EndsAt, b.turn.Summary = true, m.At, m.At, m.Summary
	case m.Act:
		b.text.WriteString("\n")
	default:
		b.text.WriteString("\n\n")
	}
	if m.Speaker != "" && !m.Act {
		b.text.WriteString(m.Speaker + ": ")
	}
	b.text.WriteString(m.Text)
	if m.At.After(b.turn.EndsAt) {
		b.turn.EndsAt = m.At
	}
	return ended, ends
}

// End returns the current, possibly incomplete turn.
func (b *Builder) End() (Turn, bool) {
	if !b.begun {
		return Turn{}, false
	}
	turn := b.turn
	turn.Text = b.text.String()
	b.text.Reset()
	b.turn, b.begun = Turn{Number: turn.Number + 1}, false
	return turn, true
}

// TurnNumber returns the number of the open turn, or of the next one if none is open.
func (b *Builder) TurnNumber() int64 { return b.turn.Number }

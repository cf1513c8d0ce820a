package turns

import (
	"strings"
	"time"
)

// Message is something that was said or done.
type Message struct {
	Speaker string
	Asks    bool // it begins a turn
	Summary bool // it stands for what came before it, and is a turn of its own
	Act     bool // what a tool was asked or answered: a line under what was said
	At      time.Time
	Text    string
}

// Turn is a question with its answer.
type Turn struct {
	Number  int64  // in its conversation, from 0
	Through int64  // the last number that it stands for, where that is another
	Before  string // whatever its owner wants to know again where the piece begins that begins with it
	At      time.Time
	EndsAt  time.Time
	Text    string
	Summary bool
	// Links are what the owner wants to know again of the piece that holds it.
	Links []string
}

// longest text, in bytes, of a turn that goes on: what an assistant does for hours is not kept until somebody asks again.
const maxTurnLength = 256 << 10

// Builder makes turns of messages. Its zero value is at the beginning of a conversation.
type Builder struct {
	turn  Turn
	text  strings.Builder
	begun bool
}

// Add takes a message, and gives the turn that it ends.
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

// End gives the turn that is under way, as far as it is known.
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

// Next is the number of the turn that is under way, or comes.
func (b *Builder) Next() int64 { return b.turn.Number }

// Under tells whether a turn is under way.
func (b *Builder) Under() bool { return b.begun }

package turns

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// MaxTokens is what a piece has at most.
	MaxTokens = 4096
	// FewTokens is the size up to which a piece takes in the turn behind it.
	FewTokens = 64
)

// Piece is what is remembered as one: a turn, several small ones, or a part of one that is too long.
type Piece struct {
	First, Last int64 // turns
	Part        int   // 0, or which of the later parts of a turn it is
	Before      string
	At, EndsAt  time.Time
	Text        string
	Tokens      int
	Summary     bool
	Links       []string
}

// Cutter makes pieces of turns, the same ones wherever it begins with the first turn of a piece.
type Cutter struct {
	Tokens func(string) int // counts those of a text
	open   []Piece          // a piece that may still take a turn in
}

// Add takes a turn, and gives the pieces that are closed by it.
func (c *Cutter) Add(t Turn) []Piece {
	n := c.Tokens(t.Text)
	if len(c.open) == 1 && c.takes(c.open[0], t, n) {
		p := &c.open[0]
		p.Text += "\n\n" + t.Text
		p.Tokens = c.Tokens(p.Text)
		p.Last, p.Links = max(t.Number, t.Through), append(p.Links, t.Links...)
		if t.EndsAt.After(p.EndsAt) {
			p.EndsAt = t.EndsAt
		}
		return nil
	}
	closed := c.open
	c.open = nil
	whole := Piece{First: t.Number, Last: max(t.Number, t.Through), Before: t.Before, At: t.At, EndsAt: t.EndsAt, Text: t.Text, Tokens: n, Summary: t.Summary, Links: t.Links}
	if n <= MaxTokens {
		c.open = []Piece{whole}
		return closed
	}
	for i, text := range c.parts(t.Text, n) {
		part := whole
		part.Part, part.Text, part.Tokens = i, text, c.Tokens(text)
		c.open = append(c.open, part)
	}
	return closed
}

// takes tells whether a piece takes in a turn of so many tokens: two more are between them at most.
func (c *Cutter) takes(p Piece, t Turn, tokens int) bool {
	return p.Tokens < FewTokens && p.Part == 0 && !p.Summary && !t.Summary && p.Tokens+tokens+2 <= MaxTokens
}

// End gives the pieces that are still open.
func (c *Cutter) End() []Piece {
	closed := c.open
	c.open = nil
	return closed
}

// parts cuts a text of so many tokens, which are too many: between paragraphs where it can, else between lines, sentences or words.
func (c *Cutter) parts(text string, tokens int) (parts []string) {
	usual := float64(len(text)) / float64(tokens) // bytes of a token
	for text = strings.TrimSpace(text); text != ""; {
		end := c.fitting(text, usual)
		if part := strings.TrimSpace(text[:end]); part != "" {
			parts = append(parts, part)
		}
		text = strings.TrimSpace(text[end:])
	}
	return parts
}

// fitting gives the length of a beginning that fits, is about as long as can be, and ends well.
func (c *Cutter) fitting(text string, usual float64) int {
	for size := int(MaxTokens * usual * 0.97); ; size = size * 9 / 10 {
		end := cutAt(text, max(size, 1))
		if end == 0 { // a single character
			_, end = utf8.DecodeRuneInString(text)
			return end
		}
		if c.Tokens(text[:end]) <= MaxTokens {
			return end
		}
	}
}

// ends are what a part may end with, the best first. Where none stands in the second half of it, the next is looked for.
var ends = []string{"\n\n", "\n", ". ", " "}

func cutAt(text string, size int) int {
	if len(text) <= size {
		return len(text)
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	head := text[:size]
	at := slices.IndexFunc(ends, func(mark string) bool { return strings.LastIndex(head, mark) > size/2 })
	if at < 0 {
		return len(head)
	}
	return strings.LastIndex(head, ends[at]) + len(ends[at])
}

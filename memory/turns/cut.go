package turns

import (
	"slices"
	"strings"
	"unicode/utf8"

	"nomograph/internal/render"
)

const (
	// MaxTokens is the maximum number of tokens of a piece.
	MaxTokens = 4096
	// MinTokens is the number of tokens below which a piece also takes the next turn.
	MinTokens = 64
)

// Piece is the text of one chunk: a turn, several short turns, or a part of a long one.
type Piece struct {
	Turn              // the first one; its text, end and links are those of the whole piece
	First, Last int64 // turn numbers
	Part        int   // index of the part of a long turn; 0 is the first part or a whole turn
	Tokens      int
}

// Cutter splits turns into pieces. The result is the same from any starting point that is the first turn of a piece.
type Cutter struct {
	Tokens func(string) int // counts the tokens of a text
	open   []Piece          // one piece that can still take a turn, or the parts of one turn
}

// Add adds a turn and returns the pieces that are now complete.
func (c *Cutter) Add(t Turn) []Piece {
	n := c.Tokens(t.Text)
	if len(c.open) == 1 && c.fits(c.open[0], t, n) {
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
	piece := Piece{Turn: t, First: t.Number, Last: max(t.Number, t.Through), Tokens: n}
	if n <= MaxTokens {
		c.open = []Piece{piece}
		return closed
	}
	for i, text := range c.parts(t.Text, n) {
		part := piece
		part.Part, part.Text, part.Tokens = i, text, c.Tokens(text)
		c.open = append(c.open, part)
	}
	return closed
}

// fits reports whether a piece can take a turn with this many tokens. The separator has at most two tokens.
func (c *Cutter) fits(p Piece, t Turn, tokens int) bool {
	return p.Tokens < MinTokens && p.Part == 0 && !p.Summary && !t.Summary && p.Tokens+tokens+2 <= MaxTokens
}

// End returns the remaining pieces.
func (c *Cutter) End() []Piece {
	closed := c.open
	c.open = nil
	return closed
}

// parts splits a text that is too long at paragraphs if possible, else at lines, sentences or words.
func (c *Cutter) parts(text string, tokens int) (parts []string) {
	fallback := float64(len(text)) / float64(tokens) // average bytes per token
	for text = strings.TrimSpace(text); text != ""; {
		end := c.fittingLength(text, fallback)
		if part := strings.TrimSpace(text[:end]); part != "" {
			parts = append(parts, part)
		}
		text = strings.TrimSpace(text[end:])
	}
	return parts
}

// fittingLength returns the length of the longest prefix that fits and ends at a good place.
func (c *Cutter) fittingLength(text string, fallback float64) int {
	for size := int(MaxTokens * fallback * 0.97); ; size = size * 9 / 10 {
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

// ends are the separators at which a text is split, best first. A separator counts only in the second half of the text.
var ends = []string{"\n\n", "\n", ". ", " "}

func cutAt(text string, size int) int {
	head := render.Prefix(text, size)
	at := slices.IndexFunc(ends, func(mark string) bool { return strings.LastIndex(head, mark) > size/2 })
	if at < 0 || head == text {
		return len(head)
	}
	return strings.LastIndex(head, ends[at]) + len(ends[at])
}

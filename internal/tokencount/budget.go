// Package tokencount counts tokens and selects what fits into a token budget.
package tokencount

import (
	"cmp"
	"math"
	"slices"
)

// Rank is the order in which pieces are shortened or left out: the lowest first.
type Rank int

// NeverRemoved is the rank of pieces that are never left out.
const NeverRemoved Rank = math.MaxInt

// Piece is a part of a text with one or more forms, each shorter than the one before.
type Piece[T any] struct {
	Section string // section of the answer
	Forms   []Form[T]
	Empty   bool // the piece says that the section is empty, so it does not count as left out
	at      int  // index of the current form; len(Forms) if left out
}

// Form is one form of a piece, used until its rank is reached.
type Form[T any] struct {
	Until  Rank
	Value  T
	tokens int // tokens of its text, once counted
}

// Single returns a piece with a single form.
func Single[T any](section string, until Rank, value T) *Piece[T] {
	return &Piece[T]{Section: section, Forms: []Form[T]{{Until: until, Value: value}}}
}

// LeftOut reports whether the piece is left out.
func (p *Piece[T]) LeftOut() bool { return p.at == len(p.Forms) }

// Value returns the current form, unless the piece is left out.
func (p *Piece[T]) Value() T { return p.Forms[p.at].Value }

// cut is one reduction of a piece.
type cut[T any] struct {
	piece *Piece[T]
	from  int // index of the form to replace
}

// cuts returns all possible reductions in order: by rank, and within a rank from the end.
func cuts[T any](pieces []*Piece[T]) []cut[T] {
	var all []cut[T]
	for i := range pieces {
		p := pieces[len(pieces)-1-i]
		for from, f := range p.Forms {
			if f.Until < NeverRemoved {
				all = append(all, cut[T]{p, from})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b cut[T]) int { return cmp.Compare(a.until(), b.until()) })
	return all
}

func (c cut[T]) until() Rank { return c.piece.Forms[c.from].Until }

// take applies a reduction and returns the number of tokens saved.
func (c cut[T]) take() int {
	saved := c.piece.Forms[c.from].tokens
	if c.piece.at = c.from + 1; !c.piece.LeftOut() {
		saved -= c.piece.Forms[c.piece.at].tokens
	}
	return saved
}

// Fit reduces pieces until the text that write returns has at most limit tokens. It returns the text and its tokens.
// The tokens of pieces are estimates, because tokens can span pieces; the whole text is counted.
func Fit[T any](pieces []*Piece[T], limit int, text func(T) string, write func() string) (string, int) {
	full, count := write(), words{}
	if n := count.tokens(full); n <= limit {
		return full, n
	}
	for _, p := range pieces {
		for i := range p.Forms {
			p.Forms[i].tokens = count.tokens(text(p.Forms[i].Value))
		}
	}
	left := cuts(pieces)
	for {
		n := count.tokens(full)
		if n <= limit || len(left) == 0 {
			return full, n
		}
		for over := n - limit; over > 0 && len(left) > 0; left = left[1:] {
			over -= left[0].take()
		}
		full = write()
	}
}

// Trimmed says what was left out of a section to stay within max_tokens.
type Trimmed struct {
	Section   string `json:"section"`
	Shown     int    `json:"shown"`
	Shortened int    `json:"shortened,omitempty" jsonschema:"number of shortened texts"`
	LeftOut   int    `json:"left_out"`
}

// Reductions returns what was left out or shortened, in the order of the sections.
func Reductions[T any](pieces []*Piece[T]) []Trimmed {
	var list []Trimmed
	for _, p := range pieces {
		if p.Empty {
			continue
		}
		if len(list) == 0 || list[len(list)-1].Section != p.Section {
			list = append(list, Trimmed{Section: p.Section})
		}
		t := &list[len(list)-1]
		switch {
		case p.LeftOut():
			t.LeftOut++
		case p.at > 0:
			t.Shortened++
			t.Shown++
		default:
			t.Shown++
		}
	}
	return slices.DeleteFunc(list, func(t Trimmed) bool { return t.LeftOut+t.Shortened == 0 })
}

// Package tokencount counts tokens and selects what fits into a token budget.
package tokencount

import (
	"cmp"
	"math"
	"slices"
)

// Rank says how soon something gives way where there is too much: the lowest first.
type Rank int

// Stays is the rank of what never gives way.
const Stays Rank = math.MaxInt

// Piece is one thing to say, in one or several forms, each shorter than the one before.
type Piece[T any] struct {
	Section string // of the answer
	Forms   []Form[T]
	Empty   bool // it says that the section is empty, which is nothing that can be left out
	at      int  // the form in force; len(Forms) where it is left out
}

// Form is how a piece is said, until its rank's turn comes.
type Form[T any] struct {
	Until  Rank
	Value  T
	tokens int // of its text, once it was counted
}

// Single is a piece of a single form.
func Single[T any](section string, until Rank, value T) *Piece[T] {
	return &Piece[T]{Section: section, Forms: []Form[T]{{Until: until, Value: value}}}
}

// Out tells whether the piece is left out.
func (p *Piece[T]) Out() bool { return p.at == len(p.Forms) }

// Value is what the piece says, unless it is out.
func (p *Piece[T]) Value() T { return p.Forms[p.at].Value }

// cut is a piece that gives way once.
type cut[T any] struct {
	piece *Piece[T]
	from  int // form
}

// cuts are all ways to say less, in the order in which they are taken: by rank, and within it what stands last first.
func cuts[T any](pieces []*Piece[T]) []cut[T] {
	var all []cut[T]
	for i := range pieces {
		p := pieces[len(pieces)-1-i]
		for from, f := range p.Forms {
			if f.Until < Stays {
				all = append(all, cut[T]{p, from})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b cut[T]) int { return cmp.Compare(a.until(), b.until()) })
	return all
}

func (c cut[T]) until() Rank { return c.piece.Forms[c.from].Until }

// take has a piece give way, and says how many tokens that saves.
func (c cut[T]) take() int {
	saved := c.piece.Forms[c.from].tokens
	if c.piece.at = c.from + 1; !c.piece.Out() {
		saved -= c.piece.Forms[c.piece.at].tokens
	}
	return saved
}

// Fit leaves out what does not fit into so many tokens, and gives the whole as write makes it of what is left, with its
// tokens. The pieces say about how much their going saves, and the whole is what must fit: tokens do not end where pieces do.
func Fit[T any](pieces []*Piece[T], most int, text func(T) string, write func() string) (string, int) {
	whole, count := write(), words{}
	if n := count.tokens(whole); n <= most {
		return whole, n
	}
	for _, p := range pieces {
		for i := range p.Forms {
			p.Forms[i].tokens = count.tokens(text(p.Forms[i].Value))
		}
	}
	left := cuts(pieces)
	for {
		n := count.tokens(whole)
		if n <= most || len(left) == 0 {
			return whole, n
		}
		for over := n - most; over > 0 && len(left) > 0; left = left[1:] {
			over -= left[0].take()
		}
		whole = write()
	}
}

// Trimmed says what of a section was left out to keep within max_tokens.
type Trimmed struct {
	Section   string `json:"section"`
	Shown     int    `json:"shown"`
	Shortened int    `json:"shortened,omitempty" jsonschema:"number of shortened texts"`
	LeftOut   int    `json:"left_out"`
}

// WhatGaveWay says what was left out or shortened, in the order of the sections.
func WhatGaveWay[T any](pieces []*Piece[T]) []Trimmed {
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
		case p.Out():
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

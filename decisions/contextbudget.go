package decisions

import (
	"cmp"
	"slices"

	"nomograph/layout"
)

// rank says how soon something gives way where there is too much: the lowest first.
type rank int

// What gives way first is what an agent can do without, or can ask for when it needs it. What a step of work may fail by
// stays longest.
const (
	rankEmpty rank = iota // that there is nothing
	rankWisdom
	rankPatterns
	rankClosed          // breakers that let everything pass
	rankContradictions  // beyond the first three
	rankGuardrailDetail // conditions
	rankDecisionDetail  // reasons and lessons, beyond the first three decisions
	rankDecisions       // beyond the first three
	rankCalibration
	rankActions // that are not overdue
	rankProtocol
	rankFirstConflicts // the first three contradictions
	rankFirstDetail    // reasons and lessons of the first three decisions
	rankGuardrailText  // what a guardrail says
	rankFirstDecisions
	rankAdvice // guardrails that warn or are on trial
	rankNotes
	rankOverdue  // reviews
	rankOpen     // breakers that stop something
	rankBlocking // the names of guardrails that block
	rankProfile
	rankLast // who the agent is: it stays
)

// shownWhole is how many decisions and contradictions count as the first.
const shownWhole = 3

// piece is one thing that the context says, in one or several forms, each shorter than the one before.
type piece struct {
	section string // its field in the answer
	forms   []form
	at      int // the form in force; len(forms) where it is left out
}

// form is how a piece is said, until its rank's turn comes.
type form struct {
	until  rank
	value  content
	tokens int // of its text, once it was counted
}

// content is something that stands in the answer: as JSON, or as lines of Markdown.
type content interface{ markdown() string }

// single is a piece of a single form.
func single(section string, until rank, value content) *piece {
	return &piece{section: section, forms: []form{{until: until, value: value}}}
}

func (p *piece) out() bool { return p.at == len(p.forms) }

func (p *piece) value() content { return p.forms[p.at].value }

// cut is a piece that gives way once.
type cut struct {
	piece *piece
	from  int // form
}

// cuts are all ways to say less, in the order in which they are taken: by rank, and within it what stands last first.
func cuts(pieces []*piece) []cut {
	var all []cut
	for i := range pieces {
		p := pieces[len(pieces)-1-i]
		for from, f := range p.forms {
			if f.until < rankLast {
				all = append(all, cut{p, from})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b cut) int { return cmp.Compare(a.until(), b.until()) })
	return all
}

func (s cut) until() rank { return s.piece.forms[s.from].until }

// fit leaves out what does not fit into so many tokens, and gives the whole as write makes it of what is left, with its
// tokens. The pieces say about how much their going saves, and the whole is what must fit: tokens do not end where pieces do.
func fit(pieces []*piece, most int, text func(*piece) string, write func() string) (string, int) {
	whole, count := write(), words{}
	if n := count.tokens(whole); n <= most {
		return whole, n
	}
	for _, p := range pieces {
		for at := range p.forms {
			was := p.at
			p.at = at
			p.forms[at].tokens = count.tokens(text(p))
			p.at = was
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

// take has a piece give way, and says how many tokens that saves.
func (s cut) take() int {
	saved := s.piece.forms[s.from].tokens
	if s.piece.at = s.from + 1; !s.piece.out() {
		saved -= s.piece.forms[s.piece.at].tokens
	}
	return saved
}

// Trimmed says what of a section was left out to keep within max_tokens.
type Trimmed struct {
	Section   string `json:"section"`
	Shown     int    `json:"shown"`
	Shortened int    `json:"shortened,omitempty" jsonschema:"of those shown"`
	LeftOut   int    `json:"left_out"`
}

// trimmed says what gave way, in the order of the sections. That a section is empty is nothing that can be left out.
func trimmed(pieces []*piece) []Trimmed {
	var list []Trimmed
	for _, p := range pieces {
		if _, nothing := p.forms[0].value.(nothing); nothing {
			continue
		}
		if len(list) == 0 || list[len(list)-1].Section != p.section {
			list = append(list, Trimmed{Section: p.section})
		}
		t := &list[len(list)-1]
		switch {
		case p.out():
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

// inJSON is a value as the answer has it.
func inJSON(value any) string {
	text, err := layout.JSON(value)
	if err != nil { // types of ours
		panic(err)
	}
	return string(text)
}

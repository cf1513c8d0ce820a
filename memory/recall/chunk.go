package recall

import (
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/pattern"
	"nomograph/internal/render"
)

// row is a chunk as returned by statements.
type row struct {
	UID, Project, Session, Agent, Kind, Text string
	Position, Tokens                         int64
	At, EndsAt                               time.Time
	SessionID                                string
	Decisions                                []endedDecision
	Seed, Steps                              int64
	Because                                  string
	Fact                                     *factState // nil for other kinds

	outdated []string // see markDenials
}

// rowOf converts a chunk that the full-text query returned.
func rowOf(c map[string]any) row {
	var r row
	_ = graph.Decode(c, &r)
	return r
}

// foundChunk is a chunk that was found for a question.
type foundChunk struct {
	row
	hitScores
	score      float64
	because    string // reason for a chunk that was reached over a link
	messages   []message
	words      []string // stems, sorted
	asked      bool     // only questions in it match the question
	relevant   bool     // relevant to the question by itself
	superseded []Superseded
	newer      []string // uids of chunks that replace it and stand above it
	similar    int      // chunks that repeat it
}

// message is an uninterrupted text of one speaker, or a paragraph without a speaker.
type message struct {
	text  string
	stems []string // without the lines that only ask
	score float64
}

var speaker = pattern.New(`^[\pL\pN][^\n:]{0,60}: `)

// messagesOf splits the text of a chunk at changes of the speaker.
func messagesOf(text string) (all []message) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if len(all) > 0 && !speaker.MatchString(paragraph) {
			all[len(all)-1].text += "\n\n" + paragraph
			continue
		}
		all = append(all, message{text: paragraph})
	}
	return all
}

// OutdatedDecision is a decision in a chunk that failed or was superseded.
type OutdatedDecision struct {
	ID           string   `json:"id"`
	Title        string   `json:"title"`
	Outcome      string   `json:"outcome,omitempty" jsonschema:"failure or abandoned"`
	Lessons      string   `json:"lessons,omitempty"`
	SupersededBy []string `json:"superseded_by,omitempty" jsonschema:"id: title"`
}

// endedDecision is a decision in a chunk that failed or was superseded, as statements return it.
type endedDecision struct {
	ID, Title, Outcome, Lessons string
	SupersededBy                []struct{ ID, Title, Chunk string }
}

// outdatedDecisions returns the outdated decisions of a row.
func (r row) outdatedDecisions() (held []OutdatedDecision) {
	for _, d := range r.Decisions {
		h := OutdatedDecision{ID: d.ID, Title: render.Title(d.Title), Outcome: d.Outcome,
			Lessons: render.OneLine(d.Lessons)}
		for _, by := range d.SupersededBy {
			h.SupersededBy = append(h.SupersededBy, by.ID+": "+render.Title(by.Title))
		}
		held = append(held, h)
	}
	return held
}

// lines describes the current state of the decision, followed by quotes of recorded texts.
func (h OutdatedDecision) lines() []string {
	label := "decision " + h.ID
	var successors, quoted []string
	for _, by := range h.SupersededBy {
		id, _, _ := strings.Cut(by, ":")
		successors, quoted = append(successors, id), append(quoted, render.Quote(by))
	}
	switch {
	case len(successors) > 0 && h.Outcome != "":
		label += " ended as " + h.Outcome + " and was superseded by " + strings.Join(successors, ", ")
	case len(successors) > 0:
		label += " was superseded by " + strings.Join(successors, ", ")
	default:
		label += " ended as " + h.Outcome
	}
	if h.Lessons != "" {
		quoted = append(quoted, render.Quote("Lessons: "+h.Lessons))
	}
	return append([]string{"[Now: " + label + "]"}, quoted...)
}

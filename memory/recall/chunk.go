package recall

import (
	"regexp"
	"strings"
	"time"

	"nomograph/prose"
)

// row is a chunk as statements give it.
type row struct {
	Chunk struct {
		UID, Project, Session, Agent, Kind, Text, Decision string
		Position, Tokens                                   int64
		At, EndsAt                                         time.Time
	}
	SessionID string
	Decisions []decided
	Seed      int
	Steps     int
	Because   string
}

// decided is a decision that does not hold as it was taken.
type decided struct {
	ID, Title, Outcome, Lessons string
	SupersededBy                []struct{ ID, Title string }
}

// found is a chunk that may be told.
type found struct {
	row
	keyword, semantic float64 // 0 to 1: as parts of the best
	score             float64
	because           string // for what was not found itself: why it is there
	messages          []message
	words             map[string]bool // stems
}

// message is what one speaker said without a break, or a paragraph of what nobody says.
type message struct {
	text  string
	stems []string
	score float64
}

var speaker = regexp.MustCompile(`^[\pL\pN][^\n:]{0,60}: `)

// messagesOf parts the text of a chunk where somebody else begins to speak.
func messagesOf(text string) (all []message) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if len(all) > 0 && !speaker.MatchString(paragraph) {
			all[len(all)-1].text += "\n\n" + paragraph
			continue
		}
		all = append(all, message{text: paragraph})
	}
	for i := range all {
		all[i].stems = stems(all[i].text)
	}
	return all
}

// Held is a decision in a chunk that does not hold as it was taken.
type Held struct {
	ID           string   `json:"id"`
	Title        string   `json:"title"`
	Outcome      string   `json:"outcome,omitempty" jsonschema:"failure or abandoned"`
	Lessons      string   `json:"lessons,omitempty"`
	SupersededBy []string `json:"superseded_by,omitempty" jsonschema:"id: title"`
}

func heldOf(all []decided) (held []Held) {
	for _, d := range all {
		h := Held{ID: d.ID, Title: prose.Title(d.Title), Outcome: d.Outcome, Lessons: prose.OneLine(d.Lessons)}
		for _, by := range d.SupersededBy {
			h.SupersededBy = append(h.SupersededBy, by.ID+": "+prose.Title(by.Title))
		}
		held = append(held, h)
	}
	return held
}

// line says in one line what is true now.
func (h Held) line() string {
	what := "decision " + h.ID
	switch {
	case len(h.SupersededBy) > 0 && h.Outcome != "":
		what += " ended as " + h.Outcome + " and was superseded by " + strings.Join(h.SupersededBy, "; ")
	case len(h.SupersededBy) > 0:
		what += " was superseded by " + strings.Join(h.SupersededBy, "; ")
	default:
		what += " ended as " + h.Outcome
	}
	if h.Lessons != "" {
		what += ". Lessons: " + h.Lessons
	}
	return "[Now: " + what + "]"
}

package records

import (
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Entry is one decision record. What the record does not say is left at its zero value.
type Entry struct {
	Source     string `json:"source"`      // where it is from; with ExternalID it says which record this is
	ExternalID string `json:"external_id"` // what it is called there
	Place      string `json:"-"`           // file, or file:line, for messages

	Title    string    `json:"title,omitempty"`
	Decision string    `json:"decision,omitempty"` // what was decided, besides the title
	Context  string    `json:"context,omitempty"`  // the situation, and every section that has no place of its own
	Reasons  []Reason  `json:"reasons,omitempty"`
	Status   string    `json:"status,omitempty"` // as written
	Date     time.Time `json:"date,omitzero"`
	Category string    `json:"category,omitempty"` // one of Categories; any other becomes a tag
	Tags     []string  `json:"tags,omitempty"`
	Authors  []string  `json:"authors,omitempty"`

	Confidence    *float64       `json:"confidence,omitempty"` // 0 to 1
	Stakes        string         `json:"stakes,omitempty"`     // one of Stakes
	Project       string         `json:"project,omitempty"`
	Feature       string         `json:"feature,omitempty"`
	PR            int64          `json:"pr,omitempty"`
	Pattern       string         `json:"pattern,omitempty"`
	Bridge        *Bridge        `json:"bridge,omitempty"`
	File          string         `json:"file,omitempty"`
	Line          int64          `json:"line,omitempty"`
	Commit        string         `json:"commit,omitempty"`
	MentalState   string         `json:"mental_state,omitempty"`
	KPIIndicators []string       `json:"kpi_indicators,omitempty"`
	Review        *Review        `json:"review,omitempty"`       // how it turned out, where the record says so
	Deliberation  map[string]any `json:"deliberation,omitempty"` // as told by the record
	Extra         map[string]any `json:"extra,omitempty"`        // fields that have no place here, by name

	Links []Link `json:"-"`
}

// Reason is one reason. A Strength of nil is unknown.
type Reason struct {
	Type     string   `json:"type"`
	Text     string   `json:"text"`
	Strength *float64 `json:"strength,omitempty"`
}

// Bridge is what a decision looks like and what it is for.
type Bridge struct {
	Structure   string   `json:"structure,omitempty"`
	Function    string   `json:"function,omitempty"`
	Tolerance   []string `json:"tolerance,omitempty"`
	Enforcement []string `json:"enforcement,omitempty"`
	Prevention  []string `json:"prevention,omitempty"`
}

// Review is how a decision turned out.
type Review struct {
	Outcome      string    `json:"outcome"` // one of Outcomes
	ActualResult string    `json:"actual_result,omitempty"`
	Lessons      string    `json:"lessons,omitempty"`
	Notes        string    `json:"notes,omitempty"`
	At           time.Time `json:"at,omitzero"`
}

// Link leads to another record. Target is its external id; Type is as the record says it, in lower case with underscores.
type Link struct {
	Type, Target string
	Weight       float64 // above 0, to 1
}

// The words that Nomograph's own decisions use.
var (
	Categories  = []string{"architecture", "process", "integration", "tooling", "security"}
	Stakes      = []string{"low", "medium", "high", "critical"}
	Outcomes    = []string{"success", "partial", "failure", "abandoned"}
	ReasonTypes = []string{"authority", "analogy", "analysis", "pattern", "intuition", "empirical", "elimination", "constraint"}
	states      = []string{"deliberate", "reactive", "exploratory", "habitual", "pressured"}
)

// Problem is why a line or file gave no record. It does not quote what it could not read.
type Problem struct {
	Place string `json:"place" jsonschema:"file, or file:line"`
	Why   string `json:"why"`
	// NoRecord says that nothing is wrong: it is not meant to be a record, such as a README between records.
	NoRecord bool `json:"-"`
}

// Error names the place and says why it cannot be read.
func (p *Problem) Error() string { return p.Place + ": " + p.Why }

// Sequence gives records one after another. Where one cannot be read, its error is a *Problem and the next one follows; any
// other error is the last thing that comes.
type Sequence = iter.Seq2[Entry, error]

// The longest of what becomes a key or an index entry in the graph, in characters.
const (
	maxNameLength    = 200
	maxPatternLength = 2000
)

// check says what keeps an entry from being stored; nil where nothing does.
func (e *Entry) check() *Problem {
	if e.Title == "" && e.Decision == "" {
		return &Problem{Place: e.Place, Why: "it has neither a title nor a decision"}
	}
	for _, field := range []struct {
		name  string
		texts []string
		most  int
	}{
		{"id", []string{e.ExternalID}, maxNameLength}, {"source", []string{e.Source}, maxNameLength}, {"project", []string{e.Project}, maxNameLength},
		{"feature", []string{e.Feature}, maxNameLength}, {"a tag", e.Tags, maxNameLength}, {"an author", e.Authors, maxNameLength},
		{"pattern", []string{e.Pattern}, maxPatternLength}} {
		for _, text := range field.texts {
			if utf8.RuneCountInString(text) > field.most {
				return &Problem{Place: e.Place, Why: field.name + " is too long"}
			}
		}
	}
	return nil
}

// keep puts what has no place of its own aside.
func (e *Entry) keep(name string, value any) {
	if e.Extra == nil {
		e.Extra = map[string]any{}
	}
	e.Extra[name] = value
}

// categorise takes one of our categories as it is, and makes tags of others. Several are parted by commas or slashes.
func (e *Entry) categorise(names string) {
	for name := range strings.FieldsFuncSeq(names, func(r rune) bool { return r == ',' || r == '/' }) {
		name = strings.TrimSpace(name)
		if lower := strings.ToLower(name); e.Category == "" && slices.Contains(Categories, lower) {
			e.Category = lower
		} else if name != "" && lower != e.Category {
			e.Tags = append(e.Tags, name)
		}
	}
}

// section adds a part to the context, under its heading where it has one.
func (e *Entry) section(heading, text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	if heading != "" {
		text = "## " + heading + "\n\n" + text
	}
	if e.Context != "" {
		e.Context += "\n\n"
	}
	e.Context += text
}

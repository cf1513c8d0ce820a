package records

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"nomograph/decisions"
)

// Entry is one decision record. Absent values are zero.
type Entry struct {
	Source     string `json:"source"`      // identifies the record together with ExternalID
	ExternalID string `json:"external_id"` // its id at the source
	Place      string `json:"-"`           // file, or file:line, for messages

	Title    string    `json:"title,omitempty"`
	Decision string    `json:"decision,omitempty"` // what was decided, besides the title
	Status   string    `json:"status,omitempty"`   // as written in the record
	Date     time.Time `json:"date,omitzero"`
	Category string    `json:"category,omitempty"` // one of Nomograph's; any other becomes a tag
	Authors  []string  `json:"authors,omitempty"`

	Confidence *float64 `json:"confidence,omitempty"` // 0 to 1
	Stakes     string   `json:"stakes,omitempty"`     // one of Nomograph's
	// Context has the situation, and every section without a field.
	decisions.ExtraFields
	Review       *decisions.Review `json:"review,omitempty"`       // if the record states an outcome
	Deliberation map[string]any    `json:"deliberation,omitempty"` // as stated by the record
	Extra        map[string]any    `json:"extra,omitempty"`        // further fields by name

	Links []Link `json:"-"`
}

// Link is a link to another record. Target is its external id; Type is the record's wording, in lower case with
// underscores.
type Link struct {
	Type, Target string
	Weight       float64 // above 0, to 1
}

// states are the mental states that Nomograph's decisions can have.
var states = []string{"deliberate", "reactive", "exploratory", "habitual", "pressured"}

// Problem says why a line or file is not a valid record. It does not quote its content.
type Problem struct {
	Place string `json:"location" jsonschema:"file, or file:line"`
	Why   string `json:"reason"`
	// NoRecord means that the file is not meant to be a record, such as a README.
	NoRecord bool `json:"-"`
}

// Error returns the position and the reason.
func (p *Problem) Error() string { return p.Place + ": " + p.Why }

// Sequence yields records. The error of an invalid record is a *Problem, and the next record follows; any other error
// is the last value.
type Sequence = iter.Seq2[Entry, error]

// Maximum lengths of keys and index entries, in characters.
const (
	maxNameLength    = 200
	maxPatternLength = 2000
)

// check returns why an entry cannot be stored; nil if it can.
func (e *Entry) check() *Problem {
	if e.Title == "" && e.Decision == "" {
		return &Problem{Place: e.Place, Why: "it has neither a title nor a decision"}
	}
	if why := cmp.Or(tooLongName("id", maxNameLength, e.ExternalID), tooLongName("source", maxNameLength, e.Source),
		tooLongName("project", maxNameLength, e.Project), tooLongName("feature", maxNameLength, e.Feature),
		tooLongName("a tag", maxNameLength, e.Tags...), tooLongName("an author", maxNameLength, e.Authors...),
		tooLongName("pattern", maxPatternLength, e.Pattern)); why != "" {
		return &Problem{Place: e.Place, Why: why}
	}
	return nil
}

func tooLongName(field string, maxLength int, names ...string) string {
	if slices.ContainsFunc(names, func(name string) bool { return utf8.RuneCountInString(name) > maxLength }) {
		return field + " is too long"
	}
	return ""
}

// storeExtra stores a value without a field in Extra.
func (e *Entry) storeExtra(name string, value any) {
	if e.Extra == nil {
		e.Extra = map[string]any{}
	}
	e.Extra[name] = value
}

// categorize stores a name as category if Nomograph has that category, else as tag. names are separated by commas or
// slashes.
func (e *Entry) categorize(names string) {
	for name := range strings.FieldsFuncSeq(names, func(r rune) bool { return r == ',' || r == '/' }) {
		name = strings.TrimSpace(name)
		if lower := strings.ToLower(name); e.Category == "" && slices.Contains(decisions.CategoryValues, lower) {
			e.Category = lower
		} else if name != "" && lower != e.Category {
			e.Tags = append(e.Tags, name)
		}
	}
}

// section adds a part to the context, with its heading if any.
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

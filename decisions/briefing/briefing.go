package briefing

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/decisions"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
	"nomograph/internal/tokencount"
	"nomograph/trace"
)

// Query describes the session to prepare.
type Query struct {
	TaskDescription string   `json:"task_description,omitempty" jsonschema:"task" rule:"maxLength=20000"`
	Include         []string `json:"include,omitempty" jsonschema:"decisions, guardrails, calibration, ready, patterns, contradictions, breakers, wisdom, memories (default all)" rule:"maxItems=20"`
	DecisionsLimit  int      `json:"decisions_limit,omitempty" jsonschema:"maximum decisions" rule:"minimum=1,maximum=50,default=10"`
	ReadyLimit      int      `json:"ready_limit,omitempty" jsonschema:"maximum action items" rule:"minimum=1,maximum=20,default=5"`
	Format          string   `json:"format,omitempty" jsonschema:"markdown suits a system prompt" rule:"enum=json|markdown,default=\"markdown\""`
	MaxTokens       int      `json:"max_tokens,omitempty" jsonschema:"maximum tokens" rule:"minimum=200,maximum=100000,default=2000"`
	OnlyRelevant    bool     `json:"only_relevant,omitempty" jsonschema:"only content relevant to the task"`
	Project         string   `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
	AgentID         string   `json:"agent_id,omitempty" jsonschema:"agent of the profile (default the caller)" rule:"maxLength=200" claim:"agent"`
	decisions.Session
}

// SessionContext is the context for a session: its sections, or one text of them.
type SessionContext struct {
	Markdown string `json:"markdown,omitempty" jsonschema:"all sections as one text" recorded:"lines"`
	Sections
	QueryTimeMS float64              `json:"query_time_ms"`
	Tokens      int                  `json:"tokens" jsonschema:"tokens of the answer"`
	Trimmed     []tokencount.Trimmed `json:"trimmed,omitempty" jsonschema:"sections shortened to fit max_tokens"`
	Notes       []string             `json:"notes,omitempty" jsonschema:"problems and fallbacks"`
}

// sectionNames are the selectable sections.
var sectionNames = []string{"decisions", "guardrails", "calibration", "ready", "patterns", "contradictions", "breakers",
	"wisdom", "memories"}

const (
	defaultDecisions = 10
	defaultReady     = 5
	defaultTokens    = 2000
	inMarkdown       = "markdown"
)

// SessionContext assembles the context for a session. Several sections are read at a time; one that cannot be read
// is missing, with a note. The text has at most MaxTokens: Trimmed says what was left out. With a task, it records the
// query and its results in the session. It returns a validation_error for an unknown section or OnlyRelevant without
// a task, and unavailable if the database does not answer.
func (s *Store) SessionContext(ctx context.Context, q Query) (SessionContext, error) {
	started := time.Now()
	var out SessionContext
	if err := decisions.OneOf("include", q.Include, sectionNames); err != nil {
		return out, err
	}
	if err := decisions.OneOf("format", []string{cmp.Or(q.Format, inMarkdown)},
		[]string{inMarkdown, "json"}); err != nil {
		return out, err
	}
	if q.OnlyRelevant && strings.TrimSpace(q.TaskDescription) == "" {
		return out, apperr.New(apperr.Validation, "`only_relevant` needs a task").WithHint("Set `task_description`")
	}
	if _, err := s.graph.Connect(ctx); err != nil {
		return out, err
	}
	q.DecisionsLimit, q.ReadyLimit = cmp.Or(q.DecisionsLimit, defaultDecisions), cmp.Or(q.ReadyLimit, defaultReady)
	q.MaxTokens, q.Format = cmp.Or(q.MaxTokens, defaultTokens), cmp.Or(q.Format, inMarkdown)
	q.AgentID = trace.Actor(q.AgentID, q.By)
	r := &reading{Store: s, asks: q}
	if strings.TrimSpace(q.TaskDescription) == "" && q.TaskDescription != "" {
		r.asks.TaskDescription = ""
		r.addNote("task_description is blank; the newest decisions are shown as the relevant ones")
	}
	sections, err := r.read(ctx)
	if err != nil {
		return SessionContext{}, err
	}
	out = r.compose(sections)
	out.QueryTimeMS = progress.Milliseconds(started)
	return out, nil
}

// reading is the state of a context that is being read.
type reading struct {
	*Store
	asks  Query
	mutex sync.Mutex
	notes []string
}

func (r *reading) includes(word string) bool {
	return len(r.asks.Include) == 0 || slices.Contains(r.asks.Include, word)
}

// addNote adds a note.
func (r *reading) addNote(note string) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !slices.Contains(r.notes, note) {
		r.notes = append(r.notes, note)
	}
}

// compose builds the answer from the sections, within max_tokens.
func (r *reading) compose(sections Sections) SessionContext {
	var out SessionContext
	slices.Sort(r.notes) // concurrent readers added them
	out.Notes = r.notes
	if r.asks.Format == inMarkdown {
		out.Markdown, out.Tokens, out.Trimmed = markdownOf(sections, r.notes, r.asks.MaxTokens, r.asks.OnlyRelevant)
	} else {
		out.Sections, out.Tokens, out.Trimmed = jsonOf(sections, r.asks.MaxTokens)
	}
	return out
}

// Block returns the Markdown for a prompt; "" if JSON was requested.
func (c SessionContext) Block() string { return c.Markdown }

package lab

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/document"
	"nomograph/internal/progress"
	"nomograph/internal/timeparse"
	"nomograph/policies/check"
)

// Filter selects recorded verdicts.
type Filter struct {
	AgentID  string `json:"agent_id,omitempty" jsonschema:"filter by acting agent" rule:"maxLength=200"`
	Project  string `json:"project,omitempty" jsonschema:"filter by project" rule:"maxLength=200"`
	Category string `json:"category,omitempty" jsonschema:"filter by category" rule:"maxLength=100"`
	timeparse.Range
}

// record is a stored verdict with the outcome of the decision that records the act.
type record struct {
	UID            string    `json:"uid"`
	At             time.Time `json:"at"`
	Allowed        bool      `json:"allowed"`
	Agent          string    `json:"agent,omitempty"`
	Project        string    `json:"project,omitempty"`
	Session        string    `json:"session,omitempty"`
	Category       string    `json:"category,omitempty"`
	Stakes         string    `json:"stakes,omitempty"`
	Description    string    `json:"description,omitempty"`
	Inputs         string    `json:"inputs,omitempty"`
	InputsKept     string    `json:"inputs_kept,omitempty"`
	Revision       string    `json:"revision,omitempty"`
	Version        int64     `json:"version,omitempty"` // schema_version
	ActionKey      string    `json:"action_key,omitempty"`
	Masked         []any     `json:"masked,omitempty"`
	Applied        []any     `json:"applied,omitempty"`
	AppliedResults []any     `json:"applied_results,omitempty"`
	OverriddenBy   string    `json:"overridden_by,omitempty"`
	Forced         string    `json:"forced,omitempty"`
	Consensus      string    `json:"consensus,omitempty"`
	BySession      bool      `json:"by_session,omitempty"` // denied by a governed session, not by a rule
	Executed       bool      `json:"executed,omitempty"`   // a client reported the execution of the call
	Appeal         *appeal   `json:"appeal,omitempty"`
	Decision       string    `json:"decision,omitempty"`
	DecisionUID    string    `json:"decision_uid,omitempty"`
	Outcome        string    `json:"outcome,omitempty"`
	Retracted      bool      `json:"retracted,omitempty"`
}

// appeal is the appeal of a denial by today's rules.
type appeal struct {
	State string   `json:"state"`
	Rules []string `json:"rules"`
}

// past returns the action for evaluation.
func (r *record) past() check.StoredAction {
	return check.StoredAction{At: r.At, Agent: r.Agent, Inputs: r.Inputs,
		InputsKept: check.InputRetention(r.InputsKept),
		Facts: check.FactsOf(map[string]any{"schema_version": r.Version, "action_key": r.ActionKey, "masked": r.Masked,
			"applied": r.Applied, "applied_results": r.AppliedResults, "consensus": r.Consensus})}
}

// openActs are the acts that may get further verdicts, by session and action_key. A recording or an execution
// completes an act.
type openActs[T any] map[actID]*T

// actOf returns the act of a verdict, a new one for its first verdict. ends is true if no further verdict belongs to
// it.
func (o openActs[T]) actOf(r *record) (act *T, ends bool) {
	id := actID{r.Session, r.ActionKey}
	joins := r.Session != "" && r.ActionKey != "" // else the verdict is an act of its own
	if joins {
		act = o[id]
	}
	if act == nil {
		act = new(T)
	}
	if !joins || r.Decision != "" || r.Executed {
		delete(o, id)
		return act, true
	}
	o[id] = act
	return act, false
}

// act is one action with its latest verdict in its session.
type act struct {
	record
	before map[string]bool // rules that an earlier verdict did not pass
	retry
}

// add makes a verdict the latest one of the act. A later denial does not undo what was approved and done.
func (a *act) add(r *record) {
	a.results(func(name, result string) {
		if result == "passed" {
			return
		}
		if a.before == nil {
			a.before = map[string]bool{}
		}
		a.before[name] = true
	})
	a.retry.add(r)
	if a.overridden() == "" || r.done() {
		a.record = *r
	}
}

// outcome is that of the record. An act whose agent only changed numbers after a denial has none, since its facts are
// no evidence.
func (a *act) outcome() string {
	if outcome := a.record.outcome(); !a.numbers || outcome == notDone {
		return outcome
	}
	return "unreviewed"
}

// each passes the verdicts of a source to visit, a batch at a time, while the next batch is read.
func each(ctx context.Context, acts source, message string, visit func([]record) error) error {
	type batch struct {
		records []record
		err     error
	}
	batches := make(chan batch, 1) // holds the only read, so that a reader ends also if nobody waits for it
	read := func() {
		records, err := acts.next(ctx)
		batches <- batch{records, err}
	}
	go read()
	for done := 0; ; {
		next := <-batches
		if next.err != nil || len(next.records) == 0 {
			return next.err
		}
		go read()
		if err := visit(next.records); err != nil {
			return err
		}
		done += len(next.records)
		progress.Report(ctx, progress.Step{Message: message, Done: int64(done)})
	}
}

// eachAct passes verdicts to verdict, and each act to take after its last verdict.
func eachAct(ctx context.Context, acts source, verdict func(*record), take func(*act)) error {
	open := openActs[act]{}
	err := each(ctx, acts, "Reading verdicts", func(records []record) error {
		for i := range records {
			verdict(&records[i])
			a, ends := open.actOf(&records[i])
			if a.add(&records[i]); ends {
				take(a)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, a := range open {
		take(a)
	}
	return nil
}

// batchSize is the number of verdicts that are read and evaluated together. It bounds the results in memory: those of
// 30 rules in two sets take 2 kB per verdict.
const batchSize = 500

// source returns verdicts in time order, a batch at a time; the last batch is empty.
type source interface {
	next(ctx context.Context) ([]record, error)
}

// stored reads the verdicts of a graph.
type stored struct {
	graph  *graph.DB
	params graph.Params
}

// Window is the time of the examined verdicts.
type Window struct {
	From time.Time `json:"from,omitzero" jsonschema:"start of the window; absent without one"`
	To   time.Time `json:"to"`
}

// window returns the bounds of a filter. It returns a validation_error for an invalid time, and for an end before the
// start.
func (f Filter) window(now time.Time) (Window, error) {
	from, to, err := f.Times(time.Time{}, now)
	if err != nil {
		return Window{}, err
	}
	w := Window{from, to}
	if w.From.After(w.To) {
		return w, apperr.New(apperr.Validation, "date_after is later than date_before").
			WithHint("Without date_before, the window ends now")
	}
	return w, nil
}

// words describes the window.
func (w Window) words() string {
	if w.From.IsZero() {
		return "until " + w.To.Format(time.DateOnly)
	}
	return "from " + w.From.Format(time.DateOnly) + " until " + w.To.Format(time.DateOnly)
}

func (s *Store) source(f Filter, w Window) *stored {
	return &stored{graph: s.graph, params: graph.Params{"after": graph.UTC(w.From), "after_uid": "",
		"before": graph.UTC(w.To), "limit": batchSize,
		"agent": graph.NullIfEmpty(f.AgentID), "project": graph.NullIfEmpty(f.Project),
		"category": graph.NullIfEmpty(f.Category)}}
}

func (s *stored) next(ctx context.Context) ([]record, error) {
	records, err := graph.All[record](ctx, s.graph, cypher.Acts, s.params)
	if len(records) > 0 {
		last := records[len(records)-1]
		s.params["after"], s.params["after_uid"] = graph.UTC(last.At), last.UID
	}
	return records, err
}

// fileFormat names the format of an export: JSON lines, a header and then one verdict per line.
const fileFormat = "nomograph acts 1"

// header is the first line of an export. It contains the rules, so a replay needs no database.
type header struct {
	Format string    `json:"format"`
	At     time.Time `json:"at"`
	Window
	Revision string          `json:"revision"`
	Rules    check.RuleNodes `json:"rules"`
}

// Exported counts what Export wrote.
type Exported struct {
	Verdicts int    `json:"verdicts"`
	Rules    int    `json:"rules"`
	Revision string `json:"revision"`
}

// Export writes the current rules and the recorded verdicts of a filter, so that ReplayFile can replay them without a
// database. Secrets are masked, as in the graph; the setting verdicts.inputs decides how much of an action a verdict
// contains. It returns the errors of Replay and of writing.
func (s *Store) Export(ctx context.Context, f Filter, to io.Writer) (Exported, error) {
	now := time.Now().UTC()
	w, err := f.window(now)
	if err != nil {
		return Exported{}, err
	}
	nodes, err := s.checks.RuleNodes(ctx, nil)
	if err != nil {
		return Exported{}, err
	}
	set := check.NewCompiler(nil).Compile(nodes, now)
	out := Exported{Rules: len(set.Rules()), Revision: set.Revision()}
	for _, list := range [][]check.RuleNode{nodes.Policies, nodes.Thresholds} {
		for i := range list {
			list[i].Properties, _ = graph.JSON(map[string]any(list[i].Properties)).(map[string]any) // times become text
		}
	}
	buffered := bufio.NewWriter(to)
	lines := json.NewEncoder(buffered)
	if err := lines.Encode(header{Format: fileFormat, At: now, Window: w, Revision: out.Revision,
		Rules: nodes}); err != nil {
		return Exported{}, err
	}
	err = each(ctx, s.source(f, w), "Exporting verdicts", func(records []record) error {
		for i := range records {
			if err := lines.Encode(&records[i]); err != nil {
				return err
			}
		}
		out.Verdicts += len(records)
		return nil
	})
	if err != nil {
		return Exported{}, err
	}
	return out, buffered.Flush()
}

// file reads the verdicts of an export.
type file struct {
	lines  *bufio.Scanner
	line   int
	filter Filter
	Window
}

// maxLine is the maximum length of a line in bytes: an action has at most 64 kB of facts, and a header contains all
// rules.
const maxLine = 16 << 20

// openFile reads the header of an export. It returns a validation_error for any other file.
func openFile(r io.Reader, f Filter) (*file, header, error) {
	in := &file{lines: bufio.NewScanner(document.NewReader(r)), filter: f}
	in.lines.Buffer(nil, maxLine)
	text, err := in.readLine()
	var head header
	if err == nil {
		err = json.Unmarshal(text, &head)
	}
	if err != nil || head.Format != fileFormat {
		return nil, header{}, apperr.New(apperr.Validation, "The file is not an export of acts").
			WithHint("Use a file that a replay exported").Because(err)
	}
	in.Window, err = f.window(head.To)
	return in, head, err
}

// readLine returns the next line, or io.EOF at the end.
func (f *file) readLine() ([]byte, error) {
	f.line++
	if f.lines.Scan() {
		return document.Decode(f.lines.Bytes())
	}
	return nil, cmp.Or(f.lines.Err(), io.EOF)
}

func (f *file) next(ctx context.Context) ([]record, error) {
	var records []record
	for len(records) < batchSize {
		if err := ctx.Err(); err != nil {
			return nil, graph.AsError(err)
		}
		text, err := f.readLine()
		if errors.Is(err, io.EOF) {
			break
		}
		var r record
		if err == nil {
			err = json.Unmarshal(text, &r)
		}
		if err != nil {
			return nil, apperr.Newf(apperr.Validation, "Cannot read line %d of the exported acts", f.line).
				WithHint("Export them again").Because(err)
		}
		if f.selects(&r) {
			records = append(records, r)
		}
	}
	return records, nil
}

func (f *file) selects(r *record) bool {
	same := func(wanted, has string) bool { return wanted == "" || wanted == has }
	return same(f.filter.AgentID, r.Agent) && same(f.filter.Project, r.Project) &&
		same(f.filter.Category, r.Category) && !r.At.Before(f.From) && r.At.Before(f.To)
}

// Store reads recorded verdicts of one graph.
type Store struct {
	graph  *graph.DB
	checks *check.Store
}

// NewStore returns the store of a graph.
func NewStore(db *graph.DB, g *check.Store) *Store { return &Store{graph: db, checks: g} }

func lower(text string) string { return strings.ToLower(strings.TrimSpace(text)) }

package decisions

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/policies/check"
)

// Record is a decision to be recorded.
type Record struct {
	Decision   string  `json:"decision" jsonschema:"the choice; its first line is the title" rule:"minLength=1,maxLength=20000"`
	Confidence float64 `json:"confidence" jsonschema:"0.0 to 1.0" rule:"minimum=0,maximum=1"`
	Category   string  `json:"category" jsonschema:"kind of decision" rule:"enum=architecture|process|integration|tooling|security"`
	Stakes     string  `json:"stakes,omitempty" jsonschema:"importance" rule:"enum=low|medium|high|critical,default=\"medium\""`
	// Name and Params are those of the check, so that both have the same key of the act.
	Name   string           `json:"name,omitempty" jsonschema:"the check's name" rule:"maxLength=200"`
	Params graph.Parameters `json:"params,omitempty" jsonschema:"the check's params"`
	ExtraFields
}

// ExtraFields are the optional fields of a decision, shared by all operations that record.
type ExtraFields struct {
	Context       string        `json:"context,omitempty" jsonschema:"situation" rule:"maxLength=100000"`
	Reasons       []Reason      `json:"reasons,omitempty" jsonschema:"ideally two or more types" rule:"maxItems=50"`
	Tags          []string      `json:"tags,omitempty" jsonschema:"tags" rule:"maxItems=50"`
	Pattern       string        `json:"pattern,omitempty" jsonschema:"abstract pattern" rule:"maxLength=2000"`
	Project       string        `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
	Feature       string        `json:"feature,omitempty" jsonschema:"feature or epic" rule:"maxLength=200"`
	PR            int64         `json:"pr,omitempty" jsonschema:"pull request" rule:"minimum=1"`
	File          string        `json:"file,omitempty" jsonschema:"path in the repository" rule:"maxLength=1000"`
	Line          int64         `json:"line,omitempty" jsonschema:"line" rule:"minimum=1"`
	Commit        string        `json:"commit,omitempty" jsonschema:"commit hash" rule:"maxLength=100"`
	Bridge        *Bridge       `json:"bridge,omitempty" jsonschema:"structure and function"`
	ReviewIn      string        `json:"review_in,omitempty" jsonschema:"7d, 2w or 1m (30 days)" rule:"maxLength=10"`
	Visibility    string        `json:"visibility,omitempty" jsonschema:"who can read it" rule:"enum=private|project|shared,default=\"private\""`
	SharedWith    []string      `json:"shared_with,omitempty" jsonschema:"agents that get a summary" rule:"maxItems=50"`
	MentalState   string        `json:"mental_state,omitempty" jsonschema:"state of mind" rule:"enum=deliberate|reactive|exploratory|habitual|pressured"`
	KPIIndicators []string      `json:"kpi_indicators,omitempty" jsonschema:"affected KPIs" rule:"maxItems=50"`
	Deliberation  *Deliberation `json:"deliberation,omitempty" jsonschema:"deliberation besides recorded events"`
	Model         string        `json:"model,omitempty" jsonschema:"language model" rule:"maxLength=200"`
	AgentID       string        `json:"agent_id,omitempty" jsonschema:"deciding agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	SessionID     string        `json:"session_id,omitempty" jsonschema:"session (default the ambient session)" rule:"maxLength=200" claim:"session"`
	RequestKey    string        `json:"request_key,omitempty" jsonschema:"idempotency key" rule:"maxLength=200"`
	ForceReason   string        `json:"force,omitempty" jsonschema:"reason to override a blocking rule" rule:"maxLength=2000"`
	By            string        `json:"-"` // the caller: the agent if AgentID is empty
}

// Reason is one reason for a decision.
type Reason = check.Reason

// Recorded is the answer to recording a decision.
type Recorded struct {
	Success   bool      `json:"success"`
	ID        string    `json:"id,omitempty" jsonschema:"8 hex characters"`
	URI       string    `json:"uri,omitempty"`
	Title     string    `json:"title,omitempty"`
	Timestamp time.Time `json:"timestamp,omitzero"`
	Indexed   string    `json:"indexed,omitempty" jsonschema:"pending (searchable within a second) or done"`
	Repeated  bool      `json:"repeated,omitempty" jsonschema:"true if request_key recorded it before"`

	Quality *Quality `json:"quality,omitempty"`

	Allowed    bool              `json:"allowed"`
	VerdictID  string            `json:"verdict_id,omitempty"`
	Violations []check.Violation `json:"violations,omitempty"`
	Warnings   []check.Violation `json:"guardrail_warnings,omitempty"`
	Forced     string            `json:"forced,omitempty"`

	DeliberationAuto   bool   `json:"deliberation_auto" jsonschema:"true if the session's own events were attached"`
	DeliberationInputs int    `json:"deliberation_inputs_count"`
	BridgeAuto         bool   `json:"bridge_auto"`
	BridgeMethod       string `json:"bridge_method,omitempty" jsonschema:"explicit, or rule (derived from the text)"`
	RelatedCount       int    `json:"related_count" jsonschema:"number of similar decisions from earlier searches, at most 5"`
	GraphEdgesCreated  int    `json:"graph_edges_created" jsonschema:"number of automatic links to mentioned decisions"`

	Notes []string `json:"notes,omitempty"`
}

// NothingRecorded is the note of a denied recording.
const NothingRecorded = "Nothing was recorded. Do what would make it pass, or force it with a reason"

// Denied reports whether a rule prevented the recording.
func (r Recorded) Denied() bool { return !r.Success && !r.Allowed }

// Record evaluates the rules for a decision and, unless one blocks, writes it with its reasons, links, deliberation and
// verdict in one statement. A denial is a result, not an error, unless ForceReason gives a reason to record
// nevertheless. The same request key of the same agent records once and returns the stored answer. It returns a
// validation_error, a conflict if the request key belongs to another decision or the session to another agent, and
// unavailable if the rules cannot be read or nothing can be written; then nothing is written.
func (s *Store) Record(ctx context.Context, r Record) (Recorded, error) {
	d, err := s.Draft(r)
	if err != nil {
		return Recorded{}, err
	}
	if _, err := s.graph.Connect(ctx); err != nil {
		return Recorded{}, err
	}
	if r.RequestKey != "" {
		if before, ok, err := s.Repeated(ctx, d); ok || err != nil {
			return before, err
		}
	}
	evaluated, err := s.Evaluate(ctx, d, check.ActionCheck{Name: r.Name, Params: r.Params})
	if err != nil {
		return Recorded{}, err
	}
	return s.StoreDraft(ctx, d, &evaluated)
}

// StoreDraft writes an evaluated decision; if it is denied and not forced, only the verdict. If a limit is exceeded
// meanwhile, the verdict becomes a denial.
func (s *Store) StoreDraft(ctx context.Context, d *Draft, evaluated *check.Evaluation) (Recorded, error) {
	out := Recorded{Allowed: evaluated.Allowed, VerdictID: evaluated.VerdictID, Violations: evaluated.Violations,
		Warnings: evaluated.Warnings,
		Quality:  &d.quality, Notes: evaluated.Notes}
	if !evaluated.Allowed && strings.TrimSpace(d.ForceReason) == "" {
		out.Notes = append(out.Notes, NothingRecorded)
		if err := s.checks.StoreVerdict(ctx, evaluated); err != nil {
			return Recorded{}, err
		}
		return out, nil
	}
	if !evaluated.Allowed {
		evaluated.Override(check.ByForce, strings.TrimSpace(d.ForceReason)) // masked
		out.Forced = evaluated.Forced
	}
	written, err := s.write(ctx, d, evaluated)
	if graph.IsUniqueViolation(err) && d.RequestKey != "" { // a concurrent request had the same key
		if before, ok, lookupErr := s.Repeated(ctx, d); ok || lookupErr != nil {
			return before, lookupErr
		}
		written, err = s.write(ctx, d, evaluated) // the id was in use
	}
	if over := (*limits.Error)(nil); errors.As(err, &over) {
		evaluated.Exceed(over)
		return s.StoreDraft(ctx, d, evaluated)
	}
	if err != nil {
		return Recorded{}, err
	}
	caller := Caller{d.Agent, Session{SessionID: d.SessionID}}
	out.Success, out.ID, out.URI, out.Title, out.Timestamp, out.Indexed = true, written.ID, URI(written.ID),
		render.Title(d.Decision), written.At.UTC(), "pending"
	out.DeliberationInputs, out.DeliberationAuto = int(written.Attached)+len(d.statedEvents), written.Attached > 0
	if err := s.recordDeliberation(ctx, caller, d); err != nil {
		out.Notes = append(out.Notes, "The deliberation before the decision could not be stored: "+
			apperr.From(err).Message)
	}
	out.BridgeMethod, out.BridgeAuto = d.bridgeMethod, d.bridgeMethod == "rule"
	out.GraphEdgesCreated = int(written.Related)
	out.RelatedCount, _ = d.relatedDecisions()
	s.Note(ctx, caller, "decision", map[string]any{"id": written.ID, "uid": d.UID, "decision": d.Decision,
		"confidence": d.Confidence,
		"category":   d.Category, "stakes": d.Stakes, "context": d.Context, "reasons": d.asRecording().Reasons,
		"tags": graph.List(d.Tags), "pattern": d.Pattern,
		"verdict_id": out.VerdictID})
	s.WakeWorkers()
	out.Notes = append(out.Notes, d.duplicates()...)
	return out, nil
}

// written is the result of a write: id and time, and the numbers of attached events and links.
type written struct {
	ID                string
	At                time.Time
	Attached, Related int64
}

// write writes the decision and draws another id if one is in use. It returns *limits.Error if a limit is exceeded.
func (s *Store) write(ctx context.Context, d *Draft, evaluated *check.Evaluation) (written, error) {
	verdict, err := evaluated.Row()
	if err != nil {
		return written{}, err
	}
	act := limits.Act{Uses: evaluated.Uses()}
	const draws = 5
	for draw := 1; ; draw++ {
		d.ID = s.NewID()
		w, err := s.writeWithin(ctx, act, s.parameters(d, verdict, evaluated.At))
		if err == nil || !graph.IsUniqueViolation(err) || d.RequestKey != "" || draw == draws {
			return w, err
		}
	}
}

// writeWithin writes a decision if its limits allow it, else it returns *limits.Error.
func (s *Store) writeWithin(ctx context.Context, act limits.Act, p graph.Params) (w written, err error) {
	if act.Free() {
		return graph.Append[written](ctx, s.graph, cypher.DecisionRecord, p)
	}
	ctx, cancel := context.WithTimeout(ctx, lockTimeout)
	defer cancel()
	var refused error
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		held, err := limits.Hold(ctx, tx, []limits.Act{act})
		if err != nil {
			return err
		}
		if refused, err = held.Admit(ctx, act); refused != nil || err != nil {
			return err
		}
		w, err = graph.One[written](ctx, tx, cypher.DecisionRecord, p)
		return err
	})
	return w, cmp.Or(err, refused)
}

// lockTimeout is the maximum wait for transactions that lock the same limit.
const lockTimeout = 10 * time.Second

func (s *Store) parameters(d *Draft, verdict map[string]any, now time.Time) graph.Params {
	events := make([]any, len(d.known.events))
	for i, e := range d.known.events {
		events[i] = e.UID
	}
	_, named := d.relatedDecisions()
	return graph.Params{"decision": d.Properties(now), "review_days": d.reviewDays, "reasons": s.ReasonNodes(d.Reasons),
		"agent": s.Named(d.Agent)[0], "projects": s.Named(d.Project), "tags": s.Named(d.Tags...),
		"patterns": s.Named(d.Pattern),
		"session":  d.known.session, "events": events, "consumed": d.known.consumed, "related": named,
		"verdict": verdict}
}

package check

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/normalize"
	"nomograph/internal/redact"
	"nomograph/internal/uid"
	"nomograph/policies"
	"nomograph/policies/autonomy"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
)

// ActionCheck is an action to be checked.
type ActionCheck struct {
	Description string           `json:"description" jsonschema:"intended action" rule:"minLength=1,maxLength=10000"`
	Category    string           `json:"category,omitempty" jsonschema:"architecture, process, integration, tooling, security, or your own" rule:"maxLength=100"`
	Stakes      string           `json:"stakes,omitempty" jsonschema:"importance" rule:"enum=low|medium|high|critical,default=\"medium\""`
	Confidence  *float64         `json:"confidence,omitempty" jsonschema:"0.0 to 1.0; no default" rule:"minimum=0,maximum=1"`
	Context     graph.Parameters `json:"context,omitempty" jsonschema:"facts for rules, such as affectsProduction"`
	Name        string           `json:"name,omitempty" jsonschema:"name, such as git.push" rule:"maxLength=200"`
	Params      graph.Parameters `json:"params,omitempty" jsonschema:"its parameters"`
	Tags        []string         `json:"tags,omitempty" jsonschema:"tags" rule:"maxItems=50"`
	// These are facts of a recording. A recording replaces them by its own.
	Reasons           []Reason `json:"reasons,omitempty" jsonschema:"reasons" rule:"maxItems=50"`
	Pattern           string   `json:"pattern,omitempty" jsonschema:"abstract pattern" rule:"maxLength=2000"`
	QualityScore      *float64 `json:"quality_score,omitempty" jsonschema:"quality of its record" rule:"minimum=0,maximum=1"`
	DeliberationCount int      `json:"deliberation_count,omitempty" jsonschema:"inputs considered" rule:"minimum=0"`
	Project           string   `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
	Model             string   `json:"model,omitempty" jsonschema:"language model" rule:"maxLength=200"`
	AgentID           string   `json:"agent_id,omitempty" jsonschema:"acting agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	SessionID         string   `json:"session_id,omitempty" jsonschema:"session" rule:"maxLength=200" claim:"session"`
	By                string   `json:"-"` // the caller, if AgentID is empty
	once              bool     // see Once
	window            string   // with once: the connection, which stands for the ambient session
	// Recording returns the facts about a decision that is being recorded, after the rules were read; nil for a check.
	Recording func() (*Recording, error) `json:"-"`
	// Session returns the session's id after the rules were read; nil if SessionID is set.
	Session func() (string, error) `json:"-"`
}

// Recording holds the facts about a decision that is being recorded. action.phase is then "record".
type Recording struct {
	Pattern           string           `json:"pattern,omitempty"`
	QualityScore      float64          `json:"quality_score"`
	Reasons           []map[string]any `json:"reasons,omitempty"` // {type, text, strength}
	DeliberationCount int              `json:"deliberation_count"`
}

// Verdict is the result of a check, and what explain_verdict returns. A rule that could not be evaluated counts as
// violated.
type Verdict struct {
	Allowed    bool        `json:"allowed"`
	Violations []Violation `json:"violations" jsonschema:"enforced rules that block"`
	Warnings   []Violation `json:"warnings"`
	Shadow     []Violation `json:"shadow" jsonschema:"results of rules in shadow mode"`
	Evaluated  int         `json:"evaluated" jsonschema:"number of evaluated rules"`
	Revision   string      `json:"revision" jsonschema:"hash of the whole rule set"`
	VerdictID  string      `json:"verdict_id" mapstructure:"uid"`
	At         time.Time   `json:"at"`
	AgentID    string      `json:"agent_id" mapstructure:"agent"`
	Forced     string      `json:"forced,omitempty" jsonschema:"reason for recording a decision in spite of a block"`
	// OverriddenBy is ByForce or ByApproval; empty if the verdict was not overridden, or is older than this field.
	OverriddenBy string `json:"overridden_by,omitempty" jsonschema:"force or approval"`
	// NormalizedNames holds names whose normalized spelling differs from the caller's.
	NormalizedNames graph.Parameters `json:"normalized_names,omitempty" jsonschema:"names that rules saw in another spelling"`
	Notes           []string         `json:"notes,omitempty"`
	// Autonomy is nil if no rule about earned autonomy was evaluated.
	Autonomy *autonomy.Standing `json:"autonomy,omitempty" jsonschema:"level of autonomy that the agent has earned at these stakes"`
	Permits  []string           `json:"permits,omitempty" jsonschema:"rules that cover the action and allow it"`
	Counted  []Counted          `json:"-" mapstructure:"-"` // how much the verdict uses up of each limit, if it allows
	Applied  []AppliedRule      `json:"-" mapstructure:"-"` // in the order of the rules
}

// Counted is the amount of a limit that an action uses up: 1, or the value of the limited parameter.
type Counted struct {
	Rule   string
	Amount float64
	holds  *rule.Guardrail // the limit to be locked when the verdict is stored; nil if it only counts
	use    limits.Use      // with holds
}

// Denied reports whether the caller must stop.
func (v Verdict) Denied() bool { return !v.Allowed }

// Violation is the violation of one rule.
type Violation struct {
	GuardrailID  string                           `json:"guardrail_id"`
	Message      string                           `json:"message"`
	Severity     string                           `json:"severity"`
	Mode         string                           `json:"mode"`
	Result       string                           `json:"result" jsonschema:"violated, or error: it could not be evaluated"`
	Error        string                           `json:"error,omitempty"`
	Values       graph.Parameters                 `json:"values,omitempty" jsonschema:"facts that the rule read; null was absent"`
	Thresholds   map[string]policies.ThresholdUse `json:"thresholds,omitempty"`
	Found        []map[string]any                 `json:"found,omitempty" jsonschema:"rows that the rule's pattern matched in the graph"`
	WouldPass    []string                         `json:"would_pass,omitempty" jsonschema:"ways to pass: conditions in CEL, or text for limits, breakers and patterns"`
	Alternatives []string                         `json:"alternatives,omitempty"`
	Version      string                           `json:"version"`
}

const (
	// CheckTimeout is the default timeout for reading and evaluating the rules.
	CheckTimeout  = 2 * time.Second
	recordTimeout = 5 * time.Second
	driftTimeout  = 30 * time.Second // recording ten thousand new rules takes long
	// FirstTimeout is the timeout after a start of the database, which then plans its first statements for seconds.
	FirstTimeout = 30 * time.Second
	maxFacts     = 64 << 10 // bytes of context, params, tags and reasons as JSON
)

// Check evaluates all active guardrails for an action and stores the verdict before it returns it. A denial is a
// result, not an error. It returns a validation_error for facts that are too large, and unavailable, query_timeout or
// permission_denied if the rules cannot be read or the verdict cannot be stored; each of these says allowed: false.
func (s *Store) Check(ctx context.Context, c ActionCheck) (Verdict, error) {
	evaluated, err := s.Evaluate(ctx, c.Once(ctx))
	if err != nil {
		return Verdict{}, err
	}
	if err := s.StoreVerdict(ctx, &evaluated); err != nil {
		return Verdict{}, err
	}
	return evaluated.Verdict, nil
}

// Evaluation is a verdict that is not stored yet. The caller stores it, with StoreVerdict or together with its subject.
type Evaluation struct {
	Verdict
	check     ActionCheck
	recording *Recording
	retention InputRetention
	// CarriesOut is the uid of the decision that the action carries out, if stated.
	CarriesOut    string
	authenticated bool // the caller is authenticated
	shadow        bool // a denial is not enforced
	by            *evaluator
}

// Stakes returns the stakes that the rules saw: low, medium, high or critical.
func (j *Evaluation) Stakes() string { return j.by.facts.Action.Stakes.String() }

// Risk returns the risk tier that atlases declare for the action, "" if none does.
func (j *Evaluation) Risk() string {
	return j.by.set.declaredRisk(j.check.Name, j.check.Project).String()
}

// Evaluate is Check without storing the verdict.
func (s *Store) Evaluate(ctx context.Context, c ActionCheck) (j Evaluation, err error) {
	defer func() {
		if err != nil {
			j, err = Evaluation{}, apperr.From(err).Deny()
		}
	}()
	prepareCompiler()
	action, notes, err := c.Action()
	if err != nil {
		return j, err
	}
	if _, err := s.graph.Connect(ctx); err != nil { // a starting database is not a violation
		return j, err
	}
	losses := s.graph.ConnectionLosses()
	c.Project = cmp.Or(c.Project, s.Settings.Project)
	set, left, err := s.recordedRules(ctx)
	if err != nil {
		return j, err
	}
	set.raiseStakes(&c, action)
	if err := s.addConsensus(ctx, set, c, action); err != nil {
		return j, err
	}
	if c.Session != nil {
		if c.SessionID, err = c.Session(); err != nil {
			return j, err
		}
	}
	if c.Recording != nil {
		if j.recording, err = c.Recording(); err != nil { // an error here is not a violation
			return j, err
		}
		j.recording.show(action)
	}
	s.Settings.Effects.Add(&c, action, set.programs)
	evaluator := set.Evaluator(c, action)
	if c.SessionID == "" && s.Trace != nil {
		ambient, _ := s.Trace.CachedSession(ctx, s.sessionOf(c))
		evaluator.facts.Session = ambient.ID
	}
	j.check, j.by, j.retention = c, evaluator, s.Settings.Retention
	j.authenticated, j.shadow = caller.From(ctx).Authenticated, caller.From(ctx).Shadow
	if j.by.asksNewCircuit() {
		left = max(left, FirstTimeout)
	}
	inTime, cancel := context.WithTimeout(ctx, left)
	defer cancel()
	j.Verdict = j.by.Verdict(inTime)
	j.VerdictID, j.At, j.Notes, j.Revision = uid.New(), set.Now, notes, set.revision
	j.AgentID, _ = redact.Text(c.agent())
	s.evaluated.Store(losses + 1)
	return j, nil
}

// prepareCompiler loads CEL's grammar and the patterns of secrets, which takes as long as connecting to the database.
var prepareCompiler = sync.OnceFunc(func() {
	go func() { _, _ = condition.Rule("true") }()
	go redact.Text("a text without a secret")
})

// show adds the facts of the recording to the action.
func (r *Recording) show(action *condition.Action) {
	if r != nil {
		action.Phase, action.Pattern, action.QualityScore = "record", normalize.Name(r.Pattern), &r.QualityScore
		action.Reasons, action.DeliberationCount = r.Reasons, r.DeliberationCount
	}
}

// recordedRules reads the rules, and returns how much of the check's time is left. Manual edits are recorded first,
// and the rules are read again, so that the history at the time of the verdict contains them.
func (s *Store) recordedRules(ctx context.Context) (set *RuleSet, left time.Duration, err error) {
	const tries = 3 // rules may change faster than they are read
	for try := 1; ; try++ {
		// of this try: after a start, also during the last try, all statements of the check are new to the database
		limit := s.checkTimeout()
		started, losses := time.Now(), s.graph.ConnectionLosses()
		inTime, cancel := context.WithTimeout(ctx, limit)
		set, err = s.Rules(inTime)
		cancel()
		left = limit - time.Since(started)
		switch {
		case err != nil && s.graph.ConnectionLosses() != losses && try < tries:
			if _, gone := s.graph.Connect(ctx); gone != nil { // a lost connection is not a violation
				return nil, 0, err
			}
		case err != nil || set.recorded == set.revision || try == tries:
			return set, left, err
		default:
			if _, err := s.drifts.Do(ctx, set); err != nil {
				return nil, 0, err
			}
		}
	}
}

func (s *Store) checkTimeout() time.Duration {
	limit := s.Settings.CheckTimeout
	if limit <= 0 {
		limit = CheckTimeout
	}
	return s.within(limit, &s.evaluated)
}

// within returns the limit, or FirstTimeout until the work succeeded once after a start or a lost connection. done is a
// field such as evaluated.
func (s *Store) within(limit time.Duration, done *atomic.Int64) time.Duration {
	if done.Load() != s.graph.ConnectionLosses()+1 {
		return max(limit, FirstTimeout)
	}
	return limit
}

func (c ActionCheck) agent() string {
	if strings.TrimSpace(c.AgentID) != "" {
		return c.AgentID // the agent's own spelling, which the verdict shows
	}
	return c.By
}

// Action returns the facts that rules see. A context entry with the name of a field of the action stays in the context
// and is reported.
func (c ActionCheck) Action() (*condition.Action, []string, error) {
	facts, err := json.Marshal([]any{c.Context, c.Params, c.Tags, c.Reasons})
	if err != nil {
		return nil, nil, apperr.New(apperr.Validation, "context and params must be JSON objects").
			WithHint("Use a form such as {\"path\": \"main.go\"}").Because(err)
	}
	if len(facts) > maxFacts {
		return nil, nil, apperr.Newf(apperr.Validation,
			"context, params, tags and reasons have %d bytes; the limit is %d", len(facts), maxFacts).
			WithHint("Pass the facts that rules read, not whole documents")
	}
	level := condition.Medium
	if c.Stakes != "" {
		var known bool
		if level, known = condition.ParseStakes(c.Stakes); !known {
			return nil, nil, apperr.Newf(apperr.Validation, "Invalid `stakes` '%s'", c.Stakes).
				WithHint("Use low, medium, high or critical")
		}
	}
	if c.Confidence != nil && (*c.Confidence < 0 || *c.Confidence > 1) {
		return nil, nil, apperr.Newf(apperr.Validation, "Invalid `confidence` %v", *c.Confidence).
			WithHint("Use a number from 0.0 to 1.0")
	}
	var notes []string
	for _, key := range []string{"category", "confidence", "stakes"} {
		if _, ok := c.Context[key]; ok {
			notes = append(notes, fmt.Sprintf("context.%[1]s is not the action's %[1]s: pass %[1]s itself", key))
		}
	}
	return &condition.Action{Description: c.Description, Category: normalize.Name(c.Category),
		Name: normalize.Name(c.Name), Phase: "check", Stakes: level,
		Confidence: c.Confidence, Params: c.Params, Context: c.Context, Tags: namesOf(c.Tags),
		Actors:  c.actors(),
		Pattern: normalize.Name(c.Pattern), QualityScore: c.QualityScore, Reasons: ReasonFacts(c.Reasons),
		DeliberationCount: c.DeliberationCount}, notes, nil
}

// actors returns the names of the subagent, the agent, the caller, the program and the user, without repetition. Hooks
// and gateways state the subagent, the program and the user in the context.
func (c ActionCheck) actors() (names []string) {
	for _, name := range namesOf([]string{graph.Text(c.Context, "subagent"), c.agent(), c.By,
		graph.Text(c.Context, "client"), graph.Text(c.Context, "user")}) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// written returns the names that select rules, in the caller's spelling; absent ones are null.
func (c ActionCheck) written() map[string]any {
	return map[string]any{"category": graph.NullIfEmpty(c.Category), "name": graph.NullIfEmpty(c.Name),
		"project": graph.NullIfEmpty(c.Project), "agent": graph.NullIfEmpty(c.agent()),
		"session": graph.NullIfEmpty(c.SessionID), "tags": policies.NullIfNone(c.Tags)}
}

// namesOf normalizes a list and removes empty names.
func namesOf(list []string) []string {
	return lists.Map(rule.NonEmpty(list...), normalize.Name)
}

package gate

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/internal/spelling"
	"nomograph/internal/uid"
	"nomograph/policies"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
)

// ActionCheck asks whether an action may be done.
type ActionCheck struct {
	Description string           `json:"description" jsonschema:"what you intend to do" rule:"minLength=1,maxLength=10000"`
	Category    string           `json:"category,omitempty" jsonschema:"architecture, process, integration, tooling, security, or your own" rule:"maxLength=100"`
	Stakes      string           `json:"stakes,omitempty" jsonschema:"how much depends on it" rule:"enum=low|medium|high|critical,default=\"medium\""`
	Confidence  *float64         `json:"confidence,omitempty" jsonschema:"0.0 to 1.0; no default" rule:"minimum=0,maximum=1"`
	Context     graph.Parameters `json:"context,omitempty" jsonschema:"facts for rules, such as affectsProduction or codeReviewCompleted"`
	Name        string           `json:"name,omitempty" jsonschema:"name of the action, such as git.push; rules select by it" rule:"maxLength=200"`
	Params      graph.Parameters `json:"params,omitempty" jsonschema:"parameters of the action"`
	Tags        []string         `json:"tags,omitempty" jsonschema:"tags" rule:"maxItems=50"`
	Project     string           `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
	Model       string           `json:"model,omitempty" jsonschema:"language model" rule:"maxLength=200"`
	AgentID     string           `json:"agent_id,omitempty" jsonschema:"acting agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	SessionID   string           `json:"session_id,omitempty" jsonschema:"session it belongs to" rule:"maxLength=200" claim:"session"`
	By          string           `json:"-"` // who calls, where AgentID does not say
	// Recording gives what rules see of a decision that is about to be written, once the rules were read; nil for a check.
	Recording func() (*Recording, error) `json:"-"`
	// Session gives the session's id, likewise; nil where SessionID says it.
	Session func() (string, error) `json:"-"`
}

// Recording is what rules see of a decision that is about to be recorded, besides what every action has. Their
// action.phase is then "record".
type Recording struct {
	Pattern           string           `json:"pattern,omitempty"`
	QualityScore      float64          `json:"quality_score"`
	Reasons           []map[string]any `json:"reasons,omitempty"` // {type, text, strength}
	DeliberationCount int              `json:"deliberation_count"`
}

// Verdict is the answer to a check, and what explain_verdict gives again. A rule that could not be evaluated objects.
type Verdict struct {
	Allowed    bool        `json:"allowed"`
	Violations []Violation `json:"violations" jsonschema:"enforced rules that block"`
	Warnings   []Violation `json:"warnings"`
	Shadow     []Violation `json:"shadow" jsonschema:"what rules on trial would have said"`
	Evaluated  int         `json:"evaluated" jsonschema:"number of evaluated rules"`
	Revision   string      `json:"revision" jsonschema:"hash of the whole rule set"`
	VerdictID  string      `json:"verdict_id"`
	At         time.Time   `json:"at"`
	AgentID    string      `json:"agent_id"`
	Forced     string      `json:"forced,omitempty" jsonschema:"why a decision was recorded in spite of a block"`
	// OverriddenBy is ByForce or ByApproval; empty if the verdict stands, or is older than the field.
	OverriddenBy string `json:"overridden_by,omitempty" jsonschema:"force or approval"`
	// JudgedAs stands beside what the caller wrote.
	JudgedAs graph.Parameters `json:"judged_as,omitempty" jsonschema:"names that rules saw in another spelling"`
	Notes    []string         `json:"notes,omitempty"`
	Permits  []string         `json:"permits,omitempty" jsonschema:"rules that know the action and allow it"`
	Counted  []Counted        `json:"-"` // what the verdict uses up of limits, if it allows
	Applied  []AppliedRule    `json:"-"` // in the order of the rules
}

// Counted is how much of a limit an action uses up: 1, or the amount of the parameter that is limited.
type Counted struct {
	Rule   string
	Amount float64
	holds  *rule.Guardrail // the limit, where storing the verdict must find room; nil where it only counts
}

// Denied tells a program that runs the check whether it must stop.
func (v Verdict) Denied() bool { return !v.Allowed }

// Violation is what one rule has against an action.
type Violation struct {
	GuardrailID  string                           `json:"guardrail_id"`
	Message      string                           `json:"message"`
	Severity     string                           `json:"severity"`
	Mode         string                           `json:"mode"`
	Result       string                           `json:"result" jsonschema:"violated, or error: it could not be evaluated"`
	Error        string                           `json:"error,omitempty"`
	Values       graph.Parameters                 `json:"values,omitempty" jsonschema:"what the rule saw; null was absent"`
	Thresholds   map[string]policies.ThresholdUse `json:"thresholds,omitempty"`
	Found        []map[string]any                 `json:"found,omitempty" jsonschema:"what its pattern found in the graph"`
	WouldPass    []string                         `json:"would_pass,omitempty" jsonschema:"what must hold"`
	Alternatives []string                         `json:"alternatives,omitempty"`
	Version      string                           `json:"version"`
}

const (
	// CheckTimeout is how long reading and evaluating the rules may take unless Settings say otherwise.
	CheckTimeout  = 2 * time.Second
	recordTimeout = 5 * time.Second
	settleTimeout = 30 * time.Second // ten thousand rules may be new
	// A database that has just started plans its first statements for seconds; a process meets that once for each start.
	FirstTimeout = 30 * time.Second
	maxFacts     = 64 << 10 // bytes of context and params as JSON
	violated     = "violated"
	failed       = "error"
)

// Check judges an action by all guardrails in force and keeps the verdict before it gives it. A denial is a result, not an
// error. It returns a validation_error for facts that are too large, and unavailable, query_timeout or permission_denied
// where the rules cannot be read or the verdict cannot be kept; each of these says allowed: false.
func (s *Store) Check(ctx context.Context, c ActionCheck) (Verdict, error) {
	judgment, err := s.Evaluate(ctx, c)
	if err != nil {
		return Verdict{}, err
	}
	if err := s.StoreVerdict(ctx, &judgment); err != nil {
		return Verdict{}, err
	}
	return judgment.Verdict, nil
}

// Evaluation is a verdict that is not kept yet. Whoever has it judged writes it, with Keep or with what it is about.
type Evaluation struct {
	Verdict
	check     ActionCheck
	recording *Recording
	keep      InputRetention
	// CarriesOut is the uid of the decision that the action carries out, where the caller says it.
	CarriesOut string
	proven     bool // the door knows who asks
	by         *evaluation
}

// Evaluate is Check without keeping the verdict.
func (s *Store) Evaluate(ctx context.Context, c ActionCheck) (Evaluation, error) {
	judgment, err := s.judge(ctx, c)
	if err != nil {
		return Evaluation{}, apperr.From(err).Deny()
	}
	return judgment, nil
}

func (s *Store) judge(ctx context.Context, c ActionCheck) (Evaluation, error) {
	action, notes, err := c.Action()
	if err != nil {
		return Evaluation{}, err
	}
	if _, err := s.graph.Connect(ctx); err != nil { // it may be starting, which no rule is to blame for
		return Evaluation{}, err
	}
	if c.Project == "" {
		c.Project = s.Settings.Project
	}
	j := Evaluation{check: c, keep: s.Settings.Keep, proven: caller.From(ctx).Proven}
	e, verdict, err := s.evaluate(ctx, &j.check, action, func() error {
		if c.Session != nil {
			if j.check.SessionID, err = c.Session(); err != nil {
				return err
			}
		}
		if c.Recording == nil {
			return nil
		}
		j.recording, err = c.Recording()
		j.recording.show(action)
		return err
	})
	if err != nil {
		return Evaluation{}, err
	}
	j.Verdict, j.by = verdict, e
	j.VerdictID, j.At, j.Notes, j.Revision = uid.New(), e.set.Now, notes, e.set.revision
	j.AgentID, _ = redact.Text(c.agent())
	return j, nil
}

// show adds to what rules see of an action.
func (r *Recording) show(action *condition.Action) {
	if r != nil {
		action.Phase, action.Pattern, action.QualityScore = "record", spelling.Name(r.Pattern), &r.QualityScore
		action.Reasons, action.DeliberationCount = r.Reasons, r.DeliberationCount
	}
}

// evaluate reads the rules and judges by them, under one deadline. What was changed past Nomograph is recorded first, and
// the rules are read again, so that the history as of the verdict's time tells what it came from. The action is complete only
// when the rules are there and complete was called.
func (s *Store) evaluate(ctx context.Context, c *ActionCheck, action *condition.Action, complete func() error) (*evaluation, Verdict, error) {
	const tries = 3 // somebody may change rules faster than they are read
	for try := 1; ; try++ {
		limit, started, losses := s.checkTimeout(), time.Now(), s.graph.ConnectionLosses()
		inTime, cancel := context.WithTimeout(ctx, limit)
		set, err := s.Rules(inTime)
		cancel()
		if err != nil && s.graph.ConnectionLosses() != losses && try < tries {
			if _, gone := s.graph.Connect(ctx); gone == nil { // it was away, which no rule is to blame for
				continue
			}
		}
		if err != nil {
			return nil, Verdict{}, err
		}
		left := limit - time.Since(started)
		if set.recorded != set.revision && try < tries {
			if _, err := s.settling.Do(ctx, set); err != nil {
				return nil, Verdict{}, err
			}
			continue
		}
		if err := s.agreed(ctx, set, *c, action); err != nil {
			return nil, Verdict{}, err
		}
		if err := complete(); err != nil { // what it waits for is no rule's fault
			return nil, Verdict{}, err
		}
		e := set.Evaluation(*c, action)
		if e.asksNewCircuit() {
			left = max(left, FirstTimeout)
		}
		inTime, cancel = context.WithTimeout(ctx, left)
		verdict := e.Verdict(inTime)
		cancel()
		return e, verdict, nil
	}
}

func (s *Store) checkTimeout() time.Duration {
	limit := s.Settings.CheckTimeout
	if limit <= 0 {
		limit = CheckTimeout
	}
	if known := s.asked.Load(); known == nil || known.losses != s.graph.ConnectionLosses() {
		return max(limit, FirstTimeout)
	}
	return limit
}

func (c ActionCheck) agent() string {
	if strings.TrimSpace(c.AgentID) != "" {
		return c.AgentID // as it is written, of which the verdict tells
	}
	return c.By
}

// Action makes what rules see of what the caller gave. Context stays context: what stands in it under the name of a field
// of the action is said not to count.
func (c ActionCheck) Action() (*condition.Action, []string, error) {
	size := 0
	for _, facts := range []graph.Parameters{c.Context, c.Params} {
		text, err := json.Marshal(facts)
		if err != nil {
			return nil, nil, apperr.New(apperr.Validation, "context and params must be JSON objects").Because(err)
		}
		size += len(text)
	}
	for _, tag := range c.Tags {
		size += len(tag)
	}
	if size > maxFacts {
		return nil, nil, apperr.Newf(apperr.Validation, "context, params and tags have %d bytes; at most %d are judged", size, maxFacts).
			WithHint("Pass the facts that rules ask for, not whole documents")
	}
	level := condition.Medium
	if c.Stakes != "" {
		var known bool
		if level, known = condition.ParseStakes(c.Stakes); !known {
			return nil, nil, apperr.Newf(apperr.Validation, "`stakes` is '%s'", c.Stakes).WithHint("It is low, medium, high or critical")
		}
	}
	if c.Confidence != nil && (*c.Confidence < 0 || *c.Confidence > 1) {
		return nil, nil, apperr.Newf(apperr.Validation, "`confidence` is %v", *c.Confidence).WithHint("It is from 0.0 to 1.0")
	}
	var notes []string
	for _, key := range []string{"category", "confidence", "stakes"} {
		if _, ok := c.Context[key]; ok {
			notes = append(notes, fmt.Sprintf("context.%[1]s is not the action's %[1]s: pass %[1]s itself", key))
		}
	}
	return &condition.Action{Description: c.Description, Category: spelling.Name(c.Category), Name: spelling.Name(c.Name), Phase: "check", Stakes: level,
		Confidence: c.Confidence, Params: c.Params, Context: c.Context, Tags: namesOf(c.Tags)}, notes, nil
}

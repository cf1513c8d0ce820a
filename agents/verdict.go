package agents

import (
	"context"
	"time"

	"nomograph/graph"
	"nomograph/policies/check"
)

// Act is an action that guardrails check.
type Act struct {
	Description string           `json:"description" jsonschema:"what the agent is about to do" rule:"minLength=1,maxLength=10000"`
	Category    string           `json:"category,omitempty" jsonschema:"architecture, process, integration, tooling, security, or your own" rule:"maxLength=100"`
	Stakes      string           `json:"stakes,omitempty" rule:"enum=low|medium|high|critical,default=\"medium\""`
	Confidence  *float64         `json:"confidence,omitempty" jsonschema:"0.0 to 1.0; no default" rule:"minimum=0,maximum=1"`
	Context     graph.Parameters `json:"context,omitempty" jsonschema:"facts for rules, such as affectsProduction"`
	Project     string           `json:"project,omitempty" jsonschema:"owner/repo; not sent to other servers" rule:"maxLength=200"`
	AgentID     string           `json:"agent_id,omitempty" jsonschema:"acting agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	By          string           `json:"-"`
}

// Check returns the check of the action by the guardrails here.
func (a Act) Check() check.ActionCheck {
	return check.ActionCheck{Description: a.Description, Category: a.Category, Stakes: a.Stakes,
		Confidence: a.Confidence, Context: a.Context, Project: a.Project, AgentID: a.AgentID, By: a.By}
}

// Action is the action that another agent asks the guardrails here to check.
type Action struct {
	Act
	Name   string           `json:"name,omitempty" jsonschema:"name for rules, such as git.push" rule:"maxLength=200"`
	Params graph.Parameters `json:"params,omitempty" jsonschema:"parameters of the action"`
	Tags   []string         `json:"tags,omitempty" jsonschema:"tags" rule:"maxItems=50"`
}

// Verdict is the verdict for another agent: the messages of guardrails, without the facts that they read.
type Verdict struct {
	Allowed     bool        `json:"allowed"`
	Violations  []Violation `json:"violations" jsonschema:"blocking violations; for a denial also warnings"`
	Warnings    []Violation `json:"warnings"`
	Permits     []string    `json:"permits,omitempty" jsonschema:"guardrails that explicitly allow it; violations of others win"`
	Evaluated   int         `json:"evaluated" jsonschema:"number of evaluated rules"`
	EvaluatedAt time.Time   `json:"evaluated_at"`
	VerdictID   string      `json:"verdict_id"`
}

// Denied reports whether the action must not be done.
func (j Verdict) Denied() bool { return !j.Allowed }

// Violation is the violation of one guardrail.
type Violation struct {
	GuardrailID string `json:"guardrail_id"`
	Name        string `json:"name"`
	Message     string `json:"message"`
	Severity    string `json:"severity" jsonschema:"block or warn"`
	Suggestion  string `json:"suggestion,omitempty" jsonschema:"alternative"`
}

// Ask checks an action of another agent and stores the verdict. It returns the errors of check.Store.Check, which say
// allowed: false.
func (s *Store) Ask(ctx context.Context, a Action) (Verdict, error) {
	asked := a.Check()
	asked.Name, asked.Params, asked.Tags = a.Name, a.Params, a.Tags
	verdict, err := s.checks.Check(ctx, asked)
	if err != nil {
		return Verdict{}, err
	}
	return VerdictOf(verdict), nil
}

// VerdictOf converts a verdict for another agent.
func VerdictOf(v check.Verdict) Verdict {
	j := Verdict{Allowed: v.Allowed, Violations: objections(v.Violations), Warnings: objections(v.Warnings),
		Permits: v.Permits, Evaluated: v.Evaluated, EvaluatedAt: v.At, VerdictID: v.VerdictID}
	if !j.Allowed {
		j.Violations = append(j.Violations, j.Warnings...)
	}
	return j
}

func objections(all []check.Violation) []Violation {
	out := make([]Violation, len(all))
	for i, o := range all {
		out[i] = Violation{GuardrailID: o.GuardrailID, Name: o.GuardrailID, Message: o.Message, Severity: o.Severity}
		if len(o.Alternatives) > 0 {
			out[i].Suggestion = o.Alternatives[0]
		}
	}
	return out
}

package sessions

import (
	"context"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/policies/check"
	"nomograph/policies/rule"
)

// Bootstrap starts a governed session for an agent that lists its capabilities.
type Bootstrap struct {
	Intent       string   `json:"intent" jsonschema:"what you are trying to accomplish" rule:"minLength=1,maxLength=10000"`
	Capabilities []string `json:"capabilities,omitempty" jsonschema:"names of actions you may take, such as git.push; returns the rules for each" rule:"maxItems=50"`
	AtlasHints   []string `json:"atlas_hints,omitempty" jsonschema:"atlases or domains of the task (default all atlases)" rule:"maxItems=50"`
	RiskTier     string   `json:"risk_tier,omitempty" jsonschema:"risk tier of the task; adds contexts for that risk" rule:"enum=low|medium|high|critical"`
	Project      string   `json:"project,omitempty" jsonschema:"owner/repo (default the server's project)" rule:"maxLength=200"`
	MaxTokens    int      `json:"max_tokens,omitempty" jsonschema:"maximum number of tokens of the initial contexts" rule:"minimum=100,maximum=100000,default=4000"`
	Caller
	AsksUser bool `json:"-"` // whether the client can ask its user to approve
}

// Bootstrapped is the started session with the rules for these capabilities.
type Bootstrapped struct {
	Started
	Governance []Governed `json:"governance" jsonschema:"rules for each capability now; cra_report_action decides at the time of action"`
	Unknown    string     `json:"unknown_action" jsonschema:"answer to actions without a rule: ask (waits for a person), deny or allow"`
	Head       string     `json:"head" jsonschema:"hash of the session's last event"`
}

// How an action will be governed, in addition to the decisions on a reported action.
const (
	depends = "depends" // the result depends on the parameters
	unknown = "unknown"
)

// Governed is the preview of an action by name, without parameters.
type Governed struct {
	Action   string   `json:"action"`
	Decision string   `json:"decision" jsonschema:"approved, denied, needs_approval, depends (on parameters) or unknown (no rule)"`
	Policies []string `json:"policies,omitempty" jsonschema:"rules with their messages"`
}

// Bootstrap starts a session and previews how the rules govern the agent's capabilities. Nothing counts as an action,
// and no verdict is stored. It returns the errors of Start and of gate.
func (s *Store) Bootstrap(ctx context.Context, q Bootstrap) (Bootstrapped, error) {
	if strings.TrimSpace(q.Intent) == "" {
		return Bootstrapped{}, apperr.New(apperr.Validation, "`intent` is empty").
			WithHint("Describe your goal in a sentence")
	}
	out := Bootstrapped{Unknown: s.UnknownAction}
	if out.Unknown == "" || out.Unknown == UnknownAsk {
		reached, err := s.canBeApproved(ctx, q.Caller, q.AsksUser)
		if err != nil {
			return Bootstrapped{}, err
		}
		if out.Unknown = UnknownDeny; reached {
			out.Unknown = UnknownAsk
		}
	}
	for _, action := range q.Capabilities {
		governed, err := s.evaluateByName(ctx, q, action)
		if err != nil {
			return Bootstrapped{}, err
		}
		out.Governance = append(out.Governance, governed)
	}
	capabilities := q.Capabilities
	if capabilities == nil {
		capabilities = []string{}
	}
	started, err := s.Start(ctx, Start{Goal: q.Intent, AtlasHints: q.AtlasHints, RiskTier: q.RiskTier,
		MaxTokens: q.MaxTokens, Caller: q.Caller, capabilities: capabilities})
	if err != nil {
		return Bootstrapped{}, err
	}
	out.Started = started
	session, err := s.anySession(ctx, Caller{SessionID: started.SessionID, AgentID: q.AgentID, By: q.By})
	out.Head = session.Head
	return out, err
}

// evaluateByName evaluates the rules for an action whose parameters are unknown.
func (s *Store) evaluateByName(ctx context.Context, q Bootstrap, action string) (Governed, error) {
	out := Governed{Action: action, Decision: Approved}
	evaluated, err := s.checks.Evaluate(ctx, check.ActionCheck{Description: action, Name: action, Project: q.Project,
		AgentID: q.AgentID, By: q.By})
	if err != nil {
		return out, err
	}
	for _, o := range evaluated.Violations {
		out.Policies = append(out.Policies, o.GuardrailID+": "+o.Message)
	}
	undecided := evaluated.Open(ctx)
	open := func(o check.Violation) bool { // whether parameters can change the result of the rule
		return o.Result == "error" || evaluated.CountsUnder(o.GuardrailID) || slices.Contains(undecided, o.GuardrailID)
	}
	switch {
	case slices.ContainsFunc(evaluated.Violations,
		func(o check.Violation) bool { return !open(o) && o.Severity != rule.Approve }):
		out.Decision = DeniedAction
	case len(undecided) > 0, slices.ContainsFunc(evaluated.Violations, open):
		out.Decision = depends
		for _, name := range undecided {
			if !slices.ContainsFunc(evaluated.Violations,
				func(o check.Violation) bool { return o.GuardrailID == name }) {
				out.Policies = append(out.Policies, name+": depends on the parameters")
			}
		}
	case len(evaluated.Violations) == 0 && len(evaluated.Permits) == 0:
		out.Decision = unknown
	case len(evaluated.Violations) > 0:
		out.Decision = NeedsApproval
	}
	return out, nil
}

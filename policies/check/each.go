package check

import (
	"context"
	"slices"

	"nomograph/graph"
	"nomograph/policies"
	"nomograph/policies/rule"
)

// Outcome is the result of one rule: whether it applied, and with which result.
type Outcome struct {
	Rule    string
	Applied bool
	Result  string // one of the results below
	Found   bool   // the violation comes from its pattern
}

// Results of a rule.
const (
	NotApplied = "it does not apply"
	Satisfied  = "what it requires holds"
	Violated   = "it is violated"
	Errored    = "it could not be evaluated"
)

// Each returns the result of every rule for the action, evaluated one by one.
func (e *evaluation) Each(ctx context.Context) []Outcome {
	var outcomes []Outcome
	e.each(ctx, func(_ *evaluation, _ *rule.Guardrail, o Outcome) { outcomes = append(outcomes, o) })
	return outcomes
}

// each is like Each, and also passes the evaluation of each rule.
func (e *evaluation) each(ctx context.Context, take func(alone *evaluation, r *rule.Guardrail, o Outcome)) {
	for i := range e.set.rules {
		only := *e.set
		only.rules = only.rules[i : i+1]
		alone := *e
		alone.set = &only
		if v := alone.Verdict(ctx); v.Evaluated > 0 {
			take(&alone, &only.rules[0], alone.outcome(&only.rules[0], v))
		}
	}
}

// EvaluatedRule is the result of one current rule for an action.
type EvaluatedRule struct {
	GuardrailID string                           `json:"guardrail_id"`
	Severity    string                           `json:"severity"`
	Mode        string                           `json:"mode"`
	Result      string                           `json:"result" jsonschema:"not_applied, holds, violated, or error: it could not be evaluated"`
	Values      graph.Parameters                 `json:"values,omitempty" jsonschema:"facts that the rule read; null was absent"`
	Thresholds  map[string]policies.ThresholdUse `json:"thresholds,omitempty"`
	Version     string                           `json:"version"`
}

// evaluatedInputs returns the result and the inputs of every rule for the action.
func (e *evaluation) evaluatedInputs(ctx context.Context) []EvaluatedRule {
	results := map[string]string{NotApplied: notApplied, Satisfied: "holds", Violated: violated, Errored: failed}
	all := []EvaluatedRule{}
	e.each(ctx, func(alone *evaluation, r *rule.Guardrail, o Outcome) {
		saw := alone.newViolation(r, results[o.Result])
		all = append(all, EvaluatedRule{r.Name, r.Severity, r.Mode, saw.Result, saw.Values, saw.Thresholds, r.Version})
	})
	return all
}

// outcome returns the result of r, the only rule of the evaluation. It reads v.Applied, because a verdict does not list the
// violations of rules that permit.
func (e *evaluation) outcome(r *rule.Guardrail, v Verdict) Outcome {
	o := Outcome{Rule: r.Name, Applied: e.applied, Result: NotApplied}
	for _, a := range v.Applied {
		switch a.Result {
		case failed:
			o.Result = Errored
		case violated:
			o.Result = Violated
		default:
			o.Result = Satisfied
		}
	}
	for _, violation := range slices.Concat(v.Violations, v.Warnings, v.Shadow) {
		o.Found = violation.Result == violated && len(violation.Found) > 0
	}
	return o
}

package check

import (
	"nomograph/graph"
	"nomograph/policies"
	"nomograph/policies/rule"
)

// Outcome is the result of one rule that concerns the action.
type Outcome struct {
	Rule    string
	Applied bool
	Result  string // one of the results below
	Found   bool   // the violation comes from its pattern

	rule *rule.Guardrail
}

// Results of a rule.
const (
	NotApplied = "not_applied"
	Passed     = "passed"
	Violated   = "violated"
	Failed     = "error" // it could not be evaluated
)

// outcome returns the result of the rule that was just evaluated.
func (e *evaluator) outcome(r *rule.Guardrail, violation *Violation) Outcome {
	o := Outcome{r.Name, e.applied, NotApplied, false, r}
	switch {
	case violation != nil:
		o.Result, o.Found = violation.Result, violation.Result == Violated && len(violation.Found) > 0
	case e.applied:
		o.Result = Passed
	}
	return o
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

// evaluatedRules returns the result and the inputs of every evaluated rule.
func (e *evaluator) evaluatedRules() []EvaluatedRule {
	var all []EvaluatedRule
	for _, o := range e.Outcomes {
		saw := e.newViolation(o.rule, o.Result)
		if saw.Result == Passed {
			saw.Result = "holds"
		}
		all = append(all, EvaluatedRule{saw.GuardrailID, saw.Severity, saw.Mode, saw.Result, saw.Values, saw.Thresholds,
			saw.Version})
	}
	return all
}

package gate

import (
	"context"
	"nomograph/policies/rule"
	"slices"
)

// Outcome is what became of one rule: whether it applied, and what came of that.
type Outcome struct {
	Rule    string
	Applied bool
	Result  string // one of those below
	Found   bool   // what it objects to is what its pattern found
}

// What may come of a rule.
const (
	NotApplied = "it does not apply"
	Holds      = "what it requires holds"
	Objects    = "it is violated"
	Breaks     = "it could not be evaluated"
)

// Each tells what becomes of every rule that the action concerns. It has each judged alone, by what judged them all.
func (e *evaluation) Each(ctx context.Context) []Outcome {
	var outcomes []Outcome
	for i, r := range e.set.rules {
		only := *e.set
		only.rules = only.rules[i : i+1]
		alone := *e
		alone.set = &only
		if v := alone.Verdict(ctx); v.Evaluated > 0 {
			outcomes = append(outcomes, alone.outcome(ctx, r, slices.Concat(v.Violations, v.Warnings, v.Shadow)))
		}
	}
	return outcomes
}

func (e *evaluation) outcome(ctx context.Context, r rule.Guardrail, objections []Objection) Outcome {
	facts := e.facts
	facts.Threshold = e.threshold
	o := Outcome{Rule: r.Name, Applied: r.Broken == nil, Result: Holds}
	if o.Applied && r.Applies != nil {
		applies, err := r.Applies.Eval(ctx, facts)
		o.Applied = applies && err == nil
	}
	switch {
	case len(objections) > 0 && objections[0].Result == failed:
		o.Result = Breaks
	case len(objections) > 0:
		o.Result, o.Found = Objects, len(objections[0].Found) > 0
	case !o.Applied:
		o.Result = NotApplied
	}
	return o
}

package policies

import (
	"context"
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
	notApplied = "it does not apply"
	holds      = "what it requires holds"
	objects    = "it is violated"
	breaks     = "it could not be evaluated"
)

// each tells what becomes of every rule that the action concerns. It has each judged alone, by what judged them all.
func (e *evaluation) each(ctx context.Context) []Outcome {
	var outcomes []Outcome
	for i, r := range e.set.rules {
		only := *e.set
		only.rules = only.rules[i : i+1]
		alone := *e
		alone.set = &only
		if v := alone.verdict(ctx); v.Evaluated > 0 {
			outcomes = append(outcomes, alone.outcome(ctx, r, slices.Concat(v.Violations, v.Warnings, v.Shadow)))
		}
	}
	return outcomes
}

func (e *evaluation) outcome(ctx context.Context, r guardrail, objections []Objection) Outcome {
	facts := e.facts
	facts.Threshold = e.threshold
	o := Outcome{Rule: r.Name, Applied: r.Broken == nil, Result: holds}
	if o.Applied && r.Applies != nil {
		applies, err := r.Applies.Eval(ctx, facts)
		o.Applied = applies && err == nil
	}
	switch {
	case len(objections) > 0 && objections[0].Result == failed:
		o.Result = breaks
	case len(objections) > 0:
		o.Result, o.Found = objects, len(objections[0].Found) > 0
	case !o.Applied:
		o.Result = notApplied
	}
	return o
}

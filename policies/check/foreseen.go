package check

import (
	"context"
	"slices"
	"strings"

	"nomograph/policies/condition"
	"nomograph/policies/rule"
)

// Open returns the names of active rules whose result can change once the action has parameters.
func (j *Evaluation) Open(ctx context.Context) []string {
	var open []string
	for i := range j.by.set.rules {
		r := &j.by.set.rules[i]
		if r.Mode == rule.Enforce && r.Severity != rule.Warn && r.Broken == nil && r.InScope(j.by.projects) &&
			r.AppliesTo(j.by.facts.Action) && r.InCircuit(j.by.facts) && j.by.open(ctx, r) {
			open = append(open, r.Name)
		}
	}
	return open
}

// open reports whether parameters can change the result of a rule: whether it applies, or what it requires.
func (e *evaluator) open(ctx context.Context, r *rule.Guardrail) bool {
	settled := func(p *condition.Program) bool { // whether p is false for all parameters
		return p != nil && slices.ContainsFunc(p.Failing(ctx, e.facts),
			func(part *condition.Program) bool { return !part.ReadsParams() })
	}
	reads := func(p *condition.Program) bool { return p != nil && p.ReadsParams() }
	switch {
	case settled(r.Applies):
		return false
	case reads(r.Applies):
		return true
	}
	return !settled(r.Requires) && (reads(r.Requires) || r.Limit == nil &&
		strings.Contains(r.Pattern, "$action.params"))
}

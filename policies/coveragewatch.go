package policies

import (
	"context"
	"slices"
)

// outcome is what became of one rule in one case.
type outcome struct {
	applied bool
	what    string
	found   bool // what it objects to is what its pattern found
}

const (
	notApplied = "it does not apply"
	holds      = "what it requires holds"
	objects    = "it is violated"
	breaks     = "it could not be evaluated"
)

// watch counts what becomes of each rule that the action concerns. It has every rule judged alone, by what judged them all.
// graph tells whether patterns were looked for.
func (c *coverage) watch(ctx context.Context, j judge, graph bool) map[string]outcome {
	outcomes := map[string]outcome{}
	for i, rule := range j.force.rules {
		alone := *j.force
		alone.rules = alone.rules[i : i+1]
		j := j
		j.force = &alone
		verdict := j.judge(ctx)
		if verdict.Evaluated == 0 {
			continue
		}
		became := j.outcome(ctx, rule, slices.Concat(verdict.Violations, verdict.Warnings, verdict.Shadow))
		outcomes[rule.Name] = became
		for _, counted := range c.rules {
			if counted.Rule == rule.Name && counted.judged {
				counted.add(became, graph)
			}
		}
	}
	return outcomes
}

func (j *judge) outcome(ctx context.Context, rule guardrail, objections []Objection) outcome {
	facts := j.facts
	facts.Threshold = j.threshold
	o := outcome{applied: rule.Broken == nil, what: holds}
	if o.applied && rule.Applies != nil {
		applies, err := rule.Applies.Eval(ctx, facts)
		o.applied = applies && err == nil
	}
	switch {
	case len(objections) > 0 && objections[0].Result == failed:
		o.what = breaks
	case len(objections) > 0:
		o.what, o.found = objects, len(objections[0].Found) > 0
	case !o.applied:
		o.what = notApplied
	}
	return o
}

func (r *RuleCoverage) add(o outcome, graph bool) {
	r.Evaluated++
	if o.applied {
		r.Applied++
	}
	switch o.what {
	case notApplied:
		r.NotApplied++
	case breaks:
		r.Errors++
	case objects:
		r.Violated++
		if o.found {
			r.Found++
		}
	case holds:
		if r.pattern && graph {
			r.NotFound++
		}
		if r.rule.Requires != nil || r.pattern && graph {
			r.Passed++
		}
	}
	if r.Found+r.NotFound > 0 {
		r.Note = ""
	}
}

// unseen are the rules that a pattern would still have decided.
func (c *coverage) unseen(outcomes map[string]outcome) []string {
	var names []string
	for _, r := range c.rules {
		if r.pattern && outcomes[r.Rule].what == holds {
			names = append(names, r.Rule)
		}
	}
	return names
}

// whyNot says why a rule that was expected to object does not; unfound is why its pattern found nothing.
func (c *coverage) whyNot(name string, outcomes map[string]outcome, unfound string) string {
	i := slices.IndexFunc(c.rules, func(r *RuleCoverage) bool { return r.Rule == name })
	if i < 0 {
		return "these packs have no guardrail of that name"
	}
	r, what := c.rules[i], outcomes[name].what
	switch {
	case !r.judged:
		return "it is not judged: " + r.Note
	case what == "":
		return "it is not about this action: see its scope and actions"
	case r.pattern && what == holds:
		return unfound
	}
	return what
}

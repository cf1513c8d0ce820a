package cases

import (
	"slices"

	"nomograph/internal/lists"
	"nomograph/policies/check"
)

// watch counts the results of the rules and returns them by name. graph says whether patterns were evaluated.
func (c *coverage) watch(results []check.Outcome, graph bool) map[string]check.Outcome {
	outcomes := map[string]check.Outcome{}
	for _, o := range results {
		outcomes[o.Rule] = o
		for _, counted := range c.rules {
			if counted.Rule == o.Rule && counted.inForce {
				counted.add(o, graph)
			}
		}
	}
	return outcomes
}

func (r *RuleCoverage) add(o check.Outcome, graph bool) {
	r.Evaluated++
	if o.Applied {
		r.Applied++
	}
	switch o.Result {
	case check.NotApplied:
		r.NotApplied++
	case check.Failed:
		r.Errors++
	case check.Violated:
		r.Violated++
		if o.Found {
			r.Found++
		}
	case check.Passed:
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

// unseen returns the rules whose patterns were not evaluated but would decide the result.
func (c *coverage) unseen(outcomes map[string]check.Outcome) []string {
	unseen := lists.Filter(c.rules, func(r *RuleCoverage) bool {
		return r.pattern && outcomes[r.Rule].Result == check.Passed
	})
	return lists.Map(unseen, func(r *RuleCoverage) string { return r.Rule })
}

// whyNot explains why an expected violation is missing; noMatch says why its pattern matched nothing.
func (c *coverage) whyNot(name string, outcomes map[string]check.Outcome, noMatch string) string {
	i := slices.IndexFunc(c.rules, func(r *RuleCoverage) bool { return r.Rule == name })
	if o, ok := outcomes[name]; i < 0 && ok { // the rule is in a pack that is not under test
		return resultWords[o.Result]
	}
	if i < 0 {
		return "these packs have no guardrail of that name"
	}
	r, result := c.rules[i], outcomes[name].Result
	switch {
	case !r.inForce:
		return "it is not evaluated: " + r.Note
	case result == "":
		return "it is not about this action: see its scope and actions"
	case r.pattern && result == check.Passed:
		return noMatch
	}
	return resultWords[result]
}

var resultWords = map[string]string{check.NotApplied: "it does not apply", check.Passed: "what it requires holds",
	check.Violated: "it is violated",
	check.Failed:   "it could not be evaluated"}

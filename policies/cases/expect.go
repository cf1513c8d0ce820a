package cases

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/policies"
	"nomograph/policies/check"
)

// compare returns the differences between a verdict and the expectation. whyNot explains why an expected violation is
// missing.
func (c Case) compare(v check.Verdict, whyNot func(rule string) string) []string {
	var problems []string
	e := c.Expect
	if e.Allowed != nil && *e.Allowed != v.Allowed {
		problem := fmt.Sprintf("allowed: expected %t, got %t", *e.Allowed, v.Allowed)
		if e.Violations == nil {
			problem += describeAll(v.Violations)
		}
		problems = append(problems, problem)
	}
	compared := []struct {
		name     string
		expected []string
		got      []check.Violation
	}{{"violations", e.Violations, v.Violations}, {"warnings", e.Warnings, v.Warnings}, {"shadow", e.Shadow, v.Shadow}}
	for _, list := range compared {
		if list.expected == nil {
			continue
		}
		missing := lists.Filter(list.expected,
			func(name string) bool { return !slices.Contains(ruleNames(list.got), name) })
		unexpected := lists.Filter(list.got,
			func(o check.Violation) bool { return !slices.Contains(list.expected, o.GuardrailID) })
		if len(missing)+len(unexpected) == 0 {
			continue
		}
		problem := fmt.Sprintf("%s: expected %s, got %s", list.name, namesOrNone(list.expected),
			namesOrNone(ruleNames(list.got)))
		for _, name := range missing {
			why := whyNot(name)
			for _, other := range compared {
				if slices.Contains(ruleNames(other.got), name) {
					why = "it is among the " + other.name
				}
			}
			problem += fmt.Sprintf("\n  %s is not violated: %s", name, why)
		}
		problems = append(problems, problem+describeAll(unexpected))
	}
	return problems
}

func ruleNames(violations []check.Violation) []string {
	return lists.Map(violations, func(o check.Violation) string { return o.GuardrailID })
}

func namesOrNone(names []string) string { return listOrNone(slices.Sorted(slices.Values(names))) }

// describeAll describes each violation on one line.
func describeAll(violations []check.Violation) string {
	var b strings.Builder
	for _, o := range violations {
		fmt.Fprintf(&b, "\n  %s: %s", o.GuardrailID, o.Message)
		if o.Error != "" {
			fmt.Fprintf(&b, " (%s)", o.Error)
		}
		var saw []string
		for _, path := range slices.Sorted(maps.Keys(o.Values)) {
			value := "absent"
			if o.Values[path] != nil {
				value = policies.ShowValue(graph.JSON(o.Values[path]))
			}
			saw = append(saw, path+" = "+value)
		}
		for _, name := range slices.Sorted(maps.Keys(o.Thresholds)) {
			saw = append(saw, name+" = "+policies.ShowValue(o.Thresholds[name].Value))
		}
		if len(saw) > 0 {
			b.WriteString("; it saw " + strings.Join(saw, ", "))
		}
	}
	return b.String()
}

// jsonText returns JSON with sorted keys and canonical numbers, so that 1 and 1.0 are equal.
func jsonText(value any) string {
	text, err := render.JSON(graph.JSON(value))
	if err != nil { // cannot happen: packs hold only values that JSON can encode
		return fmt.Sprint(value)
	}
	return string(text)
}

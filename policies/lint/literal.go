package lint

import (
	"fmt"
	"maps"
	"slices"

	"nomograph/internal/lists"
	"nomograph/policies"
	"nomograph/policies/condition"
)

// literals finds numbers that repeat a threshold of the same table or rule: changing the threshold does not change
// them.
func (l *linter) literals() {
	for _, t := range l.tables {
		thresholds := l.ofTable(t)
		for _, row := range t.Rows {
			if row.Condition != nil {
				for _, number := range row.Condition.Comparisons().Numbers {
					l.repeats("row "+row.ID, l.place(t.rowsAt[row.ID], "conditions"), "its condition", number, thresholds)
				}
			}
			for _, number := range numbersOf(row.Outputs) {
				l.repeats("row "+row.ID, l.place(t.rowsAt[row.ID], "outputs"), "its outputs",
					condition.Number{Value: number},
					thresholds)
			}
		}
	}
	for _, p := range l.policies {
		if p.rule == nil {
			continue
		}
		read := slices.Concat(p.uses, p.reads())
		thresholds := lists.Filter(l.thresholds, func(t named) bool {
			return slices.ContainsFunc(read, t.variantOf) || t.table != "" && t.table == p.table
		})
		for key, program := range map[string]*condition.Program{"applies_when": p.rule.Applies,
			"requires": p.rule.Requires} {
			if program == nil {
				continue
			}
			for _, number := range program.Comparisons().Numbers {
				l.repeats("policy "+p.name, l.place(p.at, key), key, number, thresholds)
			}
		}
	}
}

// repeats reports a number that equals one of the thresholds. If the number is a bound, this is rarely a coincidence.
func (l *linter) repeats(subject, place, part string, number condition.Number, thresholds []named) {
	for _, t := range thresholds {
		if value, ok := policies.ToFloat(t.Properties["value"]); !ok || value != number.Value {
			continue
		}
		severity, hint := severityWarning, fmt.Sprintf("If it is the same number for the same reason, write threshold(%q)", t.name)
		switch {
		case part == "its outputs":
			hint = fmt.Sprintf(`If it is the same number for the same reason, write {"threshold": %q}`, t.name)
		case number.Bound:
			severity, hint = severityError, fmt.Sprintf("Write threshold(%q)", t.name)
		}
		l.found("literal-repeats-threshold", severity, subject, place, hint,
			"%s holds %v, the value of the threshold '%s': changing the threshold would not change this number",
			part, number.Value, t.name)
		return
	}
}

// numbersOf returns the numbers in outputs, at any depth.
func numbersOf(value any) []float64 {
	var numbers []float64
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			numbers = append(numbers, numbersOf(v[key])...)
		}
	case []any:
		for _, item := range v {
			numbers = append(numbers, numbersOf(item)...)
		}
	default:
		if number, ok := policies.ToFloat(v); ok {
			numbers = append(numbers, number)
		}
	}
	return numbers
}

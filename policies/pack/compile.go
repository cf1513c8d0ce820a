package pack

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"nomograph/cypher"
	"nomograph/internal/apperr"
	"nomograph/policies"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
	"nomograph/policies/table"
)

const ruleHint = "docs/guides/rules.md shows how rules are written; nothing was applied"

// Compile finds the problems of the pack's rules and rows with their positions, and links each to the thresholds that
// it reads. It returns an error if the call is canceled.
func (p *Pack) Compile(ctx context.Context, problems *Problems) error {
	for i := range p.Items {
		if err := ctx.Err(); err != nil {
			return apperr.New(apperr.Unavailable, "The call ended before all rules were read").
				WithHint("Call again if you still need the answer").Because(err)
		}
		item := &p.Items[i]
		switch item.Section.Name {
		case "policies":
			compileRule(item, problems)
		case "thresholds":
			if problem := policies.OutOfBounds(item.Properties); problem != "" {
				problems.addElsewhere(item.Node.At("value"), "Correct the value or its bounds; nothing was applied",
					"'%s': %s", item.Key, problem)
			}
		case "decision_rows":
			compileRow(item, p.Item("decision_tables", fmt.Sprint(item.Properties["table_id"])), problems)
		}
	}
	return nil
}

func compileRule(item *Item, problems *Problems) {
	if breaker, _ := rule.BreakerOf(item.Properties); breaker != nil && item.Properties["forbids_pattern"] == nil {
		item.Properties["forbids_pattern"] = cypher.CircuitState.Text()
	}
	if limit, _ := rule.LimitOf(item.Properties); limit != nil && item.Properties["forbids_pattern"] == nil {
		item.Properties["forbids_pattern"] = cypher.LimitState.Text()
	}
	if item.Properties["earned_autonomy"] == true && item.Properties["forbids_pattern"] == nil {
		item.Properties["forbids_pattern"] = cypher.AutonomyReviews.Text()
	}
	if !rule.IsGuardrail(item.Properties) {
		if item.Properties["applies_when"] != nil {
			problems.addElsewhere(item.Node.At("applies_when"),
				`Add requires or forbids_pattern; requires: "false" denies every action that it applies to`,
				"'%s' has applies_when, but neither requires nor forbids_pattern", item.Key)
		}
		return
	}
	rule := rule.GuardrailOf(item.Properties)
	for _, problem := range ruleProblems(rule.Broken) {
		problems.addElsewhere(item.Node.At(problem.Key), ruleHint, "'%s': %s", item.Key, problem.Error())
	}
	plain, scoped := rule.Thresholds()
	item.reads(plain, scoped)
}

// ruleProblems returns all problems of a rule.
func ruleProblems(broken error) []rule.Problem {
	var problem rule.Problem
	if joined, several := broken.(interface{ Unwrap() []error }); several {
		var all []rule.Problem
		for _, err := range joined.Unwrap() {
			all = append(all, ruleProblems(err)...)
		}
		return all
	}
	if errors.As(broken, &problem) {
		return []rule.Problem{problem}
	}
	return nil
}

func compileRow(item, owner *Item, problems *Problems) {
	text, _ := item.Properties["conditions"].(string)
	if owner == nil { // a duplicate, already reported
		return
	}
	owner.reads(table.ThresholdsIn(table.RowOutputs(item.Properties)))
	if text == "" {
		return
	}
	program, err := condition.Row(text)
	if err != nil {
		problems.addElsewhere(item.Node.At("conditions"), table.RowHint, "'%s': conditions %s", item.Key, err.Error())
		return
	}
	owner.reads(program.Thresholds, program.Scoped)
}

// reads links an item to thresholds.
func (i *Item) reads(names ...[]string) {
	for _, name := range slices.Concat(names...) {
		link := Link{"USES_THRESHOLD", "thresholds", name}
		if !slices.Contains(i.Links, link) {
			i.Links = append(i.Links, link)
		}
	}
}

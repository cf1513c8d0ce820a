package cases

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/policies"
	"nomograph/policies/pack"
	"nomograph/policies/table"
)

// evaluateCase returns the failures of a case of a decision table, none if it passes.
func (b *testBed) evaluateCase(ctx context.Context, p pack.Pack, c Case) []string {
	e := c.Expect
	if e.Allowed != nil || e.Violations != nil || e.Warnings != nil || e.Shadow != nil {
		return []string{"expect: allowed, violations, warnings and shadow are for an action, and this case has a table"}
	}
	if c.Consensus != nil {
		return []string{"consensus: others agree to an action, and this case has a table"}
	}
	owner, item, err := b.table(p, c.Table)
	if err != nil {
		return []string{err.Error()}
	}
	thresholds, err := b.thresholdsFor(c)
	if err != nil {
		return []string{err.Error()}
	}
	answer, err := owner.DecisionTable(item).Evaluate(ctx, table.Query{Table: c.Table, Inputs: c.Inputs}, c.clock(),
		policies.ThresholdsAmong(thresholds))
	rows := lists.Map(answer.Rows, func(row table.RowHit) string { return row.RowID })
	if err == nil {
		b.coverage.countRows(owner.Name, item.Key, rows)
	}
	switch refused := err != nil || !answer.Matched; {
	case e.Fails && !refused:
		return []string{"fails: expected no answer, got the rows " + listOrNone(rows)}
	case e.Fails:
		return nil
	case err != nil:
		return []string{"expected an answer, got the error: " + apperr.From(err).Message}
	}
	return e.compareRows(rows, answer)
}

// table finds the table of a case: first in its own pack, then in the other packs.
func (b *testBed) table(own pack.Pack, id string) (pack.Pack, pack.Item, error) {
	for _, p := range append([]pack.Pack{own}, b.all()...) {
		found, matches := p.Table(id)
		switch {
		case len(matches) > 1:
			return p, pack.Item{}, fmt.Errorf("'%s' matches %d decision tables: %s", id, len(matches),
				strings.Join(matches, ", "))
		case found != nil:
			return p, *found, nil
		}
	}
	return own, pack.Item{}, fmt.Errorf("these packs have no decision table '%s'; name the pack that has it too", id)
}

// compareRows returns the differences between matching rows, with their outputs, and the expectation. With hit policy
// ALL, one of the rows must have each output.
func (e Expectation) compareRows(rows []string, answer table.Answer) []string {
	var problems []string
	if e.Rows != nil && !slices.Equal(e.Rows, rows) {
		problems = append(problems, fmt.Sprintf("rows: expected %s, got %s", listOrNone(e.Rows), listOrNone(rows)))
	}
	for _, key := range slices.Sorted(maps.Keys(e.Outputs)) {
		var got []string
		found := false
		for _, row := range answer.Rows {
			outputs, _ := row.Outputs.(map[string]any) // the schema of packs requires a map
			if value, ok := outputs[key]; ok {
				got = append(got, jsonText(value))
				found = found || jsonText(value) == jsonText(e.Outputs[key])
			}
		}
		if !found {
			problems = append(problems, fmt.Sprintf("outputs: expected %s = %s, got %s", key, jsonText(e.Outputs[key]),
				listOrNone(got)))
		}
	}
	return problems
}

func listOrNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

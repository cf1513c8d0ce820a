package lint

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
	"nomograph/policies/table"
)

// remembered returns a reader of thresholds that caches them for all combinations.
func (m *model) remembered() func(name, scope string) (any, error) {
	type answer struct {
		value any
		err   error
	}
	source, known := m.source(), map[[2]string]answer{}
	return func(name, scope string) (any, error) {
		a, have := known[[2]string{name, scope}]
		if !have {
			node, err := source(name, scope)
			if a.err = err; err == nil {
				a.value = node.Properties["value"]
			}
			known[[2]string{name, scope}] = a
		}
		return a.value, a.err
	}
}

// triableRow is a row whose condition can be tried. For a condition that is not simple, trying values can show that it
// holds, but not that it never holds.
type triableRow struct {
	table.Row
	compared condition.Comparisons
	holds    bool            // the row holds for some combination
	reached  bool            // for some combination, the row holds and no earlier row holds or fails
	before   map[string]bool // earlier rows
}

// reachRows finds rows that never match, and overlapping rows of a UNIQUE table.
func (l *linter) reachRows(ctx context.Context, t decisionTable) {
	policy, err := t.HitPolicy()
	if err != nil {
		l.found("hit-policy-unknown", severityError, "table "+t.ID, l.place(t.at, "hit_policy"),
			"Set hit_policy to FIRST, UNIQUE or ALL", "without a known hit policy it cannot be evaluated")
	}
	var rows []*triableRow
	for _, row := range t.Rows {
		j := &triableRow{Row: row, before: map[string]bool{}}
		switch {
		case row.Broken != nil || slices.ContainsFunc(row.Thresholds(),
			func(name string) bool { return len(l.variants(name)) == 0 }):
			continue // already reported
		case row.Condition == nil:
			j.compared.Simple = true
		default:
			j.compared = row.Condition.Comparisons()
		}
		rows = append(rows, j)
	}
	wanted := factsWanted{table: true}
	wanted.declared, wanted.required = t.Declared()
	exact := lists.Filter(rows, func(j *triableRow) bool { return j.compared.Simple })
	if l.evaluateRows(ctx, exact, wanted) {
		l.neverHit(t, exact, policy)
	} else {
		for _, row := range exact {
			if alone := []*triableRow{row}; l.evaluateRows(ctx, alone, wanted) {
				l.neverHit(t, alone, policy)
			}
		}
	}
	if policy == table.HitUnique {
		l.overlaps(ctx, t, rows, wanted)
	}
}

// evaluateRows records which rows hold and are reached. It returns false if there are too many combinations.
func (l *linter) evaluateRows(ctx context.Context, rows []*triableRow, wanted factsWanted) bool {
	c, bounded := l.cellsOf(comparisonsOf(rows), wanted, maxCells)
	if !bounded {
		return false
	}
	read := l.remembered()
	c.visit(ctx, func(values map[string]any) bool {
		var before []string
		facts := l.tableFacts(values, read)
		for _, row := range rows {
			holds, err := true, error(nil)
			if row.Condition != nil {
				holds, err = row.Condition.Eval(ctx, facts)
			}
			if holds && err == nil {
				row.holds = true
				row.reached = row.reached || len(before) == 0
				for _, id := range before {
					row.before[id] = true
				}
			}
			if (holds || err != nil) && !slices.Contains(before, row.ID) {
				before = append(before, row.ID)
			}
		}
		return true
	})
	return ctx.Err() == nil
}

func (l *linter) tableFacts(values map[string]any, read func(name, scope string) (any, error)) condition.Facts {
	argument, _ := values[scopeOfQuery].(string)
	return factsFrom(values, func(name, scope string) (any, error) { return read(name, cmp.Or(scope, argument)) })
}

func comparisonsOf(rows []*triableRow) []condition.Comparisons {
	return lists.Map(rows, func(row *triableRow) condition.Comparisons { return row.compared })
}

func (l *linter) neverHit(t decisionTable, rows []*triableRow, policy string) {
	for _, row := range rows {
		subject, place := "row "+row.ID, l.place(t.rowsAt[row.ID], "conditions")
		switch {
		case !row.holds:
			l.found("row-never-hits", severityError, subject, place, "Correct its condition, or remove the row",
				"no inputs make its condition hold: %s", row.Text)
		case policy == table.HitFirst && !row.reached:
			l.found("row-never-hits", severityError, subject, place,
				"Move it before those rows, narrow their conditions, or remove it",
				"whenever its condition holds, an earlier row hits or fails: %s",
				strings.Join(slices.Sorted(maps.Keys(row.before)), ", "))
		}
	}
}

// overlaps finds two rows of a UNIQUE table that match the same inputs.
func (l *linter) overlaps(ctx context.Context, t decisionTable, rows []*triableRow, wanted factsWanted) {
	// combinations for each pair, to bound the time for a long table
	limit := max(1000, maxCells*10/(len(rows)*len(rows)+1))
	for i, a := range rows {
		for _, b := range rows[i+1:] {
			c, bounded := l.cellsOf(comparisonsOf([]*triableRow{a, b}), wanted, limit)
			if !bounded {
				continue
			}
			read := l.remembered()
			c.visit(ctx, func(values map[string]any) bool {
				facts := l.tableFacts(values, read)
				for _, row := range []*triableRow{a, b} {
					if row.Condition == nil {
						continue
					}
					if holds, err := row.Condition.Eval(ctx, facts); err != nil || !holds {
						return true
					}
				}
				l.found("rows-overlap", severityError, "row "+b.ID, l.place(t.rowsAt[b.ID], "conditions"),
					"Narrow one of the two conditions, or make the hit policy FIRST",
					"it overlaps with %s, but UNIQUE allows one row: at %s", a.ID, shownFacts(values))
				return false
			})
		}
	}
}

// shownFacts formats a combination of facts.
func shownFacts(values map[string]any) string {
	shown := map[string]any{}
	for path, value := range values {
		if path != scopeOfQuery || value != "" {
			shown[strings.TrimPrefix(path, "inputs.")] = graph.JSON(value)
		}
	}
	text, err := render.JSON(shown)
	if err != nil { // scalars always encode
		return fmt.Sprint(shown)
	}
	return string(text)
}

// reachRule finds rules that never apply, and rules that cannot be violated.
func (l *linter) reachRule(ctx context.Context, p policy) {
	if slices.ContainsFunc(p.reads(), func(name string) bool { return len(l.variants(name)) == 0 }) {
		return // already reported
	}
	programs := map[*condition.Program]condition.Comparisons{}
	for _, program := range p.rule.Conditions() {
		programs[program] = program.Comparisons()
		if program == p.rule.Applies && !programs[program].Simple {
			return
		}
	}
	c, bounded := l.cellsOf(slices.Collect(maps.Values(programs)), factsWanted{}, maxCells)
	if !bounded {
		return
	}
	applies, violated, fails := false, false, false
	read := l.remembered()
	c.visit(ctx, func(values map[string]any) bool {
		facts := factsFrom(values, read)
		if p.rule.Applies != nil {
			holds, err := p.rule.Applies.Eval(ctx, facts)
			fails = fails || err != nil // a rule that fails denies
			if err != nil || !holds {
				return true
			}
		}
		applies = true
		if p.rule.Requires != nil {
			holds, err := p.rule.Requires.Eval(ctx, facts)
			violated = violated || err != nil || !holds
		}
		return !violated // one violation is enough
	})
	switch {
	case ctx.Err() != nil:
	case !applies && p.rule.Applies != nil:
		l.found("rule-never-applies", severityError, "policy "+p.name, l.place(p.at, "applies_when"),
			"Correct applies_when, or remove the rule",
			"nothing makes its applies_when hold: %s", p.rule.Applies.Text)
	case !violated && !fails && p.rule.Severity != rule.Allow && p.rule.Pattern == "" &&
		programs[p.rule.Requires].Simple:
		l.found("rule-never-violated", severityWarning, "policy "+p.name, l.place(p.at, "requires"),
			"Correct requires, or remove the rule",
			"every action that it applies to satisfies it: %s", p.rule.Requires.Text)
	}
}

package cases

import (
	"context"
	"fmt"
	"math"
	"slices"

	"nomograph/policies/condition"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
)

// Coverage counts what the cases of packs covered. A rule is covered if it applied in a case. The branches of a rule
// are: it applies, does not apply, passes, is violated. If a case has a graph, two more are: its pattern matches, does
// not match. The branches of a table are its rows. A constant condition has one branch.
type Coverage struct {
	Percent  float64         `json:"percent" jsonschema:"coverage of branches and rows in percent"`
	Required float64         `json:"required,omitempty" jsonschema:"required coverage in percent"`
	Rules    Share           `json:"rules"`
	Branches Share           `json:"branches"`
	Rows     Share           `json:"rows"`
	ByRule   []RuleCoverage  `json:"by_rule"`
	ByTable  []TableCoverage `json:"by_table"`
	Missed   []string        `json:"uncovered" jsonschema:"uncovered branches and rows with their positions"`
}

// Share is a part of a total.
type Share struct {
	Covered int     `json:"covered"`
	Total   int     `json:"total"`
	Percent float64 `json:"percent"`
}

// RuleCoverage counts the results of one rule over all cases.
type RuleCoverage struct {
	Pack       string `json:"pack"`
	Rule       string `json:"rule"`
	Evaluated  int    `json:"evaluated" jsonschema:"number of cases that the rule applied to"`
	Applied    int    `json:"applied"`
	NotApplied int    `json:"not_applied"`
	Passed     int    `json:"passed"`
	Violated   int    `json:"violated"`
	Errors     int    `json:"errors" jsonschema:"number of evaluation errors"`
	Found      int    `json:"found" jsonschema:"violations by its pattern"`
	NotFound   int    `json:"not_found" jsonschema:"passes of its pattern"`
	Note       string `json:"note,omitempty" jsonschema:"reason for missing coverage"`

	place   string
	rule    rule.Guardrail
	inForce bool
	pattern bool
}

// TableCoverage counts the matching rows of one table over all cases.
type TableCoverage struct {
	Pack  string        `json:"pack"`
	Table string        `json:"table"`
	Rows  []RowCoverage `json:"rows"`
	NoRow int           `json:"no_row" jsonschema:"number of cases without a matching row"`

	place string
	total bool // a row without conditions always matches
}

// RowCoverage counts the matches of one row.
type RowCoverage struct {
	Row  string `json:"row"`
	Hits int    `json:"hits"`

	place string
}

type coverage struct {
	rules  []*RuleCoverage
	tables []*TableCoverage
}

const (
	notActive   = "not active"
	switchedOff = "mode off"
	needsGraph  = "its pattern needs a case with a graph"
)

func newCoverage(packs []pack.Pack) *coverage {
	c := &coverage{}
	for _, pack := range packs {
		for _, item := range pack.Items {
			switch {
			case item.Section.Name == "decision_tables":
				c.tables = append(c.tables, tableCoverage(pack, item))
			case item.Section.Name == "policies" && rule.IsGuardrail(item.Properties):
				c.rules = append(c.rules, ruleCoverage(pack, item))
			}
		}
	}
	return c
}

func ruleCoverage(pack pack.Pack, item pack.Item) *RuleCoverage {
	r := &RuleCoverage{Pack: pack.Name, Rule: item.Key, place: place(pack, item),
		rule: rule.GuardrailOf(item.Properties)}
	r.pattern, r.inForce = r.rule.Pattern != "", true
	switch {
	case !inForceWhenApplied(item):
		r.Note, r.inForce = notActive, false
	case r.rule.Mode == rule.Off:
		r.Note, r.inForce = switchedOff, false
	case r.pattern:
		r.Note = needsGraph
	}
	return r
}

func tableCoverage(p pack.Pack, table pack.Item) *TableCoverage {
	t := &TableCoverage{Pack: p.Name, Table: table.Key, place: place(p, table)}
	for _, row := range p.DecisionTable(table).Rows {
		t.Rows = append(t.Rows, RowCoverage{Row: row.ID, place: place(p, *p.Item("decision_rows", row.ID))})
		always, constant := constantValue(row.Condition)
		t.total = t.total || always && constant
	}
	return t
}

func place(p pack.Pack, item pack.Item) string {
	at := item.Node.At()
	return fmt.Sprintf("%s:%d:%d", p.File, at.Line, at.Column)
}

type branch struct {
	taken bool
	name  string
}

// branches returns the branches of the rule's two conditions. A constant condition has one.
func (r *RuleCoverage) branches() []branch {
	if !r.inForce {
		return nil
	}
	of := func(program *condition.Program, whenTrue, whenFalse branch) []branch {
		always, constant := constantValue(program)
		switch {
		case program == nil:
			return nil
		case !constant:
			return []branch{whenTrue, whenFalse}
		case always:
			return []branch{whenTrue}
		}
		return []branch{whenFalse}
	}
	return slices.Concat(
		of(r.rule.Applies, branch{r.Applied > 0, "it applies"}, branch{r.NotApplied > 0, "it does not apply"}),
		of(r.rule.Requires, branch{r.Passed+r.Found > 0, "it holds"}, branch{r.Violated > r.Found, "it is violated"}),
		r.patternBranches())
}

// patternBranches returns the branches of the rule's pattern, if it was evaluated.
func (r *RuleCoverage) patternBranches() []branch {
	if r.Found+r.NotFound == 0 {
		return nil
	}
	return []branch{{r.Found > 0, "its pattern matches"}, {r.NotFound > 0, "its pattern does not match"}}
}

// constantValue returns the value of a constant condition, and whether it is constant. A missing condition always
// holds.
func constantValue(program *condition.Program) (always, constant bool) {
	if program == nil {
		return true, true
	}
	if len(program.Paths)+len(program.Thresholds)+len(program.Scoped) > 0 {
		return false, false
	}
	always, err := program.Eval(context.Background(), condition.Facts{})
	return always && err == nil, true
}

// countRows counts a table's matching rows.
func (c *coverage) countRows(pack, table string, rows []string) {
	for _, t := range c.tables {
		if t.Pack != pack || t.Table != table {
			continue
		}
		if len(rows) == 0 {
			t.NoRow++
		}
		for i := range t.Rows {
			if slices.Contains(rows, t.Rows[i].Row) {
				t.Rows[i].Hits++
			}
		}
	}
}

func (c *coverage) report(required float64) Coverage {
	total := Coverage{Required: required}
	take := func(share *Share, taken bool, missed string) {
		share.Total++
		if taken {
			share.Covered++
			return
		}
		total.Missed = append(total.Missed, missed)
	}
	for _, r := range c.rules {
		branches := r.branches()
		if len(branches) > 0 {
			total.Rules.Total++
			total.Rules.Covered += min(r.Applied, 1)
		}
		for _, b := range branches {
			take(&total.Branches, b.taken, fmt.Sprintf("%s: rule '%s': no case where %s", r.place, r.Rule, b.name))
		}
		total.ByRule = append(total.ByRule, *r)
	}
	for _, t := range c.tables {
		for _, row := range t.Rows {
			take(&total.Rows, row.Hits > 0, fmt.Sprintf("%s: row '%s' of table '%s': no case where it hits", row.place,
				row.Row, t.Table))
		}
		if len(t.Rows) > 0 && !t.total {
			take(&total.Branches, t.NoRow > 0, fmt.Sprintf("%s: table '%s': no case where no row hits", t.place,
				t.Table))
		}
		if len(t.Rows) > 0 {
			total.ByTable = append(total.ByTable, *t)
		}
	}
	for _, share := range []*Share{&total.Rules, &total.Branches, &total.Rows} {
		share.Percent = percent(*share)
	}
	total.Percent = percent(Share{Covered: total.Branches.Covered + total.Rows.Covered,
		Total: total.Branches.Total + total.Rows.Total})
	return total
}

// percent rounds down to a tenth, so that 100 means all. An empty total counts as 100.
func percent(s Share) float64 {
	if s.Total == 0 {
		return 100
	}
	return math.Floor(1000*float64(s.Covered)/float64(s.Total)) / 10
}

func (c Coverage) enough() bool { return c.Percent >= c.Required }

package lint

import (
	"maps"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/pattern"
	"nomograph/policies"
	"nomograph/policies/table"
)

// numbered matches ids such as D15: two tables with the same number are a mistake, while equal prefixes need not be.
var numbered = pattern.New(`^[A-Z]+[0-9]+$`)

// ambiguousNames finds ambiguous ids and names.
func (l *linter) ambiguousNames() {
	const check = "ambiguous-id"
	seen := map[string]int{}
	for _, n := range l.all() {
		key := n.kind + " " + n.name + " for " + strings.Join(n.Scopes(), ", ")
		if seen[key]++; seen[key] == 2 && n.name != "" {
			l.found(check, severityError, n.kind+" "+n.name, l.place(n.at, "name"),
				"Remove or rename all nodes but one",
				"more than one %s has this name and scope", n.kind)
		}
	}
	shorts, rows := map[string][]decisionTable{}, map[string][]string{}
	for _, t := range l.tables {
		shorts[policies.ShortID(t.ID)] = append(shorts[policies.ShortID(t.ID)], t)
		for _, row := range t.Rows {
			if rows[row.ID] = append(rows[row.ID], t.ID); len(rows[row.ID]) == 2 {
				l.found(check, severityError, "row "+row.ID, l.place(t.rowsAt[row.ID], "row_id"),
					"Give each row its own id",
					"two rows have this id, in %s", strings.Join(slices.Compact(rows[row.ID]), " and "))
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(shorts)) {
		tables := shorts[id]
		if len(tables) < 2 {
			continue
		}
		ids := lists.Map(tables, func(t decisionTable) string { return t.ID })
		slices.Sort(ids)
		last := tables[len(tables)-1]
		switch {
		case len(slices.Compact(slices.Clone(ids))) < len(ids):
			l.found(check, severityError, "table "+last.ID, l.place(last.at, "table_id"),
				"Remove or rename all nodes but one", "%d nodes have this id", len(ids))
		case slices.Contains(ids, id): // the exact id
		case numbered.MatchString(id):
			l.found(check, severityError, "table "+id, l.place(last.at, "table_id"), "Give one of them another number",
				"this id matches %d tables: %s", len(ids), strings.Join(ids, ", "))
		default:
			l.found(check, severityWarning, "table "+id, l.place(last.at, "table_id"),
				"Use their full ids, or rename one",
				"this id would match %d tables: %s", len(ids), strings.Join(ids, ", "))
		}
	}
	for _, n := range l.all() {
		if matching := l.tablesByID(n.table); len(matching) > 1 && matching[0].ID != n.table {
			l.found(check, severityError, n.kind+" "+n.name, l.place(n.at, "decision_table"),
				"Name the table by its full id",
				"its decision_table '%s' matches %d tables: %s and %s", n.table, len(matching), matching[0].ID,
				matching[1].ID)
		}
	}
}

// conditions finds invalid conditions and missing thresholds.
func (l *linter) conditions() {
	for _, p := range l.policies {
		subject := "policy " + p.name
		l.findSelections(p)
		switch {
		case p.rule == nil:
			l.findMissing(subject, l.place(p.at, "uses_thresholds"), p.uses)
			if p.Properties["applies_when"] != nil {
				l.found("rule-never-applies", severityError, subject, l.place(p.at, "applies_when"),
					`Add requires or forbids_pattern; requires: "false" denies every action that it applies to`,
					"it has applies_when, but neither requires nor forbids_pattern, so it denies nothing")
			}
			continue
		case p.rule.Broken != nil:
			l.found("condition-broken", severityError, subject, l.place(p.at, p.rule.WrongProperty()),
				"docs/guides/rules.md shows how rules are written",
				"it cannot be evaluated, so it denies every action in its scope: %s",
				strings.ReplaceAll(p.rule.Broken.Error(), "\n", "; "))
		case p.Properties["active"] == nil:
			l.found("rule-never-applies", severityWarning, subject, l.place(p.at, "name"),
				"Set active to true, or to false to switch it off",
				"active is missing, and only rules with active = true are evaluated")
		}
		l.findMissing(subject, l.place(p.at, "requires"), slices.Concat(p.uses, p.reads()))
	}
	for _, t := range l.tables {
		for _, row := range t.Rows {
			if row.Broken != nil {
				l.found("condition-broken", severityError, "row "+row.ID, l.place(t.rowsAt[row.ID], "conditions"),
					table.RowHint,
					"table %s cannot be evaluated when it reaches this row: %s", t.ID, row.Broken.Error())
			}
			l.findMissing("row "+row.ID, l.place(t.rowsAt[row.ID], "conditions"), row.Thresholds())
		}
	}
}

// findSelections finds properties that look like a selection of the policy but have no effect.
func (l *linter) findSelections(p policy) {
	switch active := p.Properties["active"].(type) {
	case nil, bool:
	default:
		if p.rule == nil { // conditions reports this error for rules
			l.found("active-unreadable", severityWarning, "policy "+p.name, l.place(p.at, "active"),
				"Set active to true or to false",
				"its active is '%s' (%s), neither true nor false, so the rule is inactive",
				policies.ShowValue(graph.JSON(active)), policies.JSONType(active))
		}
	}
	if p.rule == nil || p.rule.Broken != nil {
		return
	}
	for key, named := range map[string][]string{"scope": p.rule.Scope, "actions": p.rule.Actions} {
		if list, ok := p.Properties[key].([]any); p.Properties[key] != nil && len(named) == 0 &&
			(!ok || len(list) > 0) {
			l.found("empty-scope", severityWarning, "policy "+p.name, l.place(p.at, key),
				"Remove it, or name what the rule applies to",
				"its %s has only invisible text, so the rule applies to everything", key)
		}
	}
}

// findMissing finds names of missing thresholds. A threshold outside of a pack may be in the graph.
func (l *linter) findMissing(subject, place string, names []string) {
	severity, hint := severityWarning, "Add it to this pack, or first apply the pack that has it"
	if l.whole {
		severity, hint = severityError, "Restore the threshold, or correct its name in the condition"
	}
	for _, name := range lists.Union(names) {
		if len(l.variants(name)) == 0 {
			l.found("threshold-missing", severity, subject, place, hint,
				"it reads the threshold '%s', which is not in %s", name, l.where)
		}
	}
}

// unread finds thresholds without a known reader.
func (l *linter) unread() {
	read := map[string]bool{}
	for _, p := range l.policies {
		for _, name := range slices.Concat(p.uses, p.reads()) {
			read[name] = true
		}
	}
	linked := map[string][]decisionTable{}
	for _, t := range l.tables {
		for _, name := range t.ThresholdNames() {
			read[name] = true
		}
		for _, name := range t.uses {
			linked[name] = append(linked[name], t)
		}
	}
	for _, t := range l.thresholds {
		base := t.name
		for _, scope := range t.Scopes() {
			base = strings.TrimSuffix(base, "_"+scope)
		}
		if t.name == "" || read[t.name] || read[base] {
			continue
		}
		const hint = "Name it in a condition or in a policy's uses_thresholds, or remove it if no program reads it"
		tables := append(l.tablesByID(t.table), linked[t.name]...)
		switch {
		case len(tables) == 0:
			l.found("threshold-unread", severityWarning, "threshold "+t.name, l.place(t.at, "name"), hint,
				"no rule, row or policy in %s reads it", l.where)
		case len(tables[0].Rows) > 0: // tables without rows are read by programs
			l.found("threshold-unread", severityWarning, "threshold "+t.name, l.place(t.at, "decision_table"), hint,
				"its table %s has rows, and none of them reads it", tables[0].ID)
		}
	}
}

// bounds finds thresholds with a value outside of min and max, and those that cannot be compared.
func (l *linter) bounds() {
	for _, t := range l.thresholds {
		problem := policies.OutOfBounds(t.Properties)
		if problem == "" && !policies.Finite(t.Properties["value"]) {
			problem = "its value is " + policies.ShowValue(t.Properties["value"]) + ", which cannot be compared"
		}
		if problem != "" {
			l.found("threshold-out-of-bounds", severityError, "threshold "+t.name, l.place(t.at, "value"),
				"Correct the value or the bounds", "%s", problem)
		}
	}
}

// circles finds tables that depend on themselves and cannot be evaluated.
func (l *linter) circles() {
	feeds := map[string][]string{}
	for _, t := range l.tables {
		feeds[t.ID] = append(feeds[t.ID], t.feeds...)
	}
	done := map[string]bool{}
	for _, t := range l.tables {
		if circle := circleFrom(t.ID, nil, feeds, done); circle != nil {
			l.found("table-cycle", severityWarning, "table "+circle[0], l.place(t.at, "feeds_into"),
				"Remove one of the FEEDS_INTO links",
				"it feeds into itself: %s", strings.Join(circle, " -> "))
		}
	}
}

func circleFrom(id string, path []string, feeds map[string][]string, done map[string]bool) []string {
	if at := slices.Index(path, id); at >= 0 {
		return append(slices.Clone(path[at:]), id)
	}
	if done[id] {
		return nil
	}
	done[id] = true
	for _, next := range feeds[id] {
		if circle := circleFrom(next, append(path, id), feeds, done); circle != nil {
			return circle
		}
	}
	return nil
}

package policies

import (
	"fmt"
	"slices"
	"strings"

	"nomograph/document"
)

// lintModel is what is examined, whether it stands in a pack or in the graph.
type lintModel struct {
	where      string // "the graph", or "this pack": what is not there may still be in the graph
	whole      bool   // it is the graph: what is not there is nowhere
	policies   []lintPolicy
	thresholds []lintThreshold
	tables     []lintTable
}

type lintPolicy struct {
	stored
	name, table string
	rule        *guardrail // nil for plain data
	uses        []string   // thresholds that it is linked to
	place       placeOf
}

type lintThreshold struct {
	stored
	name, table string
	place       placeOf
}

type lintTable struct {
	decisionTable
	element     string
	uses, feeds []string
	place       placeOf
	rowPlaces   map[string]placeOf
}

// placeOf gives file:line:column of a property, "" where it has none.
type placeOf func(key string) string

func nowhere(string) string { return "" }

func (m *lintModel) addPolicy(s stored, uses []string, place placeOf) {
	p := lintPolicy{stored: s, uses: uses, place: place}
	p.name, _ = s.Properties["name"].(string)
	p.table, _ = s.Properties["decision_table"].(string)
	if isGuardrail(s.Properties) {
		rule := guardrailOf(s.Properties)
		rule.link(uses)
		p.rule = &rule
	}
	m.policies = append(m.policies, p)
}

func (m *lintModel) addThreshold(s stored, place placeOf) {
	t := lintThreshold{stored: s, place: place}
	t.name, _ = s.Properties["name"].(string)
	t.table, _ = s.Properties["decision_table"].(string)
	m.thresholds = append(m.thresholds, t)
}

func (m *lintModel) addTable(s stored, rows []tableRow, uses, feeds []string, place placeOf, rowPlaces map[string]placeOf) {
	id := s.ID
	for _, key := range []string{"name", "table_id"} {
		if text, _ := s.Properties[key].(string); text != "" {
			id = text
		}
	}
	m.tables = append(m.tables, lintTable{newDecisionTable(id, s.Properties, "", rows), s.ID, uses, feeds, place, rowPlaces})
}

func (t lintTable) rowPlace(row tableRow, key string) string {
	if place := t.rowPlaces[row.id]; place != nil {
		return place(key)
	}
	return ""
}

func modelOfPack(pack Pack) *lintModel {
	m := &lintModel{where: "this pack"}
	place := func(node *document.Node) placeOf {
		return func(key string) string {
			at := node.At(key)
			return fmt.Sprintf("%s:%d:%d", pack.File, at.Line, at.Column)
		}
	}
	for _, item := range pack.Items {
		s := stored{ID: item.Key, Properties: item.Properties}
		switch item.section.Name {
		case "policies":
			m.addPolicy(s, item.targets("USES_THRESHOLD"), place(item.node))
		case "thresholds":
			m.addThreshold(s, place(item.node))
		case "decision_tables":
			var rows []tableRow
			places := map[string]placeOf{}
			for _, other := range pack.Items {
				if other.section.Name == "decision_rows" && other.Properties["table_id"] == item.Key {
					rows = append(rows, rowOf(other.Key, other.Properties))
					places[other.Key] = place(other.node)
				}
			}
			m.addTable(s, rows, item.targets("USES_THRESHOLD"), item.targets("FEEDS_INTO"), place(item.node), places)
		}
	}
	return m
}

// graphModel is the row of the statement that reads everything.
type graphModel struct {
	Policies, Thresholds, Tables []struct {
		ID          string
		Properties  map[string]any
		Rows        []stored
		Uses, Feeds []any
	}
}

func (g graphModel) model() *lintModel {
	m := &lintModel{where: "the graph", whole: true}
	for _, p := range g.Policies {
		m.addPolicy(stored{ID: p.ID, Properties: p.Properties}, texts(p.Uses), nowhere)
	}
	for _, t := range g.Thresholds {
		m.addThreshold(stored{ID: t.ID, Properties: t.Properties}, nowhere)
	}
	for _, t := range g.Tables {
		var rows []tableRow
		seen := map[string]bool{}
		for _, row := range t.Rows {
			if !seen[row.ID] { // linked twice is one row
				rows = append(rows, rowOf(row.ID, row.Properties))
			}
			seen[row.ID] = true
		}
		m.addTable(stored{ID: t.ID, Properties: t.Properties}, rows, texts(t.Uses), texts(t.Feeds), nowhere, nil)
	}
	slices.SortFunc(m.policies, func(a, b lintPolicy) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(m.thresholds, func(a, b lintThreshold) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(m.tables, func(a, b lintTable) int { return strings.Compare(a.id, b.id) })
	return m
}

// tablesMeant are the tables that an id means: the one of exactly this id, else those whose short id it is.
func (m *lintModel) tablesMeant(id string) []lintTable {
	if exact := filter(m.tables, func(t lintTable) bool { return t.id == id }); len(exact) > 0 || id == "" {
		return exact
	}
	return filter(m.tables, func(t lintTable) bool { return short(t.id) == id })
}

// variantOf tells whether the threshold is what a name may give: the one called so, or one for a scope.
func (t lintThreshold) variantOf(name string) bool {
	return t.name == name || strings.HasPrefix(t.name, name+"_") && slices.Contains(t.scopes(), strings.TrimPrefix(t.name, name+"_"))
}

func (m *lintModel) variants(name string) []lintThreshold {
	return filter(m.thresholds, func(t lintThreshold) bool { return t.variantOf(name) })
}

// source gives the values that conditions would read.
func (m *lintModel) source() thresholdSource {
	nodes := make([]stored, len(m.thresholds))
	for i, t := range m.thresholds {
		nodes[i] = t.stored
	}
	return thresholdsAmong(nodes)
}

// ofTable are the thresholds that belong to a table: by their decision_table, by a link, or because its rows read them.
func (m *lintModel) ofTable(table lintTable) []lintThreshold {
	read := slices.Concat(table.uses, table.thresholdNames())
	return filter(m.thresholds, func(t lintThreshold) bool {
		return slices.ContainsFunc(read, t.variantOf) || t.table != "" && (t.table == table.id || t.table == short(table.id))
	})
}

package lint

import (
	"fmt"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/document"
	"nomograph/policies"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
	"nomograph/policies/table"
)

// model is the input of the linter, from a pack or from the graph.
type model struct {
	where      string // "the graph", or "this pack", whose missing nodes may be in the graph
	whole      bool   // true for the whole graph: missing nodes do not exist
	policies   []policy
	thresholds []threshold
	tables     []decisionTable
}

type policy struct {
	policies.Stored
	name, table string
	rule        *rule.Guardrail // nil for plain data
	uses        []string        // linked thresholds
	place       placeOf
}

type threshold struct {
	policies.Stored
	name, table string
	place       placeOf
}

type decisionTable struct {
	table.Table
	element     string
	uses, feeds []string
	place       placeOf
	rowPlaces   map[string]placeOf
}

// placeOf returns file:line:column of a property, "" if unknown.
type placeOf func(key string) string

func noPlace(string) string { return "" }

func (m *model) addPolicy(s policies.Stored, uses []string, place placeOf) {
	p := policy{Stored: s, uses: uses, place: place}
	p.name, _ = s.Properties["name"].(string)
	p.table, _ = s.Properties["decision_table"].(string)
	if rule.IsGuardrail(s.Properties) {
		rule := rule.GuardrailOf(s.Properties)
		rule.Link(uses)
		p.rule = &rule
	}
	m.policies = append(m.policies, p)
}

func (m *model) addThreshold(s policies.Stored, place placeOf) {
	t := threshold{Stored: s, place: place}
	t.name, _ = s.Properties["name"].(string)
	t.table, _ = s.Properties["decision_table"].(string)
	m.thresholds = append(m.thresholds, t)
}

func (m *model) addTable(s policies.Stored, rows []table.Row, uses, feeds []string, place placeOf, rowPlaces map[string]placeOf) {
	id := s.ID
	for _, key := range []string{"name", "table_id"} {
		if text, _ := s.Properties[key].(string); text != "" {
			id = text
		}
	}
	m.tables = append(m.tables, decisionTable{table.New(id, s.Properties, "", rows), s.ID, uses, feeds, place, rowPlaces})
}

func (t decisionTable) rowPlace(row table.Row, key string) string {
	if place := t.rowPlaces[row.ID]; place != nil {
		return place(key)
	}
	return ""
}

func modelOfPack(pack pack.Pack) *model {
	m := &model{where: "this pack"}
	place := func(node *document.Node) placeOf {
		return func(key string) string {
			at := node.At(key)
			return fmt.Sprintf("%s:%d:%d", pack.File, at.Line, at.Column)
		}
	}
	for _, item := range pack.Items {
		s := policies.Stored{ID: item.Key, Properties: item.Properties}
		switch item.Section.Name {
		case "policies":
			m.addPolicy(s, item.Targets("USES_THRESHOLD"), place(item.Node))
		case "thresholds":
			m.addThreshold(s, place(item.Node))
		case "decision_tables":
			var rows []table.Row
			places := map[string]placeOf{}
			for _, other := range pack.Items {
				if other.Section.Name == "decision_rows" && other.Properties["table_id"] == item.Key {
					rows = append(rows, table.RowOf(other.Key, other.Properties))
					places[other.Key] = place(other.Node)
				}
			}
			m.addTable(s, rows, item.Targets("USES_THRESHOLD"), item.Targets("FEEDS_INTO"), place(item.Node), places)
		}
	}
	return m
}

// graphModel is the row of the statement that reads all rules.
type graphModel struct {
	Policies, Thresholds, Tables []struct {
		ID          string
		Properties  map[string]any
		Rows        []policies.Stored
		Uses, Feeds []any
	}
}

func (g graphModel) model() *model {
	m := &model{where: "the graph", whole: true}
	for _, p := range g.Policies {
		m.addPolicy(policies.Stored{ID: p.ID, Properties: p.Properties}, graph.Texts(p.Uses), noPlace)
	}
	for _, t := range g.Thresholds {
		m.addThreshold(policies.Stored{ID: t.ID, Properties: t.Properties}, noPlace)
	}
	for _, t := range g.Tables {
		var rows []table.Row
		seen := map[string]bool{}
		for _, row := range t.Rows {
			if !seen[row.ID] { // the statement returns a row once per link
				rows = append(rows, table.RowOf(row.ID, row.Properties))
			}
			seen[row.ID] = true
		}
		m.addTable(policies.Stored{ID: t.ID, Properties: t.Properties}, rows, graph.Texts(t.Uses), graph.Texts(t.Feeds), noPlace, nil)
	}
	slices.SortFunc(m.policies, func(a, b policy) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(m.thresholds, func(a, b threshold) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(m.tables, func(a, b decisionTable) int { return strings.Compare(a.ID, b.ID) })
	return m
}

// tablesByID returns the table with exactly this id, else those with this short id.
func (m *model) tablesByID(id string) []decisionTable {
	if exact := policies.Filter(m.tables, func(t decisionTable) bool { return t.ID == id }); len(exact) > 0 || id == "" {
		return exact
	}
	return policies.Filter(m.tables, func(t decisionTable) bool { return policies.ShortID(t.ID) == id })
}

// variantOf reports whether a name can select the threshold, as itself or as a variant for a scope.
func (t threshold) variantOf(name string) bool {
	return t.name == name || strings.HasPrefix(t.name, name+"_") && slices.Contains(t.Scopes(), strings.TrimPrefix(t.name, name+"_"))
}

func (m *model) variants(name string) []threshold {
	return policies.Filter(m.thresholds, func(t threshold) bool { return t.variantOf(name) })
}

// source returns the values that conditions read.
func (m *model) source() policies.ThresholdSource {
	nodes := make([]policies.Stored, len(m.thresholds))
	for i, t := range m.thresholds {
		nodes[i] = t.Stored
	}
	return policies.ThresholdsAmong(nodes)
}

// ofTable returns the thresholds of a table: by their decision_table, by a link, or because its rows read them.
func (m *model) ofTable(table decisionTable) []threshold {
	read := slices.Concat(table.uses, table.ThresholdNames())
	return policies.Filter(m.thresholds, func(t threshold) bool {
		return slices.ContainsFunc(read, t.variantOf) || t.table != "" && (t.table == table.ID || t.table == policies.ShortID(table.ID))
	})
}

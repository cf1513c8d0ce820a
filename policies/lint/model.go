package lint

import (
	"cmp"
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
	thresholds []named
	tables     []decisionTable
}

// named is a policy or threshold.
type named struct {
	policies.Stored
	kind, name, table string
	place             placeOf
}

type policy struct {
	named
	rule *rule.Guardrail // nil for plain data
	uses []string        // linked thresholds
}

type decisionTable struct {
	table.Table
	uses, feeds []string
	place       placeOf
	rowPlaces   map[string]placeOf
}

// placeOf returns file:line:column of a property, "" if unknown.
type placeOf func(key string) string

// reads returns the names of the thresholds that the rule reads.
func (p policy) reads() []string {
	if p.rule == nil {
		return nil
	}
	plain, scoped := p.rule.Thresholds()
	return slices.Concat(plain, scoped)
}

// all returns all policies and thresholds.
func (m *model) all() []named {
	var all []named
	for _, p := range m.policies {
		all = append(all, p.named)
	}
	return append(all, m.thresholds...)
}

// evaluable returns the rules that can be evaluated.
func (m *model) evaluable() []policy {
	return policies.Filter(m.policies, func(p policy) bool { return p.rule != nil && p.rule.Broken == nil })
}

func (t decisionTable) rowPlace(row table.Row, key string) string {
	if place := t.rowPlaces[row.ID]; place != nil {
		return place(key)
	}
	return ""
}

// nodes is the row of the statement that reads all rules, and the same of a pack.
type nodes struct {
	Policies, Thresholds, Tables []node
}

type node struct {
	ID          string
	Properties  map[string]any
	Rows        []policies.Stored // a row once per link
	Uses, Feeds []string

	place     placeOf
	rowPlaces map[string]placeOf
}

// modelOfPack returns the model of a pack, in the order of its items.
func modelOfPack(pack pack.Pack) *model {
	place := func(node *document.Node) placeOf {
		return func(key string) string {
			at := node.At(key)
			return fmt.Sprintf("%s:%d:%d", pack.File, at.Line, at.Column)
		}
	}
	var found nodes
	for _, item := range pack.Items {
		n := node{ID: item.Key, Properties: item.Properties, Uses: item.Targets("USES_THRESHOLD"),
			Feeds: item.Targets("FEEDS_INTO"), place: place(item.Node),
			rowPlaces: map[string]placeOf{}}
		switch item.Section.Name {
		case "policies":
			found.Policies = append(found.Policies, n)
		case "thresholds":
			found.Thresholds = append(found.Thresholds, n)
		case "decision_tables":
			for _, other := range pack.Items {
				if other.Section.Name == "decision_rows" && other.Properties["table_id"] == item.Key {
					n.Rows = append(n.Rows, policies.Stored{ID: other.Key, Properties: other.Properties})
					n.rowPlaces[other.Key] = place(other.Node)
				}
			}
			found.Tables = append(found.Tables, n)
		}
	}
	m := found.model()
	m.where = "this pack"
	return m
}

// modelOfGraph returns the model of a graph, sorted by name.
func modelOfGraph(found nodes) *model {
	m := found.model()
	m.where, m.whole = "the graph", true
	slices.SortFunc(m.policies, func(a, b policy) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(m.thresholds, func(a, b named) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(m.tables, func(a, b decisionTable) int { return strings.Compare(a.ID, b.ID) })
	return m
}

func (n node) text(key string) string { return graph.Text(n.Properties, key) }

func (n node) named(kind string) named {
	return named{policies.Stored{ID: n.ID, Properties: n.Properties}, kind, n.text("name"), n.text("decision_table"),
		n.placeOf()}
}

func (n node) placeOf() placeOf {
	if n.place == nil {
		return func(string) string { return "" }
	}
	return n.place
}

func (f nodes) model() *model {
	m := &model{}
	for _, n := range f.Policies {
		p := policy{n.named("policy"), nil, n.Uses}
		if rule.IsGuardrail(n.Properties) {
			rule := rule.GuardrailOf(n.Properties)
			rule.Link(n.Uses)
			p.rule = &rule
		}
		m.policies = append(m.policies, p)
	}
	for _, n := range f.Thresholds {
		m.thresholds = append(m.thresholds, n.named("threshold"))
	}
	for _, n := range f.Tables {
		stored := table.StoredTable{TableID: cmp.Or(n.text("table_id"), n.text("name"), n.ID), Properties: n.Properties,
			Rows: n.Rows}
		m.tables = append(m.tables, decisionTable{stored.Table(), n.Uses, n.Feeds, n.placeOf(), n.rowPlaces})
	}
	return m
}

// tablesByID returns the table with exactly this id, else those with this short id.
func (m *model) tablesByID(id string) []decisionTable {
	if exact := policies.Filter(m.tables, func(t decisionTable) bool { return t.ID == id }); len(exact) > 0 ||
		id == "" {
		return exact
	}
	return policies.Filter(m.tables, func(t decisionTable) bool { return policies.ShortID(t.ID) == id })
}

// variantOf reports whether a name can select the threshold, as itself or as a variant for a scope.
func (t named) variantOf(name string) bool {
	return t.name == name || strings.HasPrefix(t.name, name+"_") &&
		slices.Contains(t.Scopes(), strings.TrimPrefix(t.name, name+"_"))
}

func (m *model) variants(name string) []named {
	return policies.Filter(m.thresholds, func(t named) bool { return t.variantOf(name) })
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
func (m *model) ofTable(table decisionTable) []named {
	read := slices.Concat(table.uses, table.ThresholdNames())
	return policies.Filter(m.thresholds, func(t named) bool {
		return slices.ContainsFunc(read, t.variantOf) || t.table != "" &&
			(t.table == table.ID || t.table == policies.ShortID(table.ID))
	})
}

package lint

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/document"
	"nomograph/internal/lists"
	"nomograph/policies"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
	"nomograph/policies/table"
)

// model is the input of the linter, from a pack or from the graph.
type model struct {
	where      string // "the graph", or "this pack", whose missing nodes may be in the graph
	file       string // of the pack
	whole      bool   // true for the whole graph: missing nodes do not exist
	policies   []policy
	thresholds []named
	tables     []decisionTable
}

// named is a policy or threshold.
type named struct {
	policies.Stored
	kind, name, table string
	at                *document.Node // position in the pack
}

type policy struct {
	named
	rule *rule.Guardrail // nil for plain data
	uses []string        // linked thresholds
}

type decisionTable struct {
	table.Table
	uses, feeds []string
	at          *document.Node
	rowsAt      map[string]*document.Node
}

// place returns file:line:column of a property in a pack, "" in a graph.
func (m *model) place(node *document.Node, key string) string {
	if m.whole {
		return ""
	}
	at := node.At(key)
	return fmt.Sprintf("%s:%d:%d", m.file, at.Line, at.Column)
}

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
	return append(lists.Map(m.policies, func(p policy) named { return p.named }), m.thresholds...)
}

// evaluable returns the rules that can be evaluated.
func (m *model) evaluable() []policy {
	return lists.Filter(m.policies, func(p policy) bool { return p.rule != nil && p.rule.Broken == nil })
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

	at     *document.Node
	rowsAt map[string]*document.Node
}

// modelOfPack returns the model of a pack, in the order of its items.
func modelOfPack(pack pack.Pack) *model {
	var found nodes
	for _, item := range pack.Items {
		n := node{ID: item.Key, Properties: item.Properties, Uses: item.Targets("USES_THRESHOLD"),
			Feeds: item.Targets("FEEDS_INTO"), at: item.Node, rowsAt: map[string]*document.Node{}}
		switch item.Section.Name {
		case "policies":
			found.Policies = append(found.Policies, n)
		case "thresholds":
			found.Thresholds = append(found.Thresholds, n)
		case "decision_tables":
			for _, other := range pack.Items {
				if other.Section.Name == "decision_rows" && other.Properties["table_id"] == item.Key {
					n.Rows = append(n.Rows, policies.Stored{ID: other.Key, Properties: other.Properties})
					n.rowsAt[other.Key] = other.Node
				}
			}
			found.Tables = append(found.Tables, n)
		}
	}
	m := found.model()
	m.where, m.file = "this pack", pack.File
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
		n.at}
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
		m.tables = append(m.tables, decisionTable{stored.Table(), n.Uses, n.Feeds, n.at, n.rowsAt})
	}
	return m
}

// tablesByID returns the table with exactly this id, else those with this short id.
func (m *model) tablesByID(id string) []decisionTable {
	if exact := lists.Filter(m.tables, func(t decisionTable) bool { return t.ID == id }); len(exact) > 0 ||
		id == "" {
		return exact
	}
	return lists.Filter(m.tables, func(t decisionTable) bool { return policies.ShortID(t.ID) == id })
}

// variantOf reports whether a name can select the threshold, as itself or as a variant for a scope.
func (t named) variantOf(name string) bool {
	return t.name == name || strings.HasPrefix(t.name, name+"_") &&
		slices.Contains(t.Scopes(), strings.TrimPrefix(t.name, name+"_"))
}

func (m *model) variants(name string) []named {
	return lists.Filter(m.thresholds, func(t named) bool { return t.variantOf(name) })
}

// source returns the values that conditions read.
func (m *model) source() policies.ThresholdSource {
	return policies.ThresholdsAmong(lists.Map(m.thresholds, func(t named) policies.Stored { return t.Stored }))
}

// ofTable returns the thresholds of a table: by their decision_table, by a link, or because its rows read them.
func (m *model) ofTable(table decisionTable) []named {
	read := slices.Concat(table.uses, table.ThresholdNames())
	return lists.Filter(m.thresholds, func(t named) bool {
		return slices.ContainsFunc(read, t.variantOf) || t.table != "" &&
			(t.table == table.ID || t.table == policies.ShortID(table.ID))
	})
}

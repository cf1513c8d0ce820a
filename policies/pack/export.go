package pack

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/policies"
)

// Query selects a pack to export.
type Query struct {
	Name string `json:"name" jsonschema:"pack name; with all, name of the new pack" rule:"minLength=1,maxLength=63"`
	All  bool   `json:"all,omitempty" jsonschema:"export all policies, thresholds and tables as a new pack"`
}

// Text is a pack with the current values and links of the graph.
type Text struct {
	Pack    string   `json:"pack"`
	Version string   `json:"version"`
	Nodes   int      `json:"nodes" jsonschema:"number of exported nodes"`
	Text    string   `json:"text" jsonschema:"the pack's YAML" recorded:"exact"`
	Notes   []string `json:"notes" jsonschema:"contents that a pack cannot express"`
}

// packExport is a pack that is being exported.
type packExport struct {
	Version     any
	Description any
	Nodes       []exportedNode

	name  string
	notes []string
}

type exportedNode struct {
	Section    string
	Properties map[string]any
	Links      []exportedLink

	key   string
	table string         // table that a row belongs to
	form  map[string]any // form of the node in the pack: properties, and lists of keys for links
}

type exportedLink struct {
	Type, Section string
	Key           any // null if the target has no key
}

func (n exportedNode) id() string { return n.Section + " " + n.key }

// rowSection is the section of rows, which a pack lists in their tables.
const rowSection = "decision_rows"

// Names completes names of packs in the graph: those with the prefix, sorted, at most limit.
func (s *Store) Names(ctx context.Context, prefix string, limit int) ([]string, error) {
	found, err := policies.NamesFrom(ctx, s.graph, prefix, cypher.PackNames, limit)
	slices.Sort(found)
	return found, err
}

// Export writes a pack with the live values and links of its nodes, so that applying the text changes nothing. With All
// it writes every policy, threshold and decision table as a new pack, which --adopt takes over. It returns not_found
// with the existing names, and a validation_error for an invalid name.
func (s *Store) Export(ctx context.Context, q Query) (Text, error) {
	statement := cypher.PackOwned
	if q.All {
		statement = cypher.PackOfAll
	}
	found, err := graph.All[packExport](ctx, s.graph, statement, graph.Params{"pack": q.Name})
	if err != nil {
		return Text{}, err
	}
	if len(found) == 0 {
		return Text{}, s.NotFoundError(ctx, q.Name)
	}
	e := &found[0]
	e.name = q.Name
	if version, ok := e.Version.(string); !ok || version == "" {
		e.Version = "1.0.0"
	}
	e.identify()
	for i := range e.Nodes {
		e.describe(&e.Nodes[i])
	}
	text, err := e.text(ctx)
	if err != nil {
		return Text{}, err
	}
	slices.Sort(e.notes)
	return Text{Pack: e.name, Version: e.Version.(string), Nodes: len(e.Nodes), Text: text, Notes: e.notes},
		nil
}

// NotFoundError returns the not_found error of a pack, with the existing names.
func (s *Store) NotFoundError(ctx context.Context, name string) error {
	const shownNames = 20
	err := apperr.Newf(apperr.NotFound, "Pack '%s' not found in the graph", name).
		WithHint("List packs with `list_packs`")
	names, lookupErr := s.Names(ctx, "", shownNames)
	if lookupErr != nil || len(names) == 0 {
		return err.WithHint("No pack has been applied yet; `export_pack` with `all` exports the rules of the graph as a new pack")
	}
	return err.WithHint("Use %s", strings.Join(names, ", "))
}

func (e *packExport) note(format string, args ...any) {
	e.notes = append(e.notes, fmt.Sprintf(format, args...))
}

// identify assigns keys, omits nodes without a valid key, and sorts the others.
func (e *packExport) identify() {
	nameless, count, tables := map[string]int{}, map[string]int{}, map[string]string{}
	for i := range e.Nodes {
		n := &e.Nodes[i]
		if at := sectionIndex(n.Section); at >= 0 {
			n.key, _ = n.Properties[Sections[at].Key].(string)
		}
		if n.key == "" {
			nameless[n.Section]++
		}
		count[n.id()]++
	}
	for section, nodes := range nameless {
		e.note("%s: %d without a key that is text, left out", section, nodes)
	}
	for _, n := range e.Nodes {
		if n.key != "" && count[n.id()] > 1 {
			e.note("%s '%s': %d nodes have this key, left out", n.Section, n.key, count[n.id()])
			count[n.id()] = -1 // already reported
		}
	}
	e.Nodes = lists.Filter(e.Nodes, func(n exportedNode) bool { return n.key != "" && count[n.id()] == 1 })
	slices.SortFunc(e.Nodes, func(a, b exportedNode) int {
		return cmp.Or(cmp.Compare(sectionIndex(a.Section), sectionIndex(b.Section)),
			cmp.Compare(a.priority(), b.priority()), cmp.Compare(a.key, b.key))
	})
	for _, n := range e.Nodes {
		for _, link := range n.Links {
			if row, ok := link.Key.(string); ok && link.Section == rowSection {
				tables[row] = cmp.Or(tables[row], n.key)
			}
		}
	}
	for i := range e.Nodes {
		if n := &e.Nodes[i]; n.Section == rowSection {
			if n.table = tables[n.key]; n.table == "" {
				e.note("%s '%s': left out, because no table of the pack has it", n.Section, n.key)
			}
		}
	}
	e.Nodes = lists.Filter(e.Nodes, func(n exportedNode) bool { return n.Section != rowSection || n.table != "" })
}

// priority sorts the rows of a table.
func (n exportedNode) priority() int64 {
	if n.Section != rowSection {
		return 0
	}
	priority, _ := n.Properties["priority"].(int64)
	return priority
}

// describe collects the properties of a node that a pack can express.
func (e *packExport) describe(n *exportedNode) {
	n.form = map[string]any{}
	for key, value := range n.Properties {
		_, isLink := linkKeys[n.Section][key]
		switch {
		case slices.Contains(policies.Identity, key):
		case n.Section == rowSection && key == "table_id": // implied by its place
		case n.Section == rowSection && key == "outputs":
			outputs, ok := outputsOf(value)
			if !ok {
				e.note("%s '%s': outputs is left out, because it is not JSON as packs write it", n.Section, n.key)
				continue
			}
			n.form[key] = outputs
		case isLink:
			e.note("%s '%s': the property %s is left out, because a pack makes links of it", n.Section, n.key, key)
		case !plainKey.MatchString(key):
			e.note("%s '%s': the property %q is left out, because a pack cannot contain its name", n.Section, n.key,
				key)
		case !isExpressible(value):
			e.note("%s '%s': %s is left out, because a pack cannot contain %s", n.Section, n.key, key, typeName(value))
		case key == "decision_table" && e.ambiguous(value):
			e.note("%s '%s': decision_table is left out, because '%v' matches several tables", n.Section, n.key, value)
		default:
			n.form[key] = value
		}
	}
}

// ambiguous reports whether a table's id can mean several exported tables, which a pack does not allow.
func (e *packExport) ambiguous(id any) bool {
	tables := Pack{}
	for _, n := range e.Nodes {
		if n.Section == "decision_tables" {
			tables.Items = append(tables.Items, Item{Section: SectionOf(n.Section), Key: n.key})
		}
	}
	text, _ := id.(string)
	_, matches := tables.Table(text)
	return len(matches) > 1
}

func sectionIndex(name string) int {
	return slices.IndexFunc(Sections, func(s section) bool { return s.Name == name })
}

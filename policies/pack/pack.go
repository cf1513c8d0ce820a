package pack

import (
	"context"
	_ "embed" // the pack schema
	"maps"
	"math"
	"slices"
	"strings"

	"nomograph/cypher/readonly"
	"nomograph/graph"
	"nomograph/internal/document"
	"nomograph/policies"
)

// Schema is the JSON Schema of packs, for editors and for validation.
//
//go:embed pack.schema.json
var Schema string

// Pack is a set of nodes under one name and version, written as YAML.
type Pack struct {
	File        string // name of the file in errors
	Name        string
	Version     string
	Description string
	Checksum    string // SHA-256 of the text, in hex
	Items       []Item
	Cases       []RawCase
}

// Item is one node of a pack: its properties and links.
type Item struct {
	Section    section
	Key        string
	Properties map[string]any
	Links      []Link
	Node       *document.Node // position in the file
}

// Without returns the pack without some items; if it removes any, it also removes the cases, which concern the whole
// pack.
func (p Pack) Without(leftOut func(Item) bool) Pack {
	remaining := slices.DeleteFunc(slices.Clone(p.Items), leftOut)
	if len(remaining) < len(p.Items) {
		p.Items, p.Cases = remaining, nil
	}
	return p
}

// section describes how a list of a pack becomes nodes.
type section struct{ Name, Label, Key, One string }

// Means reports whether a property of the section's nodes has a meaning for rules, tables or readers.
func (s section) Means(key string) bool {
	path := []string{s.Name, "0"}
	switch s.Name {
	case "contexts", "atlases": // only Nomograph writes these
		return true
	case "decision_rows":
		path = []string{"decision_tables", "0", "rows", "0"}
	}
	if _, ok := linkKeys[s.Name][key]; ok {
		return false
	}
	return slices.Contains(parsedSchema().Names(path), key) || slices.Contains(rarelySetProperties[s.Name], key)
}

// rarelySetProperties are properties that Nomograph reads and packs rarely set.
var rarelySetProperties = map[string][]string{"policies": {"domain_scope", "grant_seconds"}, "thresholds": {"scope"}}

// Reads reports whether a property of the item has an effect: it has a meaning, or the item's pattern reads it as
// $rule.property.
func (i Item) Reads(key string) bool {
	if i.Section.Means(key) {
		return true
	}
	pattern, _ := i.Properties["forbids_pattern"].(string)
	query, err := graph.CheckQuery(pattern, nil)
	return err != nil && pattern != "" || slices.ContainsFunc(query.Uses, func(use readonly.Use) bool {
		return use.Parameter == "rule" && (use.Key == "" || use.Key == key) || use.Other == "rule" && use.Key == key
	})
}

// Sections are ordered so that targets of links come first.
var Sections = []section{
	{"decision_rows", "SYS_DecisionRow", "row_id", "decision row"},
	{"decision_tables", "SYS_DecisionTable", "table_id", "decision table"},
	{"thresholds", "SYS_Threshold", "name", "threshold"},
	{"policies", "SYS_Policy", "name", "policy"},
	{"programs", "SYS_Program", "name", "program"},
	{"federation_sources", "SYS_FederationSource", "name", "federation source"},
	{"subject_concepts", "SubjectConcept", "subject_id", "subject concept"},
	// contexts and atlases come from atlases, which are packs in a different format
	{"contexts", "Context", "context_id", "context"},
	{"atlases", "Atlas", "atlas_id", "atlas"},
}

// Parse parses a pack. file names it in errors, which are validation_errors with every problem, sorted by line.
func Parse(ctx context.Context, file, text string) (Pack, error) {
	root, err := document.YAML(ctx, text, document.DefaultLimits())
	if err != nil {
		return Pack{}, Unreadable(file, err)
	}
	problems := &Problems{File: file}
	if root == nil {
		problems.Add(root.At(), "Begin with `pack: NAME` and `version: 1.0.0`",
			"a pack is one YAML document, and this file has none")
		return Pack{}, problems.Err()
	}
	tree := Bolt(root.Value())
	unfit := validate(problems, root, tree)
	pack := Pack{File: file, Checksum: policies.Hash(text)}
	fields, _ := tree.(map[string]any) // validated by the schema
	pack.Name, _ = fields["pack"].(string)
	pack.Version, _ = fields["version"].(string)
	pack.Description, _ = fields["description"].(string)
	pack.takeItems(fields, root, problems)
	pack.linkTables(problems)
	if err := pack.Compile(ctx, problems); err != nil {
		return Pack{}, err
	}
	if pack.Cases, err = rawCases(fields["tests"], root.Get("tests"), unfit, problems); err != nil {
		return Pack{}, err
	}
	return pack, problems.Err()
}

// takeItems builds the nodes of all sections. Items without a valid form or key are skipped, because the schema has
// reported them.
func (p *Pack) takeItems(fields map[string]any, root *document.Node, problems *Problems) {
	lines := map[string]int{}
	for _, sec := range Sections {
		list, _ := fields[sec.Name].([]any)
		for i, raw := range list {
			for _, item := range itemsOf(sec, raw, root.Get(sec.Name).Item(i)) {
				at := item.Node.At(item.Section.Key)
				id := item.Section.Name + " " + item.Key
				if first, again := lines[id]; again {
					problems.Add(at, "Keep one of the two", "%s '%s' already exists, at line %d", item.Section.One,
						item.Key, first)
					continue
				}
				lines[id] = at.Line
				p.Items = append(p.Items, item)
			}
		}
	}
}

// itemsOf builds the nodes of one entry: itself, preceded by the rows of a decision table.
func itemsOf(sec section, raw any, node *document.Node) []Item {
	fields, _ := raw.(map[string]any)
	key, _ := fields[sec.Key].(string)
	if key == "" {
		return nil
	}
	item := Item{Section: sec, Key: key, Properties: map[string]any{}, Node: node}
	var items []Item
	for name, value := range fields {
		link, ok := linkKeys[sec.Name][name]
		if !ok {
			item.Properties[name] = value
			continue
		}
		targets, _ := value.([]any)
		for i, target := range targets {
			if row, ok := target.(map[string]any); ok {
				if target = row["row_id"]; target != nil && target != "" {
					items = append(items, rowItem(row, sec.Key, key, i, node.Get(name).Item(i)))
				}
			}
			if to, named := target.(string); named && to != "" {
				item.Links = append(item.Links, Link{link.linkType, link.section, to})
			}
		}
	}
	return append(items, item)
}

// rowItem builds a row of a table. Its outputs are stored as JSON; its default priority is its position in the list.
func rowItem(raw map[string]any, tableKey, table string, i int, node *document.Node) Item {
	row := Item{Section: SectionOf("decision_rows"), Properties: maps.Clone(raw), Node: node}
	row.Key, _ = raw["row_id"].(string)
	row.Properties[tableKey] = table
	if _, ok := raw["priority"]; !ok {
		row.Properties["priority"] = int64(i + 1)
	}
	if outputs, ok := raw["outputs"]; ok {
		row.Properties["outputs"] = policies.CanonicalText(outputs)
	}
	return row
}

// linkTables converts decision_table to links: a policy is governed by its table, a table uses its thresholds. A table
// outside of the pack stays a property.
func (p *Pack) linkTables(problems *Problems) {
	for i := range p.Items {
		item := &p.Items[i]
		table, _ := item.Properties["decision_table"].(string)
		owner, matches := p.Table(table)
		switch {
		case len(matches) > 1:
			problems.Add(item.Node.At("decision_table"), "Give the table's full id; nothing was applied",
				"'%s' matches %d decision tables: %s", table, len(matches), strings.Join(matches, ", "))
		case owner == nil:
		case item.Section.Name == "policies":
			item.Links = append(item.Links, Link{"GOVERNED_BY", "decision_tables", owner.Key})
		case item.Section.Name == "thresholds":
			owner.Links = append(owner.Links, Link{"USES_THRESHOLD", "thresholds", item.Key})
		}
	}
}

// Bolt converts decoded YAML to Bolt types: integers are int64.
func Bolt(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = Bolt(item)
		}
	case []any:
		floats := false
		for i, item := range v {
			v[i] = Bolt(item)
			_, float := v[i].(float64)
			floats = floats || float
		}
		for i, item := range v { // a list has one type in the graph
			if whole, ok := item.(int64); ok && floats {
				v[i] = float64(whole)
			}
		}
	case uint64:
		if v <= math.MaxInt64 {
			return int64(v)
		}
	case int:
		return int64(v)
	}
	return value
}

// SectionOf finds a section by name.
func SectionOf(name string) section {
	return Sections[slices.IndexFunc(Sections, func(s section) bool { return s.Name == name })]
}

// SectionOfLabel finds the section of a label.
func SectionOfLabel(label string) section {
	return Sections[slices.IndexFunc(Sections, func(s section) bool { return s.Label == label })]
}

// Source is a pack to apply: the name of a shipped one, or the text of any other.
type Source struct {
	Name string `json:"name" jsonschema:"shipped pack name, or the file name shown in errors" rule:"minLength=1,maxLength=500"`
	Text string `json:"text,omitempty" jsonschema:"the pack's YAML; empty for a shipped pack"`
	// Signature has no maximum length: any file can be called FILE.sig, and it is ignored unless a signature is
	// required.
	Signature string `json:"signature,omitempty" jsonschema:"the text's detached Ed25519 signature in base64, where packs must be signed" rule:"maxLength=5000"`
}

// Read returns the text of the source: its own, else that of the shipped document.
func (s Source) Read(shipped func(name string) (string, error)) (string, error) {
	if s.Text != "" {
		return s.Text, nil
	}
	return shipped(s.Name)
}

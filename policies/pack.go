package policies

import (
	"crypto/sha256"
	_ "embed" // the pack schema
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"

	"nomograph/fault"
)

// PackSchema is the JSON Schema of packs, for editors and for validation.
//
//go:embed pack.schema.json
var PackSchema string

// Pack is a set of nodes under one name and version, written as YAML.
type Pack struct {
	File        string // names it in errors
	Name        string
	Version     string
	Description string
	Checksum    string // SHA-256 of the text, in hex
	Items       []Item
	Cases       []Case
}

// Item is one node of a pack: its own properties and the links the pack wants from it.
type Item struct {
	section    section
	Key        string
	Properties map[string]any
	Links      []Link
	node       ast.Node // where it stands in the file
}

// Link leads from an item to the node of another section with the given key. A table may be meant by its short id.
type Link struct {
	Type    string
	section string
	Key     string
}

// section says how a list of a pack becomes nodes.
type section struct{ Name, Label, Key, One string }

// sections are ordered so that what others point at comes first.
var sections = []section{
	{"decision_rows", "SYS_DecisionRow", "row_id", "decision row"},
	{"decision_tables", "SYS_DecisionTable", "table_id", "decision table"},
	{"thresholds", "SYS_Threshold", "name", "threshold"},
	{"policies", "SYS_Policy", "name", "policy"},
	{"federation_sources", "SYS_FederationSource", "name", "federation source"},
	{"subject_concepts", "SubjectConcept", "subject_id", "subject concept"},
}

// linkKeys are the keys of an item that become links instead of properties.
var linkKeys = map[string]map[string]struct{ linkType, section string }{
	"policies":        {"uses_thresholds": {"USES_THRESHOLD", "thresholds"}},
	"decision_tables": {"feeds_into": {"FEEDS_INTO", "decision_tables"}, "rows": {"HAS_ROW", "decision_rows"}},
}

// ParsePack reads a pack. file names it in errors, which are validation_errors with line and column.
func ParsePack(file, text string) (Pack, error) {
	parsed, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return Pack{}, packSyntax(file, err)
	}
	documents := filter(parsed.Docs, func(d *ast.DocumentNode) bool { return d.Body != nil && d.Body.Type() != ast.CommentType })
	if len(documents) != 1 {
		at := filePosition{1, 1}
		if len(documents) > 1 {
			at = positionOf(documents[1].Body, nil)
		}
		return Pack{}, packFault(file, at, "a pack is one YAML document, and there are %d", len(documents)).
			WithHint("Begin with `pack: NAME` and `version: 1.0.0`")
	}
	body := documents[0].Body
	var tree any
	if err := yaml.NodeToValue(body, &tree); err != nil {
		return Pack{}, packSyntax(file, err)
	}
	tree = bolt(tree)
	if err := validatePack(file, body, tree); err != nil {
		return Pack{}, err
	}
	root := tree.(map[string]any) // the schema says so
	sum := sha256.Sum256([]byte(text))
	pack := Pack{File: file, Name: root["pack"].(string), Version: root["version"].(string), Checksum: hex.EncodeToString(sum[:])}
	pack.Description, _ = root["description"].(string)
	lines := map[string]int{}
	for _, sec := range sections {
		list, _ := root[sec.Name].([]any)
		for i, raw := range list {
			for _, item := range itemsOf(sec, raw.(map[string]any), itemNode(body, sec, i)) {
				at := positionOf(item.node, []string{item.section.Key})
				id := item.section.Name + " " + item.Key
				if first, again := lines[id]; again {
					return Pack{}, packFault(file, at, "%s '%s' is there already, at line %d", item.section.One, item.Key, first).WithHint("Keep one of the two")
				}
				lines[id] = at.Line
				pack.Items = append(pack.Items, item)
			}
		}
	}
	if err := pack.linkTables(); err != nil {
		return Pack{}, err
	}
	if err := pack.compile(); err != nil {
		return Pack{}, err
	}
	pack.Cases, err = casesOf(root["tests"], valueOf(body, "tests"))
	return pack, err
}

func packFault(file string, at filePosition, format string, args ...any) *fault.Error {
	return fault.Newf(fault.Validation, "%s:%d:%d: %s", file, at.Line, at.Column, fmt.Sprintf(format, args...))
}

// itemsOf makes the nodes of one entry of a section: itself, and the rows of a decision table before it.
func itemsOf(sec section, raw map[string]any, node ast.Node) []Item {
	item := Item{section: sec, Key: raw[sec.Key].(string), Properties: map[string]any{}, node: node}
	var items []Item
	for key, value := range raw {
		link, isLink := linkKeys[sec.Name][key]
		if !isLink {
			item.Properties[key] = value
			continue
		}
		for i, target := range value.([]any) {
			if row, isRow := target.(map[string]any); isRow {
				items = append(items, rowItem(row, item.section.Key, raw[sec.Key].(string), i, positionNode(valueOf(node, key), i)))
				target = row["row_id"]
			}
			item.Links = append(item.Links, Link{link.linkType, link.section, target.(string)})
		}
	}
	return append(items, item)
}

// rowItem makes a row of a table. Its outputs are a map, which the graph holds as JSON text; its place in the list is its
// priority unless it says another.
func rowItem(raw map[string]any, tableKey, table string, i int, node ast.Node) Item {
	row := Item{section: sectionOf("decision_rows"), Key: raw["row_id"].(string), Properties: maps.Clone(raw), node: node}
	row.Properties[tableKey] = table
	if _, given := raw["priority"]; !given {
		row.Properties["priority"] = int64(i + 1)
	}
	if outputs, given := raw["outputs"]; given {
		var text strings.Builder
		writeCanonical(&text, outputs)
		row.Properties["outputs"] = text.String()
	}
	return row
}

// linkTables turns decision_table into links: a policy is governed by its table, a table uses its thresholds. A table that
// the pack does not bring stays a property only.
func (p *Pack) linkTables() error {
	for i := range p.Items {
		item := &p.Items[i]
		table, _ := item.Properties["decision_table"].(string)
		owner, meant := p.table(table)
		switch {
		case len(meant) > 1:
			return packFault(p.File, positionOf(item.node, []string{"decision_table"}), "'%s' means %d decision tables: %s", table, len(meant), strings.Join(meant, ", ")).
				WithHint("Give the table's full id; nothing was applied")
		case owner == nil:
		case item.section.Name == "policies":
			item.Links = append(item.Links, Link{"GOVERNED_BY", "decision_tables", owner.Key})
		case item.section.Name == "thresholds":
			owner.Links = append(owner.Links, Link{"USES_THRESHOLD", "thresholds", item.Key})
		}
	}
	return nil
}

// table finds the pack's table by its exact id, else by the part before the first underscore, and says which ones that
// may mean.
func (p *Pack) table(id string) (found *Item, meant []string) {
	for i := range p.Items {
		item := &p.Items[i]
		switch {
		case id == "" || item.section.Name != "decision_tables":
		case item.Key == id:
			return item, nil
		case short(item.Key) == id:
			found, meant = item, append(meant, item.Key)
		}
	}
	return found, meant
}

// bolt turns what YAML gives into what Bolt carries: whole numbers are int64.
func bolt(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = bolt(item)
		}
	case []any:
		floats := false
		for i, item := range v {
			v[i] = bolt(item)
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

// sectionOf finds a section by its name.
func sectionOf(name string) section {
	return sections[slices.IndexFunc(sections, func(s section) bool { return s.Name == name })]
}

// sectionOfLabel finds the section whose nodes have the label.
func sectionOfLabel(label string) section {
	return sections[slices.IndexFunc(sections, func(s section) bool { return s.Label == label })]
}

package policies

import (
	"crypto/sha256"
	_ "embed" // the pack schema
	"encoding/hex"
	"errors"
	"fmt"
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
	Name        string
	Version     string
	Description string
	Checksum    string // SHA-256 of the text, in hex
	Items       []Item
}

// Item is one node of a pack: its own properties and the links the pack wants from it.
type Item struct {
	section    section
	Key        string
	Properties map[string]any
	Links      []Link
	line       int
}

// Link leads from an item to the node of another section with the given key. A table may be meant by its short id.
type Link struct {
	Type    string
	section string
	Key     string
}

// section says how a list of a pack becomes nodes.
type section struct{ Name, Label, Key string }

// sections are ordered so that what others point at comes first.
var sections = []section{
	{"decision_tables", "SYS_DecisionTable", "table_id"},
	{"thresholds", "SYS_Threshold", "name"},
	{"policies", "SYS_Policy", "name"},
	{"federation_sources", "SYS_FederationSource", "name"},
	{"subject_concepts", "SubjectConcept", "subject_id"},
}

// linkKeys are the keys of an item that become links instead of properties.
var linkKeys = map[string]struct{ linkType, section string }{
	"uses_thresholds": {"USES_THRESHOLD", "thresholds"},
	"feeds_into":      {"FEEDS_INTO", "decision_tables"},
}

// ParsePack reads a pack. file names it in errors, which are validation_errors with line and column.
func ParsePack(file, text string) (Pack, error) {
	parsed, err := parser.ParseBytes([]byte(text), 0)
	if err != nil {
		return Pack{}, packSyntax(file, err)
	}
	if len(parsed.Docs) != 1 || parsed.Docs[0].Body == nil {
		return Pack{}, fault.Newf(fault.Validation, "%s:1:1: a pack is one YAML document, and there are %d", file, len(parsed.Docs)).
			WithHint("Begin with `pack: NAME` and `version: 1.0.0`")
	}
	body := parsed.Docs[0].Body
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
	pack := Pack{Name: root["pack"].(string), Version: root["version"].(string), Checksum: hex.EncodeToString(sum[:])}
	pack.Description, _ = root["description"].(string)
	lines := map[string]int{}
	for _, sec := range sections {
		list, _ := root[sec.Name].([]any)
		for i, raw := range list {
			line := positionOf(body, []string{sec.Name, fmt.Sprint(i), sec.Key}).Line
			item := newItem(sec, raw.(map[string]any), line)
			id := sec.Name + " " + item.Key
			if first, again := lines[id]; again {
				return Pack{}, fault.Newf(fault.Validation, "%s:%d:1: %s '%s' is there already, at line %d", file, line, sec.Name, item.Key, first).
					WithHint("Keep one of the two")
			}
			lines[id] = line
			pack.Items = append(pack.Items, item)
		}
	}
	pack.linkTables()
	return pack, nil
}

func newItem(sec section, raw map[string]any, line int) Item {
	item := Item{section: sec, Key: raw[sec.Key].(string), Properties: map[string]any{}, line: line}
	for key, value := range raw {
		link, isLink := linkKeys[key]
		if !isLink {
			item.Properties[key] = value
			continue
		}
		for _, target := range value.([]any) {
			item.Links = append(item.Links, Link{link.linkType, link.section, target.(string)})
		}
	}
	return item
}

// linkTables turns decision_table into links: a policy is governed by its table, a table uses its thresholds. A table that
// the pack does not bring stays a property only.
func (p *Pack) linkTables() {
	for i := range p.Items {
		item := &p.Items[i]
		table, _ := item.Properties["decision_table"].(string)
		owner := p.table(table)
		switch {
		case owner == nil:
		case item.section.Name == "policies":
			item.Links = append(item.Links, Link{"GOVERNED_BY", "decision_tables", owner.Key})
		case item.section.Name == "thresholds":
			owner.Links = append(owner.Links, Link{"USES_THRESHOLD", "thresholds", item.Key})
		}
	}
}

// table finds the pack's table by its exact id, else by the part before the first underscore.
func (p *Pack) table(id string) *Item {
	if id == "" {
		return nil
	}
	var found *Item
	for i := range p.Items {
		item := &p.Items[i]
		if item.section.Name != "decision_tables" {
			continue
		}
		if item.Key == id {
			return item
		}
		if short(item.Key) == id && found == nil {
			found = item
		}
	}
	return found
}

// bolt turns what YAML gives into what Bolt carries: whole numbers are int64.
func bolt(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, item := range v {
			v[key] = bolt(item)
		}
	case []any:
		for i, item := range v {
			v[i] = bolt(item)
		}
	case uint64:
		return int64(v)
	case int:
		return int64(v)
	}
	return value
}

func packSyntax(file string, err error) error {
	line, column, message := 1, 1, err.Error()
	var y yaml.Error
	if errors.As(err, &y) {
		message = y.GetMessage()
		if t := y.GetToken(); t != nil && t.Position != nil {
			line, column = t.Position.Line, t.Position.Column
		}
	}
	return fault.Newf(fault.Validation, "%s:%d:%d: %s", file, line, column, message).
		WithHint("The file is not valid YAML here; nothing was applied").Because(err)
}

type filePosition struct{ Line, Column int }

// positionOf finds where a place in the document stands, or the nearest place above it that is there.
func positionOf(node ast.Node, path []string) filePosition {
	at := filePosition{1, 1}
	if token := node.GetToken(); token != nil && token.Position != nil {
		at = filePosition{token.Position.Line, token.Position.Column}
	}
	if mapping, ok := node.(*ast.MappingNode); ok && len(mapping.Values) > 0 {
		start := mapping.Values[0].Key.GetToken().Position
		at = filePosition{start.Line, start.Column}
	}
	if len(path) == 0 {
		return at
	}
	switch n := node.(type) {
	case *ast.MappingNode:
		for _, entry := range n.Values {
			if keyText(entry) == path[0] {
				if len(path) == 1 {
					start := entry.Key.GetToken().Position
					return filePosition{start.Line, start.Column}
				}
				return positionOf(entry.Value, path[1:])
			}
		}
	case *ast.MappingValueNode:
		if keyText(n) == path[0] {
			return positionOf(n.Value, path[1:])
		}
	case *ast.SequenceNode:
		for i, item := range n.Values {
			if fmt.Sprint(i) == path[0] {
				return positionOf(item, path[1:])
			}
		}
	}
	return at
}

func keyText(entry *ast.MappingValueNode) string {
	return strings.Trim(entry.Key.GetToken().Value, `"'`)
}

// sectionOf finds a section by its name.
func sectionOf(name string) section {
	return sections[slices.IndexFunc(sections, func(s section) bool { return s.Name == name })]
}

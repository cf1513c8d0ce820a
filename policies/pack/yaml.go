package pack

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"nomograph/internal/lists"
	"nomograph/internal/pattern"
	"nomograph/policies"
)

// leadingKeys follow the key of an item, in this order. The others are sorted.
var leadingKeys = []string{"label", "value", "unit", "hit_policy", "active", "priority", "decision_table",
	"domain_scope", "status", "confidence", "facet_key"}

// yaml writes the pack in the order of the sections, by key, and each item with its key first.
func (e *packExport) yaml() (string, error) {
	tree := e.tree()
	root := yaml.MapSlice{{Key: "pack", Value: e.name}, {Key: "version", Value: e.Version}}
	if description, ok := tree["description"]; ok {
		root = append(root, yaml.MapItem{Key: "description", Value: written(description)})
	}
	for _, sec := range Sections {
		list, _ := tree[sec.Name].([]any)
		items := lists.Map(list, func(item any) any { return inOrder(sec.Key, item.(map[string]any)) })
		if len(items) > 0 {
			root = append(root, yaml.MapItem{Key: sec.Name, Value: items})
		}
	}
	text, err := yaml.MarshalWithOptions(root, yaml.IndentSequence(true))
	return blankLine.ReplaceAllString(string(text), "\n"), err
}

// blankLine matches an empty line of a block, which the encoder indents.
var blankLine = pattern.New(`(?m)^ +\n`)

func inOrder(key string, properties map[string]any) yaml.MapSlice {
	rank := func(name string) int {
		switch at := slices.Index(leadingKeys, name); {
		case name == key:
			return -1
		case at < 0:
			return len(leadingKeys)
		default:
			return at
		}
	}
	names := slices.SortedFunc(maps.Keys(properties), func(a, b string) int {
		return cmp.Or(rank(a)-rank(b), strings.Compare(a, b))
	})
	return lists.Map(names, func(name string) yaml.MapItem {
		return yaml.MapItem{Key: name, Value: written(properties[name])}
	})
}

// written converts values to forms that every YAML parser reads equally.
func written(value any) any {
	switch v := value.(type) {
	case float64:
		return literal(yamlFloat(v))
	case string:
		return writtenText(v)
	case map[string]any: // a row of a table, or its outputs
		return inOrder("row_id", v)
	case []any:
		return lists.Map(v, written)
	}
	return value
}

// literal is YAML that is written unchanged.
type literal string

// MarshalYAML returns the text.
func (l literal) MarshalYAML() ([]byte, error) { return []byte(l), nil }

// yamlFloat formats a float with a point, also before an exponent: without the point, YAML parsers disagree whether it
// is a number.
func yamlFloat(f float64) string {
	text := policies.FloatText(f)
	if mantissa, exponent, ok := strings.Cut(text, "e"); ok && !strings.Contains(mantissa, ".") {
		text = mantissa + ".0e" + exponent
	}
	return text
}

var (
	plainText = pattern.New(`^\p{L}[\p{L}\p{N} _.,;/()'+-]*$`)
	// plainWords are words that some YAML parser does not read as strings.
	plainWords = pattern.New(`(?i)^(y|n|yes|no|on|off|true|false|null|nan|inf|infinity)$`)
	singleText = pattern.New(`^[^\pC\x{2028}\x{2029}]*["\\][^\pC\x{2028}\x{2029}]*$`)
	blockText  = pattern.New(`^[^\s\pC][^\pC\x{2028}\x{2029}]*(\n+[^\s\pC][^\pC\x{2028}\x{2029}]*)+\n?$`)
	blankEnd   = pattern.New(`(?m)[ \t\x{00A0}]$`)
)

// plainKey matches names that the encoder writes so that they are read back unchanged.
var plainKey = pattern.New(`^[\p{L}\p{N}_][^\pC\x{2028}\x{2029}]*$`)

// writtenText writes simple text of several lines as a block.
func writtenText(text string) any {
	if blockText.MatchString(text) && !blankEnd.MatchString(text) {
		return text
	}
	return line(text)
}

// line quotes everything but plain words.
func line(text string) literal {
	if plainText.MatchString(text) && !plainWords.MatchString(text) && !strings.HasSuffix(text, " ") {
		return literal(text)
	}
	if singleText.MatchString(text) { // single quotes are easier to read than an escape before each "
		return literal("'" + strings.ReplaceAll(text, "'", "''") + "'")
	}
	var quoted strings.Builder
	encoder := json.NewEncoder(&quoted) // a JSON string is valid YAML
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // text into memory cannot fail
	return literal(strings.TrimSuffix(quoted.String(), "\n"))
}

package cstp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"nomograph/internal/document"
	"nomograph/internal/pattern"
	"nomograph/policies/condition"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
)

// importedRule is a guardrail that is being converted.
type importedRule struct {
	fields            *document.Node
	id                string
	severity          string
	scope             []string
	applies, requires []string // parts that must all hold
	constant          []string // numbers in these parts
	notes             []string
}

func (r *importedRule) note(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	if !slices.Contains(r.notes, note) {
		r.notes = append(r.notes, note)
	}
}

// policy writes the rule, the most important properties first.
func (r *importedRule) policy() yaml.MapSlice {
	p := yaml.MapSlice{{Key: "name", Value: pack.Line(r.id)}, {Key: "active", Value: true}}
	add := func(key, text string) {
		if text != "" {
			p = append(p, yaml.MapItem{Key: key, Value: pack.WrittenText(text)})
		}
	}
	add("description", textOf(r.fields, "description"))
	add("severity", r.severity)
	add("mode", rule.Enforce)
	if len(r.scope) > 0 {
		scope := make([]any, len(r.scope))
		for n, project := range r.scope {
			scope[n] = pack.Line(project)
		}
		p = append(p, yaml.MapItem{Key: "scope", Value: scope})
	}
	add("applies_when", allOf(r.applies))
	add("requires", allOf(r.requires))
	add("message", importedMessage(textOf(r.fields, "message")))
	return p
}

// longLine is the length from which a condition is broken into its parts.
const longLine = 100

func allOf(parts []string) string {
	if text := strings.Join(parts, " && "); len(text) <= longLine {
		return text
	}
	return strings.Join(parts, "\n&& ")
}

// compiles verifies that the conditions compile.
func (r *importedRule) compiles() error {
	for _, parts := range [][]string{r.applies, r.requires} {
		if len(parts) == 0 {
			continue
		}
		if _, err := condition.Rule(allOf(parts)); err != nil {
			return fmt.Errorf("%s cannot be expressed here: %w", strings.Join(strings.Fields(allOf(parts)), " "), err)
		}
	}
	return nil
}

var interpolated = pattern.New(`\{([A-Za-z_][A-Za-z0-9_]*)(?:[:!][^{}]*)?\}`)

// importedMessage converts the placeholders of a message.
func importedMessage(text string) string {
	return interpolated.ReplaceAllStringFunc(text, func(found string) string {
		name := interpolated.FindStringSubmatch(found)[1]
		if known, own := ownFields[name]; own {
			return "{" + known.path + "}"
		}
		return "{action.context." + name + "}"
	})
}

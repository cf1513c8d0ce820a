package cstp

import (
	"fmt"
	"slices"
	"strings"

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
	scope             []pack.Words
	applies, requires []string // parts that must all hold
	notes             []string
}

func (r *importedRule) note(format string, args ...any) {
	note := fmt.Sprintf(format, args...)
	if !slices.Contains(r.notes, note) {
		r.notes = append(r.notes, note)
	}
}

// policy returns the rule as a pack writes it.
func (r *importedRule) policy() pack.GeneratedPolicy {
	return pack.GeneratedPolicy{Name: pack.Words(r.id), Active: true,
		Description: pack.Words(textOf(r.fields, "description")),
		Severity:    pack.Words(r.severity), Mode: rule.Enforce, Scope: r.scope,
		AppliesWhen: pack.Words(allOf(r.applies)),
		Requires:    pack.Words(allOf(r.requires)), Message: pack.Words(importedMessage(textOf(r.fields, "message")))}
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

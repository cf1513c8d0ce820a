package tools

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

var (
	inTicks     = regexp.MustCompile("`([^`]+)`")
	placeholder = regexp.MustCompile(`\{(\w+)\}`)
)

// fields are all names in a schema, at any depth.
func fields(s *jsonschema.Schema) []string {
	if s == nil {
		return nil
	}
	names := fields(s.Items)
	for name, property := range s.Properties {
		names = append(append(names, name), fields(property)...)
	}
	return names
}

// TestPrompts_Arguments_MatchTheOperations compares every word in backticks with the arguments and answers of the
// prompt's operations.
func TestPrompts_Arguments_MatchTheOperations(t *testing.T) {
	for _, p := range Prompts() {
		t.Run(p.Name, func(t *testing.T) {
			arguments := []string{}
			for _, a := range p.Arguments {
				arguments = append(arguments, a.Name)
				if _, named := Names[a.Names]; a.Names != "" && !named {
					t.Errorf("names of %q have no completion", a.Names)
				}
			}
			if p.Title == "" || !strings.HasSuffix(p.Use, ".") {
				t.Error("the prompt needs a title and a sentence")
			}
			for _, step := range p.Steps {
				operation, known := Find(Catalog, step.Operation)
				if !known {
					t.Errorf("operation %s is missing", step.Operation)
					continue
				}
				rest := operation.Output().AdditionalProperties
				open := rest != nil && rest.Not == nil // it answers with a node's own properties
				allowed := append(fields(operation.Input()), fields(operation.Output())...)
				words := inTicks.FindAllStringSubmatch(step.Text, -1)
				for _, word := range words {
					if other, ok := Find(Catalog, word[1]); ok {
						allowed = append(append(allowed, word[1]), fields(other.Output())...)
					}
				}
				for _, word := range words {
					if !open && !slices.Contains(allowed, word[1]) {
						t.Errorf("%s has no %q", step.Operation, word[1])
					}
				}
			}
			texts := []string{p.Opening}
			for _, step := range p.Steps {
				texts = append(texts, step.Text)
			}
			for _, word := range placeholder.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
				if !slices.Contains(arguments, word[1]) {
					t.Errorf("%s is not replaced", word[0])
				}
			}
			facts, known := Find(Catalog, p.Facts.Operation)
			if p.Facts.Operation != "" && !known {
				t.Errorf("operation %s is missing", p.Facts.Operation)
			}
			for name := range p.Facts.Arguments {
				if known && facts.Input().Properties[name] == nil {
					t.Errorf("%s takes no %s", facts.Name, name)
				}
			}
		})
	}
}

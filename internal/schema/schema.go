// Package schema validates values against a JSON Schema and explains violations in words that a person can act on.
package schema

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Schema is a compiled JSON Schema. It is safe for concurrent use.
type Schema struct{ root *node }

// Problem is one violation. Path leads to the value: keys, and indexes as text. For a missing or unknown key, the key
// is the last element.
type Problem struct {
	Path    []string
	Message string
	// What is the message without the path, for callers that format paths differently; empty for a missing key.
	What string
}

// Check returns all violations of a value that consists of maps, slices and scalars.
func (s Schema) Check(value any) []Problem {
	var problems []Problem
	seen := map[string]bool{}
	for _, v := range s.root.violations(value, nil, nil) {
		for _, p := range s.explain(v) {
			if !seen[p.Message] {
				problems = append(problems, p)
			}
			seen[p.Message] = true
		}
	}
	return problems
}

func (s Schema) explain(v violation) []Problem {
	path := v.path
	switch v.keyword {
	case "required":
		var problems []Problem
		for _, name := range v.names {
			problems = append(problems, Problem{Path: append(slices.Clone(path), name), Message: inside(path) + name +
				" is required"})
		}
		return problems
	case "additionalProperties":
		known := s.Names(path)
		allowed := cmp.Or(strings.Join(known, ", "), "none")
		var problems []Problem
		for _, name := range v.names {
			message := fmt.Sprintf("%q is not known; allowed: %s", name, allowed)
			if suggestion := Misspelt(name, known); suggestion != "" {
				message = fmt.Sprintf("%q is not known; did you mean %s? Allowed: %s", name, suggestion, allowed)
			}
			problems = append(problems, Problem{append(slices.Clone(path), name), inside(path) + message, message})
		}
		return problems
	}
	return []Problem{{path, place(path) + v.what, v.what}}
}

func place(path []string) string {
	if len(path) == 0 {
		return "the value "
	}
	return Place(path) + " "
}

func inside(path []string) string {
	if len(path) == 0 {
		return ""
	}
	return Place(path) + ": "
}

// Place formats a path: reasons[0].type.
func Place(path []string) string {
	var b strings.Builder
	for i, part := range path {
		if _, err := strconv.Atoi(part); err == nil {
			b.WriteString("[" + part + "]")
			continue
		}
		if i > 0 {
			b.WriteByte('.')
		}
		b.WriteString(part)
	}
	return b.String()
}

// Names returns the properties that the schema defines at a path of the value.
func (s Schema) Names(path []string) []string {
	at := s.root
	for _, part := range path {
		for at != nil && at.ref != nil {
			at = at.ref
		}
		switch {
		case at == nil:
			return nil
		case at.properties[part] != nil:
			at = at.properties[part]
		default:
			at = at.items
		}
	}
	if at == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(at.properties))
}

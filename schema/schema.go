// Package schema checks values against a JSON Schema and says what is wrong in words that a person can act on.
package schema

import (
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Schema is a compiled JSON Schema. It is safe for concurrent use.
type Schema struct{ compiled *jsonschema.Schema }

// Problem is one place where a value does not fit. Path leads to it: keys, and indexes as text; for a key that is not
// allowed or is missing, that key is the last part.
type Problem struct {
	Path    []string
	Message string
	// What is the message without the place, for those who write places in their own way; empty for a key that is missing.
	What string
}

// MustCompile compiles a schema that is part of the program; it panics on one that is not valid.
func MustCompile(text []byte) Schema {
	document, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		panic(err)
	}
	compiler := jsonschema.NewCompiler()
	const id = "nomograph://schema.json"
	if err := compiler.AddResource(id, document); err != nil {
		panic(err)
	}
	return Schema{compiler.MustCompile(id)}
}

// Check gives every problem of a value made of maps, slices and scalars; none means that it fits.
func (s Schema) Check(value any) []Problem {
	var invalid *jsonschema.ValidationError
	if !errors.As(s.compiled.Validate(value), &invalid) {
		return nil
	}
	var problems []Problem
	said := map[string]bool{}
	for _, leaf := range leaves(invalid) {
		for _, p := range s.explain(leaf) {
			if !said[p.Message] {
				problems = append(problems, p)
			}
			said[p.Message] = true
		}
	}
	return problems
}

// leaves are the violations themselves. Of an anyOf only its own place is of use, not what each branch would have liked.
func leaves(e *jsonschema.ValidationError) []*jsonschema.ValidationError {
	if _, choice := e.ErrorKind.(*kind.AnyOf); choice || len(e.Causes) == 0 {
		return []*jsonschema.ValidationError{e}
	}
	var all []*jsonschema.ValidationError
	for _, cause := range e.Causes {
		all = append(all, leaves(cause)...)
	}
	return all
}

func (s Schema) explain(e *jsonschema.ValidationError) []Problem {
	path := e.InstanceLocation
	at := func(format string, args ...any) []Problem {
		what := fmt.Sprintf(format, args...)
		return []Problem{{path, place(path) + what, what}}
	}
	switch k := e.ErrorKind.(type) {
	case *kind.Required:
		var problems []Problem
		for _, name := range k.Missing {
			problems = append(problems, Problem{Path: append(slices.Clone(path), name), Message: inside(path) + name + " is required"})
		}
		return problems
	case *kind.AdditionalProperties:
		known := s.Names(path)
		allowed := strings.Join(known, ", ")
		if allowed == "" {
			allowed = "none"
		}
		var problems []Problem
		for _, name := range k.Properties {
			what := fmt.Sprintf("%q is not known; allowed: %s", name, allowed)
			if meant := Misspelt(name, known); meant != "" {
				what = fmt.Sprintf("%q is not known; did you mean %s? Allowed: %s", name, meant, allowed)
			}
			problems = append(problems, Problem{append(slices.Clone(path), name), inside(path) + what, what})
		}
		return problems
	case *kind.Type:
		return at("must be %s, not %s", strings.Join(k.Want, " or "), k.Got)
	case *kind.Enum:
		want := make([]string, len(k.Want))
		for i, w := range k.Want {
			want[i] = fmt.Sprint(w)
		}
		return at("must be one of %s", strings.Join(want, ", "))
	case *kind.Pattern:
		return at("is %q, which does not match %s", k.Got, k.Want)
	case *kind.MinLength:
		if k.Want == 1 {
			return at("must not be empty")
		}
		return at("must have at least %d characters, not %d", k.Want, k.Got)
	case *kind.MaxLength:
		return at("must have at most %d characters, not %d", k.Want, k.Got)
	case *kind.MinItems:
		return at("must have at least %d items, not %d", k.Want, k.Got)
	case *kind.MaxItems:
		return at("must have at most %d items, not %d", k.Want, k.Got)
	case *kind.Minimum:
		return at("must be at least %s, not %s", decimal(k.Want), decimal(k.Got))
	case *kind.Maximum:
		return at("must be at most %s, not %s", decimal(k.Want), decimal(k.Got))
	case *kind.UniqueItems:
		return at("names the same twice")
	case *kind.AnyOf:
		return at("must be text, a number, a boolean, or a list of one of these")
	default:
		return at("does not fit: %s", strings.Join(e.ErrorKind.KeywordPath(), " "))
	}
}

// decimal writes a number as people do: 1.2 and not 6/5.
func decimal(r *big.Rat) string {
	f, _ := r.Float64()
	return strconv.FormatFloat(f, 'g', -1, 64)
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

// Place writes a path as people do: reasons[0].type.
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

// Names gives the properties that the schema knows at a path of the value.
func (s Schema) Names(path []string) []string {
	at := s.compiled
	for _, part := range path {
		for at != nil && at.Ref != nil {
			at = at.Ref
		}
		switch {
		case at == nil:
			return nil
		case at.Properties[part] != nil:
			at = at.Properties[part]
		case at.Items2020 != nil:
			at = at.Items2020
		default:
			return nil
		}
	}
	if at == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(at.Properties))
}

package tools

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/graph"
	"nomograph/internal/schema"
	"nomograph/policies"
)

// schemaOf returns the JSON Schema of an operation's input or output type. It panics for types without a schema. Types
// are constants of the program, so every test run would reveal that.
func schemaOf(t reflect.Type) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[policies.Value](): {Types: []string{"number", "string", "boolean"}},
		reflect.TypeFor[policies.Node](): {
			Type:                 "object",
			Description:          "the node's stored properties, and facts about this reading",
			Properties:           map[string]*jsonschema.Schema{"name": {Type: "string"}, "reading": schemaOfReading()},
			Required:             []string{"reading"},
			AdditionalProperties: &jsonschema.Schema{},
		},
		reflect.TypeFor[graph.Parameters](): {Type: "object"},
		reflect.TypeFor[graph.Plan](): {Type: "object",
			Description: "operators with details, estimated rows and children"},
		reflect.TypeFor[any](): {Types: []string{"string", "number", "boolean", "array", "object",
			"null"}},
		reflect.TypeFor[map[string]any]():  {Type: "object"},
		reflect.TypeFor[json.RawMessage](): {Type: "object"},
	}})
	if err != nil {
		panic(fmt.Sprintf("%s: %v", t, err))
	}
	adjustSchema(t, s)
	return s
}

func schemaOfReading() *jsonschema.Schema {
	s, err := jsonschema.For[policies.Reading](nil)
	if err != nil {
		panic(err)
	}
	adjustSchema(reflect.TypeFor[policies.Reading](), s)
	return s
}

// adjustSchema applies the `rule` tags and narrows the generated schema: lists are never null in JSON, and pointers
// are null only if their field is always present. Clients validate answers and reject those that violate the schema.
func adjustSchema(t reflect.Type, s *jsonschema.Schema) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if len(s.Types) == 2 && slices.Contains(s.Types, "null") {
		s.Type = s.Types[1-slices.Index(s.Types, "null")]
		s.Types = nil
	}
	if len(s.Types) == 4 && slices.Contains(s.Types, "null") { // a pointer to a policies.Value
		s.Types = slices.DeleteFunc(slices.Clone(s.Types), func(t string) bool { return t == "null" })
	}
	switch {
	case s.Items != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		adjustSchema(t.Elem(), s.Items)
	case s.AdditionalProperties != nil && t.Kind() == reflect.Map:
		adjustSchema(t.Elem(), s.AdditionalProperties)
	case t.Kind() == reflect.Struct && s.Properties != nil:
		for _, field := range reflect.VisibleFields(t) {
			name, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
			property := s.Properties[name]
			if property == nil || field.Anonymous {
				continue
			}
			adjustSchema(field.Type, property)
			if !strings.Contains(rest, "omit") && field.Type.Kind() == reflect.Pointer &&
				property.Type != "" { // absent values are null
				property.Types, property.Type = []string{property.Type, "null"}, ""
			}
			applyRules(property, field.Tag.Get("rule"))
		}
	}
}

// applyRules parses a tag such as rule:"minLength=1,maxLength=200,enum=a|b,default=5".
func applyRules(s *jsonschema.Schema, tag string) {
	if tag == "" {
		return
	}
	for rule := range strings.SplitSeq(tag, ",") {
		key, value, _ := strings.Cut(rule, "=")
		switch key {
		case "minLength":
			s.MinLength = whole(value)
		case "maxLength":
			s.MaxLength = whole(value)
		case "minItems":
			s.MinItems = whole(value)
		case "maxItems":
			s.MaxItems = whole(value)
		case "minimum":
			s.Minimum = decimal(value)
		case "maximum":
			s.Maximum = decimal(value)
		case "default":
			s.Default = json.RawMessage(value)
		case "enum":
			for choice := range strings.SplitSeq(value, "|") {
				s.Enum = append(s.Enum, choice)
			}
		default:
			panic("unknown rule " + rule)
		}
	}
}

func whole(text string) *int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return &n
}

func decimal(text string) *float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return &f
}

var readable = strings.NewReplacer("min_", "minimum ", "max_", "maximum ", "kpi_", "KPI ", "_", " ")

// ReadableName turns the name of an argument without a description into one.
func ReadableName(name string) string { return readable.Replace(name) }

// unmarshal keeps numbers as written, so that integers remain integers.
func unmarshal(raw json.RawMessage) (any, error) {
	return schema.UnmarshalJSON(string(raw))
}

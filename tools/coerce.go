package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"nomograph/internal/document"
	"nomograph/internal/schema"
)

// fit converts values that models send by mistake to the type of their schema, if they have exactly one reading: a
// number or boolean in quotes, the JSON text of an object or list, 5.0 for an integer, and null for an optional
// argument. It returns any other value unchanged, for the schema to refuse. It changes the value.
func fit(ctx context.Context, value any, s *jsonschema.Schema) any {
	switch v := value.(type) {
	case map[string]any:
		for name, item := range v {
			of := s.Properties[name]
			switch {
			case of == nil:
			case item == nil && !slices.Contains(s.Required, name) && excludesNull(of):
				delete(v, name)
			default:
				v[name] = fit(ctx, item, of)
			}
		}
	case []any:
		for i := 0; i < len(v) && s.Items != nil; i++ {
			v[i] = fit(ctx, v[i], s.Items)
		}
	case json.Number:
		if s.Type == "integer" {
			return schema.Whole(v)
		}
	case string:
		switch s.Type {
		case "integer", "number":
			if number, ok := numberOf(v, false); ok {
				return fit(ctx, number, s)
			}
		case "boolean":
			if truth, ok := truthOf(v); ok {
				return truth
			}
		case "object", "array":
			if within := jsonOf(ctx, v); within != nil {
				return fit(ctx, within, s)
			}
		}
	}
	return value
}

// jsonOf returns the object or list that a JSON text holds. It returns nil for any other text, and for a repeated key.
func jsonOf(ctx context.Context, text string) any {
	if text = strings.TrimSpace(text); text == "" || text[0] != '{' && text[0] != '[' ||
		document.JSON(ctx, []byte(text), document.DefaultLimits()) != nil {
		return nil
	}
	value, err := schema.UnmarshalJSON(text)
	if err != nil {
		return nil
	}
	return value
}

// excludesNull reports whether a schema has types that exclude null.
func excludesNull(s *jsonschema.Schema) bool {
	return s.Type != "" && s.Type != "null" || len(s.Types) > 0 && !slices.Contains(s.Types, "null")
}

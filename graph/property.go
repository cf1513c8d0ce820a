package graph

import (
	"reflect"
	"time"

	"nomograph/internal/lists"
)

// Fill sets the fields of the struct that into points to from the properties with their names or mapstructure tags. It
// reads nodes that others may write: a property of a foreign type leaves its field empty, where Decode returns an error.
func Fill(p map[string]any, into any) {
	row := reflect.ValueOf(into).Elem()
	for name, n := range columnsOf(row.Type()) {
		if field := row.Field(n); field.Type() == reflect.TypeFor[[]string]() {
			field.Set(reflect.ValueOf(Texts(p[name])))
		} else {
			set(field, p[name])
		}
	}
}

// Text returns a string property; empty for any other type.
func Text(p map[string]any, name string) string {
	text, _ := p[name].(string)
	return text
}

// Time returns a time property in UTC; zero for any other type.
func Time(p map[string]any, name string) time.Time {
	at, _ := p[name].(time.Time)
	return at.UTC()
}

// Texts returns a list of strings, as created here or as decoded from Bolt, without elements of other types.
func Texts(value any) []string {
	switch list := value.(type) {
	case []string:
		return list
	case []any:
		out := make([]string, 0, len(list))
		for _, item := range list {
			if text, ok := item.(string); ok {
				out = append(out, text)
			}
		}
		return out
	}
	return nil
}

// Number returns a number: a float, or an integer such as the sum over nothing; 0 for any other type.
func Number(value any) float64 {
	switch n := value.(type) {
	case float64:
		return n
	case int64:
		return float64(n)
	}
	return 0
}

// NullIfEmpty returns a string parameter, null if it is empty.
func NullIfEmpty(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// List converts a list of strings to the form of Bolt and JSON.
func List(texts []string) []any {
	return lists.Map(texts, func(text string) any { return text })
}

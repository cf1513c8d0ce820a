package output

import (
	"encoding/json"
	"strings"

	"github.com/tidwall/gjson"

	"nomograph/internal/render"
)

// field is a member of a JSON object, in the original order.
type field struct {
	name  string
	value any
}

// ordered returns a JSON value with the members of objects in their order: objects become []field.
func ordered(value gjson.Result) any {
	switch {
	case value.IsObject():
		object := []field{}
		value.ForEach(func(name, member gjson.Result) bool {
			object = append(object, field{name.String(), ordered(member)})
			return true
		})
		return object
	case value.IsArray():
		list := []any{}
		for _, item := range value.Array() {
			list = append(list, ordered(item))
		}
		return list
	case value.Type == gjson.Number:
		return json.Number(value.Raw)
	}
	return value.Value()
}

func member(object []field, name string) any {
	for _, f := range object {
		if f.name == name {
			return f.value
		}
	}
	return nil
}

func isObject(value any) bool {
	_, ok := value.([]field)
	return ok
}

// compact encodes a value as JSON on one line.
func compact(value any) string {
	switch v := value.(type) {
	case []field:
		parts := make([]string, len(v))
		for i, f := range v {
			parts[i] = compact(f.name) + ":" + compact(f.value)
		}
		return "{" + strings.Join(parts, ",") + "}"
	case []any:
		parts := make([]string, len(v))
		for i, item := range v {
			parts[i] = compact(item)
		}
		return "[" + strings.Join(parts, ",") + "]"
	}
	text, _ := render.JSON(value) // was decoded from JSON
	return string(text)
}

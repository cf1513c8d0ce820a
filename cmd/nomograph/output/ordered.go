package output

import (
	"bytes"
	"encoding/json"
	"strings"

	"nomograph/internal/render"
)

// field is a member of a JSON object, in the original order.
type field struct {
	name  string
	value any
}

// decodeOrdered decodes JSON and keeps the order of members: objects become []field.
func decodeOrdered(raw []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	return orderedValue(decoder)
}

func orderedValue(d *json.Decoder) (any, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	delim, ok := token.(json.Delim)
	if !ok {
		return token, nil
	}
	object, list := []field{}, []any{}
	for d.More() {
		if delim == '[' {
			item, err := orderedValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, item)
			continue
		}
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		value, err := orderedValue(d)
		if err != nil {
			return nil, err
		}
		object = append(object, field{name.(string), value})
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if delim == '[' {
		return list, nil
	}
	return object, nil
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

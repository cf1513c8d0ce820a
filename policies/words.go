package policies

import (
	"encoding/json"

	"nomograph/graph"
)

// ShowValue formats a value for messages: strings unchanged, anything else in the canonical form.
func ShowValue(value any) string {
	if number, err := graph.Numbers(value); err == nil { // a number from a remote answer that fits no type stays unchanged
		value = number
	}
	switch v := value.(type) {
	case float64:
		return FloatText(v)
	case json.Number:
		return v.String()
	case string:
		return v
	}
	return CanonicalText(graph.JSON(value))
}

// ShowValueOrNone is like ShowValue, with (none) for nil.
func ShowValueOrNone(value any) string {
	if value == nil {
		return "(none)"
	}
	return ShowValue(value)
}

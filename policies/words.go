package policies

import (
	"encoding/json"
	"strings"

	"nomograph/graph"
)

// ShowValue is a value as messages show it: texts as they are, anything else in the canonical form.
func ShowValue(value any) string {
	_ = Numbers(&value) // of an answer that came over the network; one that fits no type of ours stays as it is written
	switch v := value.(type) {
	case float64:
		return FloatText(v)
	case json.Number:
		return v.String()
	case string:
		return v
	}
	var b strings.Builder
	WriteCanonical(&b, graph.JSON(value))
	return b.String()
}

// ShowValueOrNone is Shown, and (none) for nil.
func ShowValueOrNone(value any) string {
	if value == nil {
		return "(none)"
	}
	return ShowValue(value)
}

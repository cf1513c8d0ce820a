package policies

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"

	"nomograph/graph"
)

// Value is a threshold's value: a number, a string or a boolean. A number with a point or an exponent is a float64, any
// other an int64, as in Neo4j.
type Value struct{ any }

// ValueOf wraps v. Go's int becomes an int64, the only whole number that Neo4j returns.
func ValueOf(v any) Value {
	if whole, ok := v.(int); ok {
		v = int64(whole)
	}
	return Value{v}
}

// Any returns the wrapped value.
func (v Value) Any() any { return v.any }

// MarshalJSON encodes the value itself.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.any) }

// UnmarshalJSON decodes a scalar, or a list of scalars.
func (v *Value) UnmarshalJSON(raw []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	err := decoder.Decode(&v.any)
	if err == nil {
		v.any, err = graph.Numbers(v.any)
	}
	return err
}

// JSONType returns the JSON Schema type of the value, for messages.
func JSONType(value any) string {
	switch value.(type) {
	case int64, float64, int:
		return "number"
	case string:
		return "string"
	case bool:
		return "boolean"
	case nil:
		return "null"
	case []any:
		return "list"
	case map[string]any:
		return "map"
	default:
		return strings.ToLower(reflect.TypeOf(value).Name())
	}
}

// ToFloat converts a number of the graph.
func ToFloat(value any) (float64, bool) {
	switch v := value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// Finite reports whether a value is not NaN or infinity and contains neither.
func Finite(value any) bool {
	switch v := value.(type) {
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !Finite(item) })
	}
	return true
}

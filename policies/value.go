package policies

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Value is a threshold's value: a number, text or a boolean. A number written with a point or an exponent is a float64,
// any other an int64, as Neo4j tells them apart.
type Value struct{ any }

// ValueOf wraps v.
func ValueOf(v any) Value { return Value{v} }

// Any gives what is inside.
func (v Value) Any() any { return v.any }

// MarshalJSON writes the value itself.
func (v Value) MarshalJSON() ([]byte, error) { return json.Marshal(v.any) }

// UnmarshalJSON reads a scalar, or a list of scalars.
func (v *Value) UnmarshalJSON(raw []byte) error {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&v.any); err != nil {
		return err
	}
	return Numbers(&v.any)
}

// Numbers turns each json.Number in the value, or in its lists, into an int64, or a float64 where it has a point or an exponent.
// It returns an error for a whole number that does not fit 64 bits.
func Numbers(value *any) error {
	switch v := (*value).(type) {
	case []any:
		for i := range v {
			if err := Numbers(&v[i]); err != nil {
				return err
			}
		}
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			float, err := v.Float64()
			*value = float
			return err
		}
		whole, err := v.Int64()
		if err != nil {
			return fmt.Errorf("%s does not fit 64 bits", v)
		}
		*value = whole
	}
	return nil
}

// JSONType is the type of the value in JSON Schema's words, for messages.
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

// ToFloat reads a number of the graph.
func ToFloat(value any) (float64, bool) {
	switch v := value.(type) {
	case int64:
		return float64(v), true
	case float64:
		return v, true
	}
	return 0, false
}

// Finite tells whether a value is no NaN and no infinity, nor holds one.
func Finite(value any) bool {
	switch v := value.(type) {
	case float64:
		return !math.IsNaN(v) && !math.IsInf(v, 0)
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return !Finite(item) })
	}
	return true
}

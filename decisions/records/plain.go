package records

import (
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// plainValue converts decoded YAML and JSON to string, bool, int64, float64, []any and map[string]any.
func plainValue(value any) any {
	switch v := value.(type) {
	case nil, string, bool, int64:
		return v
	case json.Number:
		if whole, err := v.Int64(); err == nil {
			return whole
		}
		number, err := v.Float64()
		if err != nil {
			return v.String()
		}
		return number
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) { // JSON has no such numbers
			return fmt.Sprint(v)
		}
		return v
	case map[string]any:
		for name := range v {
			v[name] = plainValue(v[name])
		}
		return v
	case []any:
		for i := range v {
			v[i] = plainValue(v[i])
		}
		return v
	case uint64:
		if v <= math.MaxInt64 {
			return int64(v)
		}
	case time.Time:
		return v.Format(time.RFC3339Nano)
	}
	return fmt.Sprint(value)
}

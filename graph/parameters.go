package graph

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"nomograph/internal/apperr"
	"nomograph/internal/lists"
)

// Parameters are query parameters. Integers stay integers, as LIMIT and indexes require.
type Parameters map[string]any

// UnmarshalJSON decodes 1 as an integer and 1.0 as a float.
func (p *Parameters) UnmarshalJSON(raw []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		return err
	}
	*p = make(Parameters, len(values))
	for name, value := range values {
		decoder := json.NewDecoder(strings.NewReader(string(value)))
		decoder.UseNumber()
		var v any
		if err := decoder.Decode(&v); err != nil {
			return err
		}
		bolt, err := Numbers(v)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		(*p)[name] = bolt
	}
	return nil
}

// MarshalJSON encodes so that UnmarshalJSON restores the types: 1.0 stays a float.
func (p Parameters) MarshalJSON() ([]byte, error) {
	return json.Marshal(withPoint(map[string]any(p)))
}

func withPoint(value any) any {
	switch v := value.(type) {
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1e21 { // larger numbers have an exponent
			return json.Number(strconv.FormatFloat(v, 'f', 1, 64))
		}
	case []any:
		return lists.Map(v, withPoint)
	case map[string]any:
		if v == nil {
			return v
		}
		out := make(map[string]any, len(v))
		for key, item := range v {
			out[key] = withPoint(item)
		}
		return out
	}
	return value
}

// With returns the parameters overridden by others.
func (p Parameters) With(others Parameters) Parameters {
	all := make(Parameters, len(p)+len(others))
	maps.Copy(all, p)
	maps.Copy(all, others)
	return all
}

// Numbers converts each json.Number in a value to an int64, or to a float64 if it has a point or an exponent. It
// returns an error for a number that does not fit into 64 bits. The given value stays unchanged.
func Numbers(value any) (any, error) {
	var err error
	switch v := value.(type) {
	case json.Number:
		var number any
		if strings.ContainsAny(v.String(), ".eE") {
			number, err = v.Float64()
		} else {
			number, err = v.Int64()
		}
		if err != nil {
			return nil, fmt.Errorf("%s does not fit 64 bits", v)
		}
		return number, nil
	case []any:
		list := make([]any, len(v))
		for i := range v {
			if list[i], err = Numbers(v[i]); err != nil {
				return nil, err
			}
		}
		return list, nil
	case map[string]any:
		object := make(map[string]any, len(v))
		for key := range v {
			if object[key], err = Numbers(v[key]); err != nil {
				return nil, err
			}
		}
		return object, nil
	}
	return value, nil
}

func matchParameters(used []string, params Parameters) error {
	var missing, extra []string
	for _, name := range used {
		if _, ok := params[name]; !ok {
			missing = append(missing, name)
		}
	}
	for name := range params {
		if !slices.Contains(used, name) {
			extra = append(extra, name)
		}
	}
	slices.Sort(extra)
	switch {
	case len(missing) > 0:
		return apperr.Newf(apperr.Validation, "Missing query parameters: %s", strings.Join(missing, ", ")).
			WithHint("Pass them in `params`: {\"%s\": ...}", missing[0]).With("missing", missing)
	case len(extra) > 0:
		return apperr.Newf(apperr.Validation, "Unused query parameters: %s", strings.Join(extra, ", ")).
			WithHint("Use them as $%s in the query, or leave them out", extra[0]).With("superfluous", extra)
	}
	return nil
}

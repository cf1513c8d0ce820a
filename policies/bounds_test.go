package policies_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/pack"
)

func TestOutOfBounds_UnitImpliesBounds(t *testing.T) {
	tests := []struct {
		properties map[string]any
		want       string
	}{
		{map[string]any{"value": math.NaN(), "unit": "ratio"}, `value is "NaN", but the unit ratio requires a number`},
		{map[string]any{"value": math.Inf(1), "unit": "probability"},
			`value is "+Inf", but the unit probability requires a number`},
	}
	for _, tt := range tests {
		golden.Equal(t, fmt.Sprint(tt.properties), policies.OutOfBounds(tt.properties), tt.want)
	}
	for _, row := range golden.Rows(t, "testdata/bounds.txt") {
		var properties graph.Parameters
		graphtest.OK(t, json.Unmarshal([]byte(row[0]), &properties))
		golden.Equal(t, row[0], policies.OutOfBounds(properties), row[1])
	}
}

func TestUnusualChange_FarFromTheOldValue_IsReported(t *testing.T) {
	for _, row := range golden.Rows(t, "testdata/unusual.txt") {
		var from, to policies.Value
		graphtest.OK(t, errors.Join(json.Unmarshal([]byte(row[0]), &from), json.Unmarshal([]byte(row[1]), &to)))
		golden.Equal(t, row[0]+" to "+row[1], policies.Unusual(from.Any(), to.Any()) != "", row[2] != "")
	}
}

func TestShippedThresholds_HaveUnitAndBounds(t *testing.T) {
	for _, name := range []string{"core", "releases", "chrystallum"} {
		text := graphtest.Must(pack.ShippedText(name))(t)
		p := graphtest.Must(pack.Parse(t.Context(), name, text))(t)
		for _, item := range p.Items {
			if item.Section.Name != "thresholds" {
				continue
			}
			for _, key := range []string{"unit", "min", "max"} {
				if item.Properties[key] == nil {
					t.Errorf("%s: threshold %s has no %s", name, item.Key, key)
				}
			}
			lower := map[string]any{"value": -5.0, "unit": item.Properties["unit"], "min": item.Properties["min"],
				"max": item.Properties["max"]}
			golden.Contains(t, fmt.Sprint(name, ": threshold ", item.Key, " takes -5"), policies.OutOfBounds(lower),
				"below")
		}
	}
}

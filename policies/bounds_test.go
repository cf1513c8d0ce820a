package policies_test

import (
	"math"
	"strings"
	"testing"

	"nomograph/policies"
	"nomograph/policies/pack"
)

func TestOutOfBounds_UnitImpliesBounds(t *testing.T) {
	tests := []struct {
		properties map[string]any
		want       string
	}{
		{map[string]any{"value": int64(-5), "unit": "percent"}, "value -5 is below 0, the min of the unit percent"},
		{map[string]any{"value": 100.5, "unit": "%"}, "value 100.5 is above 100, the max of the unit %"},
		{map[string]any{"value": int64(80), "unit": " Ratio"}, "value 80 is above 1, the max of the unit  Ratio"},
		{map[string]any{"value": 1.1, "unit": "probability"}, "value 1.1 is above 1, the max of the unit probability"},
		{map[string]any{"value": int64(100), "unit": "percent"}, ""},
		{map[string]any{"value": 0.0, "unit": "ratio"}, ""},
		{map[string]any{"value": int64(150), "unit": "percent", "max": int64(200)}, ""},
		{map[string]any{"value": int64(-1), "unit": "percent", "max": int64(200)},
			"value -1 is below 0, the min of the unit percent"},
		{map[string]any{"value": int64(30), "unit": "percent", "max": 25.0}, "value 30 is above max 25"},
		{map[string]any{"value": int64(-5), "unit": "count"}, ""},
		{map[string]any{"value": "half", "unit": "ratio"}, "value is half, but the unit ratio requires a number"},
		{map[string]any{"value": "25%", "unit": "percent"}, "value is 25%, but the unit percent requires a number"},
		{map[string]any{"value": "25", "unit": "%"}, "value is 25, but the unit % requires a number"},
		{map[string]any{"value": true, "unit": "percent"}, "value is true, but the unit percent requires a number"},
		{map[string]any{"value": math.NaN(), "unit": "ratio"}, `value is "NaN", but the unit ratio requires a number`},
		{map[string]any{"value": math.Inf(1), "unit": "probability"},
			`value is "+Inf", but the unit probability requires a number`},
		{map[string]any{"value": []any{int64(5), int64(25)}, "unit": "percent"},
			"value is [5,25], but the unit percent requires a number"},
		{map[string]any{"value": "25%", "unit": "percent", "min": int64(0), "max": int64(50)},
			"value is 25%, but min and max require a number"},
		{map[string]any{"value": "25%", "unit": "text"}, ""},
		{map[string]any{"unit": "percent"}, ""},
		{map[string]any{"value": "half", "min": 0.0}, "value is half, but min and max require a number"},
		{map[string]any{"value": 1.0, "min": "none"}, "min is none, not a number"},
		{map[string]any{"value": int64(3), "unit": int64(7)}, ""},
	}
	for _, tt := range tests {
		if got := policies.OutOfBounds(tt.properties); got != tt.want {
			t.Errorf("%v: got %q, want %q", tt.properties, got, tt.want)
		}
	}
}

func TestUnusualChange_FarFromTheOldValue_IsReported(t *testing.T) {
	for _, tt := range []struct {
		from, to any
		want     bool
	}{
		{int64(10), int64(100), false}, {int64(10), int64(101), true}, {int64(10), 1.0, false}, {10.0, 0.99, true},
		{int64(10), int64(0), true}, {int64(10), int64(-10), true},
		{int64(-10), int64(-100), false}, {int64(-10), int64(-101), true}, {int64(0), int64(1000), false},
		{"10", int64(1000), false}, {int64(10), "1000", false}, {true, false, false}, {nil, int64(5), false},
	} {
		if got := policies.Unusual(tt.from, tt.to); (got != "") != tt.want {
			t.Errorf("%v to %v: got %q, want unusual: %v", tt.from, tt.to, got, tt.want)
		}
	}
}

func TestShippedThresholds_HaveUnitAndBounds(t *testing.T) {
	for _, name := range []string{"core", "releases", "chrystallum"} {
		text, err := pack.ShippedText(name)
		if err != nil {
			t.Fatal(err)
		}
		p, err := pack.Parse(t.Context(), name, text)
		if err != nil {
			t.Fatal(err)
		}
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
			if !strings.Contains(policies.OutOfBounds(lower), "below") {
				t.Errorf("%s: threshold %s takes -5", name, item.Key)
			}
		}
	}
}

package graph

import (
	"reflect"
	"testing"
	"time"
)

type part struct {
	ID   string
	At   time.Time
	Tags []string
}

type squashedPart struct {
	Source string
	Weight float64
}

type whole struct {
	squashedPart `mapstructure:",squash"`
	Name         string `mapstructure:"other_name"`
	Part         *part
	Parts        []part
	Plain        map[string]any
	Anything     any
	Share        *float64
	Seen         *time.Time
	Set          bool
	hidden       int
}

// TestDecode_AnyProperties_ReadsThemAsConvert compares the way for types that match with the one for all types.
func TestDecode_AnyProperties_ReadsThemAsConvert(t *testing.T) {
	at := time.Now().In(time.FixedZone("", 3600))
	node := map[string]any{"id": "x", "at": at, "tags": []any{"a", nil, "b"}, "unknown": 4}
	for _, properties := range []map[string]any{
		{"source": "s", "weight": 0.5, "other_name": "n", "part": node, "parts": []any{node, nil}, "plain": node,
			"anything": at, "share": 1.5, "seen": at, "set": true, "hidden": 4},
		{"source": nil, "part": nil, "parts": []any{}, "anything": nil},
		{"weight": int64(3), "parts": []any{node}, "set": "yes", "other_name": "n"}, // converted, and refused
		{"parts": "x", "share": int64(2)}, {"part": []any{node}}, {"name": "n"}, {},
	} {
		decoded, general := whole{Name: "before", hidden: 1}, whole{Name: "before", hidden: 1}
		wrong, want := Decode(properties, &decoded), convert(properties, &general)
		if !reflect.DeepEqual(decoded, general) || (wrong == nil) != (want == nil) {
			t.Errorf("%v: got %+v, %v, want %+v, %v", properties, decoded, wrong, general, want)
		}
	}
}

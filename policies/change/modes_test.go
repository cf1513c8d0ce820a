package change_test

import (
	"testing"

	"nomograph/policies/change"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

func TestApply_WithMode_IsKeptWhenTheyAreAppliedAgain(t *testing.T) {
	g, env := toolstest.Open(t)
	text := "pack: mine\nversion: 1.0.0\npolicies:\n- {name: p, active: true, requires: 'true', mode: shadow}\n- {name: q, active: true, requires: 'true', mode: enforce}\n- {name: data, a: 1}\n"
	apply := func(mode string, o change.ApplyOptions) change.PackApplied {
		t.Helper()
		result, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: []pack.Source{{Name: "mine.yaml", Text: text}}, Mode: mode, ApplyOptions: o, By: "ana"})
		if err != nil {
			t.Fatal(err)
		}
		return result.Packs[0]
	}
	mode := func(name string) any {
		return g.Rows(t, "MATCH (p:SYS_Policy {name: $name}) RETURN p.mode AS mode", map[string]any{"name": name})[0]["mode"]
	}
	for _, tt := range []struct {
		mode     string
		options  change.ApplyOptions
		switched int
		p, data  any
	}{
		{"", change.ApplyOptions{}, 0, "shadow", nil},
		{"enforce", change.ApplyOptions{DryRun: true}, 1, "shadow", nil},
		{"enforce", change.ApplyOptions{}, 1, "enforce", nil},
		{"enforce", change.ApplyOptions{}, 0, "enforce", nil},
		{"", change.ApplyOptions{}, 0, "enforce", nil},
		{"off", change.ApplyOptions{}, 2, "off", nil},
		{"", change.ApplyOptions{Overwrite: true}, 0, "shadow", nil},
	} {
		if got := apply(tt.mode, tt.options); got.Switched != tt.switched || mode("p") != tt.p || mode("data") != tt.data {
			t.Errorf("%+v: switched %d, mode %v, data %v", tt, got.Switched, mode("p"), mode("data"))
		}
	}
	if rows := g.Rows(t, "MATCH (:SYS_Policy {name: 'p'})-[:CHANGED]->(c:SYS_Change {by: 'ana'}) RETURN count(c) AS n", nil); rows[0]["n"].(int64) < 3 {
		t.Errorf("%v changes are recorded", rows[0]["n"])
	}
}

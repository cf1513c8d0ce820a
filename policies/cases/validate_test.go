package cases_test

import (
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/policies/pack"
)

func TestValidate_Packs_AreCounted(t *testing.T) {
	v, err := pack.Validate(t.Context(), pack.ValidateRequest{Packs: []pack.Source{{Name: "core"},
		testedPack(t, "name: one, action: {description: x}, expect: {allowed: true}"),
		{Name: "n.yaml", Text: `{pack: n, version: 1.0.0, policies: [{name: r, active: true, requires: 'threshold("high_min") > threshold("elsewhere")'}]}`}}})
	if err != nil || !v.Valid || len(v.Packs) != 3 {
		t.Fatalf("got %v, %+v, want Valid=true, len(Packs)=3", err, v)
	}
	got := v.Packs[1]
	graphtest.Values(t, "Pack, Version, Policies, Guardrails, Thresholds, Tables, Rows, Cases, Needs", got.Pack, "team",
		got.Version, "1.2.0", got.Policies, 10, got.Guardrails, 10, got.Thresholds, 4, got.Tables, 5, got.Rows, 8,
		got.Cases, 1, got.Needs, []string{"threshold of_the_graph"})
	if needs := v.Packs[2].Needs; !slices.Equal(needs, []string{"threshold elsewhere"}) ||
		!strings.Contains(v.Summary, "the graph must have threshold elsewhere\n") {
		t.Errorf("it needs %v\n%s", needs, v.Summary)
	}
}

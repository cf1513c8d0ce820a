package cases_test

import (
	"slices"
	"strings"
	"testing"

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
	if got.Pack != "team" || got.Version != "1.2.0" || got.Policies != 10 || got.Guardrails != 10 ||
		got.Thresholds != 4 || got.Tables != 5 || got.Rows != 8 || got.Cases != 1 ||
		!slices.Equal(got.Needs, []string{"threshold of_the_graph"}) {
		t.Errorf(`got %+v, want Pack=team, Version=1.2.0, Policies=10, Guardrails=10, Thresholds=4, Tables=5, Rows=8, Cases=1, Needs=["threshold of_the_graph"]`, got)
	}
	if needs := v.Packs[2].Needs; !slices.Equal(needs, []string{"threshold elsewhere"}) ||
		!strings.Contains(v.Summary, "the graph must have threshold elsewhere\n") {
		t.Errorf("it needs %v\n%s", needs, v.Summary)
	}
}

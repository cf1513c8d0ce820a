package policies_test

import (
	"slices"
	"strings"
	"testing"

	"nomograph/fault"
	"nomograph/policies"
)

func TestValidationCountsWhatPacksHold(t *testing.T) {
	v, err := policies.ValidatePacks(t.Context(), policies.ValidateRequest{Packs: []policies.PackSource{{Name: "core"},
		testedPack(t, "name: one, action: {description: x}, expect: {allowed: true}"),
		{Name: "n.yaml", Text: `{pack: n, version: 1.0.0, policies: [{name: r, active: true, requires: 'threshold("high_min") > threshold("elsewhere")'}]}`}}})
	if err != nil || !v.Valid || len(v.Packs) != 3 {
		t.Fatalf("%v: %+v", err, v)
	}
	got := v.Packs[1]
	if got.Pack != "team" || got.Version != "1.2.0" || got.Policies != 10 || got.Guardrails != 10 || got.Thresholds != 4 || got.Tables != 5 || got.Rows != 8 || got.Cases != 1 || !slices.Equal(got.Needs, []string{"threshold of_the_graph"}) {
		t.Errorf("%+v", got)
	}
	if needs := v.Packs[2].Needs; !slices.Equal(needs, []string{"threshold elsewhere"}) || !strings.Contains(v.Summary, "the graph must have threshold elsewhere\n") {
		t.Errorf("it needs %v\n%s", needs, v.Summary)
	}
}

func TestProblemsOfAllPacksAreReported(t *testing.T) {
	sources := []policies.PackSource{
		{Name: "a.yaml", Text: "pack: a\nversion: 1.0.0\nthresholds:\n  - name: x\n  - value: 1\n"},
		{Name: "core"},
		{Name: "b.yaml", Text: "pack: b\nversion: 1.0.0\npolicies:\n  - name: r\n    active: true\n    requires: action.confidense > 1\n"},
		{Name: "c.yaml", Text: "pack: c\nversion: [\n"},
	}
	_, err := policies.ValidatePacks(t.Context(), policies.ValidateRequest{Packs: sources})
	got := wantFault(t, err, fault.Validation)
	problems, _ := got.Details["problems"].([]map[string]any)
	places := []string{}
	for _, p := range problems {
		places = append(places, p["file"].(string)+":"+number(p["line"].(int)))
		if p["column"] == 0 || p["message"] == "" {
			t.Errorf("problem %v", p)
		}
	}
	if !slices.Equal(places, []string{"a.yaml:4", "a.yaml:5", "b.yaml:6", "c.yaml:2"}) {
		t.Errorf("the places are %v in\n%s", places, got.Message)
	}
	for _, want := range []string{"a.yaml:4:5: ", "b.yaml:6:5: 'r': requires", "c.yaml:2:"} {
		if !strings.Contains(got.Message, want) {
			t.Errorf("%q is missing in\n%s", want, got.Message)
		}
	}
	_, err = policies.ValidatePacks(t.Context(), policies.ValidateRequest{Packs: sources[2:3]})
	if problems, _ := wantFault(t, err, fault.Validation).Details["problems"].([]map[string]any); len(problems) != 1 || problems[0]["line"] != 6 {
		t.Errorf("of one pack: %v", problems)
	}
}

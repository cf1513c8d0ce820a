package graph

import (
	"strings"
	"testing"

	"nomograph/cypher"
	"nomograph/internal/caller"
)

func TestVisible_UnrestrictedCaller_SendsNoCondition(t *testing.T) {
	given := Params{"id": "a"}
	text, parameters := applyVisibility(caller.With(t.Context(), caller.Local("ada")), cypher.DecisionDetails, given)
	if text != cypher.DecisionDetails.Text() || len(parameters) != 1 {
		t.Errorf("got %v and %s, want text=cypher.DecisionDetails.Text(), len(parameters)=1", parameters, text)
	}
}

func TestVisible_RestrictedCaller_AddsConditionAndParameter(t *testing.T) {
	ctx := caller.With(t.Context(), caller.Caller{Name: "Ada", Projects: []string{}})
	for _, given := range []Params{nil, {"id": "a"}} {
		text, parameters := applyVisibility(ctx, cypher.DecisionDetails, given)
		output, ok := parameters["caller"].(map[string]any)
		if !ok || output["agent"] != "ada" || len(output["projects"].([]any)) != 0 || len(parameters) != len(given)+1 ||
			!strings.Contains(text, "IN $caller.projects") {
			t.Errorf(`got %v and %s, want ok=true, agent=ada, len(projects)=0, len(parameters)=%v, text with "IN $caller.projects"`, parameters, text, len(given)+1)
		}
		if given["caller"] != nil {
			t.Error("the parameters of the caller were changed")
		}
	}
	if text, parameters := applyVisibility(ctx, cypher.Indexes, nil); text != cypher.Indexes.Text() ||
		parameters != nil {
		t.Errorf("got %v for a statement without a marker, want text=cypher.Indexes.Text(), parameters=nil", parameters)
	}
}

package decisions_test

import (
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/links"
	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

// TestRetract_ReviewedDecision_IsHiddenUntilUndone checks that a retracted decision is shown only by its id, with the
// reason, that counters do not change, and that an undone retraction restores everything.
func TestRetract_ReviewedDecision_IsHiddenUntilUndone(t *testing.T) {
	g, env := toolstest.Open(t)
	wrong := toolstest.Record(t, env, decisions.Record{Decision: "Use zeppelins for parcels", Confidence: 0.9,
		Stakes: "high", ExtraFields: decisions.ExtraFields{Tags: []string{"air"}, Project: "o/r"}}).ID
	other := toolstest.Record(t, env, decisions.Record{Decision: "Use zeppelins for letters", Confidence: 0.8,
		ExtraFields: decisions.ExtraFields{Project: "o/r"}}).ID
	toolstest.Link(t, env, other, "depends_on", wrong)
	toolstest.Review(t, env, wrong, "failure")
	stage := toolstest.Stage{Graph: g, App: env, Names: map[string]string{"wrong": wrong, "other": other}}
	finds := func(found, total string) {
		t.Helper()
		stage.Names["found"], stage.Names["total"] = found+wrong, total
		stage.Play(t, "testdata/calls/retracted.txt")
	}
	finds("", "2")
	stage.Play(t, "testdata/calls/retraction.txt")
	finds("-", "1")
	around := graphtest.Must(env.Links.Graph(t.Context(), links.GraphQuery{NodeID: other}))(t)
	if !around.Nodes[1].Retracted || around.Nodes[0].Retracted {
		t.Errorf("got %+v, want only the retracted decision marked", around.Nodes)
	}
	toolstest.Review(t, env, wrong, "partial") // a review is still possible and does not restore the decision
	toolstest.Review(t, env, wrong, "failure")
	finds("-", "1")
	stage.Call(t, `ann retract_decision {"id": "`+wrong+`", "reason": "it was meant after all", "undo": true} => "changed":true ; "retracted":false`)
	finds("", "2")
	got := toolstest.Get(t, env, wrong)
	if history, _ := got["history"].([]any); got["retracted_at"] != nil || len(history) != 3 {
		t.Errorf("restored decision: got %v, want no retracted_at and 3 history entries", got)
	}
}

package insights_test

import (
	"testing"

	"nomograph/decisions/insights"
	"nomograph/tools/toolstest"
)

func TestSalient_LinkedDecisions_AreRanked(t *testing.T) {
	g, env := toolstest.Open(t)
	stage := toolstest.Stage{Graph: g, App: env}
	stage.Call(t, `ann get_salient {} => "decisions":[]`)
	id := toolstest.Some(t, g, "abcdef0123")
	stage.Play(t, "testdata/calls/salience.txt")
	got, err := env.Insights.Salient(t.Context(), insights.SalientQuery{})
	if err != nil || len(got.Decisions) == 0 || len(got.Notes) != 1 {
		t.Fatalf("got %+v, %v, want nonzero len(Decisions), len(Notes)=1", got, err)
	}
	// Which links are read is undefined, so the sum of weights is an estimate: 3000 and 750.
	if d := got.Decisions[0]; d.ID != id["a"] || d.Links.RelatesTo != 6000 || d.Links.DependsOn != 3001 ||
		!d.DependentsAtLeast || d.Dependents < 1000 || d.Score < 1000 {
		t.Errorf("got %+v, want ID=%v, RelatesTo=6000, DependsOn=3001, DependentsAtLeast=true, Dependents at least 1000, Score at least 1000", d, id["a"])
	}
}

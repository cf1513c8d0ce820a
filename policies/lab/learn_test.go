package lab_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/internal/timeparse"
	"nomograph/policies/check"
	"nomograph/policies/lab"
	"nomograph/policies/pack"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// outcomes writes n reviewed decisions with the verdicts of their recording. One in eight is hurried; those fail with
// the probability hurried, the others with 0.1.
func outcomes(t *testing.T, g *graphtest.Graph, n int, hurried float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n), 3))
	rows := make([]any, n)
	for i := range rows {
		params := map[string]any{"tool": []string{"editor", "shell", "browser"}[i%3]}
		rate := 0.1
		if i%8 == 0 {
			params["hurried"], rate = true, hurried
		}
		inputs := graphtest.Must(json.Marshal(check.ActionCheck{Description: fmt.Sprintf("Change %d", i),
			Category: "process",
			Stakes:   "high", Confidence: sure(0.6 + 0.1*float64(i%4)), Params: params}))(t)
		outcome := "success"
		if rng.Float64() < rate {
			outcome = "failure"
		}
		rows[i] = map[string]any{"i": i, "inputs": string(inputs), "outcome": outcome,
			"agent": fmt.Sprintf("agent-%d", i%3)}
	}
	g.Exec(t, `UNWIND $rows AS r
		CREATE (v:Verdict {uid: 'v' + r.i, at: datetime('2026-01-01T00:00:00Z') + duration({hours: r.i}), allowed: true, agent: r.agent, stakes: 'high', category: 'process', description: 'Change ' + r.i,
			inputs: r.inputs, inputs_kept: 'full', revision: 'x', schema_version: 2, action_key: 'k' + r.i, masked: [], applied: [], applied_results: [], results: '{"violations":[]}', session: 's' + (r.i / 2)})
		CREATE (v)-[:JUDGED]->(:Decision {uid: 'd' + r.i, id: right('0000000' + r.i, 8), decision: 'Change ' + r.i, outcome: r.outcome, status: 'reviewed', agent: r.agent, created_at: v.at})`, map[string]any{"rows": rows})
}

func learned(t *testing.T, env *tools.App, q lab.LearnRequest) lab.Learned {
	t.Helper()
	l := graphtest.Must(env.Lab.Learn(t.Context(), q))(t)
	return l
}

func TestLearn_HurriedActsFail_SuggestsARuleInShadowMode(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar)
	outcomes(t, g, 500, 0.7)
	l := learned(t, env, lab.LearnRequest{})
	if l.Acts != 500 || len(l.Findings) != 1 {
		t.Fatalf("got %d acts and findings %+v, want 500 and one", l.Acts, l.Findings)
	}
	f := l.Findings[0]
	if want := "has(action.params.hurried) && action.params.hurried == true"; f.When != want || f.Acts != 63 ||
		f.Rate.Hits != f.Failures || len(f.Examples) != 5 || f.P > 0.05 {
		t.Errorf("got %+v, want the condition %s of 63 acts", f, want)
	}
	golden.Contains(t, "the summary", l.Summary, "hurried is true", f.Examples[0].DecisionID)
	if rationale := f.Rule[strings.Index(f.Rule, "rationale:"):strings.Index(f.Rule,
		"tests:")]; strings.Contains(rationale, f.Examples[0].DecisionID) {
		t.Errorf("every reader of rules would see ids of decisions: %s", rationale)
	}
	if f.Propose != "nomograph policy propose --from-finding 1" || !strings.Contains(l.Summary, f.Propose) {
		t.Errorf("the command is %q in\n%s", f.Propose, l.Summary)
	}
	for command, q := range map[string]lab.LearnRequest{"nomograph policy propose --from-finding 1 --since 4000d": {Filter: lab.Filter{Range: timeparse.Range{DateAfter: "4000d"}}}, "": {Filter: lab.Filter{Category: "process"}}} {
		if l := learned(t, env, q); len(l.Findings) != 1 || l.Findings[0].Propose != command ||
			(command == "") != strings.Contains(l.Summary, "leave out all filters") {
			t.Errorf("%+v: got %+v, want the command %q", q, l.Findings, command)
		}
	}
	r := replayed(t, env, lab.Request{Change: lab.Change{Packs: []pack.Source{{Name: "learned.yaml", Text: f.Rule}}}})
	golden.Equal(t, "acts that the suggested rule flips", r.Blocked.Acts+r.Freed.Acts, 0)
	for _, rule := range r.Rules {
		if rule.Changed == "new" && rule.Objects != 63 {
			t.Errorf("the suggested rule objects to %d acts, want 63", rule.Objects)
		}
	}
}

func TestLearn_FewReviews_SaysWhatCouldBeFound(t *testing.T) {
	g, env := toolstest.Open(t)
	outcomes(t, g, 210, 0.1)
	l := learned(t, env, lab.LearnRequest{})
	if len(l.Findings) != 0 || len(l.Detectable) != 3 || l.Combined != 1 ||
		!strings.Contains(l.Summary, "in four of five cases") {
		t.Errorf(`got %d findings, %+v, %s, want len(Findings)=0, len(Detectable)=3, Combined=1, Summary with "in four of five cases"`, len(l.Findings), l.Detectable, l.Summary)
	}
}

func TestLearn_EmptyGraph_SaysThatNothingFailed(t *testing.T) {
	_, env := toolstest.Open(t)
	if l := learned(t, env, lab.LearnRequest{}); l.Acts != 0 || len(l.Findings) != 0 ||
		!strings.Contains(l.Summary, "nothing to learn from") {
		t.Errorf(`got %+v, want Acts=0, len(Findings)=0, Summary with "nothing to learn from"`, l)
	}
}

func TestLearn_OneFailure_NamesWhatSimilarSuccessesLack(t *testing.T) {
	g, env := toolstest.Open(t)
	outcomes(t, g, 80, 1)
	g.Exec(t, `MATCH (d:Decision) WHERE d.uid <> 'd16' SET d.outcome = 'success'`, nil)
	l := learned(t, env, lab.LearnRequest{DecisionID: "00000016"})
	if l.Difference == nil || len(l.Difference.Nearest) != 5 || l.Failures != 1 {
		t.Fatalf("got %+v, want a difference to five successes", l)
	}
	for id, code := range map[string]apperr.Code{"00000017": apperr.NotFound, "zzz": apperr.NotFound} {
		if _, err := env.Lab.Learn(t.Context(), lab.LearnRequest{DecisionID: id}); !apperr.Is(err, code) {
			t.Errorf("the decision %s, which is not a failure: got %v, want %v", id, err, code)
		}
	}
}

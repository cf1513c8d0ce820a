package lab_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/reviewsample"
	"nomograph/internal/timeparse"
	"nomograph/policies/lab"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func tuned(t *testing.T, env *tools.App, q lab.TuneRequest) lab.Tuned {
	t.Helper()
	out := graphtest.Must(env.Lab.Tune(t.Context(), q))(t)
	return out
}

func TestTune_ReviewedActs_CountsByValue(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar)
	history(t, env) // confidences: 0.55 success, 0.55 failure, 0.9 success, 0.4 denied then 0.5 allowed, 0.35 denied
	toolstest.WaitForWorkers(t, g)
	out := tuned(t, env, lab.TuneRequest{Name: "bar"})
	graphtest.Values(t, "Failures, Successes, Denied, Value, Rules", out.Failures, 1, out.Successes, 2, out.Denied, 1,
		out.Value, 0.5, len(out.Rules), 1)
	found := map[float64]lab.TunedValue{}
	for _, v := range out.Values {
		found[v.Value] = v
	}
	today := found[0.5]
	graphtest.Values(t, "today's value", today.InForce, true, today.Stopped+today.Blocked, 0, today.Cost, 10,
		today.Same, true)
	if looser, ok := found[0.35]; !ok || looser.Evidence || looser.Freed != 1 {
		t.Errorf("0.35 gave %+v, want one freed act and no evidence", looser)
	}
	if stricter := found[0.9]; stricter.Stopped != 1 || stricter.Blocked != 1 || stricter.Cost != 1 ||
		stricter.TurnsAt == nil || *stricter.TurnsAt != 1 || !stricter.Same {
		t.Errorf("0.9 gave %+v, want one of each, a turn at 1, and no difference shown by three sessions", stricter)
	}
	if out.Propose != "" || !strings.Contains(out.Summary, "there is nothing to propose") {
		t.Errorf("three sessions show no difference, but the command is %q in\n%s", out.Propose, out.Summary)
	}
	for _, text := range []string{"no record: 1 denied act would pass", "does not differ significantly",
		"have no record"} {
		graphtest.Contains(t, out.Summary, text)
	}
	cheap := tuned(t, env, lab.TuneRequest{Name: "bar", Costs: graph.Parameters{"high": 0.5}})
	for _, v := range cheap.Values {
		if v.InForce && v.Cost != 0.5 {
			t.Errorf("a failure at 0.5 costs %g, want 0.5", v.Cost)
		}
	}
}

// TestTune_ManyActs_ComparesValues compares values: failures below 0.7 and successes above make 0.7 better than
// today's 0.5.
func TestTune_ManyActs_ComparesValues(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar)
	g.Exec(t, `UNWIND range(0, 199) AS i
		WITH i, 0.5 + toFloat(i % 5) / 10 AS confidence
		CREATE (v:Verdict {uid: 'v' + i, at: datetime('2026-01-01T00:00:00Z') + duration({hours: i}), allowed: true, agent: 'bo', stakes: 'medium', description: 'Act',
			inputs: '{"description":"Act","confidence":' + confidence + '}', inputs_kept: 'full', revision: 'x', schema_version: 2, action_key: 'k' + i, masked: [], applied: [], applied_results: [],
			results: '{"violations":[]}', session: 's' + i})
		CREATE (v)-[:JUDGED]->(:Decision {uid: 'd' + i, id: right('0000000' + i, 8), decision: 'Act', outcome: CASE WHEN confidence < 0.65 THEN 'failure' ELSE 'success' END, status: 'reviewed', agent: 'bo', created_at: v.at})`, nil)
	out := tuned(t, env, lab.TuneRequest{Name: "bar"})
	for _, v := range out.Values {
		switch v.Value {
		case 0.6:
			if v.Stopped != 40 || v.Blocked != 0 || v.Same || v.MoreHigh == nil || *v.MoreHigh >= 0 {
				t.Errorf("0.6 gave %+v, want 40 failures stopped and a lower cost", v)
			}
		case 0.7:
			graphtest.Values(t, "all 80 failures stopped", v.Stopped, 80, v.Blocked, 0, v.Same, false)
		}
	}
	graphtest.Values(t, "the range", out.SameLow, 0.5, out.SameHigh, 0.5)
	if !strings.HasPrefix(out.Propose, "nomograph policy propose --set bar=0.7 --reason '80 failures stopped and 0 successes blocked, at a cost ") || !strings.Contains(out.Summary, out.Propose) {
		t.Errorf("the command is %q in\n%s", out.Propose, out.Summary)
	}
	if out.Later == nil || out.Later.Value != 0.7 || out.Later.Cost != 0 || out.Later.CostInForce == 0 ||
		out.Later.ReviewedActs != 60 {
		t.Errorf("got %+v, want 0.7 at no cost in 60 later acts", out.Later)
	}
}

// TestTune_FailuresReviewedMoreOften_ProposesNothing: acts fail at every confidence alike, and most successes have no
// review. Among the reviewed acts a stricter value looks cheaper.
func TestTune_FailuresReviewedMoreOften_ProposesNothing(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar)
	g.Exec(t, `UNWIND range(0, 399) AS i
		WITH i, 0.5 + toFloat(i % 5) / 10 AS confidence, (i / 5) % 10 AS nth
		CREATE (v:Verdict {uid: 'v' + i, at: datetime('2026-01-01T00:00:00Z') + duration({hours: i}), allowed: true, agent: 'bo', stakes: 'medium', description: 'Act',
			inputs: '{"description":"Act","confidence":' + confidence + '}', inputs_kept: 'full', revision: 'x', schema_version: 2, action_key: 'k' + i, masked: [], applied: [], applied_results: [],
			results: '{"violations":[]}', session: 's' + i})
		CREATE (v)-[:JUDGED]->(:Decision {uid: 'd' + i, id: right('0000000' + i, 8), decision: 'Act', outcome: CASE WHEN nth < 2 THEN 'failure' WHEN nth < 4 THEN 'success' END,
			status: CASE WHEN nth < 4 THEN 'reviewed' ELSE 'pending' END, agent: 'bo', created_at: v.at})`, nil)
	out := tuned(t, env, lab.TuneRequest{Name: "bar"})
	for _, v := range out.Values {
		if v.Value == 0.9 && (v.MoreHigh == nil || *v.MoreHigh >= 0 || v.Unreviewed == 0 || v.UnreviewedMore <= 0) {
			t.Errorf("0.9 gave %+v, want a lower cost among the reviewed acts, and unreviewed ones", v)
		}
	}
	if out.Propose != "" || !strings.Contains(out.Summary, "Review them first: ") {
		t.Errorf("the command is %q in\n%s", out.Propose, out.Summary)
	}
}

// TestTune_IncompleteReviews_UseTheRandomTenthOrPropose: acts with low confidence fail. If people review these more
// often, nothing is proposed; if all acts drawn at random are reviewed, only those count.
func TestTune_IncompleteReviews_UseTheRandomTenthOrProposeNothing(t *testing.T) {
	for _, test := range []struct {
		name, reviewed string
		drawn          bool
	}{
		{"failures are reviewed more often", "CASE WHEN confidence < 0.7 THEN i % 100 <> 5 ELSE i % 3 = 0 END", false},
		{"all acts drawn at random are reviewed", "i IN $drawn OR confidence >= 0.7 AND i % 3 = 0", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			g, env := toolstest.Open(t)
			toolstest.Rules(t, g, bar)
			drawn := []int64{}
			for i := range int64(2000) {
				if reviewsample.Drawn(fmt.Sprint("d", i)) {
					drawn = append(drawn, i)
				}
			}
			g.Exec(t, `UNWIND range(0, 1999) AS i
			WITH i, 0.5 + toFloat(i % 5) / 10 AS confidence
			WITH i, confidence, `+test.reviewed+` AS reviewed
				CREATE (v:Verdict {uid: 'v' + i, at: datetime('2026-01-01T00:00:00Z') + duration({minutes: i}), allowed: true, agent: 'bo', stakes: 'medium', description: 'Act',
					inputs: '{"description":"Act","confidence":' + confidence + '}', inputs_kept: 'full', revision: 'x', schema_version: 2, action_key: 'k' + i, masked: [], applied: [], applied_results: [],
					results: '{"violations":[]}', session: 's' + i})
				CREATE (v)-[:JUDGED]->(:Decision {uid: 'd' + i, id: right('0000000' + i, 8), decision: 'Act', outcome: CASE WHEN reviewed AND confidence < 0.7 THEN 'failure' WHEN reviewed THEN 'success' END, agent: 'bo', created_at: v.at})`,
				map[string]any{"drawn": drawn})
			out := tuned(t, env, lab.TuneRequest{Name: "bar"})
			graphtest.Values(t, test.name, out.Drawn, test.drawn, out.Propose != "", test.drawn,
				(len(out.Review) > 0) == test.drawn, false)
			if !test.drawn && !strings.Contains(out.Summary, "which is more than chance. Review these acts first: ") ||
				!strings.Contains(out.Summary, "Criterion: a missed failure costs as much as 1 (low), 3 (medium)") {
				t.Errorf("%s: got\n%s", test.name, out.Summary)
			}
		})
	}
}

func TestTune_NothingToTune_SaysWhy(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, bar+`, (:SYS_Threshold {name: 'unread', value: 1}), (:SYS_Threshold {name: 'text', value: 'x'}),
		(:SYS_Policy {name: 'texts', active: true, requires: 'action.name != threshold("text")'})`)
	for _, test := range []struct {
		q    lab.TuneRequest
		code apperr.Code
	}{
		{lab.TuneRequest{Name: "unread"}, apperr.NotFound},
		{lab.TuneRequest{Name: "none"}, apperr.NotFound},
		{lab.TuneRequest{Name: "text"}, apperr.Validation},
		{lab.TuneRequest{Name: "bar", Filter: lab.Filter{Range: timeparse.Range{DateAfter: "1d", DateBefore: "2w"}}},
			apperr.Validation},
		{lab.TuneRequest{Name: "bar", Costs: graph.Parameters{"huge": 3}}, apperr.Validation},
		{lab.TuneRequest{Name: "bar", Costs: graph.Parameters{"low": -1}}, apperr.Validation},
	} {
		if _, err := env.Lab.Tune(t.Context(), test.q); !apperr.Is(err, test.code) || apperr.From(err).Hint == "" {
			t.Errorf("%+v: got %v, want %v with a hint", test.q, err, test.code)
		}
	}
	out := tuned(t, env, lab.TuneRequest{Name: "bar"})
	graphtest.Contains(t, out.Summary, "review decisions first")
}

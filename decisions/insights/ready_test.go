package insights_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/decisions/calibration"
	"nomograph/decisions/counters"
	"nomograph/decisions/insights"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
)

// aged creates a decision with additional properties in Cypher.
func aged(t *testing.T, g *graphtest.Graph, id, properties string) {
	t.Helper()
	g.Exec(t, `CREATE (d:Decision {id: $id, uid: 'u-' + $id, decision: 'Decision ' + $id, stakes: 'medium', status: 'pending', created_at: datetime()})
SET d += {`+properties+`}`, map[string]any{"id": id})
}

func TestReady_ActionItems_AreRanked(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, env := toolstest.Open(t)
	ctx := t.Context()
	days := func(n int) string { return fmt.Sprintf("datetime() - duration({days: %d})", n) }
	aged(t, g, "late-low", "stakes: 'low', review_by: "+days(50)+", category: 'tooling', agent: 'ada', project: 'a/b'")
	aged(t, g, "late-crit", "stakes: 'critical', review_by: "+days(1)+
		", category: 'security', agent: 'bo', project: 'a/b'")
	aged(t, g, "late-high", "stakes: 'high', review_by: "+days(3)+
		", category: 'security', agent: 'ada', project: 'c/d'")
	aged(t, g, "late-none", "stakes: null, review_by: "+days(2)+", category: 'process', agent: 'ada', project: 'a/b'")
	aged(t, g, "stale-new", "created_at: "+days(40)+", category: 'process', agent: 'bo', project: 'a/b'")
	aged(t, g, "stale-old", "created_at: "+days(70)+
		", stakes: 'low', category: 'process', agent: 'ada', project: 'a/b'")
	aged(t, g, "not-yet", "created_at: "+days(70)+", review_by: datetime() + duration({days: 1})")
	aged(t, g, "young", "created_at: "+days(20))
	aged(t, g, "done", "status: 'reviewed', outcome: 'success', created_at: "+days(90)+", review_by: "+days(50))
	g.Exec(t, "CREATE (:Agent {key: 'ada', name: 'ada'}), (:Project {key: 'a/b', name: 'a/b'})", nil)

	notify := func(q insights.ReadyQuery) string {
		list, err := env.Attention.Ready(ctx, q)
		if err != nil {
			return err.Error()
		}
		words := []string{}
		for _, a := range list.Actions {
			if a.Type == "" || a.Reason == "" || a.Suggestion == "" || a.Title != "Decision "+a.ID || a.Date.IsZero() {
				t.Errorf("%+v is not whole", a)
			}
			words = append(words, a.Priority[:1]+" "+a.ID)
		}
		return fmt.Sprintf("%s; %d, %d", strings.Join(words, ", "), list.Total, list.Filtered)
	}
	for name, c := range map[string]struct {
		query insights.ReadyQuery
		want  string
	}{
		"all": {insights.ReadyQuery{}, "h late-high, h late-crit, h stale-old, m late-none, m stale-new, l late-low; 6, 0"},
		"medium and high": {insights.ReadyQuery{MinPriority: "medium"},
			"h late-high, h late-crit, h stale-old, m late-none, m stale-new; 6, 1"},
		"high": {insights.ReadyQuery{MinPriority: "high"}, "h late-high, h late-crit, h stale-old; 6, 3"},
		"one type": {insights.ReadyQuery{ActionTypes: []string{"stale_pending", "stale_pending"}},
			"h stale-old, m stale-new; 2, 0"},
		"two": {insights.ReadyQuery{Limit: 2}, "h late-high, h late-crit; 6, 0"},
		"of a category": {insights.ReadyQuery{Selection: insights.Selection{Category: "process"}},
			"h stale-old, m late-none, m stale-new; 3, 0"},
		"of an agent": {insights.ReadyQuery{AgentID: "Ada"},
			"h late-high, h stale-old, m late-none, l late-low; 4, 0"},
		"of a project": {insights.ReadyQuery{Selection: insights.Selection{Project: "A/B"}, AgentID: "bo"},
			"h late-crit, m stale-new; 2, 0"},
		"of nobody": {insights.ReadyQuery{AgentID: "eve"}, "; 0, 0"},
	} {
		if got := notify(c.query); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
	if list, err := env.Attention.Ready(ctx, insights.ReadyQuery{Limit: 1}); err != nil || list.Overdue != 4 ||
		list.OverdueAtLeast { // Overdue also counts items beyond the limit
		t.Errorf("got %d overdue reviews, at least: %v, %v; want 4", list.Overdue, list.OverdueAtLeast, err)
	}

	t.Run("the threshold decides what is stale", func(t *testing.T) {
		for value, want := range map[string]string{"60": "m stale-old; 1, 0",
			"15.0": "h stale-old, h stale-new, m young; 3, 0", "0": "h stale-old, h stale-new, h young; 3, 0",
			"'soon'": "h stale-old, m stale-new; 2, 0", "-5": "h stale-old, m stale-new; 2, 0"} {
			g.Exec(t, "MERGE (t:SYS_Threshold {name: 'stale_decision_days'}) SET t.value = "+value, nil)
			if got := notify(insights.ReadyQuery{ActionTypes: []string{"stale_pending"}}); got != want {
				t.Errorf("%s days: %s, not %s", value, got, want)
			}
		}
		g.Exec(t, "MATCH (t:SYS_Threshold) SET t.value = 'soon'", nil)
		list, err := env.Attention.Ready(ctx, insights.ReadyQuery{})
		if err != nil || len(list.Warnings) != 1 || !strings.Contains(fmt.Sprint(list.Warnings),
			"stale_decision_days") {
			t.Errorf("got %v, %v, want len(Warnings)=1, Warnings with stale_decision_days", list.Warnings, err)
		}
		g.Exec(t, "MATCH (t:SYS_Threshold) DELETE t", nil)
	})
	t.Run("invalid arguments", func(t *testing.T) {
		for name, q := range map[string]insights.ReadyQuery{"a type": {ActionTypes: []string{"everything"}},
			"a priority": {MinPriority: "urgent"}} {
			if _, err := env.Attention.Ready(ctx, q); !apperr.Is(err, apperr.Validation) {
				t.Errorf("%s is answered with %v", name, err)
			}
		}
	})
	t.Run("more items than are counted", func(t *testing.T) {
		g.Exec(t, `UNWIND range(1, 11000) AS i CREATE (:Decision {id: 'm' + i, uid: 'm' + i, decision: 'Decision m' + i, stakes: 'low', status: 'pending',
created_at: datetime() - duration({days: 31}), review_by: datetime() - duration({days: 1000, minutes: i}), category: 'tooling', agent: 'bo'})`, nil)
		list, err := env.Attention.Ready(ctx, insights.ReadyQuery{Limit: 3})
		if err != nil || !list.AtLeast || list.Total < 1000 || len(list.Actions) != 3 || len(list.Warnings) == 0 {
			t.Errorf("got %+v, %v, want AtLeast=true, Total at least 1000, len(Actions)=3, nonzero len(Warnings)", list,
				err)
		}
		if strings.Contains(toolstest.Text(list), "nothing") {
			t.Errorf("got %s, want action items", toolstest.Text(list))
		}
		// ada's decisions come after 11,000 decisions of other agents; the index on the agent finds them.
		if got := notify(insights.ReadyQuery{AgentID: "ada"}); got != "h late-high, h stale-old, m late-none, l late-low; 4, 0" {
			t.Errorf("behind many: %s", got)
		}
	})
	t.Run("drift", func(t *testing.T) {
		g.Exec(t, `UNWIND range(1, 16) AS i
CREATE (d:Decision:Uncounted {id: 'r' + i, uid: 'r' + i, decision: 'Reviewed ' + i, category: 'integration', stakes: 'low', status: 'reviewed', confidence: 0.9, agent: 'ada',
  outcome: CASE WHEN i > 10 THEN 'failure' ELSE 'success' END, created_at: datetime() - duration({days: 80}), updated_at: datetime(),
  reviewed_at: datetime() - duration({days: CASE WHEN i > 10 THEN 2 ELSE 60 END})})
CREATE (d)-[:HAS_REVIEW]->(:Review {uid: 'v' + i, number: 1, in_force: true, outcome: d.outcome, confidence: 0.9, at: d.reviewed_at, by: 'ada'})`, nil)
		if drift, err := env.Counters.Drift(ctx, counters.DriftQuery{
			DriftRules: calibration.DriftRules{Category: "integration"}}); err != nil ||
			!drift.DriftDetected { // Drift first counts pending decisions
			t.Fatalf("got %+v, %v, want DriftDetected=true", drift, err)
		}
		only := []string{"calibration_drift"}
		list, err := env.Attention.Ready(ctx, insights.ReadyQuery{ActionTypes: only})
		if err != nil || list.Total != 1 || len(list.Actions) != 1 {
			t.Fatalf("got %+v, %v, want Total=1, len(Actions)=1", list, err)
		}
		if a := list.Actions[0]; a.Priority != "high" || a.Category != "integration" || a.ID != "" ||
			!strings.Contains(a.Reason, "mean outcome") || !strings.Contains(a.Reason, "Brier") || a.Suggestion == "" ||
			a.Detail == "" {
			t.Errorf(`got %+v, want Priority=high, Category=integration, ID="", Reason with "mean outcome", Reason with Brier, a Suggestion, a Detail`, a)
		}
		for name, q := range map[string]insights.ReadyQuery{"another category": {ActionTypes: only,
			Selection: insights.Selection{Category: "tooling"}}, "an agent's": {ActionTypes: only, AgentID: "ada"}} {
			if list, err := env.Attention.Ready(ctx, q); err != nil || list.Total != 0 {
				t.Errorf("%s: got %+v, %v, want Total=0", name, list, err)
			}
		}
		if day, err := env.Attention.Today(ctx, insights.TodayQuery{}); err != nil || len(day.Drifting) != 1 ||
			!strings.Contains(toolstest.Text(day), "Drifting\n  high    integration") {
			t.Errorf("got %s, %v, want len(Drifting)=1, day with \"Drifting\n  high    integration\"",
				toolstest.Text(day), err)
		}
	})
}

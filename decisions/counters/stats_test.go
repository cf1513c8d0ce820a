package counters_test

import (
	"fmt"
	"testing"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/decisions/counters"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

func TestStats_Filters_SelectDecisions(t *testing.T) {
	g, env := toolstest.Open(t)
	stage := toolstest.Stage{Graph: g, App: env}
	stage.Play(t, "testdata/calls/stats.txt")
	toolstest.Eventually(t, g, "MATCH (e:TraceEvent {type: 'stats', agent: 'ada'}) RETURN count(e) AS n", 1)
	t.Run("weeks", func(t *testing.T) {
		weeks := graphtest.Must(env.Counters.Stats(t.Context(), counters.StatsQuery{GroupBy: "week",
			Selection: counters.Selection{Category: "architecture", Window: "60d"}}))(t)
		var recorded, reviewed int64
		for i, week := range weeks.Groups {
			recorded, reviewed = recorded+week.TotalDecisions, reviewed+week.ReviewedDecisions
			if monday, err := time.Parse(time.DateOnly, week.Value); err != nil || monday.Weekday() != time.Monday ||
				i > 0 && week.Value <= weeks.Groups[i-1].Value {
				t.Errorf("got %+v, want Weekday=%v, not i > 0 && week.Value <= weeks.Groups[i-1].Value", weeks.Groups,
					time.Monday)
			}
		}
		if recorded != weeks.TotalDecisions || reviewed != weeks.ReviewedDecisions || reviewed == 0 {
			t.Errorf("the weeks have %d and %d of %+v", recorded, reviewed, weeks)
		}
	})
	if kind, _ := (counters.Plot{}).Image(); kind != "image/svg+xml" {
		t.Errorf("a plot is %s", kind)
	}
	stage.Play(t, "testdata/calls/unreadable.txt")
}

func TestStats_Windows_ShowDrift(t *testing.T) {
	g, env := toolstest.Open(t)
	now := time.Now().UTC()
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	// Times on past days: the first or last moment of a day, or now. Each has five decisions, well calibrated earlier
	// and badly calibrated recently.
	at := func(daysAgo int, shift time.Duration) time.Time {
		return graph.UTC(midnight.AddDate(0, 0, -daysAgo).Add(shift))
	}
	n := 0
	turn := func(when time.Time, outcome string) {
		n++
		g.Exec(t, `CREATE (d:Decision:Uncounted {uid: $uid, id: $uid, decision: 'x', confidence: 0.8, category: 'security', agent: 'a', created_at: $at, reviewed_at: $at})
			CREATE (d)-[:HAS_REVIEW]->(:Review {in_force: true, number: 1, outcome: $outcome, confidence: 0.8, at: $at})`, map[string]any{"uid": fmt.Sprintf("w%d", n), "at": when, "outcome": outcome})
	}
	for range 6 {
		turn(at(30, 0), "failure")                                 // first moment of the window
		turn(at(30, -time.Nanosecond), "success")                  // last moment before the window
		turn(at(90, 0), "success")                                 // first moment of 90 days
		turn(at(92, 0), "success")                                 // last day with cells
		turn(at(93, 0), "success")                                 // the first day without cells
		turn(at(0, 24*time.Hour+time.Minute), "partial")           // tomorrow
		turn(now.In(time.FixedZone("Offset", 14*3600)), "success") // today, although it is tomorrow in that time zone
	}
	for window, want := range map[string]int64{"30d": 12, "60d": 18, "90d": 24, "all": 42} {
		if cell := cells(t, env, counters.Scope{"category": "security"}, window); cell.Reviewed() != want ||
			cell.Recorded != want {
			t.Errorf("in %s, %d were reviewed and %d recorded, not %d", window, cell.Reviewed(), cell.Recorded, want)
		}
		computed, err := counters.AddedUp(t.Context(), env.Counters, counters.Scope{}, window)
		if err != nil || computed.Reviewed() != want {
			t.Errorf("computed are %d in %s, not %d: %v", computed.Reviewed(), window, want, err)
		}
	}
	wantExact(t, env)
	t.Run("drift", func(t *testing.T) {
		out, err := env.Counters.Drift(t.Context(), counters.DriftQuery{
			DriftRules: calibration.DriftRules{Category: "Security"}})
		if err != nil || !out.DriftDetected || out.Recent.Decisions != 12 || out.Historical.Decisions != 24 ||
			*out.Recent.Accuracy != 0.5 || len(out.Alerts) != 2 {
			t.Errorf("got %+v, %v, want DriftDetected=true, out.Recent.Decisions=12, out.Historical.Decisions=24, Accuracy=0.5, len(Alerts)=2", out, err)
		}
		alerts, err := counters.DriftAlerts(t.Context(), env.Counters)
		if err != nil || len(alerts) != 2 || alerts[0].Category != "security" {
			t.Errorf("got %+v, %v, want len(alerts)=2, Category=security", alerts, err)
		}
		if none, err := env.Counters.Drift(t.Context(), counters.DriftQuery{Project: "nowhere"}); err != nil ||
			none.DriftDetected || none.Note == "" {
			t.Errorf("got %+v, %v, want DriftDetected=false, a Note", none, err)
		}
	})
	t.Run("a blank filter is ignored", func(t *testing.T) {
		reviewed(t, env, decisions.Record{Decision: "y", Confidence: 0.8,
			ExtraFields: decisions.ExtraFields{Project: "acme/blanks", By: "ada"}}, "success")
		out, err := env.Counters.Stats(t.Context(), counters.StatsQuery{Selection: counters.Selection{Category: " ",
			Project: "acme/blanks", AgentID: "ada"}})
		if err != nil || out.TotalDecisions != 1 || out.ReviewedDecisions != 1 {
			t.Errorf("got %+v, %v, want TotalDecisions=1, ReviewedDecisions=1", out, err)
		}
	})
	t.Run("old days are pruned", func(t *testing.T) {
		oldest := midnight.AddDate(0, 0, -92).Format(time.DateOnly)
		g.Exec(t, "UNWIND range(1, 1200) AS i CREATE (:CalibrationCell {scope: 'old' + i, period: '2020-01-01', kind: 'project'})", nil)
		g.Exec(t, "MATCH (c:CalibrationCell {scope: 'all', period: $oldest}) CREATE (:CalibrationCell {scope: 'edge', period: '0001-01-01', kind: 'all'})", map[string]any{"oldest": oldest})
		for range 2 {
			turn(now, "success")
			cells(t, env, counters.Scope{}, "")
		}
		if n := toolstest.Count(t, g, "MATCH (c:CalibrationCell) WHERE c.period < '"+oldest+
			"' RETURN count(c)"); n != 0 {
			t.Errorf("%d are left", n)
		}
		if n := toolstest.Count(t, g, "MATCH (c:CalibrationCell {scope: 'all', period: '"+oldest+
			"'}) RETURN count(c)"); n != 1 {
			t.Error("the oldest day is gone")
		}
	})
}

func TestStats_ConfirmedPatterns_NeedReviews(t *testing.T) {
	_, env := toolstest.Open(t)
	for pattern, outcomes := range map[string][]string{"Cache reads": {"success", "partial", "success"},
		"Big bang": {"failure", "failure", "failure"}, "Once": {"success"},
		"Half": {"success", "failure"}, "Just": {"success", "success", "success", "failure", "failure"}} {
		for i, outcome := range outcomes {
			reviewed(t, env, decisions.Record{Decision: fmt.Sprintf("%s %d", pattern, i), Confidence: 0.7,
				Category: []string{"process", "tooling"}[i%2], ExtraFields: decisions.ExtraFields{Pattern: pattern}},
				outcome)
		}
	}
	toolstest.Record(t, env, decisions.Record{Decision: "Not reviewed", Confidence: 0.7,
		ExtraFields: decisions.ExtraFields{Pattern: "cache reads"}})
	graphtest.OK(t, counters.Count(t.Context(), env.Counters))
	found, err := env.Counters.ConfirmedPatterns(t.Context(), 10)
	if err != nil || len(found) != 2 || found[0].Pattern != "Just" || found[1].Pattern != "Cache reads" {
		t.Fatalf(`got %+v, %v, want len(found)=2, found[0].Pattern=Just, found[1].Pattern="Cache reads"`, found, err)
	}
	if p := found[1]; p.Reviewed != 3 || p.Recorded != 4 || *p.MeanOutcome < 0.83 || p.Outcomes.Partial != 1 ||
		len(p.ExampleIDs) != 4 || len(p.Categories) != 3 || !p.Confirmed {
		t.Errorf("got %+v, want Reviewed=3, Recorded=4, MeanOutcome at least 0.83, Partial=1, len(ExampleIDs)=4, len(Categories)=3, Confirmed=true", p)
	}
	named, err := counters.PatternsOf(t.Context(), env.Counters, "big BANG", "nobody's", "once")
	if err != nil || len(named) != 2 || named[0].Confirmed || named[0].Outcomes.Failure != 3 ||
		named[1].Pattern != "Once" || named[1].Confirmed {
		t.Errorf("got %+v, %v, want len(named)=2, named[0].Confirmed=false, Failure=3, Pattern=Once, named[1].Confirmed=false", named, err)
	}
}

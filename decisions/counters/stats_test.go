package counters_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/decisions/counters"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func statsOf(t *testing.T, env *tools.App, q counters.StatsQuery) counters.Stats {
	t.Helper()
	return graphtest.Must(env.Counters.Stats(t.Context(), q))(t)
}

func TestStats_Filters_SelectDecisions(t *testing.T) {
	g, env := toolstest.Open(t)
	t.Run("an empty graph", func(t *testing.T) {
		if out := statsOf(t, env, counters.StatsQuery{}); out.Overall != nil || out.Note == "" ||
			out.TotalDecisions != 0 || !strings.Contains(toolstest.Text(out), "no score") {
			t.Errorf(`got %+v, want Overall=nil, a Note, TotalDecisions=0, out with "no score"`, out)
		}
	})
	for i := range 8 {
		outcome := []string{"success", "failure", "success", "success"}[i%4]
		reviewed(t, env, decisions.Record{Decision: fmt.Sprintf("Choice %d", i), Confidence: 0.75,
			Stakes: []string{"low", "high"}[i%2],
			ExtraFields: decisions.ExtraFields{Project: "acme/shop", By: []string{"ada", "bo"}[i/6],
				Reasons: []decisions.Reason{{Type: "analysis", Text: "a"}}}}, outcome)
	}
	toolstest.Record(t, env, decisions.Record{Decision: "Not reviewed", Confidence: 0.5, Category: "process",
		ExtraFields: decisions.ExtraFields{Project: "acme/till", By: "ada"}})
	t.Run("pending decisions are counted first", func(t *testing.T) {
		out := statsOf(t, env, counters.StatsQuery{Session: decisions.Session{By: "ada"}})
		if o := out.Overall; o == nil || o.BrierScore != 0.1875 || o.Accuracy != 0.75 || o.CalibrationGap != 0 ||
			o.TotalDecisions != 9 || o.ReviewedDecisions != 8 {
			t.Errorf("overall is %+v", o)
		}
		if out.Window != "all" || out.PeriodStart != "" || out.QueryTimeMS <= 0 || out.Notes != nil ||
			out.TotalDecisions != 9 {
			t.Errorf(`got %+v, want Window=all, PeriodStart="", QueryTimeMS more than 0, Notes=nil, TotalDecisions=9`,
				out)
		}
		toolstest.Eventually(t, g, "MATCH (e:TraceEvent {type: 'stats'}) RETURN count(e) AS n", 2)
	})
	t.Run("conditions", func(t *testing.T) {
		for _, row := range golden.Rows(t, "testdata/conditions.txt") {
			var q counters.StatsQuery
			graphtest.OK(t, json.Unmarshal([]byte(row[0]), &q))
			out := statsOf(t, env, q)
			if got := fmt.Sprint(out.TotalDecisions, " ", out.ReviewedDecisions); got != row[1]+" "+row[2] {
				t.Errorf("%s: got %s decisions and reviewed, want %s %s", row[0], got, row[1], row[2])
			}
		}
	})
	t.Run("unknown values", func(t *testing.T) {
		if out := statsOf(t, env, counters.StatsQuery{Selection: counters.Selection{Project: "acme/nowhere"}}); out.Overall != nil || out.Note != "there is no decision with project 'acme/nowhere'" {
			t.Errorf(`got %+v, want Overall=nil, Note="there is no decision with project 'acme/nowhere'"`, out)
		}
		if out := statsOf(t, env, counters.StatsQuery{Selection: counters.Selection{Category: "process"}}); out.Overall != nil || out.Note == "" {
			t.Errorf("got %+v, want Overall=nil, a Note", out)
		}
		if _, err := env.Counters.Stats(t.Context(),
			counters.StatsQuery{Selection: counters.Selection{Window: "45d"}}); !apperr.Is(err, apperr.Validation) ||
			!strings.Contains(apperr.From(err).Hint, "90d") {
			t.Errorf("got %v, want %s, Hint with 90d", err, apperr.Validation)
		}
		for _, q := range []counters.StatsQuery{{GroupBy: "project",
			Selection: counters.Selection{Project: "acme/shop"}},
			{GroupBy: "agent", Selection: counters.Selection{Project: "acme/shop"}}} {
			if _, err := env.Counters.Stats(t.Context(), q); !apperr.Is(err, apperr.Validation) {
				t.Errorf("%+v: got %v, want %s", q, err, apperr.Validation)
			}
		}
	})
	t.Run("groups", func(t *testing.T) {
		for window := range map[string]bool{"all": true, "60d": true} {
			out := statsOf(t, env, counters.StatsQuery{GroupBy: "project",
				Selection: counters.Selection{Category: "architecture", Window: window}})
			if len(out.Groups) != 1 || out.Groups[0].Value != "acme/shop" ||
				out.Groups[0].Overall.BrierScore != 0.1875 || out.Groups[0].Outcomes.Failure != 2 {
				t.Errorf("got %+v, want len(Groups)=1, Value=acme/shop, BrierScore=0.1875, Failure=2", out.Groups)
			}
			out = statsOf(t, env, counters.StatsQuery{GroupBy: "agent", Selection: counters.Selection{Window: window}})
			if len(out.Groups) != 2 || out.Groups[0].Value != "ada" || out.Groups[0].ReviewedDecisions != 6 ||
				out.Groups[1].Overall != nil || out.Groups[1].Note == "" {
				t.Errorf("got %+v, want len(Groups)=2, Value=ada, ReviewedDecisions=6, Overall=nil, a Note", out.Groups)
			}
			for by, want := range map[string]string{"stakes": "high 3, low 3, medium 0, ",
				"project":  "acme/shop 6, acme/till 0, ",
				"category": "architecture 6, process 0, "} { // of an agent, those of stakes and projects are not counted
				got := ""
				for _, g := range statsOf(t, env, counters.StatsQuery{GroupBy: by,
					Selection: counters.Selection{AgentID: "ADA", Window: window}}).Groups {
					got += fmt.Sprint(g.Value, " ", g.ReviewedDecisions, ", ")
				}
				if got != want {
					t.Errorf("an agent by %s in %s: got %s, want %s", by, window, got, want)
				}
			}
		}
		weeks := statsOf(t, env, counters.StatsQuery{GroupBy: "week",
			Selection: counters.Selection{Category: "architecture", Window: "60d"}})
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
	t.Run("reasons", func(t *testing.T) {
		out, err := env.Counters.ReasonStats(t.Context(),
			counters.ReasonStatsQuery{Filters: &counters.ReasonFilters{Project: "acme/shop", Stakes: "high"},
				MinReviewed: 2})
		if err != nil || len(out.ByReasonType) != 1 || out.ByReasonType[0].ReviewedUses != 4 ||
			*out.ByReasonType[0].SuccessRate != 0.5 {
			t.Errorf("got %+v, %v, want len(ByReasonType)=1, ReviewedUses=4, SuccessRate=0.5 ", out,
				err)
		}
		if _, err := env.Counters.ReasonStats(t.Context(), counters.ReasonStatsQuery{Window: "week"}); !apperr.Is(err,
			apperr.Validation) {
			t.Errorf("got %v, want %s", err, apperr.Validation)
		}
	})
	t.Run("a plot", func(t *testing.T) {
		out, err := env.Counters.Plot(t.Context(), counters.PlotQuery{Selection: counters.Selection{Project: "acme/shop", Window: "30d"}})
		kind, data := out.Image()
		if err != nil || kind != "image/svg+xml" || !strings.HasPrefix(string(data), "<svg ") || out.Decisions != 8 ||
			!strings.Contains(out.Title, "acme/shop") {
			t.Errorf(`got %s %+v, %v, want kind=image/svg+xml, data starting with "<svg ", Decisions=8, Title with acme/shop`, kind, out, err)
		}
	})
	t.Run("a counter that cannot be read", func(t *testing.T) {
		g.Exec(t, "MATCH (c:CalibrationCell {scope: 'all', period: 'all'}) SET c.counts = [1]", nil)
		if _, err := env.Counters.Stats(t.Context(), counters.StatsQuery{}); !apperr.Is(err, apperr.Conflict) ||
			!strings.Contains(apperr.From(err).Hint, "`rebuild_stats`") {
			t.Errorf("got %v, want error %s, Hint with %q", err, apperr.Conflict, "`rebuild_stats`")
		}
	})
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

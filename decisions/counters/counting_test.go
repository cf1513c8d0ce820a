package counters_test

import (
	"context"
	"fmt"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/decisions/counters"
	"nomograph/decisions/imports"
	"nomograph/graph/graphtest"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// reviewed records a decision and reviews it.
func reviewed(t *testing.T, env *tools.App, r decisions.Record, outcome string) decisions.Recorded {
	t.Helper()
	out := toolstest.Record(t, env, r)
	toolstest.Review(t, env, out.ID, outcome)
	return out
}

// cells updates the counters and returns the sums of a scope.
func cells(t *testing.T, env *tools.App, sc counters.Scope, window string) calibration.Cell {
	t.Helper()
	graphtest.OK(t, counters.Count(t.Context(), env.Counters))
	cell := graphtest.Must(counters.Cells(t.Context(), env.Counters, sc, window))(t)
	return cell
}

// wantExact compares the counters with the decisions.
func wantExact(t *testing.T, env *tools.App) counters.RebuiltStats {
	t.Helper()
	graphtest.OK(t, counters.Count(t.Context(), env.Counters))
	out := graphtest.Must(env.Counters.RebuildStats(t.Context(), counters.RebuildRequest{DryRun: true}))(t)
	if out.WrongCells != 0 || out.WrongDecisions != 0 || out.Mended != 0 {
		t.Errorf("the counters are %+v", out)
	}
	return out
}

// sum returns the content of a cell in one line.
func sum(c calibration.Cell) string {
	scored := int64(0)
	for _, n := range c.BinConfidence {
		scored += n
	}
	return fmt.Sprintf("%d recorded, %v, confidence %d of %d scored, brier %d", c.Recorded, c.Outcomes,
		c.ConfidenceSum/1000, scored/1000, c.Brier/1e6)
}

func TestCounters_EachKindOfDecision_IsCounted(t *testing.T) {
	g, env := toolstest.Open(t)
	wanted := func(t *testing.T, sc counters.Scope, want string) {
		t.Helper()
		if got := sum(cells(t, env, sc, "")); got != want {
			t.Errorf("%v: %s, not %s", sc, got, want)
		}
		if got := sum(cells(t, env, sc, "30d")); got != want && sc["pattern"] == "" {
			t.Errorf("%v in 30 days: %s, not %s", sc, got, want)
		}
	}
	all, api := counters.Scope{}, counters.Scope{"category": "architecture", "project": "acme/shop"}
	one := toolstest.Record(t, env, decisions.Record{Decision: "Cache everything", Confidence: 0.8, Stakes: "high",
		ExtraFields: decisions.ExtraFields{Project: "Acme/Shop", Pattern: "Cache reads",
			Reasons: []decisions.Reason{{Type: "analysis", Text: "a"}, {Type: "empirical", Text: "b"}}}})
	two := toolstest.Record(t, env, decisions.Record{Decision: "Use REST", Confidence: 0.5,
		ExtraFields: decisions.ExtraFields{Project: "acme/shop", By: "ada"}})
	wanted(t, all, "2 recorded, [0 0 0 0], confidence 1300 of 0 scored, brier 0")
	wanted(t, api, "2 recorded, [0 0 0 0], confidence 1300 of 0 scored, brier 0")
	wanted(t, counters.Scope{"agent": "ADA "}, "1 recorded, [0 0 0 0], confidence 500 of 0 scored, brier 0")

	t.Run("a review", func(t *testing.T) {
		toolstest.Review(t, env, one.ID, "failure")
		wanted(t, all, "2 recorded, [0 0 1 0], confidence 1300 of 800 scored, brier 640000")
		wanted(t, counters.Scope{"stakes": "high", "category": "architecture", "project": "acme/shop"},
			"1 recorded, [0 0 1 0], confidence 800 of 800 scored, brier 640000")
		wanted(t, counters.Scope{"pattern": "cache READS"},
			"1 recorded, [0 0 1 0], confidence 800 of 800 scored, brier 640000")
		if cell := cells(t, env, all, ""); cell.TypeOutcomes[2*4+2] != 1 || cell.DiversityOutcomes[2*4+2] != 1 ||
			cell.TypeRecorded[5] != 1 {
			t.Errorf("got counters of reasons %v, %v, %v, want one reviewed decision in each", cell.TypeOutcomes,
				cell.DiversityOutcomes, cell.TypeRecorded)
		}
	})
	t.Run("a review that replaces another", func(t *testing.T) {
		toolstest.Review(t, env, one.ID, "success")
		wanted(t, all, "2 recorded, [1 0 0 0], confidence 1300 of 800 scored, brier 40000")
	})
	t.Run("a later confidence does not count", func(t *testing.T) {
		less := 0.6
		graphtest.Must(env.Decisions.Update(t.Context(),
			decisions.Update{ID: one.ID, Confidence: &less, Session: decisions.Session{By: "tester"}}))(t)
		wanted(t, all, "2 recorded, [1 0 0 0], confidence 1100 of 800 scored, brier 40000")
	})
	t.Run("a decision that moves", func(t *testing.T) {
		graphtest.Must(env.Decisions.Update(t.Context(),
			decisions.Update{ID: one.ID, Project: "acme/till", Pattern: "Measure first",
				Session: decisions.Session{By: "tester"}}))(t)
		g.Exec(t, "MATCH (d:Decision {id: $id}) SET d.category = 'process', d:Uncounted", map[string]any{"id": one.ID})
		wanted(t, api, "1 recorded, [0 0 0 0], confidence 500 of 0 scored, brier 0")
		wanted(t, counters.Scope{"category": "process", "project": "acme/till"},
			"1 recorded, [1 0 0 0], confidence 600 of 800 scored, brier 40000")
		wanted(t, counters.Scope{"pattern": "measure first"},
			"1 recorded, [1 0 0 0], confidence 600 of 800 scored, brier 40000")
		if n := toolstest.Count(t, g, "MATCH (c:CalibrationCell) WHERE c.pattern = 'Cache reads' OR c.stakes = 'high' AND c.category = 'architecture' RETURN count(c)"); n != 0 {
			t.Errorf("%d cells hold nothing and are there", n)
		}
	})
	t.Run("text that looks like a number", func(t *testing.T) {
		g.Exec(t, "MATCH (d:Decision {id: $id}) SET d.confidence = 'high', d.category = 7, d.created_at = 'long ago', d:Uncounted", map[string]any{"id": two.ID})
		if got := sum(cells(t, env, all, "")); got != "2 recorded, [1 0 0 0], confidence 600 of 800 scored, brier 40000" {
			t.Error(got)
		}
		wantExact(t, env)
	})
	t.Run("foreign nodes", func(t *testing.T) {
		g.Exec(t, "CREATE (:Decision:Uncounted {confidence: 1.0}), (:Uncounted {name: 'not ours'})", nil)
		g.Exec(t, "MATCH (d:Decision {id: $id}) REMOVE d:Decision SET d:Uncounted", map[string]any{"id": two.ID})
		if got := sum(cells(t, env, all, "")); got != "1 recorded, [1 0 0 0], confidence 600 of 800 scored, brier 40000" {
			t.Error(got)
		}
		if n := toolstest.Count(t, g, "MATCH (u:Uncounted) RETURN count(u)"); n != 0 {
			t.Errorf("%d wait for ever", n)
		}
	})
	wantExact(t, env)
}

func TestCounters_BackgroundWorker_UpdatesThem(t *testing.T) {
	g, env := toolstest.Open(t)
	reviewed(t, env, decisions.Record{Decision: "Use Postgres", Confidence: 0.9}, "success")
	toolstest.Eventually(t, g, "MATCH (u:Uncounted) RETURN count(u) AS n", 0)
	if n := toolstest.Count(t, g, "MATCH (c:CalibrationCell {scope: 'all', period: 'all', recorded: 1, reviewed: 1, kind: 'all'}) RETURN count(c)"); n != 1 {
		t.Errorf("got %d counters with the decision, want 1", n)
	}
	// A process counts its last writes when it ends.
	toolstest.Record(t, env, decisions.Record{Decision: "Use Redis", Confidence: 0.9})
	env.Counters.Close(t.Context())
	if n := toolstest.Count(t, g, "MATCH (u:Uncounted) RETURN count(u)"); n != 0 {
		t.Errorf("%d were left uncounted", n)
	}
	// A killed process leaves its dirty flags to the next process.
	g.Exec(t, "CREATE (:Decision:Uncounted {uid: 'killed', id: 'killed', decision: 'x', confidence: 0.3, category: 'tooling', created_at: datetime()})", nil)
	next := toolstest.App(t, g.DB)
	defer next.Counters.Close(context.Background())
	next.Counters.Wake()
	toolstest.Eventually(t, g, "MATCH (u:Uncounted) RETURN count(u) AS n", 0)
	wantExact(t, next)
}

func TestCounters_ImportedDecisions_AreCounted(t *testing.T) {
	_, env := toolstest.Open(t)
	const first = `{"external_id": "1", "title": "Use Kafka", "decision": "Use Kafka", "category": "integration", "confidence": 0.9, "date": "2020-02-03", "outcome": "failure", "reviewed_at": "2020-03-01T00:00:00Z"}`
	toolstest.Import(t, env, toolstest.JSONL(first+"\n"+
		`{"external_id": "2", "title": "Use AMQP", "decision": "Use AMQP", "category": "integration"}`),
		imports.Options{})
	sc := counters.Scope{"category": "integration"}
	if got := sum(cells(t, env, sc, "")); got != "2 recorded, [0 0 1 0], confidence 900 of 900 scored, brier 810000" {
		t.Error(got)
	}
	if got := sum(cells(t, env, sc, "90d")); got != "1 recorded, [0 0 0 0], confidence 0 of 0 scored, brier 0" {
		t.Errorf("in 90 days: %s", got)
	}
	// The source changed: the old values are subtracted, and the review counts with the confidence at its time.
	toolstest.Import(t, env, toolstest.JSONL(`{"external_id": "1", "title": "Use Kafka", "decision": "Use Kafka", "category": "integration", "confidence": 0.4, "date": "2020-02-03", "outcome": "failure", "reviewed_at": "2020-03-01T00:00:00Z"}`), imports.Options{})
	if got := sum(cells(t, env, sc, "")); got != "2 recorded, [0 0 1 0], confidence 400 of 900 scored, brier 810000" {
		t.Error(got)
	}
	wantExact(t, env)
}

package decisions_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/briefing"
	"nomograph/decisions/counters"
	"nomograph/decisions/insights"
	"nomograph/decisions/links"
	"nomograph/decisions/precedents"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
)

// TestRetract_ReviewedDecision_IsHiddenUntilUndone checks that a retracted decision is shown only by its id, with the
// reason, that counters do not change, and that an undone retraction restores everything.
func TestRetract_ReviewedDecision_IsHiddenUntilUndone(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	wrong := toolstest.Record(t, env, decisions.Record{Decision: "Use zeppelins for parcels", Confidence: 0.9,
		Stakes: "high", ExtraFields: decisions.ExtraFields{Tags: []string{"air"}, Project: "o/r"}})
	other := toolstest.Record(t, env, decisions.Record{Decision: "Use zeppelins for letters", Confidence: 0.8,
		ExtraFields: decisions.ExtraFields{Project: "o/r"}})
	graphtest.Must(env.Links.Link(ctx, links.LinkRequest{SourceID: other.ID, TargetID: wrong.ID,
		EdgeType: "depends_on"}))(t)
	review := func(t *testing.T, id, outcome string) {
		t.Helper()
		graphtest.Must(env.Decisions.Review(ctx, decisions.Outcome{ID: id, Outcome: outcome,
			Lessons: "They are slow"}))(t)
	}
	review(t, wrong.ID, "failure")
	found := func(t *testing.T) map[string]bool {
		t.Helper()
		in := map[string]bool{}
		note := func(where string, answer any, err error) {
			t.Helper()
			if err != nil {
				t.Fatalf("%s: got %v, want no error", where, err)
			}
			text := graphtest.Must(json.Marshal(answer))(t)
			in[where] = strings.Contains(string(text), wrong.ID)
		}
		g.Exec(t, "CALL db.awaitIndexes()", nil)
		g.Exec(t, "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()", nil)
		for _, mode := range []string{"keyword", "semantic", "hybrid"} {
			answer, err := env.Precedents.Query(ctx, precedents.Query{Query: "zeppelins for parcels",
				RetrievalMode: mode})
			note("search by "+mode, answer, err)
			answer, err = env.Precedents.Query(ctx, precedents.Query{Query: "zeppelins for parcels",
				RetrievalMode: mode, Filters: &precedents.Filters{Project: "o/r"}})
			note("filtered search by "+mode, answer, err)
		}
		for name, q := range map[string]precedents.ListQuery{"list": {}, "list of a project": {Project: "o/r"},
			"list, rising": {Order: "asc"}, "list by confidence": {Sort: "confidence"}} {
			answer, err := env.Precedents.List(ctx, q)
			if name == "list" {
				in["total"] = answer.Total != nil && *answer.Total == 2
			}
			note(name, answer, err)
		}
		today, err := env.Attention.Today(ctx, insights.TodayQuery{})
		note("today", today, err)
		compacted, err := env.Attention.Compacted(ctx, insights.CompactedQuery{})
		note("compacted", compacted, err)
		lineage, err := env.Links.Lineage(ctx, links.LineageQuery{Failed: true})
		note("failed and stood on", lineage, err)
		context, err := env.Briefing.SessionContext(ctx,
			briefing.Query{TaskDescription: "zeppelins for parcels", Project: "o/r", Format: "json"})
		note("context", context, err)
		return in
	}
	where := func(in map[string]bool, want bool) []string {
		var names []string
		for name, value := range in {
			if value == want {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		return names
	}
	failures := func(t *testing.T) string {
		t.Helper()
		stats := graphtest.Must(env.Counters.Stats(ctx, counters.StatsQuery{}))(t)
		return fmt.Sprint(stats.TotalDecisions, stats.ReviewedDecisions, stats.Outcomes)
	}
	counted := failures(t)

	t.Run("before the retraction every read finds the decision", func(t *testing.T) {
		if missed := where(found(t), false); len(missed) > 0 {
			t.Errorf("got it not in %q, want it everywhere", missed)
		}
	})
	t.Run("a retraction takes effect once", func(t *testing.T) {
		for n, want := range []bool{true, false} {
			out, err := env.Decisions.Retract(ctx, decisions.Retraction{ID: wrong.ID,
				Reason: "typed into the wrong window", Caller: decisions.Caller{Session: decisions.Session{By: "ada"}}})
			if err != nil || out.Changed != want || !out.Retracted {
				t.Errorf("time %d: %+v %v", n+1, out, err)
			}
		}
	})
	t.Run("no search or list finds a retracted decision", func(t *testing.T) {
		if still := where(found(t), true); len(still) > 0 {
			t.Errorf("got it in %q, want it nowhere", still)
		}
	})
	t.Run("its id shows it with who retracted it and why", func(t *testing.T) {
		if got := toolstest.Get(t, env, wrong.ID); got["retraction"] != "typed into the wrong window" ||
			got["retracted_by"] != "ada" || got["retracted_at"] == nil || got["outcome"] != "failure" {
			t.Errorf("got %v, want the retraction with its author, time and the outcome failure", got)
		}
		if whole, err := env.Decisions.Get(ctx, decisions.GetQuery{ID: wrong.ID}); err != nil ||
			!strings.Contains(toolstest.Text(whole), "RETRACTED") ||
			!strings.Contains(toolstest.Text(whole), "wrong window") {
			t.Errorf("got %v, %v, want a text with RETRACTED and the reason", whole, err)
		}
	})
	t.Run("a list of retracted decisions has it", func(t *testing.T) {
		if list, err := env.Precedents.List(ctx, precedents.ListQuery{Retracted: true}); err != nil ||
			len(list.Decisions) != 2 || *list.Total != 2 || !strings.Contains(toolstest.Text(list), "retracted") {
			t.Errorf("list with retracted decisions: got %v, %v, want both", list, err)
		}
	})
	t.Run("links and drawings mark it", func(t *testing.T) {
		around := graphtest.Must(env.Links.Graph(ctx, links.GraphQuery{NodeID: other.ID}))(t)
		near := graphtest.Must(env.Links.Neighbors(ctx, links.NeighborsQuery{NodeID: other.ID}))(t)
		path := graphtest.Must(env.Links.Path(ctx, links.PathQuery{From: other.ID, To: wrong.ID}))(t)
		if !around.Nodes[1].Retracted || !near.Neighbors[0].Node.Retracted || !path.Nodes[1].Retracted ||
			around.Nodes[0].Retracted {
			t.Errorf("links lead over it unmarked: %+v %+v %+v", around, near, path)
		}
		drawings := []string{toolstest.Text(around), toolstest.Text(near), toolstest.Text(path)}
		for _, format := range []string{"mermaid", "dot"} {
			drawing := graphtest.Must(env.Links.Graph(ctx, links.GraphQuery{NodeID: other.ID, Format: format}))(t)
			drawings = append(drawings, drawing.Diagram)
		}
		for _, text := range drawings {
			if !strings.Contains(text, "failure, retracted") {
				t.Errorf("got a text without 'failure, retracted':\n%s", text)
			}
		}
	})
	t.Run("counters stay the same", func(t *testing.T) {
		if now := failures(t); now != counted {
			t.Errorf("got counters %s, want %s", now, counted)
		}
	})
	t.Run("a review does not bring it back", func(t *testing.T) {
		review(t, wrong.ID, "partial") // a review is still possible and does not restore the decision
		if still := where(found(t), true); len(still) > 0 {
			t.Errorf("got a retracted decision with a review in %q, want it nowhere", still)
		}
		review(t, wrong.ID, "failure")
	})

	t.Run("an undone retraction brings it back with its history", func(t *testing.T) {
		if out, err := env.Decisions.Retract(ctx, decisions.Retraction{ID: wrong.ID, Reason: "it was meant after all",
			Undo: true}); err != nil || !out.Changed || out.Retracted {
			t.Errorf("got %+v %v, want Changed=true, Retracted=false", out, err)
		}
		if missed := where(found(t), false); len(missed) > 0 {
			t.Errorf("restored decision: missing in %q", missed)
		}
		got := toolstest.Get(t, env, wrong.ID)
		if history, _ := got["history"].([]any); got["retracted_at"] != nil || len(history) != 3 {
			t.Errorf("restored decision: got %v, want no retracted_at and 3 history entries", got)
		}
	})
	for name, tt := range map[string]struct {
		retraction decisions.Retraction
		want       apperr.Code
	}{
		"a blank reason": {decisions.Retraction{ID: wrong.ID, Reason: "  "}, apperr.Validation},
		"an unknown id":  {decisions.Retraction{ID: "ffffffff", Reason: "gone"}, apperr.NotFound},
	} {
		t.Run(name+" is refused", func(t *testing.T) {
			_, err := env.Decisions.Retract(ctx, tt.retraction)
			toolstest.ErrorWithCode(t, err, tt.want)
		})
	}
}

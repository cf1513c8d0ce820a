package insights_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/insights"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
)

func TestCompaction_OlderDecisions_AreShorter(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	reviewed := func(id string, days int, more string) {
		aged(t, g, id, fmt.Sprintf(`category: 'tooling', status: 'reviewed', outcome: 'success', confidence: 0.8, pattern: 'Pattern %s', context: 'Long context',
created_at: datetime() - duration({days: 200, minutes: %d}), reviewed_at: datetime() - duration({days: %d, minutes: 1})%s`, id, days, days, more))
		g.Exec(t, `MATCH (d:Decision {id: $id}) CREATE (d)-[:HAS_REVIEW]->(:Review {uid: 'r' + $id, number: 1, in_force: true, outcome: 'success', lessons: 'Learned
more', at: d.reviewed_at, by: 'r'}), (d)-[:BECAUSE {position: 1}]->(:Reason {uid: 'b' + $id, type: 'analysis', text: 'Because', strength: 0.5})`, map[string]any{"id": id})
	}
	for id, days := range map[string]int{"a-new": 6, "b-week": 7, "c-month": 30, "d-quarter": 90, "e-old": 150} {
		reviewed(id, days, "")
	}
	aged(t, g, "f-open", "category: 'security', created_at: datetime() - duration({days: 300}), decision: 'Open'")
	level := func(t *testing.T, q insights.CompactedQuery) (insights.Compacted, string) {
		t.Helper()
		c := graphtest.Must(env.Attention.Compacted(ctx, q))(t)
		words := []string{}
		for _, d := range c.Decisions {
			words = append(words, d.ID[:1]+" "+d.Level)
		}
		slices.Sort(words)
		return c, fmt.Sprintf("%s; %d %v", strings.Join(words, ", "), c.Total, c.Levels)
	}
	const all = "a full, b summary, c digest, d wisdom, e wisdom, f full; 6 {2 1 1 2}"
	c, got := level(t, insights.CompactedQuery{})
	if got != all || c.AtLeast {
		t.Errorf("got %s, want %v, AtLeast=false", got, all)
	}
	by := map[string]insights.CompactedDecision{}
	for _, d := range c.Decisions {
		by[d.ID[:1]] = d
	}
	if d := by["a"]; d.Text != "Decision a-new" || d.Context != "Long context" || len(d.Reasons) != 1 ||
		d.Lessons != "Learned\nmore" {
		t.Errorf("full: %+v", d)
	}
	if d := by["b"]; d.Text != "Decision b-week" || d.Context != "" || d.Reasons != nil || d.Lessons != "Learned" ||
		d.Pattern == "" || *d.Confidence != 0.8 {
		t.Errorf("summary: %+v", d)
	}
	if d := by["c"]; !strings.HasSuffix(d.Text, " success: Decision c-month") || len(d.Text) > 80 || d.Lessons != "" {
		t.Errorf("digest: %+v", d)
	}
	if d := by["d"]; d.Text != "Pattern d-quarter" || d.Confidence != nil || d.Outcome != "success" {
		t.Errorf("wisdom: %+v", d)
	}
	for name, c := range map[string]struct {
		query insights.CompactedQuery
		want  string
	}{
		"of a level": {insights.CompactedQuery{Level: "wisdom"}, "d wisdom, e wisdom; 6 {2 1 1 2}"},
		"full":       {insights.CompactedQuery{Level: "full"}, "a full, f full; 6 {2 1 1 2}"},
		"of a category": {insights.CompactedQuery{Category: "tooling"},
			"a full, b summary, c digest, d wisdom, e wisdom; 5 {1 1 1 2}"},
		"of both":         {insights.CompactedQuery{Category: "tooling", Level: "digest"}, "c digest; 5 {1 1 1 2}"},
		"none":            {insights.CompactedQuery{Category: "security", Level: "digest"}, "; 1 {1 0 0 0}"},
		"the newest only": {insights.CompactedQuery{Limit: 1}, "a full; 6 {2 1 1 2}"},
	} {
		if _, got := level(t, c.query); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}

	t.Run("a preserved decision is full, and its history says so", func(t *testing.T) {
		out, err := env.Decisions.SetPreserve(ctx, decisions.PreserveRequest{ID: "e-old", Why: "we come back to it",
			Caller: decisions.Caller{Session: decisions.Session{By: "ada"}}})
		if err != nil || !out.Changed || !out.Preserve || out.Revision != 1 {
			t.Fatalf("got %+v, %v, want Changed=true, Preserve=true, Revision=1", out, err)
		}
		if out, err := env.Decisions.SetPreserve(ctx, decisions.PreserveRequest{ID: "e-old"}); err != nil ||
			out.Changed || out.Revision != 1 {
			t.Errorf("again: %+v, %v", out, err)
		}
		d := toolstest.Get(t, env, "e-old")
		if history := d["history"].([]any)[0].(map[string]any); d["preserve"] != true || history["by"] != "ada" ||
			history["reason"] != "we come back to it" || history["changes"].(map[string]any)["preserve"] == nil {
			t.Errorf(`got %v, want preserve=true, by=ada, reason="we come back to it", non-nil preserve`, d)
		}
		for name, c := range map[string]struct {
			query insights.CompactedQuery
			want  string
		}{
			"all":    {insights.CompactedQuery{}, "a full, b summary, c digest, d wisdom, e full, f full; 6 {3 1 1 1}"},
			"full":   {insights.CompactedQuery{Level: "full", Category: "tooling"}, "a full, e full; 5 {2 1 1 1}"},
			"wisdom": {insights.CompactedQuery{Level: "wisdom"}, "d wisdom; 6 {3 1 1 1}"},
			"without": {insights.CompactedQuery{IncludePreserved: new(false)},
				"a full, b summary, c digest, d wisdom, f full; 5 {2 1 1 1}"},
		} {
			if _, got := level(t, c.query); got != c.want {
				t.Errorf("%s: %s, not %s", name, got, c.want)
			}
		}
		if out, err := env.Decisions.SetPreserve(ctx,
			decisions.PreserveRequest{ID: "e-old", Preserve: new(false)}); err != nil || !out.Changed ||
			out.Revision != 2 {
			t.Errorf("got %+v, %v, want Changed=true, Revision=2", out, err)
		}
		if _, got := level(t, insights.CompactedQuery{}); got != all {
			t.Errorf("got %s, want %v", got, all)
		}
		if rows := g.Rows(t, "MATCH (d:Preserved) RETURN d.id", nil); len(rows) != 0 ||
			toolstest.Get(t, env, "e-old")["preserve"] != nil {
			t.Errorf("a mark stays: %v", rows)
		}
		if _, err := env.Decisions.SetPreserve(ctx, decisions.PreserveRequest{ID: "no-such-id"}); !apperr.Is(err,
			apperr.NotFound) {
			t.Errorf("got %v, want %s", err, apperr.NotFound)
		}
	})
	t.Run("many", func(t *testing.T) {
		g.Exec(t, `UNWIND range(1, 1200) AS i CREATE (:Decision {id: 'm' + i, uid: 'm' + i, decision: 'One of many', category: 'process', status: 'reviewed', outcome: 'failure',
created_at: datetime() - duration({days: 50}), reviewed_at: datetime() - duration({days: 40})})`, nil)
		if c, _ := level(t, insights.CompactedQuery{Level: "digest", Limit: 100}); !c.AtLeast ||
			c.Levels.Digest != 1000 || len(c.Decisions) != 100 {
			t.Errorf(`got %v %v %d, want AtLeast=true, Digest=1000, len(Decisions)=100`,
				c.AtLeast, c.Levels, len(c.Decisions))
		}
	})
}

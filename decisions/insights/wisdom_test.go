package insights_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/insights"
	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

func TestWisdom_Reviews_BecomeLessons(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	if w, err := env.Attention.Wisdom(ctx, insights.WisdomQuery{}); err != nil || len(w.Wisdom) != 0 {
		t.Errorf(`got %+v, %v, want no Wisdom`, w, err)
	}
	n := 0
	turned := func(category, outcome, pattern string, confidence float64, lessons string) string {
		t.Helper()
		n++
		out := toolstest.Record(t, env, decisions.Record{Decision: fmt.Sprintf("Choice %d of %s", n, category),
			Category: category, Confidence: confidence, ExtraFields: decisions.ExtraFields{Pattern: pattern,
				Project: "a/b"}})
		graphtest.Must(env.Decisions.Review(ctx, decisions.Outcome{ID: out.ID, Outcome: outcome, Lessons: lessons,
			Session: decisions.Session{By: "r"}}))(t)
		return out.ID
	}
	turned("tooling", "success", "Cache aside", 0.9, "")
	turned("tooling", "partial", "cache aside ", 0.9, "")
	turned("tooling", "success", "Only once", 0.8, "")
	turned("tooling", "failure", "Big bang", 0.8, "Split it next time")
	turned("tooling", "failure", "Big bang", 0.8, "")
	last := turned("tooling", "abandoned", "", 0.6, "Ask first")
	for range 4 {
		turned("process", "success", "Pair", 0.9, "")
	}
	toolstest.Record(t, env, decisions.Record{Decision: "Open", Category: "tooling", Confidence: 0.1,
		ExtraFields: decisions.ExtraFields{Pattern: "Big bang"}}) // without a review it does not count
	first := turned("security", "failure", "", 1, "Lock the door")
	for range 4 {
		turned("security", "success", "Pair", 1, "")
	}

	w, err := env.Attention.Wisdom(ctx, insights.WisdomQuery{})
	if err != nil || w.CategoriesAnalyzed != 2 || w.TotalDecisions != 15 || len(w.Wisdom) != 2 {
		t.Fatalf("got %+v, %v, want CategoriesAnalyzed=2, TotalDecisions=15, len(Wisdom)=2", w, err)
	}
	tooling, security := w.Wisdom[0], w.Wisdom[1]
	if tooling.Category != "tooling" || tooling.Decisions != 6 || tooling.SuccessRate != 0.4167 ||
		tooling.Failures != 3 || tooling.CommonFailureMode != "Big bang" ||
		*tooling.AvgConfidence != 0.8 || *tooling.BrierScore != 0.3083 { // (.01 + .16 + .04 + .64 + .64 + .36) / 6
		t.Errorf("%+v, Brier %v", tooling, *tooling.BrierScore)
	}
	if p := tooling.KeyPrinciples; len(p) != 1 || strings.ToLower(p[0].Text) != "cache aside" ||
		p[0].Confirmations != 2 || p[0].MeanOutcome != 0.75 || len(p[0].ExampleIDs) != 2 {
		t.Errorf("principles: %+v", p)
	}
	if l := tooling.Lessons; len(l) != 2 || l[0] != (insights.Lesson{ID: last, Text: "Ask first"}) ||
		l[1].Text != "Split it next time" {
		t.Errorf("lessons: %+v", l)
	}
	if security.CommonFailureMode != "Lock the door" || security.Lessons[0].ID != first ||
		security.KeyPrinciples[0].Text != "Pair" || security.KeyPrinciples[0].Confirmations != 4 {
		t.Errorf(`got %+v, want CommonFailureMode="Lock the door", ID=%v, Text=Pair, Confirmations=4`, security, first)
	}
	if w, err := env.Attention.Wisdom(ctx, insights.WisdomQuery{MinDecisions: 4,
		Selection: insights.Selection{Category: "process", Project: "A/B"}}); err != nil || len(w.Wisdom) != 1 ||
		w.Wisdom[0].SuccessRate != 1 || w.Wisdom[0].CommonFailureMode != "" {
		t.Errorf(`got %+v, %v, want len(Wisdom)=1, SuccessRate=1, CommonFailureMode=""`, w, err)
	}
	if w, err := env.Attention.Wisdom(ctx, insights.WisdomQuery{Selection: insights.Selection{Project: "c/d"}}); err != nil || len(w.Wisdom) != 0 {
		t.Errorf("of another project: %+v, %v", w, err)
	}
	g.Exec(t, `UNWIND range(1, 2100) AS i CREATE (:Decision {id: 'm' + i, uid: 'm' + i, decision: 'One of many', category: 'process', status: 'reviewed', outcome: 'failure', reviewed_at: datetime() - duration({days: 1})})`, nil)
	if w, err := env.Attention.Wisdom(ctx, insights.WisdomQuery{Selection: insights.Selection{Category: "process"}}); err != nil || len(w.Notes) != 1 || w.Wisdom[0].Decisions != 2000 || w.Wisdom[0].Failures != 1996 || w.Wisdom[0].BrierScore == nil {
		t.Errorf("got %+v, %v, want len(Notes)=1, Decisions=2000, Failures=1996, non-nil BrierScore", w, err)
	}
}

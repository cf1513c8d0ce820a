package lab_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/internal/reviewsample"
	"nomograph/policies/lab"
	"nomograph/tools/toolstest"
)

func TestReviewNext_ActsAgainstARule_StatesTheReviewsNeeded(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'warns', active: true, severity: 'warn', requires: 'action.category != "integration"'}),
		(:SYS_Threshold {name: 'bar', value: 0.5, unit: 'ratio'}), (:SYS_Policy {name: 'sure', active: true, requires: 'has(action.confidence) && action.confidence >= threshold("bar")'})`)
	empty, err := env.Lab.ReviewNext(t.Context(), lab.ReviewNextRequest{})
	if err != nil || len(empty.Reviews) != 0 || !strings.Contains(empty.Summary, "No decision with a verdict waits") {
		t.Fatalf("got %+v, %v, want nothing to review", empty, err)
	}
	var inSpite []string
	for i := range 10 {
		made := toolstest.Record(t, env, decisions.Record{ExtraFields: decisions.ExtraFields{SessionID: fmt.Sprintf("region-%d", i)}, Decision: fmt.Sprintf("Widen the rollout to region %d", i), Confidence: 0.9, Category: "integration", Stakes: "low"})
		if i < 2 {
			toolstest.Review(t, env, made.ID, "success")
			continue
		}
		inSpite = append(inSpite, made.ID)
	}
	near := toolstest.Record(t, env, decisions.Record{Decision: "Rename the queue of mails", Confidence: 0.52,
		Category: "process", Stakes: "low"})
	far := toolstest.Record(t, env, decisions.Record{Decision: "Paint the shed in a bright color", Confidence: 0.95,
		Category: "process", Stakes: "low"})
	toolstest.WaitForWorkers(t, g)
	out := graphtest.Must(env.Lab.ReviewNext(t.Context(), lab.ReviewNextRequest{}))(t)
	if len(out.Rules) != 1 || out.Rules[0].Rule != "warns" || out.Rules[0].Successes != 2 ||
		out.Rules[0].Unreviewed != 8 || out.Rules[0].ToSettle == nil || *out.Rules[0].ToSettle != 6 {
		t.Fatalf("got %+v, want that 6 reviews settle `warns`", out.Rules)
	}
	if !strings.Contains(out.Summary, "6 reviews would show whether `warns` is too strict") || out.Unreviewed != 10 {
		t.Errorf("got %d unreviewed and\n%s", out.Unreviewed, out.Summary)
	}
	reasons := map[string][]string{}
	for _, next := range out.Reviews {
		reasons[next.ID] = next.Reasons
		graphtest.Equal(t, next.Drawn, slices.Contains(next.Reasons, "drawn at random"), next.ID, "drawn",
			"with reasons", next.Reasons)
	}
	for _, id := range inSpite {
		if !slices.Contains(reasons[id], "rule warns") {
			t.Errorf("%s has reasons %q, want the rule", id, reasons[id])
		}
	}
	if !slices.Contains(reasons[near.ID], "threshold bar, close to its value") ||
		slices.Contains(reasons[far.ID], "threshold bar, close to its value") {
		t.Errorf("got reasons %q at the edge and %q far from it", reasons[near.ID], reasons[far.ID])
	}
	again := graphtest.Must(env.Lab.ReviewNext(t.Context(), lab.ReviewNextRequest{}))(t)
	graphtest.Equal(t, again.Summary, out.Summary, "a second call")
	one := graphtest.Must(env.Lab.ReviewNext(t.Context(), lab.ReviewNextRequest{Rule: "warns", Limit: 3}))(t)
	graphtest.Values(t, "three decisions of the rule", len(one.Reviews), 3, len(one.Rules), 1)
	hidden := caller.With(t.Context(), caller.Caller{Name: "eve", Authenticated: true,
		Permissions: []caller.Permission{caller.Read}, Projects: []string{"o/other"}})
	graphtest.Equal(t, graphtest.Must(env.Lab.ReviewNext(hidden, lab.ReviewNextRequest{}))(t).Unreviewed, 0,
		"another project sees")
	for _, id := range inSpite { // only reviews of drawn decisions store the probability of being drawn
		toolstest.Review(t, env, id, "success")
	}
	for _, row := range g.Rows(t, "MATCH (d:Decision)-[:HAS_REVIEW]->(r:Review) RETURN d.uid AS uid, coalesce(r.drawn, 0.0) AS drawn", nil) {
		want := 0.0
		if reviewsample.Drawn(row["uid"].(string)) {
			want = reviewsample.Probability
		}
		graphtest.Equal[any](t, row["drawn"], want, row["uid"], "the review stores")
	}
	graphtest.Len(t, graphtest.Must(env.Lab.ReviewNext(t.Context(), lab.ReviewNextRequest{}))(t).Rules, 0, "questions",
		"none without unreviewed acts")
}

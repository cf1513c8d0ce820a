package insights_test

import (
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/insights"
	"nomograph/graph/graphtest"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
)

func TestToday_Decisions_AreListedWithOutcomes(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	empty, err := env.Attention.Today(ctx, insights.TodayQuery{})
	if err != nil || !strings.Contains(toolstest.Text(empty), "Nothing is due") {
		t.Errorf(`got %s, %v, want text with "Nothing is due"`, toolstest.Text(empty), err)
	}
	a := toolstest.Record(t, env, decisions.Record{Decision: "Use PostgreSQL", Confidence: 0.9,
		ExtraFields: decisions.ExtraFields{Project: "a/b", By: "ada"}})
	toolstest.Record(t, env, decisions.Record{Decision: "Use Redis", Confidence: 0.9,
		ExtraFields: decisions.ExtraFields{Project: "c/d", By: "ada"}})
	graphtest.Must(env.Decisions.Review(ctx, decisions.Outcome{ID: a.ID, Outcome: "success",
		Session: decisions.Session{By: "ada"}}))(t)
	aged(t, g, "late", "stakes: 'high', project: 'a/b', created_at: datetime() - duration({days: 9}), review_by: datetime() - duration({days: 2})")
	aged(t, g, "before", "status: 'reviewed', project: 'a/b', reviewed_at: datetime() - duration({hours: 30}), created_at: datetime() - duration({days: 9})")
	g.Exec(t, `CREATE (:SYS_Policy {name: 'no-drop', active: true, requires: '!action.description.contains("DROP")'})`,
		nil)
	for _, project := range []string{"a/b", "c/d"} {
		graphtest.Must(env.Checks.CheckInSession(ctx,
			check.ActionCheck{Description: "DROP TABLE orders", Project: project,
				AgentID: "bo"}))(t)
	}
	g.Exec(t, `CREATE (:Verdict {uid: 'old', allowed: false, at: datetime() - duration({hours: 25}), agent: 'bo', description: 'long ago'})`, nil)

	all, err := env.Attention.Today(ctx, insights.TodayQuery{})
	if err != nil || all.Recorded.Count != 2 || all.Reviewed.Count != 1 ||
		all.Reviewed.Newest[0].Outcome != "success" || all.Blocked.Count != 2 || len(all.Ready.Actions) != 1 {
		t.Fatalf("got %+v, %v, want all.Recorded.Count=2, all.Reviewed.Count=1, Outcome=success, all.Blocked.Count=2, len(Actions)=1", all, err)
	}
	if b := all.Blocked.Newest[0]; b.VerdictID == "" || b.Rules[0] != "no-drop" ||
		b.Description != "DROP TABLE orders" || b.AgentID != "bo" {
		t.Errorf(`got %+v, want a VerdictID, Rules[0]=no-drop, Description="DROP TABLE orders", AgentID=bo`, b)
	}
	text := toolstest.Text(all)
	for _, part := range []string{"Due (1)", "late  Decision late", "2 days ago", "Blocked (2)", "no-drop",
		"Recorded (2)", "Reviewed (1)", "success   " + a.ID} {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
	one, err := env.Attention.Today(ctx, insights.TodayQuery{Project: "A/B", AgentID: "ada"})
	if err != nil || one.Recorded.Count != 1 || one.Reviewed.Count != 1 || one.Blocked.Count != 0 ||
		len(one.Ready.Actions) != 0 {
		t.Errorf("got %+v, %v, want one.Recorded.Count=1, one.Reviewed.Count=1, one.Blocked.Count=0, no Actions", one,
			err)
	}
	longer, err := env.Attention.Today(ctx, insights.TodayQuery{Hours: 48})
	if err != nil || longer.Blocked.Count != 3 || longer.Reviewed.Count != 2 {
		t.Errorf("got %+v, %v, want longer.Blocked.Count=3, longer.Reviewed.Count=2", longer, err)
	}
	g.Exec(t, "UNWIND range(1, 1200) AS i CREATE (:Decision {id: 'm' + i, uid: 'm' + i, decision: 'One of many', status: 'reviewed', created_at: datetime(), reviewed_at: datetime()})", nil)
	many, err := env.Attention.Today(ctx, insights.TodayQuery{})
	if err != nil || many.Recorded.Count != 1000 || !many.Recorded.AtLeast || !many.Reviewed.AtLeast ||
		many.Blocked.AtLeast || len(many.Recorded.Newest) != 5 {
		t.Errorf("got %+v, %v, want Count=1000, many.Recorded.AtLeast=true, many.Reviewed.AtLeast=true, many.Blocked.AtLeast=false, len(Newest)=5", many, err)
	}
}

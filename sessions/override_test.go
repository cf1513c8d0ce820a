package sessions_test

import (
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/check"
	"nomograph/sessions"
	"nomograph/tools/toolstest"
)

func TestVerdict_UnderAnApprovalOrADecision_SaysSo(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'ask first', active: true, severity: 'approve', requires: 'false', actions: ['mail.send']})", nil)
	access := sessions.Access{Check: check.ActionCheck{Description: "mail", Name: "mail.send", By: "gateway"},
		Subject: "alice", Exactly: graph.Parameters{"n": int64(1)}}
	denied, _, err := env.Sessions.CheckAccess(t.Context(), access)
	graphtest.OK(t, err)
	asked := graphtest.Must(env.Sessions.RequestAccess(t.Context(), access, denied.VerdictID))(t)
	grant(t, env, asked.ApprovalID)
	access.Approval = asked.ApprovalID
	v, granted, err := env.Sessions.CheckAccess(t.Context(), access)
	if err != nil || !granted || v.OverriddenBy != check.ByApproval {
		t.Fatalf("got %+v, granted %v, error %v, want overridden by approval", v, granted, err)
	}
	golden.Equal(t, "for the denial", denied.OverriddenBy, "")
	out := graphtest.Must(env.Sessions.Report(t.Context(),
		sessions.Report{Action: "mail.read", Model: "opus-9", Decision: "0199", Caller: sessions.Caller{By: "Ann"}}))(t)
	rows := g.Rows(t, "MATCH (v:Verdict {uid: $uid}) RETURN v.carries_out AS decision, v.model AS model, v.overridden_by AS by", map[string]any{"uid": out.VerdictID})
	if len(rows) != 1 || rows[0]["decision"] != "0199" || rows[0]["model"] != "opus-9" || rows[0]["by"] != nil {
		t.Errorf("got %v, want len(rows)=1, decision=0199, model=opus-9, by=nil", rows)
	}
	stored := g.Rows(t, "MATCH (v:Verdict {uid: $uid}) RETURN v.overridden_by AS by",
		map[string]any{"uid": v.VerdictID})
	if len(stored) != 1 || stored[0]["by"] != "approval" {
		t.Errorf("got %v, want approval", stored)
	}
}

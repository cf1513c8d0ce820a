package sessions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/sessions"
	"nomograph/tools"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// TestReport_ActionNeedsApproval_PersonDecides: covers all results of a report, and all ways to approve that are
// refused.
func TestReport_ActionNeedsApproval_PersonDecides(t *testing.T) {
	g, env := toolstest.Open(t)
	graphtest.Must(load(t, env, change.ApplyOptions{}, billing))(t)
	started := graphtest.Must(env.Sessions.Start(t.Context(),
		sessions.Start{Goal: "Pay a refund", Caller: sessions.Caller{By: "Ann"}}))(t)
	t.Run("a third call within the limit of two is denied", func(t *testing.T) {
		if ok := report(t, env, "Ann", "report.run", nil); ok.Decision != sessions.Approved ||
			ok.SessionID != started.SessionID || len(ok.PolicyNotes) != 1 ||
			!strings.Contains(ok.PolicyNotes[0], "com.acme.billing/actions") {
			t.Errorf("got %+v, want Decision=%v, ok.SessionID=%v, len(PolicyNotes)=1, PolicyNotes[0] with com.acme.billing/actions", ok, sessions.Approved, started.SessionID)
		}
		report(t, env, "Ann", "report.run", nil)
		if over := report(t, env, "Ann", "report.run", nil); over.Decision != sessions.DeniedAction ||
			!strings.Contains(over.Reason, "billing/reports") {
			t.Errorf("got %+v, want Decision=%v, Reason with billing/reports", over, sessions.DeniedAction)
		}
	})
	t.Run("a denial says why and what else to do", func(t *testing.T) {
		if denied := report(t, env, "Ann", "file.write",
			graph.Parameters{"path": "/prod/x"}); denied.Decision != sessions.DeniedAction ||
			denied.Alternatives[0] != "Write to /staging instead" ||
			denied.Reason != "Policy 'com.acme.billing/no-production-writes': Nothing is written to /prod by hand" {
			t.Errorf(`got %+v, want Decision=%v, denied.Alternatives[0]="Write to /staging instead", Reason=%v`, denied,
				sessions.DeniedAction, "Policy 'com.acme.billing/no-production-writes': Nothing is written to /prod by hand")
		}
	})

	refund := graph.Parameters{"amount": int64(20), "to": "Bob", "api_key": "sk-ant-" + strings.Repeat("abcdef", 6)}
	first := report(t, env, "Ann", "refund.pay", refund)
	t.Run("the same report again has the same approval", func(t *testing.T) {
		if again := report(t, env, "ann", "Refund.Pay", refund); first.Decision != sessions.NeedsApproval ||
			first.ApprovalID == "" || first.ExpiresAt == nil || again.ApprovalID != first.ApprovalID {
			t.Errorf("%+v and %+v", first, again)
		}
	})
	t.Run("the asking agent cannot approve", func(t *testing.T) {
		toolstest.ErrorWithCode(t, errorOf(env.Sessions.Approve(t.Context(),
			sessions.Grant{Answer: sessions.Answer{ApprovalID: first.ApprovalID,
				Reason: "mine", By: "ANN"}})), apperr.PermissionDenied)
	})
	t.Run("a pending approval shows its rules and no secret", func(t *testing.T) {
		waiting, err := env.Sessions.Approvals(t.Context(), sessions.ApprovalsQuery{State: "waiting"})
		if err != nil || len(waiting.Approvals) != 1 || strings.Contains(waiting.Approvals[0].Params, "abcdef") ||
			waiting.Approvals[0].Rules[0] != "com.acme.billing/refunds-by-a-person" ||
			waiting.Approvals[0].Versions[0] == "" {
			t.Fatalf("got %+v %v, want len(Approvals)=1, Params without abcdef, Rules[0]=com.acme.billing/refunds-by-a-person, a Versions[0]", waiting, err)
		}
	})
	t.Run("an approval is answered once", func(t *testing.T) {
		granted, err := env.Sessions.Approve(t.Context(),
			sessions.Grant{Answer: sessions.Answer{ApprovalID: first.ApprovalID, Reason: "It was double charged",
				By: "Mia"}})
		if err != nil || granted.State != "approved" || !granted.Once {
			t.Fatalf("got %+v %v, want State=approved, Once=true", granted, err)
		}
		toolstest.ErrorWithCode(t, errorOf(env.Sessions.Reject(t.Context(),
			sessions.Answer{ApprovalID: first.ApprovalID, Reason: "no",
				By: "Mia"})), apperr.Conflict)
		toolstest.ErrorWithCode(t, errorOf(env.Sessions.Reject(t.Context(),
			sessions.Answer{ApprovalID: "nosuch", Reason: "no", By: "Mia"})), apperr.NotFound)
	})
	t.Run("an approval holds for its agent, its parameters and one use", func(t *testing.T) {
		if other := report(t, env, "Ann", "refund.pay", graph.Parameters{"amount": int64(2000),
			"to": "Bob"}); other.Decision != sessions.NeedsApproval || other.ApprovalID == first.ApprovalID {
			t.Errorf("other parameters: %+v", other)
		}
		golden.Equal(t, "another agent", report(t, env, "Zoe", "refund.pay", refund).Decision, sessions.NeedsApproval)
		if paid := report(t, env, "Ann", "refund.pay", refund); paid.Decision != sessions.Approved ||
			paid.ApprovalID != first.ApprovalID || !strings.Contains(strings.Join(paid.PolicyNotes, "\n"),
			"Approved by Mia: It was double charged") {
			t.Errorf(`got %+v, want Decision=%v, paid.ApprovalID=%v, PolicyNotes with "Approved by Mia: It was double charged"`, paid, sessions.Approved, first.ApprovalID)
		}
	})
	second := report(t, env, "Ann", "refund.pay", refund)
	t.Run("the next approval shows the first as a precedent", func(t *testing.T) {
		if second.Decision != sessions.NeedsApproval || second.ApprovalID == first.ApprovalID {
			t.Errorf("a grant for one time, used twice: %+v", second)
		}
		shown, err := env.Sessions.Approval(t.Context(), sessions.ApprovalQuery{ApprovalID: second.ApprovalID})
		if err != nil || len(shown.Precedents) != 1 || shown.Precedents[0].Reason != "It was double charged" ||
			shown.Precedents[0].Used != 1 {
			t.Errorf(`got %+v %v, want len(Precedents)=1, Reason="It was double charged", Used=1`, shown, err)
		}
	})
	t.Run("a rejection denies the report with the person's reason", func(t *testing.T) {
		graphtest.Must(env.Sessions.Reject(t.Context(),
			sessions.Answer{ApprovalID: second.ApprovalID, Reason: "Once is enough", By: "Mia"}))(t)
		if refused, err := env.Sessions.Approval(t.Context(),
			sessions.ApprovalQuery{ApprovalID: second.ApprovalID}); err != nil || refused.Once ||
			refused.ValidUntil != nil {
			t.Errorf("a denial looks like a grant: %+v %v", refused, err)
		}
		if no := report(t, env, "Ann", "refund.pay", refund); no.Decision != sessions.DeniedAction ||
			no.Reason != "Rejected by Mia: Once is enough" {
			t.Errorf(`got %+v, want Decision=%v, Reason="Rejected by Mia: Once is enough"`, no, sessions.DeniedAction)
		}
	})
	t.Run("a report without an action is denied", func(t *testing.T) {
		blank := errorOf(env.Sessions.Report(t.Context(),
			sessions.Report{Action: " \t", Caller: sessions.Caller{By: "Ann"}}))
		toolstest.ErrorWithCode(t, blank, apperr.Validation)
		if apperr.From(blank).Allowed == nil || *apperr.From(blank).Allowed {
			t.Errorf("got %+v, want non-nil Allowed, Allowed=false", blank)
		}
	})

	unknown := report(t, env, "Ann", "rocket.launch", nil)
	t.Run("an action that no rule covers follows the setting", func(t *testing.T) {
		if unknown.Decision != sessions.NeedsApproval {
			t.Errorf("got %+v, want Decision=%v", unknown, sessions.NeedsApproval)
		}
		for setting, want := range map[string]string{sessions.UnknownAllow: sessions.Approved,
			sessions.UnknownDeny: sessions.DeniedAction} {
			env.Sessions.UnknownAction = setting
			golden.Equal(t, fmt.Sprint(setting), report(t, env, "Ann", "rocket.launch", nil).Decision, want)
		}
		env.Sessions.UnknownAction = ""
	})
	t.Run("an action that needs approval is denied where nobody can approve", func(t *testing.T) {
		env.Sessions.Reach.Person = "ann" // the requester cannot be the approver
		for reached, want := range map[string]string{"": sessions.DeniedAction,
			"CREATE (:Token {name: 'Ann', permissions: ['govern']})":                                                                         sessions.DeniedAction,
			"CREATE (:Token {name: 'mia', permissions: ['decide']}), (:Token {name: 'mia', permissions: ['admin'], revoked_at: datetime()})": sessions.DeniedAction,
			"CREATE (:Token {name: 'mia', permissions: ['admin']})":                                                                          sessions.NeedsApproval} {
			if reached != "" {
				g.Exec(t, reached, nil)
			}
			out := report(t, env, "Ann", "comet.catch", graph.Parameters{"by": reached})
			if out.Decision != want || want == sessions.DeniedAction &&
				!strings.Contains(out.Reason, "nobody who could approve it can be reached") {
				t.Errorf(`%q: got %+v, want Decision=%v, not want == sessions.DeniedAction && !strings.Contains(out.Reason, "nobody who could approve it can be reached")`, reached, out, want)
			}
			g.Exec(t, "MATCH (t:Token) DETACH DELETE t", nil)
		}
		env.Sessions.Reach.Person = "the local user"
		g.Exec(t, "MATCH (a:Approval {action: 'comet.catch'}) DETACH DELETE a", nil)
	})
	t.Run("concurrent reports use an approval for a time many times and one for one use once", func(t *testing.T) {
		if timed := grant(t, env, unknown.ApprovalID, 3600); timed.Once {
			t.Fatalf("got %+v, want Once=false", timed)
		}
		single := report(t, env, "Ann", "refund.pay", graph.Parameters{"amount": int64(1)})
		grant(t, env, single.ApprovalID)
		for action, want := range map[string]int{"rocket.launch": 4, "refund.pay": 1} {
			params := graph.Parameters{}
			if action == "refund.pay" {
				params["amount"] = int64(1)
			}
			approved, errs := toolstest.Concurrently(4, func(int) error {
				out, err := env.Sessions.Report(t.Context(),
					sessions.Report{Action: action, Params: params, Caller: sessions.Caller{By: "Ann"}})
				if err == nil && out.Decision != sessions.Approved {
					err = errNotApproved
				}
				return err
			})
			golden.Equal(t, fmt.Sprint(action, ": approved of 4 at once: ", errs), approved, want)
		}
	})
	t.Run("a rule that changed asks again", func(t *testing.T) {
		changed := report(t, env, "Ann", "refund.pay", graph.Parameters{"amount": int64(3)})
		grant(t, env, changed.ApprovalID)
		g.Exec(t, "MATCH (p:SYS_Policy {name: 'com.acme.billing/refunds-by-a-person'}) SET p.message = 'Ask twice'",
			nil)
		if out := report(t, env, "Ann", "refund.pay",
			graph.Parameters{"amount": int64(3)}); out.Decision != sessions.NeedsApproval ||
			out.ApprovalID == changed.ApprovalID {
			t.Errorf("got %+v, want Decision=%v, ApprovalID other than %v", out, sessions.NeedsApproval,
				changed.ApprovalID)
		}
	})
	t.Run("an expired approval cannot be granted", func(t *testing.T) {
		g.Exec(t, "MATCH (a:Approval {state: 'waiting'}) SET a.expires_at = datetime() - duration('PT1S')", nil)
		late := toolstest.Count(t, g, "MATCH (a:Approval {state: 'waiting'}) RETURN count(a)")
		expired, err := env.Sessions.Approvals(t.Context(), sessions.ApprovalsQuery{State: "expired"})
		if err != nil || len(expired.Approvals) != late || late == 0 {
			t.Fatalf("got %+v %v, want len(Approvals)=%v, nonzero late", expired, err, late)
		}
		toolstest.ErrorWithCode(t, errorOf(env.Sessions.Approve(t.Context(),
			sessions.Grant{Answer: sessions.Answer{ApprovalID: expired.Approvals[0].ApprovalID, Reason: "late",
				By: "Mia"}})), apperr.Conflict)
	})
	t.Run("a caller who asked in another agent's name cannot approve", func(t *testing.T) {
		other, err := env.Sessions.Report(t.Context(),
			sessions.Report{Action: "refund.pay", Params: graph.Parameters{"amount": int64(9)},
				Caller: sessions.Caller{AgentID: "bot", By: "Zed"}})
		if err != nil || other.Decision != sessions.NeedsApproval {
			t.Fatalf("got %+v %v, want Decision=%v", other, err, sessions.NeedsApproval)
		}
		for _, by := range []string{"zed", "Bot"} {
			toolstest.ErrorWithCode(t, errorOf(env.Sessions.Approve(t.Context(),
				sessions.Grant{Answer: sessions.Answer{ApprovalID: other.ApprovalID, Reason: "mine", By: by}})),
				apperr.PermissionDenied)
		}
		g.Exec(t, "MATCH (a:Approval {uid: $other}) SET a.expires_at = datetime()",
			map[string]any{"other": other.ApprovalID})
	})
	g.Exec(t, `CREATE (:SYS_Policy {name: 'both asks', active: true, severity: 'approve', requires: 'false', actions: ['both.do']}),
		(:SYS_Policy {name: 'both seldom', active: true, actions: ['both.do'], limit_of: 'calls', limit_most: 1, limit_seconds: 3600, forbids_pattern: $pattern}),
		(:SYS_Policy {name: 'both costs', active: true, actions: ['both.cost'], limit_of: 'params.cost', limit_most: 100, limit_seconds: 3600, forbids_pattern: $pattern}),
		(:SYS_Policy {name: 'on trial', active: true, severity: 'allow', mode: 'shadow', requires: 'true', actions: ['trial.*']})`, map[string]any{"pattern": cypher.LimitState.Text()})
	t.Run("an action denied by another rule uses no approval up", func(t *testing.T) {
		for n, want := range []string{sessions.Approved, sessions.DeniedAction} {
			asked := report(t, env, "Ann", "both.do", nil)
			grant(t, env, asked.ApprovalID)
			done := report(t, env, "Ann", "both.do", nil)
			shown, err := env.Sessions.Approval(t.Context(), sessions.ApprovalQuery{ApprovalID: asked.ApprovalID})
			if err != nil || done.Decision != want || shown.Used != int64(1-n) {
				t.Errorf("%+v, used %d times, %v", done, shown.Used, err)
			}
		}
	})
	t.Run("a budget denies what is no amount", func(t *testing.T) {
		for _, cost := range []any{"5", "NaN", nil, -1.0} {
			golden.Equal(t, fmt.Sprint("a cost of ", cost), report(t, env, "Ann", "both.cost",
				graph.Parameters{"cost": cost}).Decision, sessions.DeniedAction)
		}
		if out := report(t, env, "Ann", "both.cost",
			graph.Parameters{"cost": 5.0}); out.Decision != sessions.NeedsApproval { // no rule is about this action
			t.Errorf("got %+v, want Decision=%v", out, sessions.NeedsApproval)
		}
	})
	t.Run("a rule on trial permits nothing", func(t *testing.T) {
		golden.Equal(t, "decision", report(t, env, "Ann", "trial.run", nil).Decision, sessions.NeedsApproval)
	})
	t.Run("a forbidden path is found in every spelling and argument", func(t *testing.T) {
		for path, want := range map[string]string{"/./prod/x": sessions.DeniedAction, "//prod/x": sessions.DeniedAction,
			"/staging/../prod/x": sessions.DeniedAction, "/staging/x": sessions.Approved} {
			golden.Equal(t, path, report(t, env, "Ann", "file.write", graph.Parameters{"path": path}).Decision, want)
		}
		for _, params := range []graph.Parameters{{"filePath": "/prod/x"}, {"target_file": "/prod/x"},
			{"destination": "/prod/x"}, {"uri": "file:///prod/x"}, {"Path": "/prod/x"},
			{"args": map[string]any{"path": "/prod/x"}},
			{"path": " /prod/x"}, {"whatever": []any{map[string]any{"x": "/prod/x"}}},
			{"path": "/staging/a", "content": "/staging", "to": "/prod/x"}} {
			golden.Equal(t, fmt.Sprint(params), report(t, env, "Ann", "file.write", params).Decision,
				sessions.DeniedAction)
		}
	})
	t.Run("a path in a text is none", func(t *testing.T) {
		for _, params := range []graph.Parameters{{"path": "/staging/readme.md", "content": "/prod/x"},
			{"path": "/staging/x", "message": "Do not write to /prod/x", "description": "/prod/x"}} {
			golden.Equal(t, fmt.Sprint(params), report(t, env, "Ann", "file.write", params).Decision, sessions.Approved)
		}
	})
	t.Run("an allowed path permits that path alone", func(t *testing.T) {
		graphtest.Must(load(t, env, change.ApplyOptions{}, staging))(t)
		for _, c := range []struct {
			params graph.Parameters
			want   string
		}{{graph.Parameters{"path": "/staging/a"}, sessions.Approved},
			{graph.Parameters{"path": "/etc/x"}, sessions.NeedsApproval}, {graph.Parameters{}, sessions.NeedsApproval},
			{graph.Parameters{"path": "/staging/a", "target": "/prod/b"}, sessions.NeedsApproval},
			{graph.Parameters{"path": "/staging//../x"}, sessions.NeedsApproval}} {
			golden.Equal(t, fmt.Sprint(c.params), report(t, env, "Ann", "stage.write", c.params).Decision, c.want)
		}
		g.Exec(t, "MATCH (a:Approval {state: 'waiting'}) SET a.expires_at = datetime()", nil)
	})

	t.Run("a report that waits is approved when a person answers", func(t *testing.T) {
		asked := make(chan string, 1)
		go func() {
			for deadline := time.Now().Add(time.Minute); time.Now().
				Before(deadline); time.Sleep(10 * time.Millisecond) {
				if list, err := env.Sessions.Approvals(t.Context(),
					sessions.ApprovalsQuery{State: "waiting"}); err == nil && len(list.Approvals) == 1 {
					_, err := env.Sessions.Approve(t.Context(), sessions.Grant{Answer: sessions.Answer{ApprovalID: list.Approvals[0].ApprovalID, Reason: "go on", By: "Mia"}})
					asked <- fmt.Sprint(err)
					return
				}
			}
			asked <- "nobody asked"
		}()
		out, err := env.Sessions.Report(t.Context(),
			sessions.Report{Action: "refund.pay", Params: graph.Parameters{"amount": int64(4)}, WaitSeconds: 120,
				Caller: sessions.Caller{By: "Ann"}})
		if err != nil || out.Decision != sessions.Approved {
			t.Errorf("got %+v %v %s, want Decision=%v", out, err, graphtest.Receive(t, "a person answers", asked),
				sessions.Approved)
		}
	})
	t.Run("the trail is intact and links approvals with verdicts", func(t *testing.T) {
		verified, err := env.Trace.Verify(t.Context(), trace.VerifyRequest{})
		if err != nil || !verified.Intact {
			t.Errorf("got %+v %v, want Intact=true", verified, err)
		}
		if n := toolstest.Count(t, g, "MATCH (:TraceEvent {type: 'action.reported'})-[:UNDER]->(a:Approval)-[:OF]->(:Verdict) RETURN count(DISTINCT a)"); n < 6 {
			t.Errorf("got %d approvals with actions and verdicts, want at least 6", n)
		}
	})
}

// staging allows its action in one environment.
const staging = `atlas_version: "1.0"
atlas_id: com.acme.staging
version: 1.0.0
name: Staging
actions: [{action_id: stage.write}]
policies:
  - {policy_id: only, type: allow, actions: [stage.write], parameters: {paths: ["/staging/*"]}}
`

var errNotApproved = apperr.New(apperr.Conflict, "not approved")

// TestReport_SeveralSessions_GoesToCurrent: a report belongs to the caller's current session, whichever process began
// it.
func TestReport_SeveralSessions_GoesToCurrent(t *testing.T) {
	g, other := toolstest.Open(t)
	graphtest.Must(load(t, other, change.ApplyOptions{}, billing))(t)
	env := toolstest.App(t, toolstest.Reopen(t, g))
	ann := sessions.Caller{By: "Ann"}
	client := caller.With(t.Context(), caller.Caller{Name: "Ann", Trusted: true, Connection: "one client of hers"})
	begin := func(env *tools.App) sessions.Caller {
		t.Helper()
		started := graphtest.Must(env.Sessions.Start(client, sessions.Start{Goal: "Pay a refund", Caller: ann}))(t)
		return sessions.Caller{By: "Ann", SessionID: started.SessionID}
	}
	report := func(who sessions.Caller, action string) (sessions.Reported, error) {
		return env.Sessions.Report(client, sessions.Report{Action: action, Caller: who})
	}
	env.Sessions.UnknownAction = sessions.UnknownAllow
	first := begin(env)
	for _, who := range []sessions.Caller{first, ann} { // by its id and as the ambient session
		if out, err := report(who, "rocket.launch"); err != nil || out.SessionID != first.SessionID ||
			out.Decision != sessions.Approved {
			t.Fatalf("got %+v %v, want out.SessionID=%v, Decision=%v", out, err, first.SessionID, sessions.Approved)
		}
	}

	second := begin(other) // in another process
	out, err := report(ann, "rocket.launch")
	if err != nil || out.SessionID != second.SessionID {
		t.Fatalf("got %+v %v, want out.SessionID=%v", out, err, second.SessionID)
	}
	golden.Equal(t, "verdicts in the second session",
		toolstest.Count(t, g, "MATCH (v:Verdict {uid: '"+out.VerdictID+"', session: '"+second.SessionID+
			"'}) RETURN count(v)"), 1)

	asked, err := report(second, "refund.pay")
	if err != nil || asked.Decision != sessions.NeedsApproval {
		t.Fatalf("got %+v %v, want Decision=%v", asked, err, sessions.NeedsApproval)
	}
	grant(t, env, asked.ApprovalID)
	env.Trace.Close(t.Context())
	if out, err := report(second, "rocket.launch"); err != nil || out.SessionID != second.SessionID {
		t.Fatalf("got %+v %v, want out.SessionID=%v", out, err, second.SessionID)
	}
	graphtest.Must(other.Sessions.End(t.Context(), sessions.End{Caller: second}))(t)
	left := func() int {
		return toolstest.Count(t, g, "MATCH (n) WHERE n:Verdict OR n:TraceEvent RETURN count(n)")
	}
	before := left()
	for _, action := range []string{"rocket.launch", "refund.pay"} { // their approvals are still valid
		toolstest.ErrorWithCode(t, errorOf(report(second, action)), apperr.Conflict)
	}
	golden.Equal(t, "refused report: new nodes", left(), before)
	golden.Equal(t, "uses of the grant in a session that had ended",
		toolstest.Count(t, g, "MATCH (a:Approval {state: 'granted'}) RETURN sum(a.used)"), 0)

	// A session that was ended manually.
	third := begin(env)
	graphtest.Must(report(third, "rocket.launch"))(t)
	g.Exec(t, "MATCH (s:Session {id: $id}) SET s.ended_at = datetime()", map[string]any{"id": third.SessionID})
	toolstest.ErrorWithCode(t, errorOf(report(third, "rocket.launch")), apperr.Conflict)
}

// TestPrecedents_SimilarActions_AreListed: case and blanks of the action do not matter. Those with the same parameters
// come first, then the newest.
func TestPrecedents_SimilarActions_AreListed(t *testing.T) {
	_, env := toolstest.Open(t)
	graphtest.Must(load(t, env, change.ApplyOptions{}, billing))(t)
	early := report(t, env, "Cleo", "refund.pay", graph.Parameters{"amount": int64(20), "to": "/customers/bob"})
	for _, c := range []struct {
		action, reason string
		params         graph.Parameters
	}{
		{"refund.pay", "the same", graph.Parameters{"amount": int64(20), "to": "/customers/bob"}},
		{" REFUND.PAY", "near", graph.Parameters{"amount": int64(25), "to": "/customers/bo"}},
		{"Refund.Pay", "far", graph.Parameters{"amount": int64(9000), "to": "Zoe"}},
		{"refund.pay", "else", graph.Parameters{"all": true}},
		{"launch", "another action", graph.Parameters{"amount": int64(20), "to": "/customers/bob"}},
	} {
		asked := report(t, env, "Ann", c.action, c.params)
		graphtest.Must(env.Sessions.Reject(t.Context(),
			sessions.Answer{ApprovalID: asked.ApprovalID, Reason: c.reason, By: "Mia"}))(t)
	}
	next := report(t, env, "Bob", "refund.PAY", graph.Parameters{"amount": int64(20), "to": "/customers/bob"})
	var reasons []string
	for _, p := range next.Precedents {
		reasons = append(reasons, p.Reason)
	}
	if want := []string{"the same", "else", "far"}; !slices.Equal(reasons, want) {
		t.Errorf("%v, want %v", reasons, want)
	}
	for _, id := range []string{next.ApprovalID, early.ApprovalID} { // early was pending while the others were answered
		shown, err := env.Sessions.Approval(t.Context(), sessions.ApprovalQuery{ApprovalID: id})
		if err != nil || len(shown.Precedents) != 4 || shown.Precedents[3].Reason != "near" {
			t.Errorf("got %+v %v, want len(Precedents)=4, Reason=near", shown, err)
		}
	}
}

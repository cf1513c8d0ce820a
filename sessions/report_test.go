package sessions_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/policies/change"
	"nomograph/sessions"
	"nomograph/tools"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// TestReport_ActionNeedsApproval_PersonDecides: all results of a report, and all refused ways to approve.
func TestReport_ActionNeedsApproval_PersonDecides(t *testing.T) {
	g, env := toolstest.Open(t)
	if _, err := load(t, env, change.ApplyOptions{}, billing); err != nil {
		t.Fatal(err)
	}
	report := func(agent, action string, params graph.Parameters) sessions.Reported {
		t.Helper()
		out, err := env.Sessions.Report(t.Context(), sessions.Report{Action: action, Params: params, Caller: sessions.Caller{By: agent}})
		if err != nil {
			t.Fatalf("%s: %v: %v", action, err, apperr.From(err).Unwrap())
		}
		if out.TraceID == "" || out.VerdictID == "" || out.SessionID == "" || out.Denied() == (out.Decision == sessions.Approved) {
			t.Errorf("%+v", out)
		}
		return out
	}
	started, err := env.Sessions.Start(t.Context(), sessions.Start{Goal: "Pay a refund", Caller: sessions.Caller{By: "Ann"}})
	if err != nil {
		t.Fatal(err)
	}
	if ok := report("Ann", "report.run", nil); ok.Decision != sessions.Approved || ok.SessionID != started.SessionID || len(ok.PolicyNotes) != 1 || !strings.Contains(ok.PolicyNotes[0], "com.acme.billing/actions") {
		t.Errorf("%+v", ok)
	}
	report("Ann", "report.run", nil)
	if over := report("Ann", "report.run", nil); over.Decision != sessions.DeniedAction || !strings.Contains(over.Reason, "billing/reports") {
		t.Errorf("%+v", over)
	}
	if denied := report("Ann", "file.write", graph.Parameters{"path": "/prod/x"}); denied.Decision != sessions.DeniedAction || denied.Alternatives[0] != "Write to /staging instead" ||
		denied.Reason != "Policy 'com.acme.billing/no-production-writes': Nothing is written to /prod by hand" {
		t.Errorf("%+v", denied)
	}

	refund := graph.Parameters{"amount": int64(20), "to": "Bob", "api_key": "sk-ant-REDACTED"}
	first := report("Ann", "refund.pay", refund)
	if again := report("ann", "Refund.Pay", refund); first.Decision != sessions.NeedsApproval || first.ApprovalID == "" || first.ExpiresAt == nil || again.ApprovalID != first.ApprovalID {
		t.Errorf("%+v and %+v", first, again)
	}
	_, err = env.Sessions.Grant(t.Context(), sessions.Grant{Answer: sessions.Answer{ApprovalID: first.ApprovalID, Reason: "mine", By: "ANN"}})
	toolstest.Fault(t, err, apperr.PermissionDenied)
	waiting, err := env.Sessions.Approvals(t.Context(), sessions.ApprovalsQuery{State: "waiting"})
	if err != nil || len(waiting.Approvals) != 1 || strings.Contains(waiting.Approvals[0].Params, "abcdef") || waiting.Approvals[0].Rules[0] != "com.acme.billing/refunds-by-a-person" || waiting.Approvals[0].Versions[0] == "" {
		t.Fatalf("%+v %v", waiting, err)
	}
	granted, err := env.Sessions.Grant(t.Context(), sessions.Grant{Answer: sessions.Answer{ApprovalID: first.ApprovalID, Reason: "It was double charged", By: "Mia"}})
	if err != nil || granted.State != "granted" || !granted.Once {
		t.Fatalf("%+v %v", granted, err)
	}
	_, err = env.Sessions.Deny(t.Context(), sessions.Answer{ApprovalID: first.ApprovalID, Reason: "no", By: "Mia"})
	toolstest.Fault(t, err, apperr.Conflict)
	_, err = env.Sessions.Deny(t.Context(), sessions.Answer{ApprovalID: "nosuch", Reason: "no", By: "Mia"})
	toolstest.Fault(t, err, apperr.NotFound)
	if other := report("Ann", "refund.pay", graph.Parameters{"amount": int64(2000), "to": "Bob"}); other.Decision != sessions.NeedsApproval || other.ApprovalID == first.ApprovalID {
		t.Errorf("other parameters: %+v", other)
	}
	if stranger := report("Zoe", "refund.pay", refund); stranger.Decision != sessions.NeedsApproval {
		t.Errorf("another agent: %+v", stranger)
	}
	if paid := report("Ann", "refund.pay", refund); paid.Decision != sessions.Approved || paid.ApprovalID != first.ApprovalID || !strings.Contains(strings.Join(paid.PolicyNotes, "\n"), "Granted by Mia: It was double charged") {
		t.Errorf("%+v", paid)
	}
	second := report("Ann", "refund.pay", refund)
	if second.Decision != sessions.NeedsApproval || second.ApprovalID == first.ApprovalID {
		t.Errorf("a grant for one time, used twice: %+v", second)
	}
	shown, err := env.Sessions.Approval(t.Context(), sessions.ApprovalQuery{ApprovalID: second.ApprovalID})
	if err != nil || len(shown.Precedents) != 1 || shown.Precedents[0].Reason != "It was double charged" || shown.Precedents[0].Used != 1 {
		t.Errorf("%+v %v", shown, err)
	}
	if _, err := env.Sessions.Deny(t.Context(), sessions.Answer{ApprovalID: second.ApprovalID, Reason: "Once is enough", By: "Mia"}); err != nil {
		t.Fatal(err)
	}
	if refused, err := env.Sessions.Approval(t.Context(), sessions.ApprovalQuery{ApprovalID: second.ApprovalID}); err != nil || refused.Once || refused.ValidUntil != nil {
		t.Errorf("a denial looks like a grant: %+v %v", refused, err)
	}
	blank := must(env.Sessions.Report(t.Context(), sessions.Report{Action: " \t", Caller: sessions.Caller{By: "Ann"}}))
	toolstest.Fault(t, blank, apperr.Validation)
	if apperr.From(blank).Allowed == nil || *apperr.From(blank).Allowed {
		t.Errorf("%+v", blank)
	}
	if no := report("Ann", "refund.pay", refund); no.Decision != sessions.DeniedAction || no.Reason != "Denied by Mia: Once is enough" {
		t.Errorf("%+v", no)
	}

	// An action that no rule permits follows the setting.
	unknown := report("Ann", "rocket.launch", nil)
	if unknown.Decision != sessions.NeedsApproval {
		t.Errorf("%+v", unknown)
	}
	for setting, want := range map[string]string{sessions.UnknownAllow: sessions.Approved, sessions.UnknownDeny: sessions.DeniedAction} {
		env.Sessions.UnknownAction = setting
		if out := report("Ann", "rocket.launch", nil); out.Decision != want {
			t.Errorf("%s: %+v", setting, out)
		}
	}
	env.Sessions.UnknownAction = ""
	env.Sessions.Reach.Person = "ann" // the asker cannot be the person who answers
	for reached, want := range map[string]string{"": sessions.DeniedAction, "CREATE (:Token {name: 'Ann', permissions: ['govern']})": sessions.DeniedAction,
		"CREATE (:Token {name: 'mia', permissions: ['decide']}), (:Token {name: 'mia', permissions: ['admin'], revoked_at: datetime()})": sessions.DeniedAction,
		"CREATE (:Token {name: 'mia', permissions: ['admin']})":                                                                          sessions.NeedsApproval} {
		if reached != "" {
			g.Exec(t, reached, nil)
		}
		out := report("Ann", "comet.catch", graph.Parameters{"by": reached})
		if out.Decision != want || want == sessions.DeniedAction && !strings.Contains(out.Reason, "nobody can be reached") {
			t.Errorf("%q: %+v", reached, out)
		}
		g.Exec(t, "MATCH (t:Token) DETACH DELETE t", nil)
	}
	env.Sessions.Reach.Person = "whoever sits here"
	g.Exec(t, "MATCH (a:Approval {action: 'comet.catch'}) DETACH DELETE a", nil)

	// A timed approval is valid for many concurrent reports, a single-use one for one of them. A changed rule asks
	// again.
	timed, err := env.Sessions.Grant(t.Context(), sessions.Grant{Answer: sessions.Answer{ApprovalID: unknown.ApprovalID, Reason: "Test range", By: "Mia"}, ForSeconds: 3600})
	if err != nil || timed.Once {
		t.Fatalf("%+v %v", timed, err)
	}
	single := report("Ann", "refund.pay", graph.Parameters{"amount": int64(1)})
	if _, err := env.Sessions.Grant(t.Context(), sessions.Grant{Answer: sessions.Answer{ApprovalID: single.ApprovalID, Reason: "small", By: "Mia"}}); err != nil {
		t.Fatal(err)
	}
	for action, want := range map[string]int{"rocket.launch": 4, "refund.pay": 1} {
		params := graph.Parameters{}
		if action == "refund.pay" {
			params["amount"] = int64(1)
		}
		approved, errs := toolstest.AtOnce(4, func(int) error {
			out, err := env.Sessions.Report(t.Context(), sessions.Report{Action: action, Params: params, Caller: sessions.Caller{By: "Ann"}})
			if err == nil && out.Decision != sessions.Approved {
				err = errNotApproved
			}
			return err
		})
		if approved != want {
			t.Errorf("%s: %d of 4 at once are approved: %v", action, approved, errs)
		}
	}
	changed := report("Ann", "refund.pay", graph.Parameters{"amount": int64(3)})
	if _, err := env.Sessions.Grant(t.Context(), sessions.Grant{Answer: sessions.Answer{ApprovalID: changed.ApprovalID, Reason: "small", By: "Mia"}}); err != nil {
		t.Fatal(err)
	}
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'com.acme.billing/refunds-by-a-person'}) SET p.message = 'Ask twice'", nil)
	if out := report("Ann", "refund.pay", graph.Parameters{"amount": int64(3)}); out.Decision != sessions.NeedsApproval || out.ApprovalID == changed.ApprovalID {
		t.Errorf("%+v", out)
	}
	g.Exec(t, "MATCH (a:Approval {state: 'waiting'}) SET a.expires_at = datetime() - duration('PT1S')", nil)
	late := toolstest.Count(t, g, "MATCH (a:Approval {state: 'waiting'}) RETURN count(a)")
	expired, err := env.Sessions.Approvals(t.Context(), sessions.ApprovalsQuery{State: "expired"})
	if err != nil || len(expired.Approvals) != late || late == 0 {
		t.Fatalf("%+v %v", expired, err)
	}
	_, err = env.Sessions.Grant(t.Context(), sessions.Grant{Answer: sessions.Answer{ApprovalID: expired.Approvals[0].ApprovalID, Reason: "late", By: "Mia"}})
	toolstest.Fault(t, err, apperr.Conflict)

	// A request under another name still has the same asker. Only completed reports use an approval. Rules in shadow
	// mode permit nothing.
	other, err := env.Sessions.Report(t.Context(), sessions.Report{Action: "refund.pay", Params: graph.Parameters{"amount": int64(9)}, Caller: sessions.Caller{AgentID: "bot", By: "Zed"}})
	if err != nil || other.Decision != sessions.NeedsApproval {
		t.Fatalf("%+v %v", other, err)
	}
	for _, by := range []string{"zed", "Bot"} {
		_, err = env.Sessions.Grant(t.Context(), sessions.Grant{Answer: sessions.Answer{ApprovalID: other.ApprovalID, Reason: "mine", By: by}})
		toolstest.Fault(t, err, apperr.PermissionDenied)
	}
	g.Exec(t, `MATCH (a:Approval {uid: $other}) SET a.expires_at = datetime()
		CREATE (:SYS_Policy {name: 'both asks', active: true, severity: 'approve', requires: 'false', actions: ['both.do']}),
		(:SYS_Policy {name: 'both seldom', active: true, actions: ['both.do'], limit_of: 'calls', limit_most: 1, limit_seconds: 3600, forbids_pattern: $pattern}),
		(:SYS_Policy {name: 'both costs', active: true, actions: ['both.cost'], limit_of: 'params.cost', limit_most: 100, limit_seconds: 3600, forbids_pattern: $pattern}),
		(:SYS_Policy {name: 'on trial', active: true, severity: 'allow', mode: 'shadow', requires: 'true', actions: ['trial.*']})`, map[string]any{"other": other.ApprovalID, "pattern": cypher.LimitState.Text()})
	for n, want := range []string{sessions.Approved, sessions.DeniedAction} {
		asked := report("Ann", "both.do", nil)
		if _, err := env.Sessions.Grant(t.Context(), sessions.Grant{Answer: sessions.Answer{ApprovalID: asked.ApprovalID, Reason: "once", By: "Mia"}}); err != nil {
			t.Fatalf("%+v %v", asked, err)
		}
		done := report("Ann", "both.do", nil)
		shown, err := env.Sessions.Approval(t.Context(), sessions.ApprovalQuery{ApprovalID: asked.ApprovalID})
		if err != nil || done.Decision != want || shown.Used != int64(1-n) {
			t.Errorf("%+v, used %d times, %v", done, shown.Used, err)
		}
	}
	for _, cost := range []any{"5", "NaN", nil, -1.0} {
		if out := report("Ann", "both.cost", graph.Parameters{"cost": cost}); out.Decision != sessions.DeniedAction {
			t.Errorf("a cost of %v: %+v", cost, out)
		}
	}
	if out := report("Ann", "both.cost", graph.Parameters{"cost": 5.0}); out.Decision != sessions.NeedsApproval { // no rule permits it
		t.Errorf("%+v", out)
	}
	if out := report("Ann", "trial.run", nil); out.Decision != sessions.NeedsApproval {
		t.Errorf("%+v", out)
	}
	for path, want := range map[string]string{"/./prod/x": sessions.DeniedAction, "//prod/x": sessions.DeniedAction, "/staging/../prod/x": sessions.DeniedAction, "/staging/x": sessions.Approved} {
		if out := report("Ann", "file.write", graph.Parameters{"path": path}); out.Decision != want {
			t.Errorf("%s: %+v", path, out)
		}
	}
	for _, params := range []graph.Parameters{{"filePath": "/prod/x"}, {"target_file": "/prod/x"}, {"destination": "/prod/x"}, {"uri": "file:///prod/x"}, {"Path": "/prod/x"}, {"args": map[string]any{"path": "/prod/x"}},
		{"path": " /prod/x"}, {"whatever": []any{map[string]any{"x": "/prod/x"}}}, {"path": "/staging/a", "content": "/staging", "to": "/prod/x"}} {
		if out := report("Ann", "file.write", params); out.Decision != sessions.DeniedAction {
			t.Errorf("%v: %+v", params, out)
		}
	}
	for _, params := range []graph.Parameters{{"path": "/staging/readme.md", "content": "/prod/x"}, {"path": "/staging/x", "message": "Do not write to /prod/x", "description": "/prod/x"}} {
		if out := report("Ann", "file.write", params); out.Decision != sessions.Approved {
			t.Errorf("%v: %+v", params, out)
		}
	}
	if _, err := load(t, env, change.ApplyOptions{}, staging); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		params graph.Parameters
		want   string
	}{{graph.Parameters{"path": "/staging/a"}, sessions.Approved}, {graph.Parameters{"path": "/etc/x"}, sessions.NeedsApproval}, {graph.Parameters{}, sessions.NeedsApproval},
		{graph.Parameters{"path": "/staging/a", "target": "/prod/b"}, sessions.NeedsApproval}, {graph.Parameters{"path": "/staging//../x"}, sessions.NeedsApproval}} {
		if out := report("Ann", "stage.write", c.params); out.Decision != c.want {
			t.Errorf("%v: %+v", c.params, out)
		}
	}
	g.Exec(t, "MATCH (a:Approval {state: 'waiting'}) SET a.expires_at = datetime()", nil)

	// Waiting calls return as soon as a person has answered or the request has expired.
	asked := make(chan string, 1)
	go func() {
		for range 6000 {
			time.Sleep(10 * time.Millisecond)
			if list, err := env.Sessions.Approvals(t.Context(), sessions.ApprovalsQuery{State: "waiting"}); err == nil && len(list.Approvals) == 1 {
				_, err := env.Sessions.Grant(t.Context(), sessions.Grant{Answer: sessions.Answer{ApprovalID: list.Approvals[0].ApprovalID, Reason: "go on", By: "Mia"}})
				asked <- fmt.Sprint(err)
				return
			}
		}
		asked <- "nobody asked"
	}()
	out, err := env.Sessions.Report(t.Context(), sessions.Report{Action: "refund.pay", Params: graph.Parameters{"amount": int64(4)}, WaitSeconds: 120, Caller: sessions.Caller{By: "Ann"}})
	if err != nil || out.Decision != sessions.Approved {
		t.Errorf("%+v %v %s", out, err, <-asked)
	}
	verified, err := env.Trace.Verify(t.Context(), trace.VerifyRequest{})
	if err != nil || !verified.Intact {
		t.Errorf("%+v %v", verified, err)
	}
	if n := toolstest.Count(t, g, "MATCH (:TraceEvent {type: 'action.reported'})-[:UNDER]->(a:Approval)-[:OF]->(:Verdict) RETURN count(DISTINCT a)"); n < 6 {
		t.Errorf("%d approvals lead to what was done and to their verdicts", n)
	}
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

// TestReport_SeveralSessions_GoesToCurrent: the cached current session saves a lookup, but is verified in case another
// process changed it.
func TestReport_SeveralSessions_GoesToCurrent(t *testing.T) {
	g, other := toolstest.Open(t)
	if _, err := load(t, other, change.ApplyOptions{}, billing); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var sent []string
	db := toolstest.Reopen(t, g)
	db.Watches = []graph.StatementObserver{func(ctx context.Context, statement string) (context.Context, func(error)) {
		mu.Lock()
		defer mu.Unlock()
		sent = append(sent, statement)
		return ctx, func(error) {}
	}}
	env := toolstest.App(t, db)
	ann := sessions.Caller{By: "Ann"}
	client := caller.With(t.Context(), caller.Caller{Name: "Ann", Trusted: true, Connection: "one client of hers"})
	begin := func(env *tools.App) sessions.Caller {
		t.Helper()
		started, err := env.Sessions.Start(client, sessions.Start{Goal: "Pay a refund", Caller: ann})
		if err != nil {
			t.Fatal(err)
		}
		return sessions.Caller{By: "Ann", SessionID: started.SessionID}
	}
	report := func(who sessions.Caller, action string) (sessions.Reported, error) {
		return env.Sessions.Report(client, sessions.Report{Action: action, Caller: who})
	}
	env.Sessions.UnknownAction = sessions.UnknownAllow
	first := begin(env)
	for _, who := range []sessions.Caller{first, ann} { // by its id and as the ambient session
		for range 2 {
			mu.Lock()
			sent = nil
			mu.Unlock()
			if out, err := report(who, "rocket.launch"); err != nil || out.SessionID != first.SessionID || out.Decision != sessions.Approved {
				t.Fatalf("%+v %v", out, err)
			}
		}
		if !slices.Equal(sent, []string{"policies/gate/rules_in_force", "trace/events_append"}) {
			t.Errorf("the second report sent %v", sent)
		}
	}

	second := begin(other) // in another process
	out, err := report(ann, "rocket.launch")
	if err != nil || out.SessionID != second.SessionID {
		t.Fatalf("%+v %v", out, err)
	}
	if n := toolstest.Count(t, g, "MATCH (v:Verdict {uid: '"+out.VerdictID+"', session: '"+second.SessionID+"'}) RETURN count(v)"); n != 1 {
		t.Error("the verdict names another session than the one it is told in")
	}

	asked, err := report(second, "refund.pay")
	if err != nil || asked.Decision != sessions.NeedsApproval {
		t.Fatalf("%+v %v", asked, err)
	}
	if _, err := env.Sessions.Grant(t.Context(), sessions.Grant{Answer: sessions.Answer{ApprovalID: asked.ApprovalID, Reason: "fine", By: "Mia"}}); err != nil {
		t.Fatal(err)
	}
	env.Trace.Close(t.Context())
	if out, err := report(second, "rocket.launch"); err != nil || out.SessionID != second.SessionID {
		t.Fatalf("%+v %v", out, err)
	}
	if _, err := other.Sessions.End(t.Context(), sessions.End{Caller: second}); err != nil {
		t.Fatal(err)
	}
	left := func() int {
		return toolstest.Count(t, g, "MATCH (n) WHERE n:Verdict OR n:TraceEvent RETURN count(n)")
	}
	before := left()
	for _, action := range []string{"rocket.launch", "refund.pay"} { // their approvals are still valid
		toolstest.Fault(t, must(report(second, action)), apperr.Conflict)
	}
	if after := left(); after != before {
		t.Errorf("what was refused left %d nodes", after-before)
	}
	if n := toolstest.Count(t, g, "MATCH (a:Approval {state: 'granted'}) RETURN sum(a.used)"); n != 0 {
		t.Error("the grant was used in a session that had ended")
	}

	// A session that was ended manually.
	third := begin(env)
	if _, err := report(third, "rocket.launch"); err != nil {
		t.Fatal(err)
	}
	g.Exec(t, "MATCH (s:Session {id: $id}) SET s.ended_at = datetime()", map[string]any{"id": third.SessionID})
	toolstest.Fault(t, must(report(third, "rocket.launch")), apperr.Conflict)
}

// TestPrecedents_SimilarActions_AreListed: in any spelling, the most similar parameters first.
func TestPrecedents_SimilarActions_AreListed(t *testing.T) {
	_, env := toolstest.Open(t)
	if _, err := load(t, env, change.ApplyOptions{}, billing); err != nil {
		t.Fatal(err)
	}
	report := func(agent, action string, params graph.Parameters) sessions.Reported {
		t.Helper()
		out, err := env.Sessions.Report(t.Context(), sessions.Report{Action: action, Params: params, Caller: sessions.Caller{By: agent}})
		if err != nil || out.Decision != sessions.NeedsApproval {
			t.Fatalf("%+v %v", out, err)
		}
		return out
	}
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
		asked := report("Ann", c.action, c.params)
		if _, err := env.Sessions.Deny(t.Context(), sessions.Answer{ApprovalID: asked.ApprovalID, Reason: c.reason, By: "Mia"}); err != nil {
			t.Fatal(err)
		}
	}
	next := report("Bob", "refund.PAY", graph.Parameters{"amount": int64(20), "to": "/customers/bob"})
	var reasons []string
	for _, p := range next.Precedents {
		reasons = append(reasons, p.Reason)
	}
	if want := []string{"the same", "near", "far"}; !slices.Equal(reasons, want) {
		t.Errorf("%v, want %v", reasons, want)
	}
	shown, err := env.Sessions.Approval(t.Context(), sessions.ApprovalQuery{ApprovalID: next.ApprovalID})
	if err != nil || len(shown.Precedents) != 4 || shown.Precedents[3].Reason != "else" {
		t.Errorf("%+v %v", shown, err)
	}
}

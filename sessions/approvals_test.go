package sessions_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/sessions"
	"nomograph/tokens"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// report reports an action of an agent. Each answer names its event, its verdict and its session.
func report(t *testing.T, env *tools.App, agent, action string, params graph.Parameters) sessions.Reported {
	t.Helper()
	out := graphtest.Must(env.Sessions.Report(t.Context(),
		sessions.Report{Action: action, Params: params, Caller: sessions.Caller{By: agent}}))(t)
	if out.TraceID == "" || out.VerdictID == "" || out.SessionID == "" ||
		out.Denied() == (out.Decision == sessions.Approved) {
		t.Errorf("%s: got %+v, want an event, a verdict and a session", action, out)
	}
	return out
}

// reporter returns a function that reports the action that needs approval, as an agent.
func reporter(t *testing.T, env *tools.App) func(agent string, params graph.Parameters) sessions.Reported {
	t.Helper()
	graphtest.Must(load(t, env, change.ApplyOptions{}, billing))(t)
	return func(agent string, params graph.Parameters) sessions.Reported {
		t.Helper()
		return report(t, env, agent, "refund.pay", params)
	}
}

// grant approves a request as Mia: for a time in seconds, else as the rules say.
func grant(t *testing.T, env *tools.App, id string, seconds ...int64) sessions.Approval {
	t.Helper()
	g := sessions.Grant{Answer: sessions.Answer{ApprovalID: id, Reason: "I looked", By: "Mia"}}
	if len(seconds) > 0 {
		g.ForSeconds = seconds[0]
	}
	return graphtest.Must(env.Sessions.Approve(t.Context(), g))(t)
}

// TestApproval_OtherHiddenParameters_NeedsNewApproval: an approval covers hidden parameters by a keyed hash, whose key
// is not in the graph.
func TestApproval_OtherHiddenParameters_NeedsNewApproval(t *testing.T) {
	g, env := toolstest.Open(t)
	report := reporter(t, env)
	cmd := func(text string) graph.Parameters { return graph.Parameters{"cmd": text} }
	asked := report("Ann", cmd("X_TOKEN=a make"))
	if want := []string{"params.cmd"}; !slices.Equal(asked.Hidden, want) {
		t.Errorf("got %v hidden, want %v", asked.Hidden, want)
	}
	shown, err := env.Sessions.Approval(t.Context(), sessions.ApprovalQuery{ApprovalID: asked.ApprovalID})
	if err != nil || shown.Params != `{"cmd":"X_TOKEN=[redacted] make"}` ||
		!slices.Equal(shown.Hidden, []string{"params.cmd"}) {
		t.Errorf(`got %+v %v, want Params="{"cmd":"X_TOKEN=[redacted] make"}", Hidden=[params.cmd]`, shown, err)
	}
	if granted := grant(t, env, asked.ApprovalID); granted.Hidden == nil {
		t.Errorf("got %+v, want Hidden to name the masked values", granted)
	}
	for _, text := range []string{"X_TOKEN=b make", "X_TOKEN=a;rm make", "X_TOKEN='a;rm -rf /srv;' make"} {
		if other := report("Ann", cmd(text)); other.Decision != sessions.NeedsApproval ||
			other.ApprovalID == asked.ApprovalID {
			t.Errorf("%s: got %+v, want Decision=%v, ApprovalID other than %v", text, other, sessions.NeedsApproval,
				asked.ApprovalID)
		}
	}
	golden.Equal(t, "nodes with the key", toolstest.Count(t, g,
		"MATCH (n) WHERE any(name IN keys(n) WHERE toStringOrNull(n[name]) CONTAINS 'the key of every server') RETURN count(n)"), 0)
	here := toolstest.App(t, toolstest.Reopen(t, g)) // another server with the same key
	golden.Equal(t, "another server with the same key", graphtest.Must(here.Sessions.Report(t.Context(),
		sessions.Report{Action: "refund.pay", Params: cmd("X_TOKEN=a make"),
			Caller: sessions.Caller{By: "Ann"}}))(t).Decision, sessions.Approved)
	asked = report("Ann", cmd("X_TOKEN=c make"))
	grant(t, env, asked.ApprovalID)
	here.Sessions.Key = func() ([]byte, error) { return []byte(strings.Repeat("x", 32)), nil }
	elsewhere, err := here.Sessions.Report(t.Context(),
		sessions.Report{Action: "refund.pay", Params: cmd("X_TOKEN=c make"), Caller: sessions.Caller{By: "Ann"}})
	if err != nil || elsewhere.Decision != sessions.NeedsApproval ||
		!strings.Contains(strings.Join(elsewhere.PolicyNotes, "\n"), "server.pages_key") {
		t.Errorf("a server with another key: %+v %v", elsewhere, err)
	}
	g.Exec(t, "MATCH (a:Approval {uid: $uid}) SET a.params_hash = 'of before', a.key_id = null",
		map[string]any{"uid": asked.ApprovalID})
	if again := report("Ann", cmd("X_TOKEN=c make")); again.Decision != sessions.NeedsApproval ||
		again.ApprovalID == asked.ApprovalID {
		t.Errorf("approval without a key: got %+v, want a new request", again)
	}
	env.Sessions.Key = func() ([]byte, error) { return nil, apperr.New(apperr.Unavailable, "no key") }
	_, err = env.Sessions.Report(t.Context(), sessions.Report{Action: "refund.pay", Params: cmd("make"),
		Caller: sessions.Caller{By: "Ann"}})
	toolstest.ErrorWithCode(t, err, apperr.Unavailable)
	if f := apperr.From(err); f.Allowed == nil || *f.Allowed {
		t.Errorf("without a key: %+v", f)
	}
}

// TestApproval_AnotherProject_NeedsNewApproval: an approval in one project does not apply to another.
func TestApproval_AnotherProject_NeedsNewApproval(t *testing.T) {
	_, env := toolstest.Open(t)
	reporter(t, env)
	report := func(project string) sessions.Reported {
		t.Helper()
		return graphtest.Must(env.Sessions.Report(t.Context(),
			sessions.Report{Action: "refund.pay", Params: graph.Parameters{"amount": int64(20)}, Project: project,
				Caller: sessions.Caller{By: "Ann"}}))(t)
	}
	asked := report("acme/shop")
	golden.Equal(t, "project", grant(t, env, asked.ApprovalID, 3600).Project, "acme/shop")
	for _, project := range []string{"", "acme/other"} {
		if other := report(project); other.Decision != sessions.NeedsApproval || other.ApprovalID == asked.ApprovalID {
			t.Errorf("in the project %q: %+v", project, other)
		}
	}
	for _, project := range []string{"acme/shop", " Acme/Shop", "https://github.com/acme/shop.git"} {
		golden.Equal(t, fmt.Sprint("in the project ", project), report(project).Decision, sessions.Approved)
	}
}

// TestApprove_BeforeItTakesEffect_CanBeUndone: an approval takes effect after a delay by the database's clock. Undo
// revokes it until then.
func TestApprove_BeforeItTakesEffect_CanBeUndone(t *testing.T) {
	g, env := toolstest.Open(t)
	report := reporter(t, env)
	env.Sessions.ApprovalDelay = time.Hour
	params := graph.Parameters{"amount": int64(20)}
	asked := report("Ann", params)
	granted := grant(t, env, asked.ApprovalID)
	if granted.State != "approving" || granted.EffectiveAt == nil ||
		granted.EffectiveAt.Sub(*granted.AnsweredAt) != time.Hour ||
		granted.ValidUntil.Sub(*granted.EffectiveAt) != 24*time.Hour {
		t.Errorf("got %+v, want State=approving, non-nil EffectiveAt, granted.EffectiveAt.Sub(*granted.AnsweredAt)=%v, granted.ValidUntil.Sub(*granted.EffectiveAt)=%v", granted, time.Hour, 24*time.Hour)
	}
	waits := report("Ann", params)
	if waits.Decision != sessions.NeedsApproval || waits.ApprovalID != asked.ApprovalID || waits.EffectiveAt == nil ||
		!strings.Contains(waits.Reason, "takes effect at") {
		t.Errorf(`got %+v, want Decision=%v, waits.ApprovalID=%v, non-nil EffectiveAt, Reason with "takes effect at"`,
			waits, sessions.NeedsApproval, asked.ApprovalID)
	}
	list, err := env.Sessions.Approvals(t.Context(), sessions.ApprovalsQuery{State: "approving"})
	if err != nil || len(list.Approvals) != 1 {
		t.Errorf("got %+v %v, want len(Approvals)=1", list, err)
	}
	_, err = env.Sessions.Reject(t.Context(), sessions.Answer{ApprovalID: asked.ApprovalID, Reason: "no", By: "Mia"})
	toolstest.ErrorWithCode(t, err, apperr.Conflict)
	if f := apperr.From(err); !strings.Contains(f.Message, "is already approved and takes effect at "+
		granted.EffectiveAt.Format(time.RFC3339)) || !strings.Contains(f.Hint, "undo_approval") {
		t.Errorf("got %q, %q for a second answer", f.Message, f.Hint)
	}
	undone, err := env.Sessions.Undo(t.Context(), sessions.Undoing{ApprovalID: asked.ApprovalID, By: "Mia"})
	if err != nil || undone.State != "waiting" || undone.AnsweredBy != "" || undone.EffectiveAt != nil ||
		undone.Undone != 1 {
		t.Errorf(`got %+v %v, want State=waiting, AnsweredBy="", EffectiveAt=nil, Undone=1`, undone, err)
	}
	golden.Equal(t, "answered approvals", toolstest.Count(t, g,
		"MATCH (a:Approval)-[:ANSWERED_BY]->() RETURN count(a)"), 0)
	if again := report("Ann", params); again.Decision != sessions.NeedsApproval ||
		again.ApprovalID != asked.ApprovalID || again.EffectiveAt != nil {
		t.Errorf("got %+v, want Decision=%v, again.ApprovalID=%v, EffectiveAt=nil", again, sessions.NeedsApproval,
			asked.ApprovalID)
	}
	toolstest.ErrorWithCode(t, errorOf(env.Sessions.Undo(t.Context(),
		sessions.Undoing{ApprovalID: asked.ApprovalID, By: "Mia"})), apperr.Conflict)
	toolstest.ErrorWithCode(t, errorOf(env.Sessions.Undo(t.Context(),
		sessions.Undoing{ApprovalID: "nosuch", By: "Mia"})), apperr.NotFound)

	grant(t, env, asked.ApprovalID)
	g.Exec(t, "MATCH (a:Approval) SET a.effective_at = datetime() - duration('PT1S')", nil)
	_, err = env.Sessions.Undo(t.Context(), sessions.Undoing{ApprovalID: asked.ApprovalID, By: "Mia"})
	toolstest.ErrorWithCode(t, err, apperr.Conflict)
	if f := apperr.From(err); !strings.Contains(f.Message, "has taken effect") ||
		!strings.Contains(f.Hint, "revoke_exception") {
		t.Errorf(`got %+v, want Message with "has taken effect", Hint with revoke_exception`, f)
	}
	golden.Equal(t, "decision", report("Ann", params).Decision, sessions.Approved)
	denied := report("Ann", graph.Parameters{"amount": int64(30)})
	golden.Equal(t, "requests with the stakes of their check",
		toolstest.Count(t, g, "MATCH (a:Approval {uid: '"+denied.ApprovalID+
			"'}) MATCH (v:Verdict {uid: a.verdict}) WHERE a.stakes = v.stakes RETURN count(a)"), 1)
	if no, err := env.Sessions.Reject(t.Context(),
		sessions.Answer{ApprovalID: denied.ApprovalID, Reason: "no", By: "Mia"}); err != nil ||
		no.State != "rejected" || no.EffectiveAt != nil ||
		toolstest.Count(t, g, "MATCH (a:Approval {uid: '"+denied.ApprovalID+
			"', by_proven: false}) RETURN count(a)") != 1 {
		t.Errorf("got %+v %v, want State=rejected, EffectiveAt=nil", no, err)
	}
	golden.Equal(t, "a denial", report("Ann", graph.Parameters{"amount": int64(30)}).Decision, sessions.DeniedAction)
	toolstest.ErrorWithCode(t, errorOf(env.Sessions.Undo(t.Context(),
		sessions.Undoing{ApprovalID: denied.ApprovalID, By: "Mia"})), apperr.Conflict)

	of := map[string]string{"approved": asked.ApprovalID, "rejected": denied.ApprovalID}
	for i, state := range []string{"waiting", "approving", "expired", "revoked"} {
		of[state] = report("Ann", graph.Parameters{"amount": int64(40 + i)}).ApprovalID
	}
	grant(t, env, of["approving"])
	g.Exec(t, "MATCH (a:Approval {uid: $uid}) SET a.expires_at = datetime() - duration('PT1S')",
		map[string]any{"uid": of["expired"]})
	g.Exec(t, "MATCH (a:Approval {uid: $uid}) SET a.state = 'revoked'", map[string]any{"uid": of["revoked"]})
	for state, id := range of {
		list, err := env.Sessions.Approvals(t.Context(), sessions.ApprovalsQuery{State: state})
		if err != nil || len(list.Approvals) != 1 || list.Approvals[0].ApprovalID != id ||
			list.Approvals[0].State != state {
			t.Errorf("got %+v, %v, want the approval %s with state %s", list.Approvals, err, id, state)
		}
	}
	for name, want := range map[string]string{"list_approvals": "waiting, approving, approved, rejected, expired, revoked", "list_exceptions": "active, approving, stale, expired, revoked"} {
		o, found := tools.Find(tools.Catalog, name)
		if !found {
			t.Fatal(name)
		}
		_, err := env.Runner().Run(t.Context(), o, json.RawMessage(`{"state": "granted"}`))
		if toolstest.ErrorWithCode(t, err, apperr.Validation); !strings.Contains(err.Error(), "must be one of "+want) {
			t.Errorf("%s: got %v for an old name, want the states %s", name, err, want)
		}
	}
}

// TestReport_WaitSeconds_ReturnsWhenTheApprovalTakesEffect: a waiting call returns when the approval takes effect, not
// earlier.
func TestReport_WaitSeconds_ReturnsWhenTheApprovalTakesEffect(t *testing.T) {
	g, env := toolstest.Open(t)
	report := reporter(t, env)
	env.Sessions.ApprovalDelay = 500 * time.Millisecond
	ask := func(q sessions.Report) sessions.Reported {
		t.Helper()
		q.Action, q.Caller = "refund.pay", sessions.Caller{By: "Ann"}
		out, err := env.Sessions.Report(t.Context(), q)
		if err != nil || out.Decision != sessions.Approved {
			t.Fatalf("got %+v %v, want Decision=%v", out, err, sessions.Approved)
		}
		return out
	}
	params := graph.Parameters{"amount": int64(1)}
	grant(t, env, report("Ann", params).ApprovalID)
	waited := ask(sessions.Report{Params: params, WaitSeconds: 120})
	// The user of the agent's client can answer too; the call waits until the answer takes effect.
	answer := ask(sessions.Report{Params: graph.Parameters{"amount": int64(2)},
		Ask: func(_ context.Context, _ sessions.ApprovalDetails) (*sessions.UserAnswer, error) {
			return &sessions.UserAnswer{Approve: true, Reason: "go on", By: "user of Ann"}, nil
		}})
	for _, out := range []sessions.Reported{waited, answer} {
		golden.Equal(t, fmt.Sprint("approved before the grant counted: ", out),
			toolstest.Count(t, g, "MATCH (a:Approval {uid: '"+out.ApprovalID+
				"'})<-[:UNDER {decision: 'approved'}]-(e:TraceEvent) WHERE e.recorded_at >= a.effective_at AND a.effective_at > a.answered_at RETURN count(a)"), 1)
	}
}

// TestAnswer_RequesterInOtherSpelling_IsRefused: nobody may approve their own request, in any spelling of their name.
func TestAnswer_RequesterInOtherSpelling_IsRefused(t *testing.T) {
	_, env := toolstest.Open(t)
	report := reporter(t, env)
	spellings := []string{"mallory", "MALLORY", "mal\u200blory", "ｍａｌｌｏｒｙ", " mallory\ufeff", "mallo\u00adry"}
	for i, asker := range spellings {
		asked := report(asker, graph.Parameters{"amount": int64(i)})
		for _, by := range spellings {
			toolstest.ErrorWithCode(t, errorOf(env.Sessions.Approve(t.Context(),
				sessions.Grant{Answer: sessions.Answer{ApprovalID: asked.ApprovalID, Reason: "mine", By: by}})),
				apperr.PermissionDenied)
		}
	}
	if one, other := report("mallory", graph.Parameters{"amount": int64(9)}),
		report("ｍａｌｌｏｒｙ", graph.Parameters{"amount": int64(9)}); one.ApprovalID != other.ApprovalID {
		t.Errorf("one request became two: %+v %+v", one, other)
	}
	env.Sessions.Reach.Person = "mal\u200blory"
	out, err := env.Sessions.Report(t.Context(),
		sessions.Report{Action: "comet.catch", Caller: sessions.Caller{By: "mallory"}})
	if err != nil || out.Decision != sessions.DeniedAction {
		t.Errorf("got %+v, %v, want a denial, because the requester cannot approve", out, err)
	}
	graphtest.Must(env.Tokens.Create(t.Context(), tokens.CreateRequest{Name: "mallory",
		Permissions: []string{"govern"}}))(t)
	for _, name := range spellings {
		_, err := env.Tokens.Create(t.Context(), tokens.CreateRequest{Name: name})
		if !strings.EqualFold(name, "mallory") { // such names are refused before the comparison
			toolstest.ErrorWithCode(t, err, apperr.Validation)
			continue
		}
		toolstest.ErrorWithCode(t, err, apperr.Conflict)
	}
	if out, err = env.Sessions.Report(t.Context(),
		sessions.Report{Action: "comet.catch", Caller: sessions.Caller{By: "ｍａｌｌｏｒｙ"}}); err != nil ||
		out.Decision != sessions.DeniedAction {
		t.Errorf("token with a similar name: got %+v, %v, want a denial", out, err)
	}
}

// TestPrecedents_OfOtherProjects_AreHidden: a caller restricted to projects sees requests of these and its own.
func TestPrecedents_OfOtherProjects_AreHidden(t *testing.T) {
	_, env := toolstest.Open(t)
	report := reporter(t, env)
	as := func(name, project string) caller.Caller {
		return caller.Caller{Name: name, Authenticated: true,
			Permissions: []caller.Permission{caller.Decide, caller.Govern}, Projects: []string{project}}
	}
	ask := func(who caller.Caller, note string) sessions.Reported {
		t.Helper()
		return graphtest.Must(env.Sessions.Report(caller.With(t.Context(), who),
			sessions.Report{Action: "refund.pay", Params: graph.Parameters{"note": note},
				Caller: sessions.Caller{By: who.Name}}))(t)
	}
	shop, bank := as("shop-bot", "acme/shop"), as("bank-bot", "acme/bank")
	grant(t, env, ask(shop, "of the shop").ApprovalID)
	secret := ask(bank, "of the bank")
	grant(t, env, secret.ApprovalID)
	grant(t, env, report("Ann", graph.Parameters{"note": "to no project"}).ApprovalID)
	other := as("shop-clerk", "acme/shop")
	for _, c := range []struct {
		who  caller.Caller
		sees []string
	}{{shop, []string{"of the shop"}}, {bank, []string{"of the bank"}}, {other, []string{"of the shop"}},
		{caller.Caller{Name: "zoe", Authenticated: true}, []string{"of the shop", "of the bank", "to no project"}}} {
		out := ask(c.who, "next")
		shown, _ := json.Marshal(out.Precedents)
		ctx := caller.With(t.Context(), c.who)
		list := graphtest.Must(env.Sessions.Approvals(ctx, sessions.ApprovalsQuery{State: "approved"}))(t)
		listed, _ := json.Marshal(list)
		for _, note := range []string{"of the shop", "of the bank", "to no project"} {
			if sees := slices.Contains(c.sees, note); strings.Contains(string(shown), note) != sees ||
				strings.Contains(string(listed), note) != sees {
				t.Errorf("%s sees %q: want %v, got %s and %s", c.who.Name, note, sees, shown, listed)
			}
		}
	}
	toolstest.ErrorWithCode(t, errorOf(env.Sessions.Approval(caller.With(t.Context(), other),
		sessions.ApprovalQuery{ApprovalID: secret.ApprovalID})), apperr.NotFound)
}

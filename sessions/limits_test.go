package sessions_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/check"
	"nomograph/sessions"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// limited returns a graph with limits, and two environments like those of two processes.
func limited(t *testing.T) (*graphtest.Graph, [2]*tools.App) {
	t.Helper()
	g, env := toolstest.Open(t)
	g.Exec(t, `UNWIND [['seldom', 'calls', 2, 'block', 'mail.send'], ['costs', 'params.cost', 100, 'block', 'buy'], ['wary', 'params.cost', 100, 'warn', 'spend'],
			['asks', 'calls', 1, 'approve', 'gift']] AS r
		CREATE (:SYS_Policy {name: r[0], active: true, actions: [r[4]], severity: r[3], limit_of: r[1], limit_most: r[2], limit_seconds: 3600, forbids_pattern: $pattern})
		CREATE (:SYS_Policy {name: 'known ' + r[0], active: true, actions: [r[4]], severity: 'allow', requires: 'true'})`, map[string]any{"pattern": cypher.LimitState.Text()})
	return g, [2]*tools.App{env, toolstest.App(t, toolstest.Reopen(t, g))}
}

func counted(t *testing.T, g *graphtest.Graph, name string) float64 {
	t.Helper()
	rows := g.Rows(t, "MATCH (v:Verdict) WHERE $name IN v.counted RETURN coalesce(sum(v.amounts[0]), 0.0) * 1.0 AS n",
		map[string]any{"name": name})
	return rows[0]["n"].(float64)
}

// TestReport_ConcurrentInTwoProcesses_LimitsHold sends 40 concurrent reports of an action that is allowed a few times.
func TestReport_ConcurrentInTwoProcesses_LimitsHold(t *testing.T) {
	g, envs := limited(t)
	for _, c := range []struct {
		action, rule string
		params       graph.Parameters
		approved     int
		counted      float64
	}{{"mail.send", "seldom", nil, 2, 2}, {"buy", "costs", graph.Parameters{"cost": int64(30)}, 3, 90}} {
		approved, errs := toolstest.Concurrently(40, func(i int) error {
			agent := []string{"Ann", " ann", "ANN"}[i%3]
			out, err := envs[i%2].Sessions.Report(t.Context(),
				sessions.Report{Action: c.action, Params: c.params, Caller: sessions.Caller{By: agent}})
			switch {
			case err != nil:
				return err
			case out.Decision == sessions.Approved:
				return nil
			case out.Decision != sessions.DeniedAction || !strings.Contains(out.Reason, "'"+c.rule+"'") ||
				out.TraceID == "":
				return fmt.Errorf("%+v", out)
			}
			return errNotApproved
		})
		if approved != c.approved || slices.ContainsFunc(errs,
			func(err error) bool { return err != errNotApproved }) { //nolint:errorlint // our own
			t.Errorf("%s: got %d of 40 approved, want %d: %v", c.action, approved, c.approved, errs)
		}
		golden.Equal(t, fmt.Sprint(c.action, ": counted"), counted(t, g, c.rule), c.counted)
		golden.Equal(t, fmt.Sprint(c.action, ": verdicts"),
			toolstest.Count(t, g, "MATCH (v:Verdict {name: '"+c.action+"'}) RETURN count(v)"), 40)
	}
	denied := g.Rows(t, "MATCH (v:Verdict {name: 'mail.send', allowed: false}) RETURN v.uid AS uid LIMIT 1",
		nil)[0]["uid"].(string)
	shown, err := envs[0].Checks.Explain(t.Context(), check.VerdictQuery{ID: denied})
	if err != nil || len(shown.Violations) != 1 || shown.Violations[0].GuardrailID != "seldom" ||
		len(shown.Violations[0].Found) != 1 {
		t.Errorf("got %+v %v, want len(Violations)=1, GuardrailID=seldom, len(Found)=1", shown, err)
	}
}

// TestLimits_ConcurrentChecksRecordingsAndReports_CountTogether: all kinds of calls count against the same limit.
func TestLimits_ConcurrentChecksRecordingsAndReports_CountTogether(t *testing.T) {
	g, envs := limited(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'all', active: true, limit_of: 'calls', limit_most: 5, limit_seconds: 3600, forbids_pattern: $pattern})", map[string]any{"pattern": cypher.LimitState.Text()})
	allowed, errs := toolstest.Concurrently(30, func(i int) error {
		env := envs[i%2]
		var ok bool
		switch i % 3 {
		case 0:
			v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "buy", Name: "buy",
				Params: graph.Parameters{"cost": int64(1)}, By: "Ann"})
			if err != nil {
				return err
			}
			ok = v.Allowed
		case 1:
			r, err := env.Decisions.Record(t.Context(), decisions.Record{Decision: "Buy a thing", Confidence: 0.9,
				Category: "process", ExtraFields: decisions.ExtraFields{By: "Ann"}})
			if err != nil {
				return err
			}
			if ok = r.Success; ok != r.Allowed || ok != (r.ID != "") {
				return fmt.Errorf("%+v", r)
			}
		default:
			r, err := env.Sessions.Report(t.Context(), sessions.Report{Action: "buy",
				Params: graph.Parameters{"cost": int64(1)}, Caller: sessions.Caller{By: "Ann"}})
			if err != nil {
				return err
			}
			ok = r.Decision == sessions.Approved
		}
		if !ok {
			return errNotApproved
		}
		return nil
	})
	if allowed != 5 || slices.ContainsFunc(errs,
		func(err error) bool { return err != errNotApproved }) { //nolint:errorlint // our own
		t.Errorf("got %d of 30 allowed, want 5: %v", allowed, errs)
	}
	golden.Equal(t, "counted", toolstest.Count(t, g, "MATCH (v:Verdict) WHERE 'all' IN v.counted RETURN count(v)"), 5)
	if n, made := toolstest.Count(t, g, "MATCH (d:Decision) RETURN count(d)"),
		toolstest.Count(t, g, "MATCH (v:Verdict {allowed: true})-[:JUDGED]->(:Decision) RETURN count(v)"); n != made {
		t.Errorf("got %d decisions of %d allowed recordings, want n=%v", n, made, made)
	}
	forced, err := envs[0].Decisions.Record(t.Context(),
		decisions.Record{Decision: "Buy one more", Confidence: 0.9, Category: "process",
			ExtraFields: decisions.ExtraFields{By: "Ann", ForceReason: "the owner asked"}})
	if err != nil || !forced.Success || forced.Allowed || forced.Forced == "" || len(forced.Violations) != 1 {
		t.Errorf("got %+v %v, want Success=true, Allowed=false, a Forced, len(Violations)=1", forced, err)
	}
}

// TestLimits_ApprovalAndLimit_AreUsedInOneTransaction: a denial uses no approval, and a single-use approval is used by
// one report.
func TestLimits_ApprovalAndLimit_AreUsedInOneTransaction(t *testing.T) {
	g, envs := limited(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'ask first', active: true, severity: 'approve', requires: 'false', actions: ['mail.send', 'buy']})", nil)
	report := func(env *tools.App, action string, params graph.Parameters) (sessions.Reported, error) {
		return env.Sessions.Report(t.Context(), sessions.Report{Action: action, Params: params,
			Caller: sessions.Caller{By: "Ann"}})
	}
	for _, action := range []string{"mail.send", "buy"} {
		for n := range 3 {
			params := graph.Parameters{"cost": int64(50), "to": int64(n)}
			asked, err := report(envs[0], action, params)
			if n < 2 && (err != nil || asked.Decision != sessions.NeedsApproval) {
				t.Fatalf("got %+v %v, want not n < 2 && (err != nil || asked.Decision != sessions.NeedsApproval)",
					asked, err)
			}
			if n == 2 { // both limits are used up, so an approval cannot help
				grant(t, envs[0], asked.ApprovalID)
				denied, err := report(envs[0], action, params)
				shown, showErr := envs[0].Sessions.Approval(t.Context(),
					sessions.ApprovalQuery{ApprovalID: asked.ApprovalID})
				if err != nil || showErr != nil || denied.Decision != sessions.DeniedAction || shown.Used != 0 {
					t.Errorf("%+v, used %d times, %v %v", denied, shown.Used, err, showErr)
				}
				continue
			}
			grant(t, envs[0], asked.ApprovalID)
			approved, errs := toolstest.Concurrently(8, func(i int) error {
				out, err := report(envs[i%2], action, params)
				if err == nil && out.Decision != sessions.Approved {
					err = errNotApproved
				}
				return err
			})
			shown, err := envs[0].Sessions.Approval(t.Context(), sessions.ApprovalQuery{ApprovalID: asked.ApprovalID})
			if err != nil || approved != 1 || shown.Used != 1 ||
				slices.ContainsFunc(errs, func(err error) bool {
					return err != errNotApproved
				}) { //nolint:errorlint // our own
				t.Errorf("%s: got %d of 8 approved by a grant for one time, used %d times: %v %v", action, approved,
					shown.Used, errs, err)
			}
		}
	}
	if calls, spent := counted(t, g, "seldom"), counted(t, g, "costs"); calls != 2 || spent != 100 {
		t.Errorf("got %v calls and %v spent, want 2 and 100", calls, spent)
	}
}

// TestLimits_SeverityApprove_AsksBeyondTheLimit: an approval allows one action beyond such a limit.
func TestLimits_SeverityApprove_AsksBeyondTheLimit(t *testing.T) {
	_, envs := limited(t)
	approved, errs := toolstest.Concurrently(12, func(i int) error {
		out, err := envs[i%2].Sessions.Report(t.Context(),
			sessions.Report{Action: "gift", Caller: sessions.Caller{By: "Ann"}})
		if err == nil && out.Decision == sessions.NeedsApproval {
			err = errNotApproved
		}
		return err
	})
	if approved != 1 || slices.ContainsFunc(errs,
		func(err error) bool { return err != errNotApproved }) { //nolint:errorlint // our own
		t.Errorf("got %d of 12 approved, want 1: %v", approved, errs)
	}
}

// TestLimits_NegativeAmounts_LeaveTheLimit: negative amounts never free a limit.
func TestLimits_NegativeAmounts_LeaveTheLimit(t *testing.T) {
	g, envs := limited(t)
	for _, cost := range []any{-500.0, "-500", nil, 90.0} { // the rule only warns
		out, err := envs[0].Sessions.Report(t.Context(),
			sessions.Report{Action: "spend", Params: graph.Parameters{"cost": cost},
				Caller: sessions.Caller{By: "Ann"}})
		if err != nil || out.Decision != sessions.Approved {
			t.Fatalf("%v: got %+v %v, want Decision=%v", cost, out, err, sessions.Approved)
		}
	}
	golden.Equal(t, "counted", counted(t, g, "wary"), 90)
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'wary'}) SET p.severity = 'block'", nil)
	g.Exec(t, "MATCH (v:Verdict) WHERE v.amounts = [0.0] SET v.amounts = [-500.0]", nil) // as older versions stored it
	out, err := envs[1].Sessions.Report(t.Context(),
		sessions.Report{Action: "spend", Params: graph.Parameters{"cost": 20.0}, Caller: sessions.Caller{By: "Ann"}})
	if err != nil || out.Decision != sessions.DeniedAction {
		t.Errorf("got %+v %v, want Decision=%v", out, err, sessions.DeniedAction)
	}
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'wary'}) SET p.forbids_pattern = 'MATCH (n:Nowhere) RETURN n.x AS x'",
		nil) // a pattern that does not match
	for cost, want := range map[any]string{20.0: sessions.DeniedAction, -1.0: sessions.DeniedAction,
		"1": sessions.DeniedAction, 10.0: sessions.Approved} {
		out, err := envs[1].Sessions.Report(t.Context(),
			sessions.Report{Action: "spend", Params: graph.Parameters{"cost": cost},
				Caller: sessions.Caller{By: "Ann"}})
		if err != nil || out.Decision != want {
			t.Errorf("%v: got %+v %v, want Decision=%v", cost, out, err, want)
		}
	}
}

// TestLimits_AgentNamedLikeASecret_IsCounted: limits count under the masked name that is stored.
func TestLimits_AgentNamedLikeASecret_IsCounted(t *testing.T) {
	_, envs := limited(t)
	approved := 0
	for range 5 {
		out := graphtest.Must(envs[0].Sessions.Report(t.Context(),
			sessions.Report{Action: "mail.send", Caller: sessions.Caller{By: "ghp_" + strings.Repeat("a1B2", 9)}}))(t)
		if out.Decision == sessions.Approved {
			approved++
		}
	}
	golden.Equal(t, "approved of 5", approved, 2)
}

// TestLimits_LockTimeout_Denies: nothing is allowed while another holder keeps the lock.
func TestLimits_LockTimeout_Denies(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, envs := limited(t)
	checkOnce := func() (check.Verdict, error) {
		return envs[0].Checks.Check(t.Context(), check.ActionCheck{Description: "mail", Name: "mail.send", By: "Ann"})
	}
	if v, err := checkOnce(); err != nil || !v.Allowed {
		t.Fatalf("got %+v %v, want Allowed=true", v, err)
	}
	release := g.Hold(t, "MATCH (l:SYS_Lock) WHERE l.name STARTS WITH 'limits ' SET l.held = true")
	if f := toolstest.ErrorWithCode(t, errorOf(checkOnce()), apperr.QueryTimeout); f.Allowed == nil || *f.Allowed {
		t.Errorf("got %+v, want non-nil Allowed, Allowed=false", f)
	}
	if v, err := envs[0].Checks.Check(t.Context(),
		check.ActionCheck{Description: "talk", Name: "talk", By: "Ann"}); err != nil || !v.Allowed { // no limit applies
		t.Errorf("got %+v %v, want Allowed=true", v, err)
	}
	release()
	if v, err := checkOnce(); err != nil || !v.Allowed {
		t.Errorf("got %+v %v, want Allowed=true", v, err)
	}
}

// TestCheckAccess_ApprovalWithinALimit_IsUsedOnce: a gateway presents an approval, which is used once.
func TestCheckAccess_ApprovalWithinALimit_IsUsedOnce(t *testing.T) {
	g, envs := limited(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'ask first', active: true, severity: 'approve', requires: 'false', actions: ['mail.send']})", nil)
	for n, want := range []int{1, 1, 0} {
		access := sessions.Access{Check: check.ActionCheck{Description: "mail", Name: "mail.send", By: "gateway"},
			Subject: "alice", Exactly: graph.Parameters{"n": int64(n)}}
		denied, granted, err := envs[0].Sessions.CheckAccess(t.Context(), access)
		if err != nil || granted || denied.Allowed {
			t.Fatalf("got %+v %v %v, want granted=false, Allowed=false", denied, granted, err)
		}
		if n == 2 { // the limit is used up, so no approval is requested
			toolstest.ErrorWithCode(t, errorOf(envs[0].Sessions.RequestAccess(t.Context(), access, denied.VerdictID)),
				apperr.Conflict)
			continue
		}
		asked := graphtest.Must(envs[0].Sessions.RequestAccess(t.Context(), access, denied.VerdictID))(t)
		grant(t, envs[0], asked.ApprovalID)
		access.Approval = asked.ApprovalID
		got, errs := toolstest.Concurrently(8, func(i int) error {
			v, granted, err := envs[i%2].Sessions.CheckAccess(t.Context(), access)
			if err == nil && granted != (v.Forced != "") {
				err = fmt.Errorf("granted %v: %+v", granted, v)
			}
			if err == nil && !granted {
				err = errNotApproved
			}
			return err
		})
		shown, err := envs[0].Sessions.Approval(t.Context(), sessions.ApprovalQuery{ApprovalID: asked.ApprovalID})
		if err != nil || got != want || shown.Used != int64(want) ||
			slices.ContainsFunc(errs, func(err error) bool {
				return err != errNotApproved
			}) { //nolint:errorlint // our own
			t.Errorf("got %d of 8 granted, used %d times, want %d: %v %v", got, shown.Used, want, errs, err)
		}
	}
	golden.Equal(t, "counted", counted(t, g, "seldom"), 2)
}

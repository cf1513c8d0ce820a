package decisions_test

import (
	"slices"
	"testing"

	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// TestCheck_OwnAmbientSession_TakesTwoStatements also checks what happens in other sessions.
func TestCheck_OwnAmbientSession_TakesTwoStatements(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'careful', active: true, requires: 'action.description != \"drop\"'})", nil)
	db, sent := toolstest.Observe(t, g)
	env := toolstest.App(t, db)
	checked := func(c check.ActionCheck) (statements []string) {
		t.Helper()
		c.By = "Ada"
		sent.Take()
		v := graphtest.Must(env.Checks.CheckInSession(t.Context(), c))(t)
		if want := c.Description != "drop"; v.Allowed != want {
			t.Errorf("%q: got allowed %v, want %v", c.Description, v.Allowed, want)
		}
		env.Trace.Close(t.Context())
		rows := g.Rows(t, "MATCH (v:Verdict {uid: $uid}) RETURN v.allowed AS allowed, COUNT { (v)-[:APPLIED]->() } AS rules", map[string]any{"uid": v.VerdictID})
		if len(rows) != 1 || rows[0]["allowed"] != v.Allowed || rows[0]["rules"].(int64) != int64(len(v.Violations)) {
			t.Errorf("%q: got stored verdicts %v, want one that says allowed %v", c.Description, rows, v.Allowed)
		}
		return sent.Take()
	}
	want := func(got []string, statements ...string) {
		t.Helper()
		if !slices.Equal(got, statements) {
			t.Errorf("got statements %v, want %v", got, statements)
		}
	}
	checked(check.ActionCheck{Description: "read"}) // opens the session
	graphtest.Until(t, "the database has planned the statements", func() bool {
		return slices.Equal(checked(check.ActionCheck{Description: "read"}),
			[]string{"policies/check/rules_in_force", "trace/events_append"})
	})
	want(checked(check.ActionCheck{Description: "drop"}), "policies/check/rules_in_force", "trace/events_append")
	want(checked(check.ActionCheck{Description: "read", SessionID: "named"}), "policies/check/rules_in_force",
		"policies/check/verdicts_record", "trace/sessions_open", "trace/events_append")

	// A session whose end was edited manually accepts no event, and the verdict is stored nevertheless.
	g.Exec(t, "MATCH (s:Session {agent: 'ada', ambient: true}) SET s.count = 'many'", nil)
	want(checked(check.ActionCheck{Description: "drop"}), "policies/check/rules_in_force", "trace/events_append",
		"trace/sessions_open", "policies/check/verdicts_record", "trace/sessions_open")
	g.Exec(t, "MATCH (s:Session {agent: 'ada', ambient: true}) SET s.ended_at = datetime()", nil)
	checked(check.ActionCheck{Description: "read"})
	want(checked(check.ActionCheck{Description: "read"}), "policies/check/rules_in_force", "trace/events_append")
	ambient := g.Rows(t, "MATCH (s:Session {agent: 'ada', ambient: true}) WHERE s.ended_at IS NULL RETURN s.uid AS uid",
		nil)
	report, err := env.Trace.Verify(t.Context(),
		trace.VerifyRequest{Sessions: []string{"named", ambient[0]["uid"].(string)}})
	if err != nil || !report.Intact || report.Events != 3 {
		t.Errorf("got %+v (%v), want two intact sessions with three events", report, err)
	}
}

// TestCheck_LockedSessionsOfOthers_AreNotWaitedFor: another process holds the locks of two sessions with waiting
// events.
func TestCheck_LockedSessionsOfOthers_AreNotWaitedFor(t *testing.T) {
	g, env := toolstest.Open(t)
	note := trace.Event{Type: "thought", Payload: map[string]any{"text": "note"}}
	ada := trace.SessionSelector{Agent: "Ada", Workspace: "shop"}
	others := []trace.SessionSelector{{Agent: "Bob", Workspace: "shop"}, {Agent: "Bob", SessionID: "named"}}
	for _, who := range append(others, ada) {
		graphtest.Must(env.Trace.Append(t.Context(), who, note))(t)
	}
	checked := func() {
		t.Helper()
		if v, err := env.Checks.CheckInSession(t.Context(),
			check.ActionCheck{Description: "read", By: "Ada"}); err != nil ||
			!v.Allowed {
			t.Errorf("got %+v (%v), want allowed", v, err)
		}
	}
	checked() // opens the session of the checks
	release := g.Hold(t, "MATCH (s:Session {agent: 'bob'}) SET s.held = true")
	for i, who := range others {
		env.Trace.AppendAsync(t.Context(), who, note)
		graphtest.Until(t, "the event waits for the lock", func() bool {
			return len(g.Rows(t, "SHOW TRANSACTIONS YIELD status WHERE status STARTS WITH 'Blocked' RETURN status",
				nil)) > i
		})
	}
	env.Decisions.Note(t.Context(), decisions.Caller{Session: decisions.Session{By: "Ada"}}, "thought",
		map[string]any{"text": "before the check"})
	checked()
	release()
	env.Trace.Close(t.Context())
	rows := g.Rows(t, "MATCH (s:Session {agent: 'ada'})-[:RECORDED]->(e) WHERE e.type = 'check' OR e.payload CONTAINS 'before the check' RETURN e.type AS type ORDER BY e.seq", nil)
	if len(rows) != 3 || rows[0]["type"] != "check" || rows[1]["type"] != "thought" || rows[2]["type"] != "check" {
		t.Errorf("got events %v, want check, thought, check", rows)
	}
	if rows := g.Rows(t, "MATCH (:Session {agent: 'bob'})-[:RECORDED]->(e) RETURN e.uid AS uid", nil); len(rows) != 4 {
		t.Errorf("got %d events in the locked sessions, want 4", len(rows))
	}
}

// TestCheck_OwnSessionLocked_IsStoredAlone: another process holds the lock of the caller's own session, so the event
// follows later.
func TestCheck_OwnSessionLocked_IsStoredAlone(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'careful', active: true, requires: 'action.description != \"drop\"'})", nil)
	checked := func(description string) check.Verdict {
		t.Helper()
		v, err := env.Checks.CheckInSession(t.Context(), check.ActionCheck{Description: description, By: "Ada"})
		if err != nil || v.Allowed != (description != "drop") {
			t.Errorf("%q: got %+v (%v), want the verdict of the rule", description, v, err)
		}
		return v
	}
	checked("read")
	env.Trace.Close(t.Context()) // from here on, this process knows the session
	release := g.Hold(t, "MATCH (s:Session {agent: 'ada'}) SET s.held = true")
	allowed, denied := checked("read again"), checked("drop")
	rows := g.Rows(t, "MATCH (v:Verdict) WHERE v.uid IN $uids RETURN v.allowed AS allowed ORDER BY allowed",
		map[string]any{"uids": []string{allowed.VerdictID, denied.VerdictID}})
	if len(rows) != 2 || rows[0]["allowed"] != false || rows[1]["allowed"] != true {
		t.Errorf("got verdicts %v while the session is locked, want a denial and an allowed action", rows)
	}
	release()
	env.Trace.Close(t.Context())
	if rows := g.Rows(t, "MATCH (s:Session {agent: 'ada'})-[:RECORDED]->(e {type: 'check'}) RETURN e.uid AS uid",
		nil); len(rows) != 3 {
		t.Errorf("got %d events of checks after the lock, want 3", len(rows))
	}
	checked("read") // the check and its event are stored together again
}

// TestRecord_NameAndParamsOfItsCheck_AreOneAct: a check with parameters and its recording have one key, and rules about
// parameters see both.
func TestRecord_NameAndParamsOfItsCheck_AreOneAct(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'small', active: true, actions: ['pay'], requires: 'action.params.amount <= 10'})", nil)
	for _, amount := range []int64{5, 50} {
		params := graph.Parameters{"amount": amount}
		checked := graphtest.Must(env.Checks.CheckInSession(t.Context(),
			check.ActionCheck{Description: "Pay the invoice", Category: "process", Name: "pay", Params: params,
				AgentID: "ana"}))(t)
		recorded := graphtest.Must(env.Decisions.Record(t.Context(),
			decisions.Record{Decision: "Pay it now", Category: "process", Confidence: 0.9, Name: "pay", Params: params,
				ExtraFields: decisions.ExtraFields{AgentID: "ana"}}))(t)
		rows := g.Rows(t, "MATCH (v:Verdict) WHERE v.uid IN $ids RETURN count(DISTINCT v.action_key) AS keys, count(v) AS verdicts", map[string]any{"ids": []string{checked.VerdictID, recorded.VerdictID}})
		if rows[0]["keys"] != int64(1) || rows[0]["verdicts"] != int64(2) || checked.Allowed != (amount <= 10) ||
			recorded.Success != checked.Allowed {
			t.Errorf("amount %d: got %v, checked %v, recorded %v, want one key, and both %v", amount, rows,
				checked.Allowed, recorded.Success, amount <= 10)
		}
	}
}

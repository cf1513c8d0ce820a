package trace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// TestVerify_AllSessions_AreVerifiedOrNamed stores values of unexpected types in sessions and events: reading still
// works, and verifying all sessions reports each problem.
func TestVerify_AllSessions_AreVerifiedOrNamed(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	l := newLog(g)
	edits := map[string]string{ // manual edit and expected problem, by session id
		"uid gone":         "REMOVE s.uid",
		"uid empty":        "SET s.uid = ''",
		"uid a number":     "SET s.uid = 7",
		"uid a list":       "SET s.uid = ['a']",
		"count a text":     "SET s.count = 'two'",
		"count negative":   "SET s.count = -1",
		"count a fraction": "SET s.count = 2.0",
		"count gone":       "REMOVE s.count",
		"head a number":    "SET s.head = 1",
		"agent a list":     "SET s.agent = ['ann']",
		"workspace true":   "SET s.workspace = true",
		"ambient a text":   "SET s.ambient = 'no'",
		"start a text":     "SET s.started_at = toString(s.started_at)",
		"last a date":      "SET s.last_at = date()",
		"end a number":     "SET s.ended_at = 5",
		"consumed a text":  "SET s.consumed = 'all'",
		"event's uid":      "WITH s MATCH (s)-[:RECORDED]->(e {seq: 1}) SET e.uid = 5, e.at = 'now', e.payload = 1, e.agent = false, e.type = 2, e.hash = 3",
		"event's seq":      "CREATE (:TraceEvent {uid: 'loose', session: s.uid, seq: 'x'})",
		"event's half seq": "CREATE (:TraceEvent {uid: 'half', session: s.uid, seq: 2.5})",
		"event's session":  "WITH s MATCH (s)-[r:RECORDED]->(e {seq: 1}) DELETE r SET e.session = 12",
	}
	refused := []string{"uid gone", "uid empty", "uid a number", "uid a list", "count a text", "count negative",
		"count gone", "head a number", "agent a list"}
	for id, edit := range edits {
		appended(t, l, trace.SessionSelector{Agent: "ann", SessionID: id}, thought("a"), thought("b"))
		g.Exec(t, "MATCH (s:Session {id: $id}) "+edit, map[string]any{"id": id})
	}
	appended(t, l, trace.SessionSelector{Agent: "ann", SessionID: "whole"}, thought("a"))
	g.Exec(t, "MATCH (s:Session {id: 'whole'}) CREATE (:Session)", nil) // a session without properties

	v := graphtest.Must(l.Verify(t.Context(), trace.VerifyRequest{}))(t)
	if all := int64(len(edits) + 2); v.Sessions != all || v.Omitted > 0 {
		t.Errorf("%d of %d sessions, %d problems omitted", v.Sessions, all, v.Omitted)
	}
	uids := map[any]any{}
	for _, row := range g.Rows(t, "MATCH (s:Session) RETURN s.id AS id, s.uid AS uid", nil) {
		uids[row["id"]] = row["uid"]
	}
	for id := range edits {
		if !slices.ContainsFunc(v.Problems, func(p trace.Problem) bool {
			return p.SessionID == id || p.SessionID == fmt.Sprint(uids[id])
		}) {
			t.Errorf("got no problem for %s in\n%s", id, toolstest.Text(v))
		}
	}
	if slices.ContainsFunc(v.Problems, func(p trace.Problem) bool { return p.SessionID == "whole" }) ||
		!strings.Contains(toolstest.Text(v), "invalid_session") {
		t.Errorf("got %s, want text with invalid_session, ...", toolstest.Text(v))
	}

	graphtest.Must(l.Sessions(t.Context(), trace.SessionFilter{}))(t)
	for id := range edits {
		if _, err := l.Session(t.Context(), trace.SessionQuery{SessionID: id}); err != nil {
			t.Errorf("%s is not shown: %v", id, err)
		}
		if one, err := l.Verify(t.Context(), trace.VerifyRequest{Sessions: []string{id}}); err != nil ||
			!one.Failed() && !strings.HasPrefix(id, "event's") {
			t.Errorf("%s by itself: %v %v", id, one, err)
		}
		who := trace.SessionSelector{Agent: "ann", SessionID: id}
		if _, err := l.Pending(t.Context(), who); (err != nil) != (id == "agent a list") || err != nil &&
			!apperr.Is(err, apperr.Conflict) {
			t.Errorf("%s: pending returns %v", id, err)
		}
		if _, err := l.Append(t.Context(), who, thought("c")); (err != nil) != slices.Contains(refused, id) ||
			err != nil && !apperr.Is(err, apperr.Conflict) {
			t.Errorf("%s: append returns %v", id, err)
		}
	}
}

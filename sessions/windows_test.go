package sessions_test

import (
	"context"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/sessions"
	"nomograph/tools/toolstest"
	"nomograph/trace"
)

// TestSession_TwoWindowsOfOneClient_StayApart: both windows have the same name and directory, and calls pass no
// session_id.
func TestSession_TwoWindowsOfOneClient_StayApart(t *testing.T) {
	g, env := toolstest.Open(t)
	env.Sessions.UnknownAction = sessions.UnknownAllow
	who := sessions.Caller{By: "Claude"}
	window := func(connection string) context.Context {
		return caller.With(t.Context(), caller.Caller{Name: "Claude", Trusted: true, Connection: connection})
	}
	start := func(ctx context.Context) string {
		t.Helper()
		started := graphtest.Must(env.Sessions.Start(ctx, sessions.Start{Goal: "Work", Caller: who}))(t)
		return started.SessionID
	}
	report := func(ctx context.Context, who sessions.Caller) string {
		t.Helper()
		out := graphtest.Must(env.Sessions.Report(ctx, sessions.Report{Action: "file.read", Caller: who}))(t)
		return out.SessionID
	}
	left, right := window("left"), window("right")
	first, second := start(left), start(right)
	if a, b, again := report(left, who), report(right, who), report(left, who); a != first || b != second ||
		again != first {
		t.Errorf("got reports in %s, %s and %s, want %s, %s and %s", a, b, again, first, second, first)
	}
	env.Trace.AppendAsync(left, trace.SessionSelector{Agent: "claude"},
		trace.Event{Type: "thought", Payload: map[string]any{"text": "of the left one"}})
	thoughts := func(ctx context.Context) string {
		t.Helper()
		pending := graphtest.Must(env.Trace.Pending(ctx, trace.SessionSelector{Agent: "claude"}))(t)
		answer := pending.SessionID
		for _, e := range pending.Events {
			if e.Type == "thought" {
				answer += " thinks"
			}
		}
		return answer
	}
	if a, b := thoughts(left), thoughts(right); a != first+" thinks" || b != second {
		t.Errorf("got deliberations %q and %q", a, b)
	}

	// Ending one session leaves the other open. A process that started no session gets an error.
	ended, err := env.Sessions.End(left, sessions.End{Caller: who})
	if err != nil || ended.SessionID != first {
		t.Fatalf("got %s (%v), want %s", ended.SessionID, err, first)
	}
	golden.Equal(t, "report", report(right, who), second)
	restarted := window("after a restart")
	_, err = env.Sessions.End(restarted, sessions.End{Caller: who})
	golden.Contains(t, "the hint", toolstest.ErrorWithCode(t, err, apperr.NotFound).Hint, "session_id")
	byID := sessions.Caller{By: "Claude", SessionID: second}
	golden.Equal(t, "by its id", report(restarted, byID), second)
	if got := report(restarted, who); got == first || got == second {
		t.Errorf("a process that started none reports in %s", got)
	}
	golden.Equal(t, "report", report(right, who), second)
	if ended, err = env.Sessions.End(restarted, sessions.End{Caller: byID}); err != nil || ended.SessionID != second ||
		!ended.ChainVerified {
		t.Errorf("got %+v (%v), want SessionID=%v, ChainVerified=true", ended, err, second)
	}
	golden.Equal(t, "sessions without all events",
		toolstest.Count(t, g, "MATCH (s:Session) WHERE s.count <> COUNT { (s)-[:RECORDED]->() } RETURN count(s)"), 0)
}

// TestSession_SeveralOpenAndIndistinguishable_AsksWhich: over REST and stateless MCP, calls of several sessions cannot
// be told apart.
func TestSession_SeveralOpenAndIndistinguishable_AsksWhich(t *testing.T) {
	_, env := toolstest.Open(t)
	env.Sessions.UnknownAction = sessions.UnknownAllow
	who := sessions.Caller{By: "ci"}
	report := func(who sessions.Caller) (sessions.Reported, error) {
		return env.Sessions.Report(t.Context(), sessions.Report{Action: "file.read", Caller: who})
	}
	start := func() string {
		t.Helper()
		started := graphtest.Must(env.Sessions.Start(t.Context(), sessions.Start{Goal: "Build", Caller: who}))(t)
		return started.SessionID
	}
	first := start()
	if out, err := report(who); err != nil || out.SessionID != first {
		t.Fatalf("got %+v (%v), want %s", out, err, first)
	}
	second := start()
	if f := toolstest.ErrorWithCode(t, errorOf(report(who)), apperr.Conflict); !strings.Contains(f.Hint, first) ||
		!strings.Contains(f.Hint, second) || f.Allowed == nil || *f.Allowed {
		t.Errorf("the hint is %q", f.Hint)
	}
	toolstest.ErrorWithCode(t, errorOf(env.Sessions.End(t.Context(), sessions.End{Caller: who})), apperr.Conflict)
	toolstest.ErrorWithCode(t, errorOf(env.Sessions.Request(t.Context(),
		sessions.Request{Need: "how to build", Caller: who})), apperr.Conflict)
	graphtest.Must(env.Sessions.End(t.Context(), sessions.End{Caller: sessions.Caller{By: "ci",
		SessionID: first}}))(t)
	golden.Equal(t, "session id", graphtest.Must(report(who))(t).SessionID, second)
}

package check_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/policies/check"
)

// TestRecordExecutions_MatchesVerdicts_AndNamesGaps: calls match by the client's id, otherwise by content within a
// minute; a repeated call counts once.
func TestRecordExecutions_MatchesVerdicts_AndNamesGaps(t *testing.T) {
	g := graphtest.New(t)
	s := check.NewStore(g.DB)
	s.Settings.Project = "o/r"
	s.Settings.AllowedRetention = 90 * 24 * time.Hour
	checkWith := func(facts graph.Parameters) {
		t.Helper()
		graphtest.Must(s.Check(t.Context(), check.ActionCheck{Name: "shell.run", Description: "Run",
			Context: facts}))(t)
	}
	checkWith(graph.Parameters{"client": "claude-code", "client_session": "s", "tool_use_id": "t1",
		"content_key": "c1"})
	checkWith(graph.Parameters{"client": "cursor", "client_session": "w", "content_key": "c2"})
	at := time.Now().UTC().Format(time.RFC3339Nano) // the same for a repeated call
	call := func(client, session, id, content, source string) check.Execution {
		return check.Execution{Client: client, Session: session, ToolUseID: id, Content: content, Source: source,
			Event: "PostToolUse", Kind: "shell.run", Outcome: check.Succeeded, At: at}
	}
	calls := []check.Execution{
		call("claude-code", "s", "t1", "c1", check.ByPostHook),
		call("claude-code", "s", "t2", "c9", check.ByTranscript), // another call of a session with checks
		call("cursor", "w", "", "c2", check.ByPostHook),
		call("cursor", "other", "", "c2", check.ByPostHook), // equal content in another session
		call("codex", "x", "t1", "", check.ByTranscript),
	}
	hosted, timed, old := call("codex", "x", "t2", "", check.ByTranscript),
		call("claude-code", "s", "t3", "c3", check.ByPostHook), call("codex", "x", "t4", "", check.ByTranscript)
	hosted.Reason, timed.Reason, old.At = check.NotCovered, check.TimedOut, "200d"
	calls = append(calls, hosted, timed, old)
	for _, want := range []check.ExecutionsRecorded{{Received: 8, Recorded: 7, Matched: 2},
		{Received: 8, Recorded: 0, Matched: 2}} {
		if got, err := s.RecordExecutions(t.Context(), check.Executions{Executions: calls, By: "ann"}); err != nil ||
			got.Received != want.Received || got.Recorded != want.Recorded || got.Matched != want.Matched {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	c, err := s.Coverage(t.Context(), check.CoverageQuery{})
	if err != nil || c.Executed != 7 || c.Checked != 2 || c.Gaps != 5 || len(c.Days) == 0 {
		t.Errorf("got %+v, %v, want Executed=7, Checked=2, Gaps=5, nonzero len(Days)", c, err)
	}
	reasons := map[string]int{}
	for _, gap := range c.GapList {
		reasons[gap.Client+" "+gap.Reason] += gap.Calls
	}
	want := map[string]int{"claude-code hook_failed": 1, "claude-code timed_out": 1, "cursor no_hook": 1,
		"codex no_hook": 1, "codex not_covered": 1}
	golden.Equal(t, "gaps", fmt.Sprint(reasons), fmt.Sprint(want))
	for project, n := range map[string]int{"o/r": 7, "x/y": 0} {
		limited := caller.With(t.Context(), caller.Caller{Name: "bo", Authenticated: true, Projects: []string{project},
			Permissions: []caller.Permission{caller.Read}})
		if c, err := s.Coverage(limited, check.CoverageQuery{}); err != nil || c.Executed != n {
			t.Errorf("a caller of %s sees %d, %v, want %d", project, c.Executed, err, n)
		}
	}
	if c, err := s.Coverage(t.Context(), check.CoverageQuery{Client: "cursor"}); err != nil || c.Executed != 2 ||
		c.Checked != 1 {
		t.Errorf("cursor: got %+v, %v, want Executed=2, Checked=1", c, err)
	}
	s.Settings.AllowedRetention = time.Nanosecond
	golden.Equal(t, "pruned", graphtest.Must(s.Prune(t.Context(), check.PruneRequest{DryRun: new(false),
		Confirm: new(int64(7))}))(t).Executions, 7)
}

// TestRecordExecutions_EqualCalls_HaveTheirOwnVerdicts: calls without ids of the same content match one verdict each. A
// call without a verdict is a gap, unless its client still reused the answer to another call.
func TestRecordExecutions_EqualCalls_HaveTheirOwnVerdicts(t *testing.T) {
	g := graphtest.New(t)
	s := check.NewStore(g.DB)
	for range 2 {
		graphtest.Must(s.Check(t.Context(), check.ActionCheck{Name: "shell.run", Description: "Run",
			Context: graph.Parameters{"client": "cursor", "client_session": "w", "content_key": "c"}}))(t)
	}
	g.Exec(t, "MATCH (v:Verdict) WITH v ORDER BY v.at DESC LIMIT 1 SET v.at = v.at + duration('PT20S')",
		nil) // the second check came later
	first := g.Rows(t, "MATCH (v:Verdict) RETURN min(v.at) AS at", nil)[0]["at"].(time.Time)
	call := func(after time.Duration) check.Execution {
		return check.Execution{Client: "cursor", Session: "w", Content: "c", Event: "afterShellExecution",
			Kind: "shell.run", Outcome: check.Succeeded, At: first.Add(after).UTC().Format(time.RFC3339Nano)}
	}
	s.Settings.AllowedRetention = 0
	g.Exec(t, "MATCH (v:Verdict) SET v.at = v.at - duration('PT2M')", nil) // calls of the future would count as now
	first = first.Add(-2 * time.Minute)
	record := func(want check.ExecutionsRecorded, calls ...check.Execution) {
		t.Helper()
		got, err := s.RecordExecutions(t.Context(), check.Executions{Executions: calls})
		if err != nil || got.Recorded != want.Recorded || got.Matched != want.Matched {
			t.Errorf("got %+v, %v, want %+v", got, err, want)
		}
	}
	three := []check.Execution{call(time.Second), call(21 * time.Second), call(45 * time.Second)}
	record(check.ExecutionsRecorded{Recorded: 3, Matched: 2}, three...)
	record(check.ExecutionsRecorded{Matched: 2}, three...) // sent again
	record(check.ExecutionsRecorded{Recorded: 1, Matched: 1}, call(7*time.Second))
	rows := g.Rows(t, "MATCH (v:Verdict) RETURN COUNT { (v)<-[:UNDER]-() } AS calls ORDER BY v.at", nil)
	golden.Equal(t, "calls of verdicts", fmt.Sprint(rows), "[map[calls:2] map[calls:1]]")
	if c, err := s.Coverage(t.Context(), check.CoverageQuery{}); err != nil || c.Executed != 4 || c.Checked != 3 ||
		len(c.GapList) != 1 || c.GapList[0].Reason != check.HookFailed {
		t.Errorf("got %+v, %v, want one call that no check belongs to", c, err)
	}
}

// TestRecordExecutions_TenThousand_NeedFewTransactions measures an import: each call of 1,000 is one transaction.
func TestRecordExecutions_TenThousand_NeedFewTransactions(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	s := check.NewStore(g.DB)
	started := time.Now()
	for batch := range 10 {
		calls := make([]check.Execution, 1000)
		for i := range calls {
			calls[i] = check.Execution{Client: "claude-code", Session: "s", ToolUseID: fmt.Sprint(batch, i),
				Event: "Bash", Kind: "shell.run", Source: check.ByTranscript}
		}
		if got, err := s.RecordExecutions(t.Context(), check.Executions{Executions: calls}); err != nil ||
			got.Recorded != 1000 {
			t.Fatalf("got %+v, %v, want Recorded=1000", got, err)
		}
	}
	t.Logf("10,000 calls in %v", time.Since(started).Round(time.Millisecond))
}

// TestRecordExecutions_OtherAgents_AreNotLinked: an agent must not make another agent's denied call look executed, nor
// change what is known of it.
func TestRecordExecutions_OtherAgents_AreNotLinked(t *testing.T) {
	g := graphtest.New(t)
	s := check.NewStore(g.DB)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'never', active: true, requires: 'false', severity: 'block'})", nil)
	at := time.Now().UTC().Format(time.RFC3339Nano)
	as := func(name string, permissions ...caller.Permission) context.Context {
		return caller.With(t.Context(), caller.Caller{Name: name, Authenticated: true, Permissions: permissions})
	}
	for _, agent := range []string{"bo", "eve"} {
		graphtest.Must(s.Check(as(agent, caller.Read),
			check.ActionCheck{Name: "shell.run", Description: "Run", AgentID: agent, By: agent,
				Context: map[string]any{"client": "claude-code", "client_session": "s-" + agent, "tool_use_id": "t1",
					"content_key": "k1"}}))(t)
	}
	own := check.Execution{Client: "claude-code", Session: "s-bo", ToolUseID: "t1", Event: "PostToolUse",
		Kind: "shell.run", At: at, Outcome: check.UnknownOutcome}
	for name, c := range map[string]struct {
		by      string
		may     []caller.Permission
		call    check.Execution
		matched int
	}{
		"by the id": {"eve", []caller.Permission{caller.Read}, own, 0},
		"by the content": {"mallory", []caller.Permission{caller.Read, caller.Decide},
			check.Execution{Client: "claude-code", Event: "PostToolUse", Kind: "shell.run", Content: "k1", At: at}, 0},
		"by the session": {"mallory", []caller.Permission{caller.Read},
			check.Execution{Client: "claude-code", Session: "s-bo", Event: "PostToolUse", Kind: "shell.run",
				Content: "k1", At: at}, 0},
		"the agent itself":    {"bo", []caller.Permission{caller.Read}, own, 1},
		"another spelling":    {"Bo", []caller.Permission{caller.Read}, own, 1},
		"an administrator":    {"root", []caller.Permission{caller.Admin}, own, 1},
		"after the recording": {"eve", []caller.Permission{caller.Read}, own, 0},
	} {
		g.Exec(t, "MATCH (e:Execution) DETACH DELETE e", nil)
		if name == "after the recording" {
			graphtest.Must(s.RecordExecutions(as("bo", caller.Read),
				check.Executions{Executions: []check.Execution{own}, By: "bo"}))(t)
			c.call.Outcome = check.FailedCall
		}
		got, err := s.RecordExecutions(as(c.by, c.may...),
			check.Executions{Executions: []check.Execution{c.call}, By: c.by})
		if err != nil || got.Matched != c.matched {
			t.Errorf("%s: got %+v, %v, want %d with a verdict", name, got, err, c.matched)
		}
		if changed := g.Rows(t, "MATCH (e:Execution {agent: 'bo', outcome: 'failure'}) RETURN e.uid",
			nil); len(changed) > 0 {
			t.Errorf("%s: the call of bo was changed", name)
		}
	}
}

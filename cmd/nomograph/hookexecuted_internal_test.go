package main

import (
	"context"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	"github.com/gofrs/flock"

	"nomograph/graph/graphtest"
	"nomograph/hooks"
	"nomograph/internal/disk"
	"nomograph/policies/check"
)

// inEmptyHome returns the client claude-code, whose calls are noted in an empty home.
func inEmptyHome(t *testing.T) hooks.Client {
	t.Helper()
	home := t.TempDir()
	t.Cleanup(xdg.Reload) // after the variables have their values again
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", home)
	xdg.Reload()
	client := graphtest.Must(hooks.Find("claude-code"))(t)
	return client
}

func TestRecordExecuted_CallsThatWaitAlready_AreNotRecordedAgain(t *testing.T) {
	client := inEmptyHome(t)
	call := check.Execution{Client: client.Name, Session: "s", ToolUseID: "t", Reason: check.TimedOut}
	executed := call
	executed.Reason = ""
	h := &hookRun{app: &app{}, client: client, budget: 1 << 30}
	h.noteUnchecked([]check.Execution{call})
	h.recording.Store(true) // as after the end of the budget
	h.recordExecuted(t.Context(), []check.Execution{executed})
	waiting := h.withReasons([]check.Execution{executed})
	if waiting[0].Reason != check.TimedOut || waiting[0].At == "" {
		t.Errorf("got reason %q at %q, want %q with a time: the second recording takes it", waiting[0].Reason,
			waiting[0].At, check.TimedOut)
	}
	graphtest.Equal(t, h.withReasons([]check.Execution{executed})[0].Reason, "",
		"reason for a call that was noted once")
}

func TestHookAnswer_BudgetEndsWhileCallsAreStored_TheyAreStoredFirst(t *testing.T) {
	h := &hookRun{app: &app{}, client: inEmptyHome(t), budget: lockTime / 5}
	path := graphtest.Must(h.waitingFile())(t)
	lock := flock.New(path + ".lock") // the calls cannot be stored before the budget ends, and are counted as lost
	graphtest.OK(t, lock.Lock())
	defer func() { _ = lock.Unlock() }()
	_, _ = h.answer(t.Context(), strings.NewReader(`{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"ls"}}`), nil)
	graphtest.Equal(t, string(graphtest.Must(disk.Read(path+".lost", lostDigits))(t)), "000000000001", "lost calls")
}

func TestHookEvaluate_BudgetEnded_NotesThatTheCheckTimedOut(t *testing.T) {
	client := inEmptyHome(t)
	actions, _, err := client.Read(hooks.Input{Stdin: []byte(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"ls"}}`)})
	if err != nil || len(actions) != 1 {
		t.Fatalf("got %d actions, %v", len(actions), err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	h := &hookRun{app: &app{}, client: client, budget: 1 << 30, failOpen: []string{"shell.run"}}
	if verdict := h.evaluate(ctx, actions, nil); verdict.Decision != hooks.Allow {
		t.Fatalf("got %s, want it allowed unchecked", verdict.Decision)
	}
	for _, call := range h.withReasons(client.Unchecked(actions, "")) {
		graphtest.Equal(t, call.Reason, check.TimedOut, "reason")
	}
}

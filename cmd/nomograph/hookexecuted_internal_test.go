package main

import (
	"context"
	"strings"
	"testing"

	"github.com/adrg/xdg"
	"github.com/gofrs/flock"

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
	client, err := hooks.Find("claude-code")
	if err != nil {
		t.Fatal(err)
	}
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
	if again := h.withReasons([]check.Execution{executed}); again[0].Reason != "" {
		t.Errorf("got reason %q for a call that was noted once, want none", again[0].Reason)
	}
}

func TestHookAnswer_BudgetEndsWhileCallsAreStored_TheyAreStoredFirst(t *testing.T) {
	h := &hookRun{app: &app{}, client: inEmptyHome(t), budget: lockTime / 5}
	path, err := h.waitingFile()
	if err != nil {
		t.Fatal(err)
	}
	lock := flock.New(path + ".lock") // the calls cannot be stored before the budget ends, and are counted as lost
	if err := lock.Lock(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Unlock() }()
	_, _ = h.answer(t.Context(), strings.NewReader(`{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"Bash","tool_use_id":"t","tool_input":{"command":"ls"}}`), nil)
	if text, err := disk.Read(path+".lost", lostDigits); err != nil || string(text) != "000000000001" {
		t.Errorf("got %s (%v), want 1 lost call noted before the answer: the process ends after it", text, err)
	}
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
		if call.Reason != check.TimedOut {
			t.Errorf("got reason %q, want %q", call.Reason, check.TimedOut)
		}
	}
}

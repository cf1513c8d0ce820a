package main

import (
	"testing"

	"nomograph/hooks"
	"nomograph/policies/check"
)

func TestRecordExecuted_CallsThatWaitAlready_AreNotRecordedAgain(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", home)
	client, err := hooks.Find("claude-code")
	if err != nil {
		t.Fatal(err)
	}
	call := check.Execution{Client: client.Name, Session: "s", ToolUseID: "t", Reason: check.TimedOut}
	executed := call
	executed.Reason = ""
	h := &hookRun{app: &app{}, client: client, budget: 1 << 30}
	h.noteUnchecked([]check.Execution{call})
	h.recording.Store(true) // the budget ended
	h.recordExecuted(t.Context(), []check.Execution{executed})
	waiting := h.withReasons([]check.Execution{executed})
	if waiting[0].Reason != check.TimedOut || waiting[0].At == "" {
		t.Errorf("got reason %q at %q, want %q with a time: the second recording takes it", waiting[0].Reason, waiting[0].At, check.TimedOut)
	}
	if again := h.withReasons([]check.Execution{executed}); again[0].Reason != "" {
		t.Errorf("got reason %q for a call that was noted once, want none", again[0].Reason)
	}
}

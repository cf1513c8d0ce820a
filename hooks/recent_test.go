package hooks_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/hooks"
	"nomograph/internal/golden"
)

func TestRecent_SameAction_IsCheckedOnce(t *testing.T) {
	var r hooks.Recent
	checks := 0
	once := func(key string, lasts time.Duration) string {
		v, err := r.Once(t.Context(), time.Minute, key, lasts, func(context.Context) (hooks.Verdict, error) {
			checks++
			return hooks.Verdict{ID: key}, nil
		})
		if err != nil {
			t.Error(err)
		}
		return v.ID
	}
	for _, key := range []string{"a", "a", "b", "a"} {
		golden.Equal(t, "verdict", once(key, time.Minute), key)
	}
	golden.Equal(t, "checks of two actions", checks, 2)
	once("c", 0)
	if once("c", 0); checks != 4 {
		t.Errorf("got %d checks, want 4: one for each call of an action that may not be kept", checks)
	}
}

func TestRecent_SharedCheckFails_IsRepeatedForTheOtherCaller(t *testing.T) {
	var r hooks.Recent
	started, end := make(chan struct{}), make(chan struct{})
	first := make(chan error)
	go func() {
		_, err := r.Once(context.Background(), time.Minute, "a", time.Minute,
			func(context.Context) (hooks.Verdict, error) {
				close(started)
				<-end
				return hooks.Verdict{}, errors.New("no time left")
			})
		first <- err
	}()
	<-started
	second := make(chan hooks.Verdict)
	go func() {
		v, err := r.Once(context.Background(), time.Minute, "a", time.Minute,
			func(context.Context) (hooks.Verdict, error) { return hooks.Verdict{ID: "own"}, nil })
		if err != nil {
			t.Error(err)
		}
		second <- v
	}()
	close(end)
	if err := <-first; err == nil {
		t.Error("the caller whose check failed got no error")
	}
	golden.Equal(t, "the other caller", (<-second).ID, "own")
}

func TestKey_ActionInAnotherFolder_Differs(t *testing.T) {
	a := hooks.Action{Session: "s", Kind: hooks.ShellRun, Params: map[string]any{"command": "git push"},
		Cwd: "/work/sandbox"}
	b := a
	b.Cwd = "/work/prod"
	one, _, err := a.Key("agent")
	other, _, otherErr := b.Key("agent")
	if err != nil || otherErr != nil || one == other {
		t.Errorf("got the keys %s and %s (%v, %v), want two", one, other, err, otherErr)
	}
}

// TestKey_EventsOfOneCallInCursor_AreEqual: preToolUse has an id, and the event that follows has none.
func TestKey_EventsOfOneCallInCursor_AreEqual(t *testing.T) {
	for name, tt := range map[string]struct {
		client, one, other string
		same               bool
	}{
		"command":          {"cursor", `"hook_event_name":"preToolUse","tool_name":"Shell","tool_input":{"command":"make","working_directory":"/w"},"tool_use_id":"t"`, `"hook_event_name":"beforeShellExecution","command":"make"`, true},
		"read file":        {"cursor", `"hook_event_name":"preToolUse","tool_name":"Read","tool_input":{"file_path":"/w/a"},"tool_use_id":"t"`, `"hook_event_name":"beforeReadFile","file_path":"/w/a","content":"x"`, true},
		"agent":            {"cursor", `"hook_event_name":"preToolUse","tool_name":"Task","tool_input":{"prompt":"look"},"tool_use_id":"t"`, `"hook_event_name":"subagentStart","task":"look","tool_call_id":"t"`, true},
		"tool of a server": {"cursor", `"hook_event_name":"preToolUse","tool_name":"MCP:query","mcp_server_name":"db","tool_input":{"sql":"select 1"},"tool_use_id":"t"`, `"hook_event_name":"beforeMCPExecution","tool_name":"query","mcp_server_name":"db","tool_input":"{\"sql\":\"select 1\"}"`, true},
		"another command":  {"cursor", `"hook_event_name":"preToolUse","tool_name":"Shell","tool_input":{"command":"make"},"tool_use_id":"t"`, `"hook_event_name":"beforeShellExecution","command":"make all"`, false},
		"other calls":      {"claude-code", `"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"1"`, `"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"2"`, false},
	} {
		key := func(event string) string {
			c := graphtest.Must(hooks.Find(tt.client))(t)
			actions, _, err := c.Read(hooks.Input{Stdin: []byte(`{"conversation_id":"s","workspace_roots":["/w"],` +
				event + `}`)})
			if err != nil || len(actions) != 1 {
				t.Fatalf("%s: got %v, %v, want an action", name, actions, err)
			}
			key, lasts, err := actions[0].Key("agent")
			if err != nil || lasts == 0 {
				t.Errorf("%s: got %v, %v, want an answer that is kept", name, lasts, err)
			}
			return key
		}
		if one, other := key(tt.one), key(tt.other); (one == other) != tt.same {
			t.Errorf("%s: got the keys %s and %s, want them equal: %v", name, one, other, tt.same)
		}
	}
}

// TestRecent_SlowCheck_IsKeptFromItsEnd: the second event of a call comes when the first one is answered.
func TestRecent_SlowCheck_IsKeptFromItsEnd(t *testing.T) {
	var r hooks.Recent
	checks := 0
	for range 2 {
		_, err := r.Once(t.Context(), time.Minute, "a", 40*time.Millisecond,
			func(context.Context) (hooks.Verdict, error) {
				checks++
				time.Sleep(50 * time.Millisecond)
				return hooks.Verdict{ID: "a"}, nil
			})
		if err != nil {
			t.Error(err)
		}
	}
	golden.Equal(t, "checks", checks, 1)
}

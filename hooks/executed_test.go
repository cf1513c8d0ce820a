package hooks_test

import (
	"fmt"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/hooks"
	"nomograph/internal/golden"
	"nomograph/policies/check"
)

// TestExecuted_EventsAfterTools_MatchTheirChecks: the event after a tool must give the key of the check before it.
func TestExecuted_EventsAfterTools_MatchTheirChecks(t *testing.T) {
	for _, tt := range []struct{ client, event, before, after, outcome string }{
		{"claude-code", "", `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/tmp","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"t1"}`,
			`{"session_id":"s","hook_event_name":"PostToolUse","cwd":"/","tool_name":"Bash","tool_input":{"command":"make"},"tool_use_id":"t1","tool_response":{"stdout":"x","interrupted":false},"duration_ms":1500}`, check.Succeeded},
		{"claude-code", "", `{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"/a"},"tool_use_id":"t2"}`,
			`{"session_id":"s","hook_event_name":"PostToolUseFailure","tool_name":"Read","tool_input":{"file_path":"/a"},"tool_use_id":"t2"}`, check.FailedCall},
		{"cursor", "", `{"conversation_id":"s","hook_event_name":"beforeShellExecution","command":"make x","cwd":"/home"}`,
			`{"conversation_id":"s","hook_event_name":"afterShellExecution","command":"make x","output":"done"}`,
			check.UnknownOutcome},
		{"cursor", "", `{"conversation_id":"s","hook_event_name":"beforeMCPExecution","tool_name":"ask","tool_input":"{\"q\":1}","mcp_server_name":"m"}`,
			`{"conversation_id":"s","hook_event_name":"afterMCPExecution","tool_name":"ask","tool_input":"{\"q\":1}","mcp_server_name":"m"}`, check.UnknownOutcome},
		{"copilot", "postToolUse", `{"cwd":"/tmp","toolName":"bash","toolArgs":"{\"command\":\"ls\"}"}`,
			`{"cwd":"/tmp","toolName":"bash","toolArgs":"{\"command\":\"ls\"}","toolResult":{"resultType":"failure"}}`,
			check.FailedCall},
		{"gemini", "", `{"session_id":"s","hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"ls"}}`,
			`{"session_id":"s","hook_event_name":"AfterTool","tool_name":"run_shell_command","tool_input":{"command":"ls"}}`, check.Succeeded},
		{"windsurf", "", `{"agent_action_name":"pre_run_command","trajectory_id":"s","tool_info":{"command_line":"ls","cwd":"/tmp"}}`,
			`{"agent_action_name":"post_run_command","trajectory_id":"s","tool_info":{"command_line":"ls","cwd":"/tmp"}}`, check.UnknownOutcome},
		{"cline", "", `{"hookName":"PreToolUse","taskId":"s","preToolUse":{"toolName":"execute_command","parameters":{"command":"ls"}}}`,
			`{"hookName":"PostToolUse","taskId":"s","postToolUse":{"toolName":"execute_command","parameters":{"command":"ls"},"success":false}}`, check.FailedCall},
	} {
		c := graphtest.Must(hooks.Find(tt.client))(t)
		pre := ""
		if tt.event != "" {
			pre = "preToolUse"
		}
		actions, _, err := c.Read(hooks.Input{Event: pre, Stdin: []byte(tt.before)})
		if err != nil || len(actions) != 1 {
			t.Fatalf("%s: got %v, %v, want length 1", tt.client, actions, err)
		}
		context := actions[0].Arguments(tt.client)["context"].(map[string]any)
		calls := c.Executed(hooks.Input{Event: tt.event, Stdin: []byte(tt.after)})
		if len(calls) != 1 {
			t.Errorf("%s: %d calls in %s", tt.client, len(calls), tt.after)
			continue
		}
		if got := calls[0]; got.Content != context["content_key"] || got.Outcome != tt.outcome ||
			got.Kind != string(actions[0].Kind) || got.Session != actions[0].Session ||
			got.ToolUseID != actions[0].ToolUseID {
			t.Errorf("%s: got %+v, want content %v and outcome %s", tt.client, got, context["content_key"], tt.outcome)
		}
		if calls := c.Executed(hooks.Input{Event: pre, Stdin: []byte(tt.before)}); len(calls) > 0 {
			t.Errorf("%s: event before a tool: got calls %v, want none", tt.client, calls)
		}
	}
	for _, text := range []string{"", "x", `{"hook_event_name":"PostToolUse"}`,
		`{"hook_event_name":"PostToolUse","tool_name":"TodoWrite","tool_input":{}}`} {
		claude, _ := hooks.Find("claude-code")
		if calls := claude.Executed(hooks.Input{Stdin: []byte(text)}); len(calls) > 0 {
			t.Errorf("%q gives %+v", text, calls)
		}
	}
}

// TestExecuted_EventsOfGoose_SayWhetherAPolicyWasEvaluated: a denied call fires PreToolUseResult, too, and is not
// executed.
func TestExecuted_EventsOfGoose_SayWhetherAPolicyWasEvaluated(t *testing.T) {
	goose := graphtest.Must(hooks.Find("goose"))(t)
	for fields, want := range map[string]string{
		`"event":"PreToolUseResult","decision":"allow","policy_evaluated":true`: "",
		`"event":"PreToolUseResult","decision":"allow","policy_evaluated":false`: "unknown " +
			check.NotEvaluated,
		`"event":"PreToolUseResult","decision":"allow","policy_evaluated":false,"cause":"hook_failure"`: "unknown " +
			check.HookFailed,
		`"event":"PreToolUseResult","decision":"deny","policy_evaluated":true,"cause":"policy_denial"`: "",
		`"event":"PreToolUseResult","decision":"deny","policy_evaluated":false,"cause":"hook_failure"`: "",
		`"event":"PostToolUse","tool_output":"x"`:                                                      "success ",
		`"event":"PostToolUseFailure","tool_output":"x"`:                                               "failure ",
	} {
		got := ""
		for _, call := range goose.Executed(hooks.Input{Stdin: []byte(`{` + fields +
			`,"session_id":"s","tool_call_id":"1","tool_name":"developer__shell","tool_input":{"command":"ls"},"working_dir":"/w"}`)}) {
			if got = call.Outcome + " " + call.Reason; call.ToolUseID != "1" || call.Kind != "shell.run" {
				t.Errorf("%s: got %+v, want a command with its id", fields, call)
			}
		}
		golden.Equal(t, fields, got, want)
	}
	actions, _, err := goose.Read(hooks.Input{Stdin: []byte(`{"event":"PreToolUse","session_id":"s","tool_name":"developer__shell","tool_input":{"command":"ls"},"working_dir":"/w"}`)})
	if err != nil || len(actions) != 1 || actions[0].Cwd != "/w" {
		t.Errorf("got %+v (%v), want the folder /w", actions, err)
	}
}

func TestExecutedIn_ToolsOfTranscripts_AreRecognized(t *testing.T) {
	at := time.Now()
	e, ok := hooks.ExecutedIn(hooks.Call{Client: "claude-code", Session: "s", ID: "t", Tool: "Bash",
		Input: map[string]any{"command": "ls"}, At: at})
	if !ok || e.Kind != "shell.run" || e.Source != check.ByTranscript || e.Content == "" {
		t.Errorf("got %+v, want ok=true, Kind=shell.run, Source=%v, non-empty Content", e, check.ByTranscript)
	}
	if _, ok := hooks.ExecutedIn(hooks.Call{Client: "claude-code", Tool: "TodoWrite", At: at}); ok {
		t.Error("task list: got an executed call, want none")
	}
	if e, ok := hooks.ExecutedIn(hooks.Call{Client: "codex", Tool: "web_search", At: at}); !ok ||
		e.Reason != check.NotCovered {
		t.Errorf("hosted tool: got %+v, want Reason=not covered", e)
	}
}

// TestRefused_ResultsOfTranscripts_AreRecognized: only the beginning of a result counts, because a command chooses its
// output.
func TestRefused_ResultsOfTranscripts_AreRecognized(t *testing.T) {
	const denial = "Policy x: y.\nIf this is wrong, tell the user: nomograph verdict explain 1"
	for result, want := range map[string]bool{
		denial:                                  true,
		"PreToolUse:Bash hook error: " + denial: true,
		"Command blocked by PreToolUse hook: " + denial: true,
		"Denied by preToolUse hook: " + denial:          true,
		"Tool execution blocked: " + denial:             true,
		"exec command rejected by user":                 true,
		"patch rejected by user":                        true,
		"[Request interrupted by user for tool use]":    true,
		"exec_command failed for `ls`: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }": true,
		"exit status 1":                              false,
		"Exit code 1\n" + denial:                     false,
		"Chunk ID: 1\nexec command rejected by user": false,
		"x <tool_use_error>":                         false,
		"Policy of the build failed":                 false,
	} {
		golden.Equal(t, fmt.Sprint(result), hooks.Refused(result), want)
	}
}

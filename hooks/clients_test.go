package hooks_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/document/documenttest"
)

func client(t testing.TB, name string) hooks.Client {
	t.Helper()
	c, err := hooks.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// events are documented events of every kind, with the actions that they describe.
var events = []struct{ client, event, input, want string }{
	{"claude-code", "", `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/w","tool_name":"Bash","tool_input":{"command":"rm -rf /"},"tool_use_id":"toolu_1"}`, "shell.run rm -rf /"},
	{"claude-code", "", `{"hook_event_name":"PreToolUse","tool_name":"Edit","tool_input":{"file_path":"/w/a.go","old_string":"a","new_string":"b"}}`, "file.write /w/a.go"},
	{"claude-code", "", `{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":".env"}}`,
		"file.read .env"},
	{"claude-code", "", `{"hook_event_name":"PreToolUse","tool_name":"mcp__github__delete_repository","tool_input":{"name":"x"}}`, "mcp.call github delete_repository"},
	{"claude-code", "", `{"hook_event_name":"PreToolUse","tool_name":"WebFetch","tool_input":{"url":"https://host.example/a","prompt":"p"}}`, "web.fetch https://host.example/a"},
	{"claude-code", "", `{"hook_event_name":"PreToolUse","tool_name":"Task","tool_input":{"prompt":"look"}}`,
		"agent.spawn look"},
	{"claude-code", "", `{"hook_event_name":"PreToolUse","tool_name":"TodoWrite","tool_input":{"todos":[]}}`, ""},
	{"claude-code", "", `{"hook_event_name":"PreToolUse","tool_name":"Unheard","tool_input":{"command":"rm -rf /"}}`,
		"mcp.call  Unheard"},
	{"claude-code", "", `{"hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`, ""},
	{"claude-code", "", `{"hook_event_name":"UserPromptSubmit","prompt":"hello"}`, "prompt.submit hello"},
	{"cursor", "", `{"hook_event_name":"beforeShellExecution","conversation_id":"c","command":"ls","cwd":"","workspace_roots":["/w"]}`, "shell.run ls"},
	{"cursor", "", `{"hook_event_name":"beforeMCPExecution","tool_name":"query","mcp_server_name":"db","tool_input":"{\"sql\":\"select 1\"}"}`, "mcp.call db query"},
	{"cursor", "", `{"hook_event_name":"beforeReadFile","file_path":"/w/.env","content":"A=1"}`, "file.read /w/.env"},
	{"cursor", "", `{"hook_event_name":"preToolUse","tool_name":"Shell","tool_input":{"command":"ls","working_directory":"/w"}}`, "shell.run ls"},
	{"cursor", "", `{"hook_event_name":"beforeSubmitPrompt","prompt":"hello"}`, "prompt.submit hello"},
	{"cursor", "", `{"hook_event_name":"afterFileEdit","file_path":"a"}`, ""},
	{"cursor", "", `{"hook_event_name":"preToolUse","cursor_version":"3.20","tool_name":"Write","tool_input":{"file_path":"/w/a.go","content":"x"},"tool_use_id":"t","cwd":"/w"}`, "file.write /w/a.go"},
	{"cursor", "", `{"hook_event_name":"preToolUse","tool_name":"StrReplace","tool_input":{"path":"/w/a.go","old_string":"a","new_string":"b"}}`, "file.write /w/a.go"},
	{"cursor", "", `{"hook_event_name":"preToolUse","tool_name":"Delete","tool_input":{"path":"/w/a.go"}}`,
		"file.delete /w/a.go"},
	{"cursor", "", `{"hook_event_name":"preToolUse","tool_name":"MCP:query","tool_input":{"sql":"select 1"}}`,
		"mcp.call  query"},
	{"cursor", "", `{"hook_event_name":"preToolUse","tool_name":"Task","tool_input":{"prompt":"look"}}`,
		"agent.spawn look"},
	{"cursor", "", `{"hook_event_name":"subagentStart","subagent_type":"explore","task":"look"}`, "agent.spawn look"},
	{"cursor", "", `{"hook_event_name":"beforeTabFileRead","file_path":"/w/.env"}`, "file.read /w/.env"},
	{"grok", "", `{"hookEventName":"pre_tool_use","sessionId":"s","cwd":"/w","workspaceRoot":"/w","permissionMode":"default","toolName":"run_terminal_command","toolInput":{"command":"ls"},"toolUseId":"1","toolInputTruncated":false}`, "shell.run ls"},
	{"grok", "", `{"hookEventName":"pre_tool_use","hook_event_name":"PreToolUse","toolName":"search_replace","tool_name":"search_replace","toolInput":{"file_path":"a.go","old_string":"x","new_string":"y"},"tool_input":{"file_path":"a.go"}}`, "file.write a.go"},
	{"grok", "", `{"hookEventName":"pre_tool_use","toolName":"read_file","toolInput":{"target_file":".env"}}`,
		"file.read .env"},
	{"grok", "", `{"hookEventName":"pre_tool_use","toolName":"monitor","toolInput":{"command":"tail -f log"}}`,
		"shell.run tail -f log"},
	{"grok", "", `{"hookEventName":"pre_tool_use","toolName":"spawn_subagent","toolInput":{"prompt":"look"}}`,
		"agent.spawn look"},
	{"grok", "", `{"hookEventName":"pre_tool_use","toolName":"linear__save_issue","toolInput":{"title":"x"}}`,
		"mcp.call linear save_issue"},
	{"grok", "", `{"hookEventName":"user_prompt_submit","prompt":"hello"}`, ""},
	{"codex", "", `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"shell","tool_input":{"command":["bash","-lc","rm -rf /"]}}`, "shell.run bash -lc 'rm -rf /'"},
	{"codex", "", `{"hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_input":{"input":"*** Begin Patch\n*** Update File: a.go\n*** Delete File: b.go\n*** End Patch"}}`, "file.write a.go, file.delete b.go"},
	{"gemini", "", `{"hook_event_name":"BeforeTool","tool_name":"run_shell_command","tool_input":{"command":"ls","directory":"sub"},"cwd":"/w"}`, "shell.run ls"},
	{"gemini", "", `{"hook_event_name":"BeforeTool","tool_name":"query","mcp_context":{"server_name":"db","tool_name":"query"},"tool_input":{}}`, "mcp.call db query"},
	{"gemini", "", `{"hook_event_name":"BeforeTool","tool_name":"read_many_files","tool_input":{"paths":["a",".env"]}}`,
		"file.read a, file.read .env"},
	{"antigravity", "PreToolUse", `{"toolCall":{"name":"run_command","args":{"CommandLine":"ls","Cwd":"/w"}},"workspacePaths":["/w"],"conversationId":"c","stepIdx":3}`, "shell.run ls"},
	{"antigravity", "PreToolUse", `{"toolCall":{"name":"replace_file_content","args":{"TargetFile":"/w/a.go"}}}`,
		"file.write /w/a.go"},
	{"devin", "", `{"hook_event_name":"PreToolUse","tool_name":"exec","tool_input":{"command":"ls","shell_id":"main"}}`,
		"shell.run ls"},
	{"kiro", "", `{"hook_event_name":"UserPromptSubmit","prompt":"hello"}`, "prompt.submit hello"},
	{"copilot", "preToolUse", `{"toolName":"bash","toolArgs":"{\"command\":\"ls\"}","timestamp":1,"cwd":"/w"}`,
		"shell.run ls"},
	{"copilot", "preToolUse", `{"toolName":"create","toolArgs":{"path":"a","file_text":"x"}}`, "file.write a"},
	{"vscode", "", `{"hookEventName":"PreToolUse","sessionId":"s","tool_name":"run_in_terminal","tool_input":{"command":"ls"},"tool_use_id":"1"}`, "shell.run ls"},
	{"windsurf", "", `{"agent_action_name":"pre_run_command","trajectory_id":"t","tool_info":{"command_line":"ls","cwd":"/w"}}`, "shell.run ls"},
	{"windsurf", "", `{"agent_action_name":"pre_write_code","tool_info":{"file_path":"a","edits":[{"old_string":"a","new_string":"b"}]}}`, "file.write a"},
	{"windsurf", "", `{"agent_action_name":"pre_mcp_tool_use","tool_info":{"mcp_server_name":"db","mcp_tool_name":"query","mcp_tool_arguments":{}}}`, "mcp.call db query"},
	{"devin", "", `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`, "shell.run ls"},
	{"goose", "", `{"event":"PreToolUse","tool_name":"developer__shell","tool_input":{"command":"ls"},"tool_call_id":"1"}`, "shell.run ls"},
	{"kiro", "", `{"hook_event_name":"preToolUse","tool_name":"fs_read","tool_input":{"operations":[{"mode":"Line","path":".env"}]}}`, "file.read .env"},
	{"droid", "", `{"hook_event_name":"PreToolUse","tool_name":"Execute","tool_input":{"command":"ls"}}`,
		"shell.run ls"},
	{"cline", "", `{"hookName":"PreToolUse","taskId":"t","clineVersion":"3","preToolUse":{"toolName":"execute_command","parameters":{"command":"ls"}}}`, "shell.run ls"},
	{"opencode", "", `{"hook_event_name":"tool.execute.before","session_id":"s","tool_use_id":"c","tool_name":"bash","tool_input":{"command":"ls"},"cwd":"/w"}`, "shell.run ls"},
	{"opencode", "", `{"hook_event_name":"tool.execute.before","tool_name":"edit","tool_input":{"filePath":"/w/a.go","newString":"b"}}`, "file.write /w/a.go"},
	{"opencode", "", `{"hook_event_name":"tool.execute.before","tool_name":"patch","tool_input":{"patchText":"*** Begin Patch\n*** Delete File: b.go\n*** End Patch"}}`, "file.delete b.go"},
	{"generic", "", `{"kind":"shell.run","command":"ls"}`, "shell.run ls"},
	{"generic", "", `{"kind":"mcp.call","server":"db","tool":"query","arguments":{"a":1}}`, "mcp.call db query"},
	{"generic", "", `{"tool_name":"Bash","tool_input":{"command":"ls"}}`, "shell.run ls"},
	{"git", "pre-commit", ``, "git.commit pre-commit"},
}

func shown(actions []hooks.Action) string {
	var list []string
	for _, a := range actions {
		what := ""
		for _, key := range []string{"command", "path", "url", "prompt", "hook", "remote"} {
			if text, ok := a.Params[key].(string); ok && a.Kind != hooks.MCPCall {
				what = text
			}
		}
		if a.Kind == hooks.MCPCall {
			what = fmt.Sprint(a.Params["server"], " ", a.Params["tool"])
		}
		list = append(list, string(a.Kind)+" "+what)
	}
	return strings.Join(list, ", ")
}

func TestRead_EventsOfEachClient_BecomeActions(t *testing.T) {
	seen := map[string]bool{}
	for _, tt := range events {
		seen[tt.client] = true
		forms := map[string]string{"a new line": "\n" + tt.input + "\r\n",
			"a field more": strings.Replace(tt.input, "{", `{"unknown":{"a":[1]},`, 1)}
		for name, encode := range documenttest.Accepted {
			forms[name] = string(encode(tt.input))
		}
		for form, input := range forms {
			actions, _, err := client(t, tt.client).Read(hooks.Input{Stdin: []byte(input), Event: tt.event})
			if got := shown(actions); err != nil || got != tt.want {
				t.Errorf("%s, %s: %s: got %q, %v, want %q", tt.client, form, tt.input, got, err, tt.want)
			}
		}
	}
	for _, name := range hooks.Names() {
		if !seen[name] {
			t.Errorf("no event of %s is tested", name)
		}
	}
}

func TestRead_TwoDocuments_AreBothEvaluated(t *testing.T) {
	input := `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}` + "\n" +
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm x"}}`
	actions, event, err := client(t, "claude-code").Read(hooks.Input{Stdin: []byte(input)})
	if err != nil || event != "PreToolUse" || shown(actions) != "shell.run ls, shell.run rm x" {
		t.Errorf(`got %q, %q, %v, want event=PreToolUse, shown(actions)="shell.run ls, shell.run rm x"`, shown(actions),
			event, err)
	}
}

func TestRead_InputThatIsNoEvent_IsAnError(t *testing.T) {
	for _, input := range []string{"", " ", "null", "[]", "{", `{"a":1} x`, `"text"`,
		`{"hook_event_name":"PreToolUse"}`, `{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":["rm",1]}}`,
		`{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":[]}`} {
		if actions, event, err := client(t, "claude-code").Read(hooks.Input{Stdin: []byte(input)}); err == nil ||
			event != "PreToolUse" {
			t.Errorf("%q: got %q, %q, want an error", input, shown(actions), event)
		}
	}
}

// TestRead_UnknownEvents_AreErrors: a program that runs the hook of a client can have events and shapes that the
// client does not.
func TestRead_UnknownEvents_AreErrors(t *testing.T) {
	for _, c := range hooks.Clients {
		for _, input := range []string{`{"hook_event_name":"SomethingNew","tool_name":"Read","tool_input":{"file_path":"a"}}`, `{"hookEventName":"before_everything","toolName":"read","toolInput":{"path":"a"}}`, `{"hello":"world"}`} {
			in := hooks.Input{Stdin: []byte(input)}
			if c.Name == "git" {
				in.Event = "post-merge"
			}
			actions, event, err := c.Read(in)
			if c.Name == "generic" && strings.Contains(input, "ool") { // it reads a call of a tool without an event
				continue
			}
			if err == nil {
				t.Errorf("%s, %s: got %q, want an error", c.Name, input, shown(actions))
				continue
			}
			if answer := c.AnswerTo(in, event, hooks.Unchecked(apperr.From(err))); !answer.Denies() ||
				event != c.Events[0].Name {
				t.Errorf("%s, %s: got %+v for %q, want a denial", c.Name, input, answer, event)
			}
		}
	}
	for _, input := range []string{
		`"tool_name":"mcp__db__drop","tool_input":"{\"sql\": \"drop tab"`,
		`"tool_name":"Unheard","tool_input":"cut off"`, `"tool_name":"Unheard","args":{"command":"rm -rf /"}`,
		`"tool_name":"mcp__db__drop"`, `"tool_name":"Unheard","tool_input":["rm"]`,
		`"tool_name":"Bash","tool_input":{"command":"ls"},"toolInputTruncated":true`,
		`"tool_name":"Write","tool_input":{"content":"x"}`,
	} {
		if actions, _, err := client(t, "claude-code").
			Read(hooks.Input{Stdin: []byte(`{"hook_event_name":"PreToolUse",` + input + `}`)}); err == nil {
			t.Errorf("%s: got %q, want an error", input, shown(actions))
		}
	}
}

// TestSender_HookOfAnotherClient_IsReadInTheSendersForm: Grok Build runs the hooks of Claude Code and Cursor, and
// Cursor those of Claude Code.
func TestSender_HookOfAnotherClient_IsReadInTheSendersForm(t *testing.T) {
	const grok = `{"hookEventName":"pre_tool_use","hook_event_name":"PreToolUse","permission_mode":"default","sessionId":"s","toolName":"run_terminal_command","toolInput":{"command":"rm -rf /"}}`
	for _, tt := range []struct{ client, input, sender, actions, stdout string }{
		{"claude-code", grok, "grok", "shell.run rm -rf /", `{"decision":"deny","reason":"No."}`},
		{"cursor", grok, "grok", "shell.run rm -rf /", `{"decision":"deny","reason":"No."}`},
		{"claude-code", `{"hookEventName":"stop","sessionId":"s"}`, "grok", "", ""},
		{"claude-code", `{"hookEventName":"pre_everything","toolName":"write","toolInput":{}}`, "grok", "error",
			`{"decision":"deny","reason":"No."}`},
		{"claude-code", `{"hook_event_name":"preToolUse","cursor_version":"3.20","tool_name":"Write","tool_input":{"file_path":"a"}}`, "cursor", "file.write a", `"permission":"deny"`},
		{"claude-code", `{"hook_event_name":"beforeShellExecution","cursor_version":"3.20","command":"ls"}`, "cursor",
			"shell.run ls", `"permission":"deny"`},
		{"claude-code", `{"hookEventName":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}`,
			"claude-code", "shell.run ls", `"permissionDecision":"deny"`},
		{"claude-code", `{"hook_event_name":"pre_tool_use","tool_name":"Bash","tool_input":{"command":"ls"}}`,
			"claude-code", "shell.run ls", `"hookEventName":"PreToolUse","permissionDecision":"deny"`},
		{"codex", grok, "codex", "shell.run rm -rf /", `"permissionDecision":"deny"`},
		{"claude-code", `x`, "claude-code", "error", `"permissionDecision":"deny"`},
	} {
		in := hooks.Input{Stdin: []byte(tt.input)}
		c := client(t, tt.client).Sender(in)
		actions, event, err := c.Read(in)
		got := shown(actions)
		if err != nil {
			got = "error"
		}
		if c.Name != tt.sender || got != tt.actions {
			t.Errorf("%s, %s: got %s, %q, %v, want %s, %q", tt.client, tt.input, c.Name, got, err, tt.sender,
				tt.actions)
		}
		if answer := c.AnswerTo(in, event, hooks.Verdict{Decision: hooks.Deny, Reason: "No."}); tt.stdout != "" &&
			(!strings.Contains(answer.Stdout, tt.stdout) || answer.Exit != 2) {
			t.Errorf("%s, %s: got %+v, want exit code 2 and %s", tt.client, tt.input, answer, tt.stdout)
		}
	}
}

func TestRead_TenMegabytes_AreNotStored(t *testing.T) {
	input, _ := json.Marshal(map[string]any{"hook_event_name": "PreToolUse", "tool_name": "Write",
		"tool_input": map[string]any{"file_path": "a.txt", "content": strings.Repeat("x", 10<<20)}})
	actions, _, err := client(t, "claude-code").Read(hooks.Input{Stdin: input})
	if err != nil || len(actions) != 1 {
		t.Fatalf("got %d actions, %v, want len(actions)=1", len(actions), err)
	}
	if remaining, _ := json.Marshal(actions[0].Arguments("claude-code")); len(remaining) > 4096 {
		t.Errorf("got %d bytes of arguments, want at most 4096", len(remaining))
	}
}

func TestRead_UTF16_IsRead(t *testing.T) {
	text := []byte{0xff, 0xfe}
	for _, r := range `{"hook_event_name":"beforeShellExecution","command":"ls"}` {
		text = append(text, byte(r), 0)
	}
	if actions, _, err := client(t, "cursor").Read(hooks.Input{Stdin: text}); err != nil ||
		shown(actions) != "shell.run ls" {
		t.Errorf(`got %q, %v, want shown(actions)="shell.run ls"`, shown(actions), err)
	}
}

func TestRead_Push_GivesRefsAndDeletions(t *testing.T) {
	zero := strings.Repeat("0", 40)
	actions, _, err := client(t, "git").Read(hooks.Input{Event: "pre-push",
		Args:  []string{"origin", "https://me:pass@host.example/r.git"},
		Stdin: []byte("(delete) " + zero + " refs/heads/a " + strings.Repeat("1", 40) + "\n")})
	if err != nil || len(actions) != 1 || actions[0].Params["url"] != "https://host.example/r.git" ||
		fmt.Sprint(actions[0].Params["git"], actions[0].Params["refs"]) != "[push push --delete] [refs/heads/a]" {
		t.Errorf(`got %+v, %v, want len(actions)=1, url="https://host.example/r.git", fmt.Sprint(actions[0].Params["git"], actions[0].Params["refs"])="[push push --delete] [refs/heads/a]"`, actions, err)
	}
}

func TestAnswer_EachClient_MatchesItsFormat(t *testing.T) {
	const reason = "No."
	for _, tt := range []struct {
		client, event     string
		decision          hooks.Decision
		stdout, hasStdout string // the whole output, or a part of it
		stderr            string
		exit              int
	}{
		{client: "claude-code", event: "PreToolUse", decision: hooks.Allow},
		{client: "claude-code", event: "PreToolUse", decision: hooks.Deny,
			hasStdout: `"hookEventName":"PreToolUse","permissionDecision":"deny"`, stderr: reason, exit: 2},
		{client: "claude-code", event: "PreToolUse", decision: hooks.Ask, hasStdout: `"permissionDecision":"ask"`},
		{client: "claude-code", event: "UserPromptSubmit", decision: hooks.Deny, hasStdout: `"decision":"block"`,
			stderr: reason, exit: 2},
		{client: "cursor", event: "beforeShellExecution", decision: hooks.Allow, stdout: `{"permission":"allow"}`},
		{client: "cursor", event: "beforeShellExecution", decision: hooks.Ask, hasStdout: `"permission":"deny"`,
			stderr: reason, exit: 2},
		{client: "cursor", event: "beforeSubmitPrompt", decision: hooks.Allow, stdout: `{"continue":true}`},
		{client: "cursor", event: "beforeSubmitPrompt", decision: hooks.Deny, hasStdout: `"continue":false`,
			stderr: reason, exit: 2},
		{client: "codex", event: "PreToolUse", decision: hooks.Allow},
		{client: "codex", event: "PreToolUse", decision: hooks.Ask, hasStdout: `"permissionDecision":"deny"`,
			stderr: reason, exit: 2},
		{client: "copilot", event: "preToolUse", decision: hooks.Allow, stdout: `{}`},
		{client: "copilot", event: "preToolUse", decision: hooks.Deny, hasStdout: `"permissionDecision":"deny"`,
			stderr: reason, exit: 2},
		{client: "vscode", event: "PreToolUse", decision: hooks.Deny, hasStdout: `"additionalContext":"No."`,
			stderr: reason, exit: 2},
		{client: "gemini", event: "BeforeTool", decision: hooks.Ask, hasStdout: `"decision":"deny"`, stderr: reason,
			exit: 2},
		{client: "antigravity", event: "PreToolUse", decision: hooks.Allow, stdout: `{"decision":"allow"}`},
		{client: "antigravity", event: "PreToolUse", decision: hooks.Ask, hasStdout: `"decision":"force_ask"`,
			stderr: reason},
		{client: "antigravity", event: "PreToolUse", decision: hooks.Deny, hasStdout: `"decision":"deny"`,
			stderr: reason},
		{client: "windsurf", event: "pre_run_command", decision: hooks.Deny, stderr: reason, exit: 2},
		{client: "goose", event: "PreToolUse", decision: hooks.Deny, hasStdout: `"decision":"block"`, stderr: reason,
			exit: 2},
		{client: "grok", event: "pre_tool_use", decision: hooks.Allow},
		{client: "grok", event: "pre_tool_use", decision: hooks.Ask, stdout: `{"decision":"deny","reason":"No."}`,
			hasStdout: `"decision":"deny"`, stderr: reason, exit: 2},
		{client: "cline", event: "PreToolUse", decision: hooks.Allow, stdout: `{"cancel":false}`},
		{client: "cline", event: "PreToolUse", decision: hooks.Deny, hasStdout: `"cancel":true`},
		{client: "opencode", event: "tool.execute.before", decision: hooks.Allow, stdout: `{"decision":"allow"}`},
		{client: "opencode", event: "tool.execute.before", decision: hooks.Ask, hasStdout: `"decision":"deny"`,
			stderr: reason, exit: 2},
		{client: "git", event: "pre-push", decision: hooks.Deny, stderr: "nomograph: No.", exit: 1},
		{client: "generic", event: "action", decision: hooks.Allow, stdout: `{"decision":"allow"}`},
		{client: "generic", event: "action", decision: hooks.Ask, hasStdout: `"decision":"ask"`, stderr: reason,
			exit: 2},
	} {
		v := hooks.Verdict{Decision: tt.decision}
		if tt.decision != hooks.Allow {
			v.Reason = reason
		}
		got := client(t, tt.client).Answer(tt.event, v)
		if stdout := strings.TrimSpace(got.Stdout); tt.hasStdout == "" && stdout != tt.stdout ||
			!strings.Contains(stdout, tt.hasStdout) || strings.TrimSpace(got.Stderr) != tt.stderr ||
			got.Exit != tt.exit {
			t.Errorf("%s, %s, %s: got %+v", tt.client, tt.event, tt.decision, got)
		}
		if got.Stdout != "" && (!json.Valid([]byte(got.Stdout)) || bytes.Count([]byte(got.Stdout), []byte("\n")) != 1) {
			t.Errorf("%s: got %q, want one line with a JSON document", tt.client, got.Stdout)
		}
	}
}

func TestAnswer_DenialWithoutReason_GetsADefaultReason(t *testing.T) {
	for _, c := range hooks.Clients {
		if got := c.Answer("PreToolUse", hooks.Verdict{Decision: hooks.Deny,
			Reason: " "}); !strings.Contains(got.Stdout+got.Stderr, "policy") {
			t.Errorf("%s: got %+v, want got.Stdout + got.Stderr with policy", c.Name, got)
		}
	}
}

func TestClients_Contracts_AreComplete(t *testing.T) {
	for _, c := range hooks.Clients {
		event := map[bool]string{true: "preToolUse"}[c.Name == "copilot"]
		if actions, event, err := c.Read(hooks.Input{Stdin: []byte(c.Sample), Event: event}); c.Name != "git" &&
			(err != nil || shown(actions) != "shell.run echo nomograph") ||
			c.Answer(event, hooks.Verdict{Decision: hooks.Allow}).Denies() ||
			!c.Answer(event, hooks.Verdict{Decision: hooks.Deny}).Denies() {
			t.Errorf("%s: the sample is read as %q, %v", c.Name, shown(actions), err)
		}
		if c.Title == "" || c.Failure == "" || !slices.ContainsFunc(c.Events,
			func(e hooks.Event) bool { return e.Blocks() }) {
			t.Errorf("got %+v, want a Title, a Failure, ...", c)
		}
	}
	if _, err := hooks.Find("emacs"); err == nil {
		t.Error("a client that is not known is found")
	}
}

func FuzzRead(f *testing.F) {
	for _, e := range events {
		f.Add(e.client, e.event, []byte(e.input))
	}
	f.Fuzz(func(t *testing.T, name, event string, input []byte) {
		c, err := hooks.Find(name)
		if err != nil {
			c = hooks.Clients[len(input)%len(hooks.Clients)]
		}
		actions, event, err := c.Read(hooks.Input{Stdin: input, Event: event})
		if err != nil && len(actions) > 0 {
			t.Errorf("%d actions and an error", len(actions))
		}
		for _, a := range actions {
			if _, err := json.Marshal(a.Arguments(c.Name)); err != nil || !slices.Contains(hooks.Kinds, a.Kind) ||
				a.Description == "" {
				t.Errorf("got %+v, %v, want Kinds with %v, a Description", a, err, a.Kind)
			}
		}
		c.Answer(event, hooks.Verdict{Decision: hooks.Deny})
	})
}

// TestContext_EachClient_HasItsForm: a text for the model has a field of its own in each client, and a denial stays a
// denial.
func TestContext_EachClient_HasItsForm(t *testing.T) {
	for _, tt := range []struct{ client, start, prompt string }{
		{"claude-code", `{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"SessionStart"}}`,
			`{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"UserPromptSubmit"}}`},
		{"codex", `{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"SessionStart"}}`,
			`{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"UserPromptSubmit"}}`},
		{"gemini", `{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"SessionStart"}}`,
			`{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"BeforeAgent"}}`},
		{"droid", `{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"SessionStart"}}`,
			`{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"UserPromptSubmit"}}`},
		{"cursor", `{"additional_context":"Weigh this"}`, `{"additional_context":"Weigh this","continue":true}`},
		{"vscode", `{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"SessionStart"}}`, ""},
		{"devin", `{"hookSpecificOutput":{"additionalContext":"Weigh this","hookEventName":"SessionStart"}}`, ""},
		{"cline", "", `{"cancel":false,"contextModification":"Weigh this"}`},
		{"kiro", "Weigh this", "Weigh this"},
	} {
		c := client(t, tt.client)
		starts, prompts := first(c.Installed(hooks.AtStart)), first(c.Installed(hooks.BeforePrompt))
		if manual := map[string]string{"cursor": "beforeSubmitPrompt",
			"cline": "UserPromptSubmit"}[tt.client]; manual != "" {
			prompts = manual
		}
		if got := strings.TrimSpace(c.Context(starts, "Weigh this").Stdout); got != tt.start {
			t.Errorf("%s: at the start got %s, want %s", tt.client, got, tt.start)
		}
		if got := c.Context("another event", "Weigh this"); got != (hooks.Answer{}) {
			t.Errorf("%s: another event got %+v, want got=%v", tt.client, got, (hooks.Answer{}))
		}
		prompt := []hooks.Action{{Kind: hooks.PromptSubmit, Event: prompts, Params: map[string]any{"prompt": "Fix it"}}}
		if got := c.Prompt(prompt); (got == "Fix it") != (tt.prompt != "") {
			t.Errorf("%s: the prompt is %q", tt.client, got)
		}
		if prompts == "" {
			continue
		}
		allowed := c.WithContext(prompt, hooks.Verdict{Decision: hooks.Allow, ID: "v"}, "Weigh this")
		if got := c.Answer(prompts, allowed); strings.TrimSpace(got.Stdout) != tt.prompt || got.Exit != 0 ||
			got.Denies() {
			t.Errorf("%s: a prompt got %+v, want %s", tt.client, got, tt.prompt)
		}
		if got := c.Answer(prompts, c.WithContext(prompt, hooks.Verdict{Decision: hooks.Deny, Reason: "No.", ID: "v"},
			"Weigh this")); !got.Denies() || strings.Contains(got.Stdout, "Weigh") {
			t.Errorf("%s: a denied prompt got %+v, want got.Denies()=true, Stdout without Weigh", tt.client, got)
		}
	}
	if got := client(t, "cursor").Answer("preToolUse",
		hooks.Verdict{Decision: hooks.Allow, Context: "Weigh this"}).Stdout; strings.TrimSpace(got) != `{"additional_context":"Weigh this","permission":"allow"}` {
		t.Errorf(`a warning in Cursor: got %s, want strings.TrimSpace(got)="{"additional_context":"Weigh this","permission":"allow"}"`, got)
	}
	claude, away := client(t, "claude-code"), hooks.NotChecked(apperr.New(apperr.Unavailable, "away"))
	prompt := []hooks.Action{{Kind: hooks.PromptSubmit, Event: "UserPromptSubmit",
		Params: map[string]any{"prompt": "Fix it"}}}
	if v := claude.WithContext(prompt, away, ""); v.Context != "" {
		t.Errorf("a prompt that was not checked says %q to the model", v.Context)
	}
	if v := claude.WithContext([]hooks.Action{{Kind: hooks.ShellRun, Event: "PreToolUse"}}, away, ""); v.Context == "" {
		t.Error("a command that was not checked says nothing to the model")
	}
	key := "AKIA" + "Z7QX5RMD3KPLW2NB"
	if text := client(t, "claude-code").Context("SessionStart", "The key is "+key).Stdout; strings.Contains(text, key) {
		t.Errorf("a secret reaches the model: %s", text)
	}
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func TestSessionEnd_Events_NameTranscriptAndReviews(t *testing.T) {
	claude := client(t, "claude-code")
	end := `{"session_id":"s","hook_event_name":"SessionEnd","transcript_path":"/home/me/.claude/projects/a/s.jsonl"}`
	for input, want := range map[string]string{end: "/home/me/.claude/projects/a/s.jsonl",
		strings.Replace(end, "SessionEnd", "Stop", 1): "", strings.Replace(end, "/home", "home", 1): "", "x": "",
		`{"hook_event_name":"SessionEnd"}`: ""} {
		if got := claude.Transcript(hooks.Input{Stdin: []byte(input)}); got != want {
			t.Errorf("%s: got transcript %q, want %q", input, got, want)
		}
	}
	if got := client(t, "codex").Transcript(hooks.Input{Stdin: []byte(end)}); got != "" {
		t.Errorf("a transcript that cannot be read: %q", got)
	}
	text := hooks.Reviews([]hooks.Due{{ID: "1a2b3c4d", Title: "Use a queue"}})
	if got := claude.UserMessage("Stop", text).Stdout; !strings.Contains(got,
		`"systemMessage":"Nomograph: these decisions await a review.\n- 1a2b3c4d Use a queue\nReview one: nomograph decision review 1a2b3c4d success"`) {
		t.Errorf("got %s, want got with %q", got, `"systemMessage":"Nomograph: these decisions await a review.\n- 1a2b3c4d Use a queue\nReview one: nomograph decision review 1a2b3c4d success"`)
	}
	if got := claude.UserMessage("Stop", hooks.Reviews(nil)); got != (hooks.Answer{}) {
		t.Errorf("without anything to review: %+v", got)
	}
}

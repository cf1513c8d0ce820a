package hooks

import (
	"slices"
	"strings"
	"time"
)

// cursor is Cursor. With failClosed an empty answer blocks, so an allowed action gets an explicit one. Cursor's
// allow-list overrides ask, so ask becomes a denial.
var cursor = Client{
	Name: "cursor", Title: "Cursor", Timeout: 60 * time.Second, Minimum: "2.4", Twice: true,
	Failure: `open, unless the hook has "failClosed": true`,
	// version 2.4 knows all that are installed; an unknown event makes Cursor ignore the whole file
	Events: slices.Concat(
		[]Event{
			{Name: "preToolUse", Use: BeforeAction},
			{Name: "beforeShellExecution", Use: BeforeAction, Tool: "bash"},
			{Name: "beforeMCPExecution", Use: BeforeAction},
			{Name: "beforeReadFile", Use: BeforeAction, Tool: "read"},
			{Name: "beforeTabFileRead", Use: BeforeAction, Tool: "read", Manual: true},
			{Name: "subagentStart", Use: BeforeAction, Tool: "agent"},
			{Name: "beforeSubmitPrompt", Use: BeforePrompt, Manual: true},
			{Name: "afterShellExecution", Use: AfterTool, As: "beforeShellExecution"},
			{Name: "afterMCPExecution", Use: AfterTool, As: "beforeMCPExecution"},
			{Name: "afterFileEdit", Use: AfterTool, Tool: "edit"},
		},
		on(AtStart, "sessionStart"),
		on(AtEnd, "sessionEnd"),
		on(Unused, "postToolUse postToolUseFailure subagentStop preCompact stop afterAgentResponse afterAgentThought workspaceOpen afterTabFileEdit"),
	),
	Traps: []string{
		"One unknown event name makes Cursor ignore the whole file",
		"Two events fire for one call: preToolUse and, for a command, beforeShellExecution. They are one verdict, except for MCP tools whose server preToolUse does not name",
		"It also reads Claude Code's hooks",
		"The interactive mode and -p fire different events",
		"beforeSubmitPrompt takes a text for the model in version 3.20, but that is not documented",
		"On Windows, input starts with a byte order mark, and a lowered timeout disables denials",
	},
	Sample: `{"conversation_id":"sample","hook_event_name":"beforeShellExecution","command":"echo nomograph","cwd":"/tmp"}`,
	read: func(e envelope) ([]Action, error) {
		f := e.fields
		if tool, ok := strings.CutPrefix(f.text("tool_name"), "MCP:"); ok || e.event.Name == "beforeMCPExecution" {
			return mcpCall(f.text("mcp_server_name", "server_name", "mcp_server_url", "url"), tool, f["tool_input"],
				f.cwd())
		}
		return readCall(e)
	},
	hooksOf:  []string{claudeCode.Name},
	isSender: func(f fields) bool { return f.text("cursor_version") != "" },
	context:  func(_, text string) string { return object("additional_context", text) },
	answer: func(event string, v Verdict) Answer {
		if event == "beforeSubmitPrompt" {
			switch {
			case v.Decision == Allow && v.Context != "":
				return Answer{Stdout: object("continue", true, "additional_context", v.Context)}
			case v.Decision == Allow:
				return Answer{Stdout: object("continue", true)}
			}
			return Answer{Stdout: object("continue", false, "user_message", v.Reason), Stderr: v.Reason + "\n",
				Exit: exitBlock}
		}
		if v.Decision == Allow {
			pairs := []any{"permission", "allow"}
			if v.Context != "" && event == "preToolUse" {
				pairs = append(pairs, "additional_context", v.Context)
			}
			return Answer{Stdout: object(pairs...)}
		}
		return Answer{Stdout: object("permission", "deny", "user_message", v.Reason, "agent_message", v.Reason),
			Stderr: v.Reason + "\n", Exit: exitBlock}
	},
}

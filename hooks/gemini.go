package hooks

import (
	"cmp"
	"slices"
	"time"

	"nomograph/internal/apperr"
)

// gemini is Gemini CLI, whose timeout is in milliseconds and which has no ask.
var gemini = Client{
	Name: "gemini", Title: "Gemini CLI", Timeout: 60 * time.Second, Failure: "open",
	Events: slices.Concat(
		on(BeforeAction, "BeforeTool"),
		[]Event{{Name: "PreToolUse", Use: BeforeAction, Manual: true}},
		on(BeforePrompt, "BeforeAgent"),
		on(AfterTool, "AfterTool"),
		on(AtStart, "SessionStart"),
		on(AtStop, "SessionEnd"),
		on(Unused, "AfterAgent BeforeModel AfterModel BeforeToolSelection Notification PreCompress"),
	),
	Traps:  []string{"The timeout in settings.json is in milliseconds"},
	Sample: `{"session_id":"sample","hook_event_name":"BeforeTool","cwd":"/tmp","tool_name":"run_shell_command","tool_input":{"command":"echo nomograph"}}`,
	read:   readGemini,
	answer: func(event string, v Verdict) Answer {
		if v.Decision == Allow && event == "BeforeAgent" {
			return Answer{Stdout: additional(event, v.Context)}
		}
		return decided("deny")(event, v)
	},
}

func readGemini(e envelope) ([]Action, error) {
	if context := e.fields.object("mcp_context"); context != nil && e.event.Use == BeforeAction {
		return mcpCall(context.text("server_name"), cmp.Or(context.text("tool_name"), e.fields.text("tool_name")),
			e.fields["tool_input"], e.fields.cwd())
	}
	return readCall(e)
}

// antigravity is Antigravity, which asks its user unless the answer has a decision. What the user allowed before
// overrides ask. Its events have no name; the hook's command line names the event.
var antigravity = Client{
	Name: "antigravity", Title: "Antigravity", Minimum: "1.1.2", Timeout: 60 * time.Second,
	Failure: "closed: the person is asked",
	Events: slices.Concat(
		on(BeforeAction, "PreToolUse"),
		on(Unused, "PostToolUse PreInvocation PostInvocation Stop"),
	),
	Traps: []string{
		"Some versions load hooks only from plugins",
		"One error in hooks.json makes Antigravity ignore the whole file, such as a comment or a fractional timeout",
		"It still asks the user about allowed actions",
		"The input of PostToolUse is not documented, so executed calls are not recorded",
	},
	Sample: `{"toolCall":{"name":"run_command","args":{"CommandLine":"echo nomograph"}},"workspacePaths":["/tmp"],"conversationId":"sample","stepIdx":1}`,
	read: func(e envelope) ([]Action, error) {
		call := e.fields.object("toolCall")
		tool := call.text("name")
		if tool == "" {
			return nil, apperr.New(apperr.Validation, "The event has no `toolCall`").
				WithHint("The client may have changed its hooks: check for a newer version of Nomograph")
		}
		return toolActions(tool, call["args"], cmp.Or(call.object("args").text("Cwd"), e.fields.cwd()))
	},
	answer: func(event string, v Verdict) Answer {
		decision := map[Decision]string{Allow: "allow", Ask: "force_ask", Deny: "deny"}[v.Decision]
		switch {
		case event != "PreToolUse":
			return Answer{Stdout: "{}\n"}
		case v.Decision == Allow:
			return Answer{Stdout: object("decision", decision)}
		}
		return Answer{Stdout: object("decision", decision, "reason", v.Reason), Stderr: v.Reason + "\n"}
	},
}

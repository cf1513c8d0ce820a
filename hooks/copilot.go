package hooks

import (
	"slices"
	"time"
)

// copilot is Copilot CLI and Copilot's cloud agent, which reads exactly one JSON document. Its events may have no
// name; the hook's command line then names the event.
var copilot = Client{
	Name: "copilot", Title: "Copilot CLI", Timeout: 30 * time.Second,
	Failure: "closed for a preToolUse command that exits with an error, open after a timeout",
	Events: slices.Concat(
		on(BeforeAction, "preToolUse"),
		[]Event{{Name: "PreToolUse", Use: BeforeAction, Manual: true}},
		on(AfterTool, "postToolUse"),
		on(Unused, `userPromptSubmitted userPromptSubmit postToolUseFailure sessionStart sessionEnd agentStop stop subagentStart subagentStop
		preCompact permissionRequest notification errorOccurred`),
	),
	Traps: []string{
		"A timeout always lets the action pass",
		"Its events have no name, so the command has one: nomograph hook copilot preToolUse",
		"The cloud agent treats ask as deny",
		"Event names in camel case give toolName and toolArgs; others give Claude's names",
	},
	Sample: `{"timestamp":1704614400000,"cwd":"/tmp","toolName":"bash","toolArgs":"{\"command\":\"echo nomograph\"}"}`,
	read:   readCall,
	answer: func(event string, v Verdict) Answer {
		if v.Decision == Allow {
			return Answer{Stdout: "{}\n"}
		}
		specific := map[string]any{"hookEventName": event, "permissionDecision": string(v.Decision),
			"permissionDecisionReason": v.Reason}
		answer := Answer{Stdout: object("permissionDecision", string(v.Decision), "permissionDecisionReason", v.Reason,
			"hookSpecificOutput", specific)}
		if v.Decision == Deny {
			answer.Stderr, answer.Exit = v.Reason+"\n", exitBlock
		}
		return answer
	},
}

// vscode is VS Code. It shows the reason only to the user, so the model gets it as context.
var vscode = Client{
	Name: "vscode", Title: "VS Code", Timeout: 30 * time.Second, Failure: "open, except for exit code 2",
	Events: slices.Concat(
		on(BeforeAction, "PreToolUse"),
		[]Event{{Name: "UserPromptSubmit", Use: BeforePrompt, Manual: true, Mute: true}},
		on(AfterTool, "PostToolUse"),
		on(AtStart, "SessionStart"),
		on(Unused, "PreCompact SubagentStart SubagentStop Stop"),
	),
	Traps: []string{
		"It also reads the hooks of Copilot and two files of Claude Code, so one action may come several times",
		"Hooks are a preview",
	},
	Sample: `{"sessionId":"sample","hookEventName":"PreToolUse","cwd":"/tmp","tool_name":"run_in_terminal","tool_input":{"command":"echo nomograph"}}`,
	read:   readCall,
	answer: func(event string, v Verdict) Answer {
		if event == "UserPromptSubmit" {
			return claudeCode.answer(event, v)
		}
		if v.Decision != Allow {
			v.Context = v.Reason
		}
		return preToolUse(event, v, true)
	},
}

package hooks

import (
	"slices"
	"time"
)

// codex is Codex. It treats an explicit allow or ask as a failed hook and continues, so an allowed action gets no
// answer, and ask becomes a denial.
var codex = Client{
	Name: "codex", Title: "Codex", Timeout: 60 * time.Second, Failure: "open",
	Events: slices.Concat(
		on(BeforeAction, "PreToolUse"),
		on(BeforePrompt, "UserPromptSubmit"),
		on(AfterTool, "PostToolUse"),
		on(AtStart, "SessionStart"),
		on(AtStop, "Stop"),
		on(Unused, "PermissionRequest PreCompact PostCompact SubagentStart SubagentStop Interrupt SessionEnd"),
	),
	Traps: []string{
		"Hooks are trusted by hash and position in the file: trust them again with /hooks after a change",
		"A denial needs a reason and standard error",
		"Web search, write_stdin and Codex cloud fire no hook",
	},
	Sample: `{"session_id":"sample","hook_event_name":"PreToolUse","cwd":"/tmp","tool_name":"Bash","tool_input":{"command":"echo nomograph"}}`,
	read:   readCall,
	answer: func(event string, v Verdict) Answer {
		if event == "UserPromptSubmit" {
			return promptAnswer(event, v)
		}
		v.Context = ""
		return preToolUse(event, v, false)
	},
}

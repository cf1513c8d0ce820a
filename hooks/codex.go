package hooks

import "time"

// codex is Codex. It treats an explicit allow or ask as a failed hook and continues, so an allowed action gets no
// answer, and ask becomes a denial.
var codex = Client{
	Name: "codex", Title: "Codex", Timeout: 60 * time.Second, Starts: "SessionStart", Prompts: "UserPromptSubmit", Stops: "Stop", Failure: "open",
	Events: []Event{{"PreToolUse", true}, {"UserPromptSubmit", true}, {"PermissionRequest", false}, {"PostToolUse", false}, {"SessionStart", false}, {"SessionEnd", false}, {"Stop", false}},
	Traps: []string{
		"A rewritten hooks file is no longer trusted",
		"A denial needs a reason and standard error",
		"Web search, write_stdin and Codex cloud fire no hook",
	},
	Sample: `{"session_id":"sample","hook_event_name":"PreToolUse","cwd":"/tmp","tool_name":"Bash","tool_input":{"command":"echo nomograph"}}`,
	read:   claudeReader([]string{"PreToolUse"}, []string{"UserPromptSubmit"}),
	answer: func(event string, v Verdict) Answer {
		switch {
		case v.Decision == Allow && event == "UserPromptSubmit":
			return Answer{Stdout: additional(event, v.Context)}
		case v.Decision == Allow:
			return Answer{}
		case event == "UserPromptSubmit":
			return Answer{Stdout: object("decision", "block", "reason", v.Reason), Stderr: v.Reason + "\n", Exit: exitBlock}
		}
		v.Context = ""
		return preToolUse(event, v, false)
	},
}

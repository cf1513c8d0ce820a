package hooks

import (
	"slices"
	"strings"
	"time"
)

// grok is Grok Build. It also runs the hooks in the files of Claude Code and Cursor, with events of its own form.
var grok = Client{
	Name: "grok", Title: "Grok Build", Timeout: 5 * time.Second, Failure: "open",
	Events: slices.Concat(
		on(BeforeAction, "PreToolUse"),
		on(AfterTool, "PostToolUse PostToolUseFailure"),
		on(Unused, `SessionStart SessionEnd UserPromptSubmit PermissionDenied Stop StopFailure StopCancelled Notification SubagentStart
		SubagentStop PreCompact PostCompact`),
	),
	Traps: []string{
		"It also reads the hooks of Claude Code and Cursor",
		"Hooks of a project run only in a trusted folder: /hooks-trust",
		"Events have names such as pre_tool_use, and call a tool of a server by server__tool",
		"Input over 128 KiB is cut off, so the call is denied",
		"Only PreToolUse can stop an action, and answers to other events do not reach the model",
	},
	Sample:  `{"hookEventName":"pre_tool_use","sessionId":"sample","cwd":"/tmp","toolName":"run_terminal_command","toolInput":{"command":"echo nomograph"}}`,
	hooksOf: []string{claudeCode.Name, cursor.Name},
	isSender: func(f fields) bool {
		name := f.text("hookEventName")
		return name != "" && name == strings.ToLower(name)
	},
	read:   readCall,
	answer: decided("deny"),
}

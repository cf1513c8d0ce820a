package hooks

import (
	"slices"
	"time"
)

// claudeCode is Claude Code. An allowed action gets no decision, because an explicit one would skip the questions
// that the user has configured.
var claudeCode = Client{
	Name: "claude-code", Title: "Claude Code", Minimum: "2.1.214", Timeout: 600 * time.Second, HTTP: true,
	Failure: `open, unless the hook has "onFailure": "block" (from 2.1.295 on)`,
	Events: slices.Concat(
		on(BeforeAction, "PreToolUse"),
		on(BeforePrompt, "UserPromptSubmit"),
		on(AfterTool, "PostToolUse PostToolUseFailure"),
		on(AtStart, "SessionStart"),
		on(AtStop, "Stop"),
		on(AtEnd, "SessionEnd"),
		on(Unused, `PostToolBatch PermissionRequest PermissionDenied Notification StopFailure SubagentStart SubagentStop PreCompact PostCompact
		ConfigChange InstructionsLoaded WorktreeCreate WorktreeRemove TeammateIdle TaskCreated TaskCompleted Setup Elicitation
		ElicitationResult CwdChanged FileChanged UserPromptExpansion`),
	),
	Traps: []string{
		"A denial without hookEventName is ignored",
		"ask is denied silently in headless mode",
		"The timeout of a prompt is 30 s",
		"Other programs run its hooks, and look only at the exit code",
		"Files named with @ fire no PreToolUse",
		"disableAllHooks, --bare and --safe-mode skip hooks",
		"Version 2.1.332 blocks every tool if the program of a hook is not found, and 2.1.197 lets every tool run",
	},
	Sample: `{"session_id":"sample","hook_event_name":"PreToolUse","cwd":"/tmp","tool_name":"Bash","tool_input":{"command":"echo nomograph"}}`,
	read:   readCall,
	// A denial by exit code is shown to the model with the command line of the hook.
	printed: "permission_mode",
	answer: func(event string, v Verdict) Answer {
		if event == "UserPromptSubmit" {
			return promptAnswer(event, v)
		}
		return preToolUse(event, v, true)
	},
}

// promptAnswer is the answer to a prompt in Claude Code's form.
func promptAnswer(event string, v Verdict) Answer {
	if v.Decision == Allow {
		return Answer{Stdout: additional(event, v.Context)}
	}
	return decided("block")(event, v)
}

// preToolUse is the answer in Claude Code's form. A denial is printed and exits with 2, so that it stops programs
// that read either.
func preToolUse(event string, v Verdict, asks bool) Answer {
	specific := map[string]any{"hookEventName": event}
	if v.Context != "" {
		specific["additionalContext"] = v.Context
	}
	switch {
	case v.Decision == Allow && v.Context == "":
		return Answer{}
	case v.Decision == Allow:
		return Answer{Stdout: object("hookSpecificOutput", specific)}
	case v.Decision == Ask && asks:
		specific["permissionDecision"], specific["permissionDecisionReason"] = "ask", v.Reason
		return Answer{Stdout: object("hookSpecificOutput", specific)}
	}
	specific["permissionDecision"], specific["permissionDecisionReason"] = "deny", v.Reason
	return Answer{Stdout: object("hookSpecificOutput", specific), Stderr: v.Reason + "\n", Exit: exitBlock}
}

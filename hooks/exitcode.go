package hooks

import (
	"slices"
	"time"
)

// windsurf is Windsurf. The names of its events say what they are about.
var windsurf = Client{
	Name: "windsurf", Title: "Windsurf", Timeout: 60 * time.Second, Failure: "open, except for exit code 2",
	Events: slices.Concat(
		[]Event{
			{Name: "pre_run_command", Use: BeforeAction, Tool: "bash"},
			{Name: "pre_read_code", Use: BeforeAction, Tool: "read"},
			{Name: "pre_write_code", Use: BeforeAction, Tool: "write"},
		},
		on(BeforeAction, "pre_mcp_tool_use"),
		[]Event{{Name: "pre_user_prompt", Use: BeforePrompt, Manual: true, Mute: true}},
		on(AfterTool, "post_run_command"),
		[]Event{
			{Name: "post_read_code", Use: AfterTool, As: "pre_read_code"},
			{Name: "post_write_code", Use: AfterTool, As: "pre_write_code"},
			{Name: "post_mcp_tool_use", Use: AfterTool, As: "pre_mcp_tool_use"},
		},
		on(Unused, "post_cascade_response post_cascade_response_with_transcript post_setup_worktree"),
	),
	Sample: `{"agent_action_name":"pre_run_command","trajectory_id":"sample","tool_info":{"command_line":"echo nomograph","cwd":"/tmp"}}`,
	read: func(e envelope) ([]Action, error) {
		info := e.fields.object("tool_info")
		if e.event.Name == "pre_mcp_tool_use" {
			return mcpCall(info.text("mcp_server_name"), info.text("mcp_tool_name"), info["mcp_tool_arguments"],
				info.cwd())
		}
		return readCall(envelope{e.Input, e.event, info})
	},
	answer: exitAnswer,
}

// devin is Devin Local, the command-line program, which also runs Claude Code's hooks. Its events contain no
// directory.
var devin = Client{
	Name: "devin", Title: "Devin Local", Timeout: 60 * time.Second, Failure: "open, except for exit code 2",
	Events: slices.Concat(
		on(BeforeAction, "PreToolUse"),
		[]Event{{Name: "UserPromptSubmit", Use: BeforePrompt, Manual: true, Mute: true}},
		on(AfterTool, "PostToolUse"),
		on(AtStart, "SessionStart"),
		on(Unused, "PermissionRequest PostCompaction SessionEnd Stop"),
	),
	Traps: []string{"It imports Claude Code's hooks, so one action may come twice",
		"Project hooks have their events at the top of .devin/hooks.v1.json, user hooks in the field hooks of config.json"},
	Sample: `{"session_id":"sample","hook_event_name":"PreToolUse","tool_name":"exec","tool_input":{"command":"echo nomograph","shell_id":"main"}}`,
	read:   readCall,
	answer: exitAnswer,
}

// goose is Goose, the only program that reports afterwards whether a policy was evaluated.
var goose = Client{
	Name: "goose", Title: "Goose", Timeout: 30 * time.Second,
	Failure: `open, unless the hook has "on_failure": "block" (from 1.48.0 on)`,
	Events: slices.Concat(
		on(BeforeAction, "PreToolUse"),
		on(AfterTool, "PostToolUse PostToolUseFailure PreToolUseResult"),
		on(Unused, "SessionStart SessionEnd UserPromptSubmit Stop"),
	),
	Traps:  []string{"The matcher * is an invalid expression and skips the rule"},
	Sample: `{"event":"PreToolUse","session_id":"sample","working_dir":"/tmp","tool_name":"developer__shell","tool_input":{"command":"echo nomograph"}}`,
	read:   readCall,
	answer: decided("block"),
}

// kiro is Kiro 3.
var kiro = Client{
	Name: "kiro", Title: "Kiro", Minimum: "3", Timeout: 60 * time.Second, Failure: "open, except for exit code 2",
	Events: slices.Concat(
		on(BeforeAction, "PreToolUse"),
		on(BeforePrompt, "UserPromptSubmit"),
		on(AfterTool, "PostToolUse"),
		on(AtStart, "SessionStart"),
		on(Unused, "agentSpawn SessionEnd Stop"),
	),
	Traps:  []string{"Version 2 writes event names with a small letter, into the configuration of an agent"},
	Sample: `{"session_id":"sample","hook_event_name":"PreToolUse","cwd":"/tmp","tool_name":"execute_bash","tool_input":{"command":"echo nomograph"}}`,
	read:   readCall,
	// The model gets what a hook prints as context.
	context: func(_, text string) string { return text + "\n" },
	answer: func(event string, v Verdict) Answer {
		if v.Decision == Allow && event == "UserPromptSubmit" && v.Context != "" {
			return Answer{Stdout: v.Context + "\n"}
		}
		return exitAnswer(event, v)
	},
}

// droid is Droid, which reads its hooks once at its start.
var droid = Client{
	Name: "droid", Title: "Droid", Timeout: 60 * time.Second, Failure: "open, except for exit code 2",
	Events: slices.Concat(
		on(BeforeAction, "PreToolUse"),
		on(BeforePrompt, "UserPromptSubmit"),
		on(AfterTool, "PostToolUse"),
		on(AtStart, "SessionStart"),
		on(Unused, "SessionEnd Stop SubagentStop PreCompact Notification"),
	),
	Traps:  []string{"Changed hooks take effect at the next start"},
	Sample: `{"session_id":"sample","hook_event_name":"PreToolUse","cwd":"/tmp","tool_name":"Execute","tool_input":{"command":"echo nomograph"}}`,
	read:   readCall,
	answer: func(event string, v Verdict) Answer {
		if v.Decision == Allow && event == "UserPromptSubmit" {
			return Answer{Stdout: additional(event, v.Context)}
		}
		return exitAnswer(event, v)
	},
}

// cline is Cline, whose answer can cancel an action.
var cline = Client{
	Name: "cline", Title: "Cline", Timeout: 30 * time.Second, Failure: "open",
	Events: slices.Concat(
		on(BeforeAction, "PreToolUse"),
		[]Event{{Name: "UserPromptSubmit", Use: BeforePrompt, Manual: true}},
		on(AfterTool, "PostToolUse"),
		on(Unused, "TaskStart TaskResume TaskCancel TaskComplete PreCompact"),
	),
	Traps:  []string{"In the IDE, a second hook that fails may drop the cancellation"},
	Sample: `{"hookName":"PreToolUse","taskId":"sample","preToolUse":{"toolName":"execute_command","parameters":{"command":"echo nomograph"}}}`,
	read: func(e envelope) ([]Action, error) {
		cwd := e.fields.cwd()
		if call := e.fields.object("preToolUse", "userPromptSubmit"); call != nil {
			if parameters := call.object("parameters"); call.text("toolName") == "use_mcp_tool" {
				return mcpCall(parameters.text("server_name"), parameters.text("tool_name"), parameters["arguments"],
					cwd)
			}
			e.fields = call
		}
		return readCall(e)
	},
	answer: func(_ string, v Verdict) Answer {
		switch {
		case v.Decision == Allow && v.Context != "":
			return Answer{Stdout: object("cancel", false, "contextModification", v.Context)}
		case v.Decision == Allow:
			return Answer{Stdout: object("cancel", false)}
		}
		return Answer{Stdout: object("cancel", true, "errorMessage", v.Reason)}
	},
}

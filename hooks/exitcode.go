package hooks

import (
	"time"

	"nomograph/internal/apperr"
)

// windsurf is Windsurf. The names of its events say what they are about.
var windsurf = Client{
	Name: "windsurf", Title: "Windsurf", Timeout: 60 * time.Second, Failure: "open, except for exit code 2",
	Events: []Event{{"pre_run_command", true}, {"pre_read_code", true}, {"pre_write_code", true}, {"pre_mcp_tool_use", true}, {"pre_user_prompt", true}, {"post_run_command", false}, {"post_read_code", false}, {"post_write_code", false}, {"post_mcp_tool_use", false}},
	Sample: `{"agent_action_name":"pre_run_command","trajectory_id":"sample","tool_info":{"command_line":"echo nomograph","cwd":"/tmp"}}`,
	read: func(e envelope) ([]Action, error) {
		info := e.fields.object("tool_info")
		cwd := info.cwd()
		switch e.Event {
		case "pre_run_command":
			return toolActions("bash", info, cwd)
		case "pre_read_code":
			return toolActions("read", info, cwd)
		case "pre_write_code":
			return toolActions("write", info, cwd)
		case "pre_mcp_tool_use":
			return []Action{Tool(info.text("mcp_server_name"), info.text("mcp_tool_name"), info.object("mcp_tool_arguments"), cwd)}, nil
		case "pre_user_prompt":
			return []Action{Other(PromptSubmit, "prompt", info.text("user_prompt"), cwd)}, nil
		case "":
			return nil, apperr.New(apperr.Validation, "The event has no `agent_action_name`").WithHint("Check the hook's configuration: Windsurf sets it in every event")
		}
		return nil, nil
	},
	answer: exitAnswer,
}

// devin is Devin Local, the command-line program, which also runs Claude Code's hooks. Its events contain no
// directory.
var devin = Client{
	Name: "devin", Title: "Devin Local", Timeout: 60 * time.Second, Failure: "open, except for exit code 2", Starts: "SessionStart",
	Events: []Event{{"PreToolUse", true}, {"UserPromptSubmit", true}, {"PostToolUse", false}, {"SessionStart", false}, {"SessionEnd", false}, {"Stop", false}},
	Traps:  []string{"It imports Claude Code's hooks, so one action may come twice", "Project hooks have their events at the top of .devin/hooks.v1.json, user hooks in the field hooks of config.json"},
	Sample: `{"session_id":"sample","hook_event_name":"PreToolUse","tool_name":"exec","tool_input":{"command":"echo nomograph","shell_id":"main"}}`,
	read:   claudeReader([]string{"PreToolUse"}, []string{"UserPromptSubmit"}),
	answer: exitAnswer,
}

// goose is Goose, the only program that reports afterwards whether a policy was evaluated.
var goose = Client{
	Name: "goose", Title: "Goose", Timeout: 30 * time.Second, Failure: `open, unless the hook has "on_failure": "block" (from 1.48.0 on)`,
	Events: []Event{{"PreToolUse", true}, {"PostToolUse", false}, {"PostToolUseFailure", false}, {"PreToolUseResult", false}},
	Traps:  []string{"The matcher * is an invalid expression and skips the rule"},
	Sample: `{"event":"PreToolUse","session_id":"sample","working_dir":"/tmp","tool_name":"developer__shell","tool_input":{"command":"echo nomograph"}}`,
	read:   claudeReader([]string{"PreToolUse"}, nil),
	answer: func(_ string, v Verdict) Answer {
		if v.Decision == Allow {
			return Answer{}
		}
		return Answer{Stdout: object("decision", "block", "reason", v.Reason), Stderr: v.Reason + "\n", Exit: exitBlock}
	},
}

// kiro is Kiro 3.
var kiro = Client{
	Name: "kiro", Title: "Kiro", Minimum: "3", Timeout: 60 * time.Second, Failure: "open, except for exit code 2", Starts: "SessionStart", Prompts: "UserPromptSubmit",
	Events: []Event{{"PreToolUse", true}, {"preToolUse", true}, {"UserPromptSubmit", true}, {"userPromptSubmit", true}, {"PostToolUse", false}, {"postToolUse", false}, {"SessionStart", false}, {"Stop", false}},
	Traps:  []string{"Version 2 writes event names with a small letter, into the configuration of an agent"},
	Sample: `{"session_id":"sample","hook_event_name":"PreToolUse","cwd":"/tmp","tool_name":"execute_bash","tool_input":{"command":"echo nomograph"}}`,
	read:   claudeReader([]string{"preToolUse", "PreToolUse"}, []string{"userPromptSubmit", "UserPromptSubmit"}),
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
	Name: "droid", Title: "Droid", Timeout: 60 * time.Second, Starts: "SessionStart", Prompts: "UserPromptSubmit", Failure: "open, except for exit code 2",
	Events: []Event{{"PreToolUse", true}, {"UserPromptSubmit", true}, {"PostToolUse", false}, {"SessionStart", false}},
	Traps:  []string{"Changed hooks take effect at the next start"},
	Sample: `{"session_id":"sample","hook_event_name":"PreToolUse","cwd":"/tmp","tool_name":"Execute","tool_input":{"command":"echo nomograph"}}`,
	read:   claudeReader([]string{"PreToolUse"}, []string{"UserPromptSubmit"}),
	answer: func(event string, v Verdict) Answer {
		if v.Decision == Allow && event == "UserPromptSubmit" {
			return Answer{Stdout: additional(event, v.Context)}
		}
		return exitAnswer(event, v)
	},
}

// cline is Cline, whose answer can cancel an action.
var cline = Client{
	Name: "cline", Title: "Cline", Timeout: 30 * time.Second, Failure: "open", Prompts: "UserPromptSubmit",
	Events: []Event{{"PreToolUse", true}, {"UserPromptSubmit", true}, {"PostToolUse", false}, {"TaskStart", false}},
	Traps:  []string{"In the IDE, a second hook that fails may drop the cancellation"},
	Sample: `{"hookName":"PreToolUse","taskId":"sample","preToolUse":{"toolName":"execute_command","parameters":{"command":"echo nomograph"}}}`,
	read: func(e envelope) ([]Action, error) {
		if call := e.fields.object("preToolUse"); call != nil && (e.Event == "PreToolUse" || e.Event == "") {
			if tool := call.text("toolName"); tool == "use_mcp_tool" {
				parameters := call.object("parameters")
				return []Action{Tool(parameters.text("server_name"), parameters.text("tool_name"), parameters.object("arguments"), e.fields.cwd())}, nil
			}
			return claudeReader([]string{"PreToolUse"}, nil)(envelope{e.Input, call})
		}
		if prompt := e.fields.object("userPromptSubmit"); prompt != nil && e.Event == "UserPromptSubmit" {
			return []Action{Other(PromptSubmit, "prompt", prompt.text("prompt"), e.fields.cwd())}, nil
		}
		return claudeReader([]string{"PreToolUse"}, []string{"UserPromptSubmit"})(e)
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

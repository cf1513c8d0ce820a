package hooks

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"nomograph/internal/apperr"
)

// clientsFile has a Client of each program.
//
//go:embed clients.json
var clientsFile []byte

// Clients are the contracts of all programs.
var Clients = sync.OnceValue(func() (all []Client) {
	if err := json.Unmarshal(clientsFile, &all); err != nil { // the file is embedded, and the tests read it
		panic(err)
	}
	for i := range all {
		c := &all[i]
		for name := range strings.FieldsSeq(c.Unused) {
			c.Events = append(c.Events, Event{Name: name})
		}
		if c.contract = contracts[c.Name]; c.read == nil {
			c.read = readCall
		}
		if c.answer == nil {
			c.answer = exitAnswer
		}
	}
	return all
})

// contract is what a program does in its own way.
type contract struct {
	// read reads events before an action; nil for events in Claude Code's form.
	read func(e envelope) ([]Action, error)
	// answer formats a verdict; nil for a program that reads the exit code and passes standard error to the model.
	answer func(event string, v Verdict) Answer
	// context formats a text for the model at the start of a session; nil for the form of Claude Code.
	context func(event, text string) string
	// isSender recognizes events of the program in the hooks of others.
	isSender func(f fields) bool
}

var contracts = map[string]contract{"claude-code": claudeCode, "cursor": cursor, "codex": codex, "copilot": copilot,
	"vscode": vscode, "gemini": gemini, "antigravity": antigravity, "windsurf": windsurf, "goose": goose, "kiro": kiro,
	"droid": droid, "cline": cline, "opencode": openCode, "grok": grok, "git": git, "generic": generic}

// claudeCode is Claude Code. An allowed action gets no decision, because an explicit one would skip the questions
// that the user has configured.
var claudeCode = contract{
	// A denial by exit code is shown to the model with the command line of the hook.
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

// cursor is Cursor. With failClosed an empty answer blocks, so an allowed action gets an explicit one. Cursor's
// allow-list overrides ask, so ask becomes a denial.
var cursor = contract{
	// version 2.4 knows all that are installed; an unknown event makes Cursor ignore the whole file
	read: func(e envelope) ([]Action, error) {
		f := e.fields
		if tool, ok := strings.CutPrefix(f.text("tool_name"), "MCP:"); ok || e.event.Name == "beforeMCPExecution" {
			return mcpCall(f.text("mcp_server_name", "server_name", "mcp_server_url", "url"), tool, f["tool_input"],
				f.cwd())
		}
		return readCall(e)
	},
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

// codex is Codex. It treats an explicit allow or ask as a failed hook and continues, so an allowed action gets no
// answer, and ask becomes a denial.
var codex = contract{
	answer: func(event string, v Verdict) Answer {
		if event == "UserPromptSubmit" {
			return promptAnswer(event, v)
		}
		v.Context = ""
		return preToolUse(event, v, false)
	},
}

// copilot is Copilot CLI and Copilot's cloud agent, which reads exactly one JSON document. Its events may have no
// name; the hook's command line then names the event.
var copilot = contract{
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
var vscode = contract{
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

// gemini is Gemini CLI, whose timeout is in milliseconds and which has no ask.
var gemini = contract{
	read: readGemini,
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
var antigravity = contract{
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

// windsurf is Windsurf. The names of its events say what they are about.
var windsurf = contract{
	read: func(e envelope) ([]Action, error) {
		info := e.fields.object("tool_info")
		if e.event.Name == "pre_mcp_tool_use" {
			return mcpCall(info.text("mcp_server_name"), info.text("mcp_tool_name"), info["mcp_tool_arguments"],
				info.cwd())
		}
		return readCall(envelope{e.Input, e.event, info})
	},
}

// goose is Goose, the only program that reports afterwards whether a policy was evaluated.
var goose = contract{
	answer: decided("block"),
}

// kiro is Kiro 3.
var kiro = contract{
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
var droid = contract{
	answer: func(event string, v Verdict) Answer {
		if v.Decision == Allow && event == "UserPromptSubmit" {
			return Answer{Stdout: additional(event, v.Context)}
		}
		return exitAnswer(event, v)
	},
}

// cline is Cline, whose answer can cancel an action.
var cline = contract{
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

// openCode is OpenCode 1. Its plugin throws an error unless the answer is an explicit allow.
var openCode = contract{
	answer: func(event string, v Verdict) Answer {
		if v.Decision == Allow {
			return Answer{Stdout: object("decision", "allow")}
		}
		return decided("deny")(event, v)
	},
}

// grok is Grok Build. It also runs the hooks in the files of Claude Code and Cursor, with events of its own form.
var grok = contract{
	isSender: func(f fields) bool {
		name := f.text("hookEventName")
		return name != "" && name == strings.ToLower(name)
	},
	answer: decided("deny"),
}

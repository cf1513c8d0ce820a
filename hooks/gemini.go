package hooks

import "time"

// gemini is Gemini CLI, whose timeout is written in milliseconds and which has no ask.
var gemini = Client{
	Name: "gemini", Title: "Gemini CLI", Timeout: 60 * time.Second, Failure: "open",
	Events: []Event{{"BeforeTool", true}, {"BeforeAgent", true}, {"AfterTool", false}, {"SessionStart", false}, {"SessionEnd", false}},
	Traps:  []string{"The timeout in settings.json is in milliseconds"},
	Sample: `{"session_id":"sample","hook_event_name":"BeforeTool","cwd":"/tmp","tool_name":"run_shell_command","tool_input":{"command":"echo nomograph"}}`,
	read:   readGemini,
	answer: func(_ string, v Verdict) Answer {
		if v.Decision == Allow {
			return Answer{}
		}
		return Answer{Stdout: object("decision", "deny", "reason", v.Reason), Stderr: v.Reason + "\n", Exit: exitBlock}
	},
}

func readGemini(e envelope) ([]Action, error) {
	if context := e.fields.object("mcp_context"); context != nil && e.Event == "BeforeTool" {
		tool := context.text("tool_name")
		if tool == "" {
			tool = e.fields.text("tool_name")
		}
		return []Action{Tool(context.text("server_name"), tool, e.fields.object("tool_input"), e.fields.cwd())}, nil
	}
	return likeClaude([]string{"BeforeTool", "PreToolUse"}, []string{"BeforeAgent"})(e)
}

// antigravity is Antigravity, which knows no neutral answer.
var antigravity = Client{
	Name: "antigravity", Title: "Antigravity", Timeout: 60 * time.Second, Failure: "not known",
	Events: []Event{{"BeforeTool", true}, {"PreToolUse", true}},
	Traps:  []string{"The contract is not verified"},
	Sample: `{"session_id":"sample","hook_event_name":"BeforeTool","cwd":"/tmp","tool_name":"run_command","tool_input":{"command":"echo nomograph"}}`,
	read:   readGemini,
	answer: func(_ string, v Verdict) Answer {
		if v.Decision == Allow {
			return Answer{Stdout: object("decision", "allow")}
		}
		answer := Answer{Stdout: object("decision", string(v.Decision), "reason", v.Reason)}
		if v.Decision == Deny {
			answer.Stderr, answer.Exit = v.Reason+"\n", exitBlock
		}
		return answer
	},
}

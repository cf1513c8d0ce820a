package hooks

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"nomograph/internal/redact"
	"nomograph/policies/check"
)

// Executed returns the tool calls that an event reports as executed. It returns none for other events, for invalid
// events, and for tools that no rule can check.
func (c Client) Executed(in Input) (calls []check.Execution) {
	if c.Name == "git" {
		return nil
	}
	documents, err := documentsIn(in.Stdin)
	if err != nil {
		return nil
	}
	for _, document := range documents {
		after, _ := c.eventIn(in, document)
		if after.Use != AfterTool {
			continue
		}
		event := after.Name
		before, _ := c.event(after.As)
		before.Tool = cmp.Or(before.Tool, after.Tool)
		if call := document.object("postToolUse"); call != nil {
			document["preToolUse"] = map[string]any(call)
		}
		actions, err := c.read(envelope{in, before, document})
		if err != nil || len(actions) == 0 {
			continue
		}
		tool := cmp.Or(document.text("tool_name", "toolName", "tool"), after.Tool)
		call := executionOf(c.Name, document, actions[0], tool)
		call.Event, call.Outcome, call.Source = event, outcome(event, document), check.ByPostHook
		if event == "PreToolUseResult" {
			if document.text("decision") == "deny" { // a denied call is not executed
				continue
			}
			evaluated, ok := document["policy_evaluated"].(bool)
			if ok && evaluated { // the later event reports the call with its outcome
				continue
			}
			if call.Outcome = check.UnknownOutcome; ok {
				call.Reason = check.NotEvaluated
				if document.text("cause") == "hook_failure" {
					call.Reason = check.HookFailed
				}
			}
		}
		if took, ok := document["duration_ms"].(float64); ok && took > 0 &&
			took < float64(24*time.Hour/time.Millisecond) {
			call.At = time.Now().UTC().Add(-time.Duration(took) * time.Millisecond).Format(time.RFC3339Nano)
		}
		calls = append(calls, call)
	}
	return calls
}

func executionOf(client string, document fields, action Action, tool string) check.Execution {
	return check.Execution{Client: client, Session: cut(document.session(), maxID),
		ToolUseID: cut(document.toolUse(), maxID), Version: cut(document.version(), maxShort),
		Kind: string(action.Kind), Tool: cut(redact.Mask(tool), maxShort), Content: action.content()}
}

// Call is a tool call in a client's own transcript.
type Call struct {
	Client, Version, Session, ID, Tool string
	Input                              map[string]any
	At                                 time.Time
}

// hosted are tools that run at the provider or for which a client calls no hook.
var hosted = map[string][]string{"codex": {"web_search", "write_stdin"},
	"claude-code": {"web_search", "code_execution"}}

// ExecutedIn returns the tool call of a transcript, and false for a tool that no rule can check.
func ExecutedIn(call Call) (check.Execution, bool) {
	actions, err := toolActions(call.Tool, call.Input, "")
	if err == nil && len(actions) == 0 {
		return check.Execution{}, false
	}
	e := check.Execution{Client: call.Client, Version: cut(call.Version, maxShort), Session: cut(call.Session, maxID),
		ToolUseID: cut(call.ID, maxID), Event: cut(redact.Mask(call.Tool), maxShort),
		Tool: cut(redact.Mask(call.Tool), maxShort), Kind: "tool", At: call.At.UTC().Format(time.RFC3339Nano),
		Outcome: check.UnknownOutcome, Source: check.ByTranscript}
	if err == nil {
		e.Kind, e.Content = string(actions[0].Kind), actions[0].content()
	}
	if slices.Contains(hosted[call.Client], call.Tool) {
		e.Reason = check.NotCovered
	}
	return e, true
}

// refusals are the beginnings of results of tool calls that were not executed, because the client's user or the client
// denied them. The same text later in a result can be output of the command.
var refusals = []string{uncheckedText, "The user doesn't want to proceed with this tool use",
	"The user doesn't want to take this action right now", "Permission to use ", "<tool_use_error>",
	"[Request interrupted by user", "Request interrupted by user",
	"exec command rejected by user", "patch rejected by user", "This action was rejected due to unacceptable risk"}

// denials are the beginnings of results with a denial by Nomograph or by the client.
var denials = []string{"Policy ", "PreToolUse:", "Hook PreToolUse:", "Command blocked by PreToolUse hook: ",
	"Tool call blocked by PreToolUse hook", "Denied by preToolUse hook: ", "Tool execution blocked: "}

// rejectedStart ends the error of Codex for a command whose start the user rejected.
const rejectedStart = `Rejected(\"rejected by user\")" }`

// Refused reports whether the failed result of a tool call says that the tool was not executed.
func Refused(result string) bool {
	begins := func(with []string) bool {
		return slices.ContainsFunc(with, func(text string) bool { return strings.HasPrefix(result, text) })
	}
	return begins(refusals) || begins(denials) &&
		(strings.Contains(result, explainWith) || strings.Contains(result, uncheckedText)) ||
		strings.HasPrefix(result, "exec_command failed") && strings.HasSuffix(result, rejectedStart)
}

const (
	maxID    = 1000
	maxShort = 100
)

// outcome returns how a tool call ended.
func outcome(event string, document fields) string {
	if strings.HasSuffix(event, "Failure") {
		return check.FailedCall
	}
	known := false
	for _, f := range []fields{document, document.object("tool_response", "toolResult", "tool_result", "result",
		"output"), document.object("postToolUse"), document.object("tool_info")} {
		for name, value := range f {
			switch value := value.(type) {
			case bool:
				switch name {
				case "is_error", "isError", "interrupted":
					if known = true; value {
						return check.FailedCall
					}
				case "success":
					if known = true; !value {
						return check.FailedCall
					}
				}
			case float64:
				if name == "exit_code" || name == "exitCode" || name == "returnCode" {
					if known = true; value != 0 {
						return check.FailedCall
					}
				}
			case string:
				if (name == "resultType" || name == "status") && (value == "failure" || value == "error") {
					return check.FailedCall
				}
			}
		}
	}
	if known || event == "PostToolUse" || event == "postToolUse" || event == "AfterTool" ||
		event == "tool.execute.after" {
		return check.Succeeded
	}
	return check.UnknownOutcome
}

// Unchecked returns the executions of these actions if the program continues without a verdict.
func (c Client) Unchecked(actions []Action, reason string) (calls []check.Execution) {
	for _, action := range actions {
		calls = append(calls, check.Execution{Client: c.Name, Session: action.Session, ToolUseID: action.ToolUseID,
			Kind: string(action.Kind), Content: action.content(), Reason: reason})
	}
	return calls
}

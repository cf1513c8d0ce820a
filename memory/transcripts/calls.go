package transcripts

import (
	"cmp"
	"strings"
	"time"

	"github.com/tidwall/gjson"
)

// Call is a tool call in a transcript, or its result: then Tool is empty.
type Call struct {
	ID, Tool, Session, Version string
	Input                      map[string]any
	At                         time.Time
	Failed                     bool
	Denied                     bool   // the transcript says that the call was not executed
	Unclear                    bool   // the transcript does not say whether the call failed
	Result                     string // beginning of a failed or unclear result
}

const maxCallResult = 4 << 10 // bytes

// calls passes the tool calls and results in a message of Claude Code to File.Called.
func (r *reading) calls(c *Conversation, l line) {
	at := stamp(l.Get("timestamp").Value())
	l.Get("message.content").ForEach(func(_, b gjson.Result) bool {
		switch b.Get("type").Str {
		case "tool_use":
			input, _ := b.Get("input").Value().(map[string]any)
			r.called(c, Call{ID: strings.Clone(b.Get("id").Str), Tool: strings.Clone(b.Get("name").Str),
				Session: l.text("sessionId"), Version: l.text("version"), Input: input, At: at})
		case "tool_result":
			call := Call{ID: strings.Clone(b.Get("tool_use_id").Str), Session: l.text("sessionId"),
				At: cmp.Or(at, r.file.Changed), Failed: b.Get("is_error").Bool()}
			if call.Failed {
				text, _ := contentOf(b.Get("content"))
				call.Result = beginning(text)
			}
			r.called(c, call)
		}
		return true
	})
}

// beginning returns the part of a result that says why a call was refused.
func beginning(text string) string { return strings.Clone(text[:min(len(text), maxCallResult)]) }

// called passes a call or a result to File.Called. A call without an id or a time is left out.
func (r *reading) called(c *Conversation, call Call) {
	if r.file.Called != nil && call.ID != "" && !call.At.IsZero() {
		r.file.Called(c, call)
	}
}

// argumentsOf returns the arguments of a call: an object, or a text that holds one. Another text is the field input.
func argumentsOf(value gjson.Result) map[string]any {
	if value.Type == gjson.String {
		if !gjson.Valid(value.Str) || !gjson.Parse(value.Str).IsObject() {
			return map[string]any{"input": strings.Clone(value.Str)}
		}
		value = gjson.Parse(value.Str)
	}
	arguments, _ := value.Value().(map[string]any)
	return arguments
}

package transcripts

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"
)

// Goose and OpenCode store sessions in SQLite databases. Their own commands write a session as JSON: goose session
// export --format json, and opencode export.

// gooseDocument reads a session that Goose exported.
func (r *reading) gooseDocument(d document) {
	n := r.session(Goose, d.text("id"), "", d.text("working_dir"))
	n.conversation.Title = d.text("name")
	for _, m := range d.Get("conversation").Array() {
		n.gooseMessage(m)
	}
	r.endConversation(n.conversation)
}

// gooseDenials are the beginnings of results of calls that Goose, its user or a hook refused.
var gooseDenials = []string{"The user has declined to run this tool", "Tool call denied by policy hook ",
	"Tool call blocked because policy hook ",
	"This tool call was blocked by a safety inspector",
	"Let the user know the tool call was skipped in goose chat mode"}

// gooseMessage reads a message: its text, and the calls and results of tools in it.
func (n *native) gooseMessage(m gjson.Result) {
	n.begins = true
	at, content := n.stamp(m.Get("created").Value()), m.Get("content")
	if text, _ := contentOf(content); text != "" {
		n.speaks(m.Get("role").Str == "user", at, content)
	} else if !content.Get(`#(type%"tool*")`).Exists() {
		n.skip(noText)
	}
	for _, b := range content.Array() {
		id := b.Get("id").Str
		switch b.Get("type").Str {
		case "toolRequest":
			if call := b.Get("toolCall.value"); call.Get("name").Str != "" && n.first("call", id) {
				n.use(at, id, call.Get("name").Str, call.Get("arguments"))
			}
		case "toolResponse":
			result := b.Get("toolResult")
			value := result.Get("value")
			if value.IsObject() { // in older versions, the value is the content itself
				value = value.Get("content")
			}
			text, _ := contentOf(value)
			text = cmp.Or(text, result.Get("error").Str)
			_, reason, coded := strings.Cut(text, ": ") // an error begins with its number
			denied := slices.ContainsFunc(gooseDenials, func(begin string) bool {
				return strings.HasPrefix(text, begin) || coded && strings.HasPrefix(reason, begin)
			})
			n.result(Call{ID: id, At: at, Denied: denied, Failed: result.Get("status").Str == "error" ||
				result.Get("value.isError").Bool()}, text)
		}
	}
}

// openCodeDocument reads a session that OpenCode exported.
func (r *reading) openCodeDocument(d document) {
	n := r.session(OpenCode, d.text("info.id"), d.text("info.version"), d.text("info.directory"))
	n.conversation.Title, n.conversation.Parent = d.text("info.title"), d.text("info.parentID")
	begin := stamp(d.Get("info.time.created").Value())
	for _, m := range d.Get("messages").Array() {
		n.begins = true
		asks, at := m.Get("info.role").Str == "user", n.stamp(m.Get("info.time.created").Value())
		parts := m.Get("parts").Array()
		if len(parts) == 0 {
			n.skip(noText)
		}
		for _, part := range parts {
			started := stamp(part.Get("state.time.start").Value())
			switch part.Get("type").Str {
			case "text":
				if !part.Get("synthetic").Bool() {
					n.speaks(asks, at, part.Get("text"))
				}
			case "tool":
				if started.IsZero() || !started.Before(begin) { // a fork repeats calls of the session that it was made from
					n.openCodeTool(part.Get("callID").Str, part.Get("tool").Str, part.Get("state"))
				}
			}
		}
	}
	r.endConversation(n.conversation)
}

// openCodeDenials are the beginnings of errors of calls that OpenCode or its user refused, or that our plugin could
// not check.
var openCodeDenials = []string{"The user rejected permission to use this specific tool call",
	"The user has specified a rule which prevents you from using this specific tool call",
	"Nomograph did not answer, so this action is not allowed"}

// openCodeTool reads a tool call with its result. A pending or running call has no result.
func (n *native) openCodeTool(id, tool string, state gjson.Result) {
	status, ended := state.Get("status").Str, stamp(state.Get("time.end").Value())
	if status != "completed" && status != "error" {
		return
	}
	n.use(cmp.Or(stamp(state.Get("time.start").Value()), ended), id, tool, state.Get("input"))
	call := Call{ID: id, At: ended, Failed: status == "error"}
	if code := state.Get("metadata.exit"); code.Type == gjson.Number {
		call.Failed = call.Failed || code.Int() != 0
	}
	reason := strings.TrimPrefix(state.Get("error").Str, "Error: ")
	call.Denied = status == "error" && slices.ContainsFunc(openCodeDenials,
		func(begin string) bool { return strings.HasPrefix(reason, begin) })
	n.result(call, cmp.Or(state.Get("output").Str, reason))
}

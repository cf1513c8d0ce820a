package transcripts

import (
	"cmp"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"nomograph/internal/pattern"
	"nomograph/memory/turns"
)

const maxHeadLines = 20 // lines in which the one that describes the session is looked for

// sessionReader returns the reader for the lines of a client after the line that describes the session, nil for any
// other line.
func (r *reading) sessionReader(first line) func(line) {
	payload, data := first.Get("payload"), first.Get("data")
	switch {
	case first.kind == "session_meta" && payload.Get("id").Str != "":
		n := r.session(Codex, payload.Get("id").Str, payload.Get("cli_version").Str, payload.Get("cwd").Str)
		n.copied = payload.Get("forked_from_id").Str != ""
		return n.codex
	case first.kind == "session.start" && data.Get("sessionId").Str != "":
		return r.session(Copilot, data.Get("sessionId").Str, data.Get("copilotVersion").Str,
			data.Get("context.cwd").Str).copilot
	case first.kind == "" && first.text("sessionId") != "" && first.Get("projectHash").Exists():
		return r.session(Gemini, first.text("sessionId"), "", "").gemini
	}
	return nil
}

// nativeReader returns the reader for the lines of a client if no line describes the session, nil for any other first
// line. Other lines reveal the client, and the name of the file or folder is the id of the session.
func (r *reading) nativeReader(first line) func(line) {
	payload, data := first.Get("payload"), first.Get("data")
	switch {
	case first.text("role") == "" && first.Get("working_dir").Str != "": // older versions of Goose; the name of the file is the id of the session
		n := r.session(Goose, r.stem(), "", first.Get("working_dir").Str)
		n.conversation.Title = first.text("description")
		return func(l line) { n.gooseMessage(l.Result) }
	case payload.IsObject() && slices.Contains([]string{"response_item", "event_msg", "turn_context", "compacted"},
		first.kind):
		return r.session(Codex, cmp.Or(sessionInName.FindString(r.stem()), r.stem()), "", "").codex
	case data.IsObject() && first.Get("id").Exists() && copilotEvent.MatchString(first.kind):
		return r.session(Copilot, filepath.Base(filepath.Dir(r.file.Path)), "", "").copilot
	case first.text("sessionId") == "" && (first.kind == "gemini" || first.Get("$set").IsObject() || first.kind == "user" &&
		first.Get("displayContent").Exists()):
		return r.session(Gemini, r.stem(), "", "").gemini
	case first.text("role") != "" && first.Get("created").Type == gjson.Number && first.Get("content.0.type").Exists():
		n := r.session(Goose, r.stem(), "", "")
		return func(l line) { n.gooseMessage(l.Result) }
	}
	return nil
}

var (
	sessionInName = pattern.New(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	copilotEvent  = pattern.New(`^(?:user|assistant|tool|session|hook|abort|system)\.[a-z_.]+$`)
)

// stem returns the name of the file without its extension.
func (r *reading) stem() string {
	name := filepath.Base(r.file.Path)
	return strings.TrimSuffix(name, filepath.Ext(name))
}

// native is the state of reading a file of such a client.
type native struct {
	*reading
	conversation *Conversation
	version      string
	copied       bool            // a fork repeats calls of the session that it was made from
	heard        map[string]bool // ids of messages and calls, which a file may repeat
}

// session begins to read a session.
func (r *reading) session(source, id, version, folder string) *native {
	n := &native{reading: r, heard: map[string]bool{}, version: clean(strings.Clone(version))}
	n.conversation = r.conversation(source, clean(strings.Clone(id)))
	n.conversation.Agent, n.conversation.Folder = source, clean(strings.Clone(folder))
	return n
}

// speaks yields a message.
func (n *native) speaks(asks bool, at time.Time, content gjson.Result) {
	n.yieldBlocks(n.conversation, said(asks, at), content)
}

// acts yields an action of a tool, or its result.
func (n *native) acts(at time.Time, text string) {
	n.yieldMessage(n.conversation, turns.Message{Act: true, At: at, Text: clean(text)})
}

// use adds a tool call to the text of the conversation, and reports the call.
func (n *native) use(at time.Time, id, tool string, input gjson.Result) {
	arguments := input
	if input.Type == gjson.String && gjson.Valid(input.Str) {
		arguments = gjson.Parse(input.Str)
	}
	description := arguments.Str
	if arguments.IsObject() {
		description = describeInput(arguments)
	}
	n.acts(at, "["+tool+"] "+turns.ToolInput(description))
	n.called(n.conversation, Call{ID: strings.Clone(id), Tool: strings.Clone(tool), Session: n.conversation.ExternalID,
		Version: n.version, Input: argumentsOf(input), At: at})
}

// result adds the result of a tool call to the text of the conversation, and reports it.
func (n *native) result(call Call, text string) {
	if out := turns.ShortenOutput(text); out != "" {
		n.acts(call.At, "-> "+out)
	}
	if call.ID, call.Session = strings.Clone(call.ID), n.conversation.ExternalID; call.Failed || call.Unclear {
		call.Result = beginning(text)
	}
	n.called(n.conversation, call)
}

// Texts that Codex adds to a conversation as if the user had written them.
var added = []string{"<environment_context>", "<user_instructions>", "<permissions", "<turn_aborted>", "<skill>",
	"# AGENTS.md instructions"}

// exitCode finds how a command ended in the text that Codex gives the model.
var exitCode = pattern.New(`(?m)"exit_code":\s*(-?\d+)|^(?:Exit code:|Process exited with code)\s*(-?\d+)`)

// codex reads a line of Codex' rollout file.
func (n *native) codex(l line) {
	item := l.Get("payload")
	if l.kind == "session_meta" || l.kind == "turn_context" {
		n.conversation.Folder = cmp.Or(n.conversation.Folder, clean(strings.Clone(item.Get("cwd").Str)))
	}
	if l.kind != "response_item" {
		if l.kind != "session_meta" {
			n.skip(l.kind)
		}
		return
	}
	at, id := n.stamp(l.Get("timestamp").Value()), item.Get("call_id").Str
	if n.copied {
		id = ""
	}
	switch item.Get("type").Str {
	case "message":
		role := item.Get("role").Str
		text, _ := contentOf(item.Get("content"))
		for _, begin := range added {
			if strings.HasPrefix(strings.TrimSpace(text), begin) {
				n.skip("message that Codex added")
				return
			}
		}
		if role != "user" && role != "assistant" {
			n.skip(role + " message")
			return
		}
		n.speaks(role == "user", at, item.Get("content"))
	case "function_call":
		n.use(at, id, item.Get("name").Str, item.Get("arguments"))
	case "custom_tool_call":
		n.use(at, id, item.Get("name").Str, item.Get("input"))
	case "local_shell_call":
		n.use(at, id, "local_shell", item.Get("action"))
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output":
		output := item.Get("output")
		text := cmp.Or(textOf(output), output.Raw)
		if output.IsArray() {
			text, _ = contentOf(output)
		}
		call := Call{ID: id, At: at}
		if found := exitCode.FindStringSubmatch(text); found != nil {
			code, _ := strconv.Atoi(found[1] + found[2])
			call.Failed = code != 0
		} else {
			call.Unclear = true
		}
		n.result(call, text)
	case "web_search_call":
		if id = item.Get("id").Str; !n.copied && item.Get("status").Str == "completed" {
			n.use(at, id, "web_search", item.Get("action"))
			n.result(Call{ID: id, At: at}, "")
		}
	default:
		n.skip(item.Get("type").Str)
	}
}

// Codes of Copilot CLI for a call that a hook or the user denied.
var denied = []string{"denied", "rejected"}

// copilot reads a line of Copilot CLI's events.jsonl.
func (n *native) copilot(l line) {
	data, at := l.Get("data"), n.stamp(l.Get("timestamp").Value())
	switch l.kind {
	case "user.message":
		n.speaks(true, at, data.Get("content"))
	case "assistant.message":
		n.speaks(false, at, data.Get("content"))
	case "tool.execution_start":
		n.use(at, data.Get("toolCallId").Str, data.Get("toolName").Str, data.Get("arguments"))
	case "tool.execution_complete":
		text := cmp.Or(textOf(data.Get("result")), data.Get("error.message").Str)
		n.result(Call{ID: data.Get("toolCallId").Str, At: at, Failed: !data.Get("success").Bool(),
			Denied: slices.Contains(denied, data.Get("error.code").Str)}, text)
	case "session.start":
	default:
		n.skip(l.kind)
	}
}

// gemini reads a line of Gemini CLI's session file.
func (n *native) gemini(l line) {
	if update := gjson.Get(l.Raw, "@keys.#(%\"$*\")"); update.Exists() {
		n.skip(update.Str)
	} else if l.kind != "" || l.text("sessionId") == "" {
		n.geminiMessage(l.Result)
	}
}

// workspace finds the first folder in the message with which Gemini CLI begins a conversation.
var workspace = pattern.New(`\*\*Workspace Directories:\*\*\s*\n\s*- (.+)`)

// geminiMessage reads a message. The file repeats the message with the same id when it gets tool calls.
func (n *native) geminiMessage(m gjson.Result) {
	n.begins = true
	kind, at := m.Get("type").Str, n.stamp(m.Get("timestamp").Value())
	if kind != "user" && kind != "gemini" {
		n.skip(cmp.Or(kind, "record without a type"))
		return
	}
	content := m.Get("content")
	text, _ := contentOf(content)
	if strings.HasPrefix(text, "<session_context>") { // the client begins a conversation with it
		if found := workspace.FindStringSubmatch(text); found != nil { // the file has only the hash of the folder
			n.conversation.Folder = cmp.Or(n.conversation.Folder, clean(strings.Clone(strings.TrimSpace(found[1]))))
		}
		text = ""
		n.skip("message that Gemini added")
	} else if text == "" && len(m.Get("toolCalls").Array()) == 0 {
		n.skip(noText)
	}
	if text != "" && n.first("message", m.Get("id").Str) {
		n.speaks(kind == "user", at, content)
	}
	m.Get("toolCalls").ForEach(func(_, call gjson.Result) bool {
		id, status, ended := call.Get("id").Str, call.Get("status").Str, stamp(call.Get("timestamp").Value())
		started := cmp.Or(at, ended) // the time of a call is the time of its end
		if status != "success" && status != "error" || !n.first("call", id) {
			return true // canceled, or still running
		}
		n.use(started, id, call.Get("name").Str, call.Get("args"))
		var texts []string
		for _, part := range call.Get("result").Array() {
			response := part.Get("functionResponse.response")
			texts = append(texts, cmp.Or(response.Get("output").Str, response.Get("error").Str))
		}
		n.result(Call{ID: id, At: cmp.Or(ended, at), Failed: status == "error"}, strings.Join(texts, "\n"))
		return true
	})
}

// geminiDocument reads the session file of older versions of Gemini CLI.
func (r *reading) geminiDocument(d document) {
	n := r.session(Gemini, d.text("sessionId"), "", "")
	for _, m := range d.Get("messages").Array() {
		n.geminiMessage(m)
	}
	r.endConversation(n.conversation)
}

// first reports whether an id is new.
func (n *native) first(kind, id string) bool {
	key := kind + " " + id
	was := n.heard[key]
	n.heard[strings.Clone(key)] = true
	return !was || id == ""
}

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
	n := &native{reading: r, heard: map[string]bool{}}
	payload, data := first.All.Get("payload"), first.All.Get("data")
	switch {
	case first.Type == "session_meta" && payload.Get("id").Str != "":
		n.open(Codex, payload.Get("id").Str, payload.Get("cli_version").Str, payload.Get("cwd").Str)
		n.copied = payload.Get("forked_from_id").Str != ""
		return n.codex
	case first.Type == "session.start" && data.Get("sessionId").Str != "":
		n.open(Copilot, data.Get("sessionId").Str, data.Get("copilotVersion").Str, data.Get("context.cwd").Str)
		return n.copilot
	case first.Type == "" && first.SessionID != "" && first.All.Get("projectHash").Exists():
		n.open(Gemini, first.SessionID, "", "")
		return n.gemini
	}
	return nil
}

// nativeReader returns the reader for the lines of a client if no line describes the session, nil for any other first
// line. Other lines reveal the client, and the name of the file or folder is the id of the session.
func (r *reading) nativeReader(first line) func(line) {
	n := &native{reading: r, heard: map[string]bool{}}
	payload, data := first.All.Get("payload"), first.All.Get("data")
	switch {
	case first.Role == "" && first.All.Get("working_dir").Str != "": // older versions of Goose; the name of the file is the id of the session
		n.open(Goose, r.stem(), "", first.All.Get("working_dir").Str)
		n.conversation.Title = clean(first.All.Get("description").Str)
		return func(l line) { n.gooseMessage(l.All) }
	case payload.IsObject() && slices.Contains([]string{"response_item", "event_msg", "turn_context", "compacted"},
		first.Type):
		n.open(Codex, cmp.Or(sessionInName.FindString(r.stem()), r.stem()), "", "")
		return n.codex
	case data.IsObject() && first.All.Get("id").Exists() && copilotEvent.MatchString(first.Type):
		n.open(Copilot, filepath.Base(filepath.Dir(r.file.Path)), "", "")
		return n.copilot
	case first.SessionID == "" && (first.Type == "gemini" || first.All.Get("$set").IsObject() || first.Type == "user" &&
		first.All.Get("displayContent").Exists()):
		n.open(Gemini, r.stem(), "", "")
		return n.gemini
	case first.Role != "" && first.All.Get("created").Type == gjson.Number && first.All.Get("content.0.type").Exists():
		n.open(Goose, r.stem(), "", "")
		return func(l line) { n.gooseMessage(l.All) }
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

func (n *native) open(source, id, version, folder string) {
	n.conversation = n.reading.conversation(source, clean(strings.Clone(id)))
	n.conversation.Agent, n.conversation.Folder, n.version = source, clean(strings.Clone(folder)),
		clean(strings.Clone(version))
}

// speaks yields a message.
func (n *native) speaks(asks bool, at time.Time, content gjson.Result) {
	m := turns.Message{Speaker: "Assistant", At: at}
	if asks {
		m.Speaker, m.Asks = "User", true
	}
	n.yieldBlocks(n.conversation, m, content)
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
	item := l.All.Get("payload")
	if l.Type == "session_meta" || l.Type == "turn_context" {
		n.conversation.Folder = cmp.Or(n.conversation.Folder, clean(strings.Clone(item.Get("cwd").Str)))
	}
	if l.Type != "response_item" {
		if l.Type != "session_meta" {
			n.skip(l.Type)
		}
		return
	}
	at, id := n.stamp(l.Timestamp), item.Get("call_id").Str
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
	data, at := l.All.Get("data"), n.stamp(l.Timestamp)
	switch l.Type {
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
		n.skip(l.Type)
	}
}

// gemini reads a line of Gemini CLI's session file.
func (n *native) gemini(l line) {
	if update := gjson.Get(l.All.Raw, "@keys.#(%\"$*\")"); update.Exists() {
		n.skip(update.Str)
	} else if l.Type != "" || l.SessionID == "" {
		n.geminiMessage(l.All)
	}
}

// workspace finds the first folder in the message with which Gemini CLI begins a conversation.
var workspace = pattern.New(`\*\*Workspace Directories:\*\*\s*\n\s*- (.+)`)

// geminiFolder returns the folder that the first message names, since the file has only its hash; "" for none.
func geminiFolder(text string) string {
	if found := workspace.FindStringSubmatch(text); found != nil {
		return strings.TrimSpace(found[1])
	}
	return ""
}

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
		n.conversation.Folder = cmp.Or(n.conversation.Folder, clean(strings.Clone(geminiFolder(text))))
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
		call.Get("result").ForEach(func(_, part gjson.Result) bool {
			response := part.Get("functionResponse.response")
			texts = append(texts, cmp.Or(response.Get("output").Str, response.Get("error").Str))
			return true
		})
		n.result(Call{ID: id, At: cmp.Or(ended, at), Failed: status == "error"}, strings.Join(texts, "\n"))
		return true
	})
}

// geminiDocument reads the session file of older versions of Gemini CLI.
func (r *reading) geminiDocument(d document) {
	n := &native{reading: r, heard: map[string]bool{}}
	n.open(Gemini, d.text("sessionId"), "", "")
	d.Get("messages").ForEach(func(_, m gjson.Result) bool {
		n.geminiMessage(m)
		return true
	})
	r.endConversation(n.conversation)
}

// first reports whether an id is new.
func (n *native) first(kind, id string) bool {
	key := kind + " " + id
	was := n.heard[key]
	n.heard[strings.Clone(key)] = true
	return !was || id == ""
}

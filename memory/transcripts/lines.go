package transcripts

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/tidwall/gjson"

	"nomograph/memory/turns"
)

// line is a line of a JSON lines file: a Claude Code session file, a Cursor transcript, or another format. Its texts are
// copies, so that they do not keep the buffer of the whole line in memory.
type line struct {
	Type, UUID, SessionID, AgentID, Cwd   string
	Summary, CustomTitle, AITitle, Role   string
	Version                               string
	IsSidechain, IsMeta, IsCompactSummary bool
	Timestamp                             any
	Message                               gjson.Result
	All                                   gjson.Result // the whole line
}

// lineOf parses a line; ok is false if it is not a JSON object. json.Valid limits the depth.
func lineOf(raw []byte) (l line, ok bool) {
	if raw[0] != '{' || !json.Valid(raw) {
		return line{}, false
	}
	texts := map[string]*string{"type": &l.Type, "uuid": &l.UUID, "sessionId": &l.SessionID, "agentId": &l.AgentID, "cwd": &l.Cwd, "summary": &l.Summary,
		"customTitle": &l.CustomTitle, "aiTitle": &l.AITitle, "role": &l.Role, "version": &l.Version}
	flags := map[string]*bool{"isSidechain": &l.IsSidechain, "isMeta": &l.IsMeta, "isCompactSummary": &l.IsCompactSummary}
	l.All = gjson.ParseBytes(raw)
	l.All.ForEach(func(key, value gjson.Result) bool {
		switch text, flag := texts[key.Str], flags[key.Str]; {
		case text != nil:
			*text = strings.Clone(clean(value.Str))
		case flag != nil:
			*flag = value.Type == gjson.True
		case key.Str == "timestamp":
			l.Timestamp = value.Value()
		case key.Str == "message":
			l.Message = value
		}
		return true
	})
	return l, true
}

// lines reads JSON lines. An incomplete last line is still being written and is not reported.
func (r *reading) lines(in *bufio.Reader) error {
	heard := map[string]bool{} // uuids; a client that resumes a session writes earlier lines again
	g := generic{r: r, first: map[*Conversation]string{}}
	return eachLine(in, func(number int, raw []byte, complete bool) {
		if r.stopped {
			return
		}
		raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\ufeff")))
		if tooDeep(raw) {
			r.problem(r.place(number), fmt.Sprintf("the line is nested more than %d levels deep", deepest))
			return
		}
		l, ok := lineOf(raw)
		if !ok {
			if complete {
				r.problem(r.place(number), "the line is not a JSON object")
			}
			return
		}
		if r.native == nil {
			r.native = r.nativeReader(l)
		}
		switch {
		case r.native != nil:
			r.native(l)
		case l.SessionID != "" && l.Type != "":
			if l.UUID != "" && heard[l.UUID] {
				return
			}
			heard[l.UUID] = true
			r.claude(l)
		case l.Type == "summary" || l.Type == "file-history-snapshot": // metadata of a session that is not in this file
		case l.Role != "" && l.Message.IsObject():
			r.cursorLine(l)
		case l.Type == "turn_ended":
		default:
			var fields map[string]json.RawMessage
			if json.Unmarshal(raw, &fields) != nil || !g.message(fields) {
				r.problem(r.place(number), "it names no speakers")
			}
		}
	}, func(number int) {
		r.problem(r.place(number), "the line is longer than 32 MB, and was left out")
	})
}

// claude reads a line of Claude Code. The lines of a subagent form a separate conversation.
func (r *reading) claude(l line) {
	id, parent := l.SessionID, ""
	if l.IsSidechain || l.AgentID != "" {
		id, parent = l.SessionID+"/"+cmp.Or(l.AgentID, "sidechain"), l.SessionID
	}
	c := r.conversation(ClaudeCode, id)
	c.Parent, c.Folder, c.Agent = parent, cmp.Or(c.Folder, l.Cwd), "claude-code"
	switch l.Type {
	case "custom-title", "ai-title", "summary":
		c.Title = cmp.Or(l.CustomTitle, l.AITitle, l.Summary, c.Title)
		return
	case "user", "assistant":
	default:
		return
	}
	if l.IsMeta || !l.Message.IsObject() {
		return
	}
	r.calls(c, l)
	m := turns.Message{Speaker: "Assistant", At: stamp(l.Timestamp)}
	switch {
	case l.IsCompactSummary:
		m.Speaker, m.Summary = "Summary", true
	case l.Type == "user":
		m.Speaker, m.Asks = "User", true
	}
	r.yieldBlocks(c, m, l.Message.Get("content"))
}

// cursorLine reads a line of a Cursor agent transcript. The file name is the id of the conversation. The folder above is
// the path of the project, with all characters except letters and digits replaced.
func (r *reading) cursorLine(l line) {
	path := filepath.ToSlash(r.file.Path)
	name := filepath.Base(path)
	c := r.conversation(Cursor, strings.TrimSuffix(name, filepath.Ext(name)))
	if before, _, ok := strings.Cut(path, "/agent-transcripts/"); ok {
		c.Project = filepath.Base(before)
	}
	c.Agent = "cursor"
	m := turns.Message{Speaker: "Assistant", At: stamp(l.Timestamp)}
	if l.Role == "user" {
		m.Speaker, m.Asks = "User", true
	}
	r.yieldBlocks(c, m, l.Message.Get("content"))
}

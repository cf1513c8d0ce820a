package transcripts

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"strings"

	"nomograph/memory/turns"
)

// line is a line of JSON lines: of Claude Code's session files, of Cursor's transcripts, or of any that say who said what.
type line struct {
	Type             string          `json:"type"`
	Subtype          string          `json:"subtype"`
	UUID             string          `json:"uuid"`
	SessionID        string          `json:"sessionId"`
	AgentID          string          `json:"agentId"`
	Cwd              string          `json:"cwd"`
	Summary          string          `json:"summary"`
	CustomTitle      string          `json:"customTitle"`
	AITitle          string          `json:"aiTitle"`
	IsSidechain      bool            `json:"isSidechain"`
	IsMeta           bool            `json:"isMeta"`
	IsCompactSummary bool            `json:"isCompactSummary"`
	Timestamp        any             `json:"timestamp"`
	Message          json.RawMessage `json:"message"`
	Role             string          `json:"role"`
}

// lines reads JSON lines. A last line that is not whole is one that is being written, and no problem.
func (r *reading) lines(in *bufio.Reader) error {
	heard := map[string]bool{} // uuids: a client that goes on with a session writes lines again
	g := generic{r: r, first: map[*Conversation]string{}}
	return eachLine(in, func(number int, raw []byte, whole bool) {
		if r.stopped {
			return
		}
		raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\ufeff")))
		var l line
		if err := json.Unmarshal(raw, &l); err != nil || raw[0] != '{' {
			if whole {
				r.problem(r.place(number), "this line is no JSON object")
			}
			return
		}
		switch {
		case l.SessionID != "" && l.Type != "":
			if l.UUID != "" && heard[l.UUID] {
				return
			}
			heard[l.UUID] = true
			r.claude(l)
		case l.Type == "summary" || l.Type == "file-history-snapshot": // of a session that is not said here
		case l.Role != "" && l.Message != nil && bytes.HasPrefix(bytes.TrimSpace(l.Message), []byte("{")):
			r.cursorLine(l)
		case l.Type == "turn_ended":
		default:
			var fields map[string]json.RawMessage
			if json.Unmarshal(raw, &fields) != nil || !g.message(fields) {
				r.problem(r.place(number), "nothing in it says who said what")
			}
		}
	}, func(number int) {
		r.problem(r.place(number), "the line is longer than 32 MB, and was left out")
	})
}

// claude reads a line of Claude Code. A subagent's lines are a conversation of their own.
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
	var message struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if l.IsMeta || json.Unmarshal(l.Message, &message) != nil {
		return
	}
	m := turns.Message{Speaker: "Assistant", At: stamp(l.Timestamp)}
	switch {
	case l.IsCompactSummary:
		m.Speaker, m.Summary = "Summary", true
	case l.Type == "user":
		m.Speaker, m.Asks = "User", true
	}
	r.sayBlocks(c, m, message.Content)
}

// cursorLine reads a line of a transcript that Cursor keeps of an agent. Its file's name is the conversation's id, and the folder above says
// where, with all signs but letters and digits made the same.
func (r *reading) cursorLine(l line) {
	path := filepath.ToSlash(r.file.Path)
	name := filepath.Base(path)
	c := r.conversation(Cursor, strings.TrimSuffix(name, filepath.Ext(name)))
	if before, _, is := strings.Cut(path, "/agent-transcripts/"); is {
		c.Project = filepath.Base(before)
	}
	c.Agent = "cursor"
	var message struct {
		Content json.RawMessage `json:"content"`
	}
	if json.Unmarshal(l.Message, &message) != nil {
		return
	}
	m := turns.Message{Speaker: "Assistant", At: stamp(l.Timestamp)}
	if l.Role == "user" {
		m.Speaker, m.Asks = "User", true
	}
	r.sayBlocks(c, m, message.Content)
}

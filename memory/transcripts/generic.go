package transcripts

import (
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"nomograph/memory/turns"
)

// Field names of the speaker, text, time and conversation of a message. The first one present is used.
var (
	speakers = []string{"speaker", "role", "author", "sender", "from", "name", "type"}
	words    = []string{"text", "content", "message", "rawText", "body", "parts"}
	times    = []string{"at", "timestamp", "created_at", "createdAt", "create_time", "time", "date"}
	sessions = []string{"session", "session_id", "sessionId", "conversation", "conversation_id", "thread"}
)

// generic reads messages of unknown formats.
type generic struct {
	r     *reading
	first map[*Conversation]string // first speaker, assumed to be the user
	under *Conversation            // conversation of messages without a conversation id
}

// message yields a message. It returns false if the speaker or the text cannot be determined.
func (g *generic) message(fields map[string]gjson.Result) bool {
	fields = unwrapped(fields)
	content := pick(fields, words)
	text, acts := contentOf(content)
	speaker, role := speakerOf(fields)
	if text == "" && len(acts) == 0 {
		if speaker == "" {
			return false
		}
		kind := noText
		if !pick(fields, speakers[:6]).Exists() {
			kind = speaker // the type of the record
		}
		g.r.skip(kind)
		return true
	}
	if speaker == "" {
		return false
	}
	if role == "system" {
		g.r.skip(strings.ToLower(speaker) + " message")
		return true
	}
	at := g.r.timeOf(fields)
	c := g.conversation(fields, text)
	for name, into := range map[string]*string{"title": &c.Title, "project": &c.Project, "cwd": &c.Folder,
		"folder": &c.Folder, "agent": &c.Agent} {
		if value := textOf(fields[name]); value != "" {
			*into = strings.Clone(clean(value))
		}
	}
	if g.first[c] == "" {
		g.first[c] = speaker
	}
	g.r.yieldBlocks(c, turns.Message{Speaker: speaker, Asks: role == "user" || role == "" && speaker == g.first[c],
		Act: role == "tool", Summary: role == "summary", At: at}, content)
	return true
}

// unwrapped returns the message in a record that wraps it, such as {"type": "message", "message": {"role": "user",
// ...}}, with the other members of the record.
func unwrapped(fields map[string]gjson.Result) map[string]gjson.Result {
	for _, name := range []string{"message", "update", "data", "payload", "record"} {
		inner := fields[name].Map()
		if !pick(inner, speakers[:4]).Exists() || !pick(inner, words).Exists() {
			continue
		}
		for key, value := range fields {
			if _, ok := inner[key]; !ok && key != name && key != "type" {
				inner[key] = value
			}
		}
		return inner
	}
	return fields
}

func (g *generic) conversation(fields map[string]gjson.Result, text string) *Conversation {
	if id := scalar(pick(fields, sessions)); id != "" {
		return g.r.conversation(JSON, id)
	}
	if g.under == nil {
		g.under = g.r.conversation(JSON, contentID("", text))
	}
	return g.under
}

// speakerOf returns the name of the speaker and the role: user, assistant, tool, summary, system, or "" if the name is
// not a role.
func speakerOf(fields map[string]gjson.Result) (name, role string) {
	for _, field := range speakers {
		value := fields[field]
		if within := value.Get("role").Str + value.Get("name").Str; within != "" {
			return roleOf(strings.Clone(clean(within)))
		}
		if text := scalar(value); text != "" {
			return roleOf(text)
		}
	}
	return "", ""
}

// roles maps the names that clients use for speakers. Cursor uses numbers.
var roles = map[string]string{"user": "user", "human": "user", "you": "user", "me": "user", "1": "user",
	"prompt":    "user",
	"assistant": "assistant", "ai": "assistant", "bot": "assistant", "model": "assistant", "2": "assistant",
	"claude": "assistant", "chatgpt": "assistant", "cursor": "assistant",
	"copilot": "assistant", "gemini": "assistant", "agent": "assistant", "response": "assistant", "tool": "tool",
	"function": "tool", "system": "system", "developer": "system", "summary": "summary"}

func roleOf(name string) (shown, role string) {
	name = strings.TrimSpace(name)
	if role = roles[strings.ToLower(name)]; role == "" || role == "system" {
		return name, role
	}
	return strings.ToUpper(role[:1]) + role[1:], role
}

func pick(fields map[string]gjson.Result, names []string) gjson.Result {
	for _, name := range names {
		if value := fields[name]; value.Type != gjson.Null && value.Raw != `""` {
			return value
		}
	}
	return gjson.Result{}
}

// scalar returns a clean copy of a JSON string or number.
func scalar(value gjson.Result) string {
	switch value.Type {
	case gjson.String:
		return strings.Clone(strings.TrimSpace(clean(value.Str)))
	case gjson.Number:
		return strings.Clone(value.Raw)
	}
	return ""
}

func (r *reading) timeOf(fields map[string]gjson.Result) time.Time {
	var stated any
	for _, name := range times {
		value := fields[name].Value()
		if at := stamp(value); !at.IsZero() {
			return at
		}
		if stated == nil {
			stated = value
		}
	}
	return r.stamp(stated)
}

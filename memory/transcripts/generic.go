package transcripts

import (
	"encoding/json"
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
func (g *generic) message(fields map[string]json.RawMessage) bool {
	fields = unwrapped(fields)
	content := gjson.ParseBytes(pick(fields, words))
	text, acts := contentOf(content)
	speaker, role := speakerOf(fields)
	if text == "" && len(acts) == 0 {
		if speaker == "" {
			return false
		}
		kind := noText
		if pick(fields, speakers[:6]) == nil {
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
	c := g.conversation(fields, text, at)
	for name, into := range map[string]*string{"title": &c.Title, "project": &c.Project, "cwd": &c.Folder,
		"folder": &c.Folder, "agent": &c.Agent} {
		if value := textOf(gjson.ParseBytes(fields[name])); value != "" {
			*into = clean(value)
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
func unwrapped(fields map[string]json.RawMessage) map[string]json.RawMessage {
	for _, name := range []string{"message", "update", "data", "payload", "record"} {
		var inner map[string]json.RawMessage
		if json.Unmarshal(fields[name], &inner) != nil || pick(inner, speakers[:4]) == nil ||
			pick(inner, words) == nil {
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

func (g *generic) conversation(fields map[string]json.RawMessage, text string, _ time.Time) *Conversation {
	if id := scalar(pick(fields, sessions)); id != "" {
		return g.r.conversation(JSON, clean(id))
	}
	if g.under == nil {
		g.under = g.r.conversation(JSON, contentID("", text))
	}
	return g.under
}

// speakerOf returns the name of the speaker and the role: user, assistant, tool, summary, system, or "" if the name is
// not a role.
func speakerOf(fields map[string]json.RawMessage) (name, role string) {
	for _, field := range speakers {
		raw := fields[field]
		if len(raw) == 0 {
			continue
		}
		var within struct{ Role, Name string }
		if json.Unmarshal(raw, &within) == nil && within.Role+within.Name != "" {
			return roleOf(within.Role + within.Name)
		}
		if text := scalar(raw); text != "" {
			return roleOf(clean(text))
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
	switch role = roles[strings.ToLower(name)]; role {
	case "user":
		return "User", role
	case "assistant":
		return "Assistant", role
	case "tool":
		return "Tool", role
	case "summary":
		return "Summary", role
	case "system":
		return name, role
	}
	return name, ""
}

func pick(fields map[string]json.RawMessage, names []string) json.RawMessage {
	for _, name := range names {
		if raw := fields[name]; len(raw) > 0 && string(raw) != "null" && string(raw) != `""` {
			return raw
		}
	}
	return nil
}

// scalar returns a JSON string or number as text.
func scalar(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return strings.TrimSpace(text)
	}
	var number json.Number
	if json.Unmarshal(raw, &number) == nil {
		return number.String()
	}
	return ""
}

func (r *reading) timeOf(fields map[string]json.RawMessage) time.Time {
	var stated any
	for _, name := range times {
		var value any
		if json.Unmarshal(fields[name], &value) == nil {
			if at := stamp(value); !at.IsZero() {
				return at
			}
			if stated == nil {
				stated = value
			}
		}
	}
	return r.stamp(stated)
}

package transcripts

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"sort"
	"strings"

	"nomograph/memory/turns"
)

// block is a part of a message, as the APIs of models have it.
type block struct {
	Type    string          `json:"type"`
	Text    string          `json:"text"`
	Name    string          `json:"name"`
	Input   json.RawMessage `json:"input"`
	Content json.RawMessage `json:"content"`
}

// contentOf gives what a message says and what tools did in it: content is a text, or a list of blocks. What a model thought to itself
// is left out, as are pictures.
func contentOf(content json.RawMessage) (said string, acts []string) {
	content = bytes.TrimSpace(content)
	if len(content) == 0 {
		return "", nil
	}
	if content[0] != '[' {
		return textOf(content), nil
	}
	var blocks []json.RawMessage
	if json.Unmarshal(content, &blocks) != nil {
		return "", nil
	}
	var texts []string
	for _, raw := range blocks {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			texts = append(texts, text)
			continue
		}
		var b block
		if json.Unmarshal(raw, &b) != nil {
			continue
		}
		switch b.Type {
		case "tool_use", "tool-call", "tool_call":
			acts = append(acts, "["+b.Name+"] "+turns.Asked(asked(b.Input)))
		case "tool_result", "tool-result":
			inner, _ := contentOf(b.Content)
			if out := turns.Output(inner); out != "" {
				acts = append(acts, "-> "+out)
			}
		case "thinking", "redacted_thinking", "reasoning", "image":
		default:
			if b.Text != "" {
				texts = append(texts, b.Text)
			}
		}
	}
	return strings.Join(texts, "\n\n"), acts
}

// textOf is a text, or the text in an object.
func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var within struct {
		Text    string          `json:"text"`
		Content json.RawMessage `json:"content"`
		Parts   json.RawMessage `json:"parts"`
	}
	if json.Unmarshal(raw, &within) != nil {
		return ""
	}
	if within.Text != "" {
		return within.Text
	}
	for _, inner := range []json.RawMessage{within.Content, within.Parts} {
		if len(inner) > 0 {
			text, _ = contentOf(inner)
			return text
		}
	}
	return ""
}

// telling are the inputs of tools that say what was asked, the first of them that is there.
var telling = []string{"command", "file_path", "path", "target_file", "pattern", "query", "url", "description", "prompt", "code"}

// asked says what a tool was asked.
func asked(input json.RawMessage) string {
	var fields map[string]any
	if json.Unmarshal(input, &fields) != nil {
		return string(input)
	}
	for _, name := range telling {
		if text, is := fields[name].(string); is && text != "" {
			return text
		}
	}
	names := make([]string, 0, len(fields))
	for name := range fields {
		names = append(names, name)
	}
	sort.Strings(names)
	parts := make([]string, 0, len(names))
	for _, name := range names {
		parts = append(parts, fmt.Sprintf("%s: %v", name, fields[name]))
	}
	return strings.Join(parts, ", ")
}

// say hands on a message with what tools did in it.
func (r *reading) sayBlocks(c *Conversation, m turns.Message, content json.RawMessage) {
	said, acts := contentOf(content)
	if m.Asks {
		said = typed(said)
	}
	if m.Asks && said == "" && len(acts) > 0 {
		m.Asks = false
	}
	if said != "" {
		m.Text = turns.Code(clean(said))
		r.say(c, m)
	}
	for _, act := range acts {
		r.say(c, turns.Message{Act: true, At: m.At, Text: clean(act)})
	}
}

var (
	reminders = regexp.MustCompile(`(?s)<(system-reminder|local-command-caveat|local-command-stdout|local-command-stderr|command-message|command-contents|task-notification)>.*?</[a-z-]+>`)
	command   = regexp.MustCompile(`(?s)<command-name>\s*(\S+)\s*</command-name>(?:.*?<command-args>(.*?)</command-args>)?`)
	query     = regexp.MustCompile(`(?s)<user_query>\s*(.*?)\s*</user_query>`)
)

// typed is what the person typed of what a client sent: without what the client put around it.
func typed(text string) string {
	if !strings.Contains(text, "<") {
		return strings.TrimSpace(text)
	}
	if found := query.FindStringSubmatch(text); found != nil {
		return found[1]
	}
	text = reminders.ReplaceAllString(text, "")
	if found := command.FindStringSubmatch(text); found != nil {
		return strings.TrimSpace(found[1] + " " + found[2])
	}
	return strings.TrimSpace(text)
}

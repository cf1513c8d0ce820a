package transcripts

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"nomograph/internal/pattern"
	"nomograph/memory/turns"
)

// contentOf returns the text of a message and the actions of tools in it. content is a text, or a list of blocks as in
// the APIs of model providers. Thinking blocks and images are omitted.
func contentOf(content gjson.Result) (spoken string, acts []string) {
	if !content.IsArray() {
		return textOf(content), nil
	}
	var texts []string
	content.ForEach(func(_, b gjson.Result) bool {
		if b.Type == gjson.String {
			texts = append(texts, b.Str)
			return true
		}
		if !b.IsObject() {
			return true
		}
		switch b.Get("type").Str {
		case "tool_use", "tool-call", "tool_call":
			acts = append(acts, "["+b.Get("name").Str+"] "+turns.ToolInput(describeInput(b.Get("input"))))
		case "tool_result", "tool-result":
			spoken, _ := contentOf(b.Get("content"))
			if out := turns.ShortenOutput(spoken); out != "" {
				acts = append(acts, "-> "+out)
			}
		case "thinking", "redacted_thinking", "reasoning", "image":
		default:
			if text := b.Get("text").Str; text != "" {
				texts = append(texts, text)
			}
		}
		return true
	})
	return strings.Join(texts, "\n\n"), acts
}

// textOf returns a text, or the text in an object.
func textOf(value gjson.Result) string {
	if value.Type == gjson.String {
		return value.Str
	}
	if !value.IsObject() {
		return ""
	}
	if text := value.Get("text").Str; text != "" {
		return text
	}
	for _, name := range []string{"content", "parts"} {
		if inner := value.Get(name); inner.Exists() {
			text, _ := contentOf(inner)
			return text
		}
	}
	return ""
}

// describingFields are the input fields that best describe a tool call, in order of preference.
var describingFields = []string{"command", "cmd", "file_path", "path", "target_file", "pattern", "query", "url",
	"description", "prompt", "code"}

// describeInput describes the input of a tool call.
func describeInput(input gjson.Result) string {
	for _, name := range describingFields {
		if text := input.Get(name); text.Type == gjson.String && text.Str != "" {
			return text.Str
		}
	}
	fields, ok := input.Value().(map[string]any)
	if !ok {
		return input.Raw
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		parts = append(parts, fmt.Sprintf("%s: %v", name, fields[name]))
	}
	return strings.Join(parts, ", ")
}

// yieldBlocks yields a message and the actions of tools in it.
func (r *reading) yieldBlocks(c *Conversation, m turns.Message, content gjson.Result) {
	text, acts := contentOf(content)
	if m.At.IsZero() {
		m.At = timeIn(text)
	}
	if m.Asks {
		text = typedText(text)
	}
	m.Asks = m.Asks && (text != "" || len(acts) == 0)
	if text == "" && len(acts) == 0 {
		r.skip(noText)
	}
	if text != "" {
		m.Text = turns.ShortenCode(clean(text))
		r.yieldMessage(c, m)
	}
	for _, act := range acts {
		r.yieldMessage(c, turns.Message{Act: true, At: m.At, Text: clean(act)})
	}
}

var (
	reminders = pattern.New(`(?s)<hook_context>.*?</hook_context>|<(system-reminder|local-command-caveat|local-command-stdout|local-command-stderr|command-message|command-contents|task-notification)>.*?</[a-z-]+>`)
	command   = pattern.New(`(?s)<command-name>\s*(\S+)\s*</command-name>(?:.*?<command-args>(.*?)</command-args>)?`)
	query     = pattern.New(`(?s)<user_query>\s*(.*?)\s*</user_query>`)
)

// typedText returns the text that the person typed, without the elements that the client added.
func typedText(text string) string {
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

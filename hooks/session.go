package hooks

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"nomograph/internal/redact"
)

// Context returns an answer with a text for the model at the start of a session. Without a text, the answer is empty.
func (c Client) Context(event, text string) Answer {
	if text = strings.TrimSpace(redact.Mask(text)); text == "" || c.Use(event) != AtStart {
		return Answer{}
	}
	if c.context != nil {
		return Answer{Stdout: c.context(event, text)}
	}
	return Answer{Stdout: additional(event, text)}
}

// additional returns a text for the model in the form of Claude Code, "" without a text.
func additional(event, text string) string {
	if text == "" {
		return ""
	}
	return object("hookSpecificOutput", map[string]any{"hookEventName": event, "additionalContext": text})
}

// Prompt returns the prompt that an event submits if its answer can give the model a text, else "".
func (c Client) Prompt(actions []Action) string {
	for _, a := range actions {
		if e, _ := c.event(a.Event); a.Kind == PromptSubmit &&
			(e.Use == BeforePrompt && !e.Mute || c.Name == "generic") {
			text, _ := a.Params["prompt"].(string)
			return strings.TrimSpace(text)
		}
	}
	return ""
}

const (
	promptTokens    = 400
	promptDecisions = 3
)

// PromptQuery returns the arguments of get_session_context for context that fits a prompt.
func PromptQuery(prompt string) json.RawMessage {
	text, _ := json.Marshal(map[string]any{"task_description": prompt, "only_relevant": true,
		"max_tokens": promptTokens, "decisions_limit": promptDecisions}) // texts and numbers always encode
	return text
}

// WithContext adds the context that fits a prompt to the verdict about it. A denial stays as it is. If the prompt was
// not checked, the model does not get the reason.
func (c Client) WithContext(actions []Action, v Verdict, text string) Verdict {
	if v.Decision != Allow || c.Prompt(actions) == "" {
		return v
	}
	if v.ID == "" {
		v.Context = ""
	}
	v.Context = joined(v.Context, strings.TrimSpace(redact.Mask(text)))
	return v
}

// UserMessage returns an answer that shows the user a text at the end of a turn or session. Without a text, the answer
// is empty.
func (c Client) UserMessage(event, text string) Answer {
	if text = strings.TrimSpace(redact.Mask(text)); text == "" || c.Use(event) != AtStop {
		return Answer{}
	}
	return Answer{Stdout: object("systemMessage", text)}
}

// Due is an action item about a decision.
type Due struct{ ID, Title string }

// ReviewQuery holds the arguments of ready for decisions that await a review.
const ReviewQuery = `{"action_types":["review_outcome","stale_pending"],"limit":5}`

// Reviews lists the decisions that await a review for the user; "" without any.
func Reviews(due []Due) string {
	if len(due) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("Nomograph: these decisions await a review.\n")
	for _, d := range due {
		fmt.Fprintf(&b, "- %s %s\n", d.ID, shortLine(d.Title))
	}
	fmt.Fprintf(&b, "Review one: nomograph decision review %s success", due[0].ID)
	return b.String()
}

// Transcript returns the absolute path of the transcript that the end of a session names; "" for other events.
func (c Client) Transcript(in Input) string {
	documents, err := documentsIn(in.Stdin)
	if err != nil {
		return ""
	}
	for _, document := range documents {
		path := document.text("transcript_path", "transcriptPath")
		if e, _ := c.eventIn(in, document); e.Use == AtEnd && filepath.IsAbs(path) && len(path) <= 4000 {
			return filepath.Clean(path)
		}
	}
	return ""
}

// SessionIn returns the client's session id of an event, "" if it has none.
func SessionIn(in Input) string {
	documents, err := documentsIn(in.Stdin)
	if err != nil || len(documents) == 0 {
		return ""
	}
	return cut(documents[0].session(), maxID)
}

package inference

import (
	"cmp"
	"encoding/json"
	"strings"

	contract "nomograph/hooks"
	"nomograph/internal/apperr"
	"nomograph/internal/redact"
)

// The events. Anthropic requires that others are allowed.
const (
	promptEvent   = "prompt"
	toolCallEvent = "tool_call"
)

// product is the name of a user and of an application that a frame does not name.
const product = "claude-enterprise"

const (
	maxName     = 200     // bytes of the name of a user
	maxSearched = 1 << 20 // bytes of each text that are searched for secrets
)

// frame is one event. All fields can be null, and unknown fields, blocks and kinds of actors are ignored.
type frame struct {
	Type     string         `json:"type"`
	Tenant   string         `json:"tenant_id"`
	Session  string         `json:"session_id"`
	Model    string         `json:"model"`
	Actor    map[string]any `json:"actor"`
	Source   map[string]any `json:"source"`
	Messages []message      `json:"messages"`
}

// message is a message of the conversation. Only the content of the newest messages is read.
type message struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

// user returns the name of the person whose request it is.
func (f frame) user() string {
	name := cmp.Or(text(f.Actor, "email_address"), text(f.Actor, "id"), product)
	return strings.ToValidUTF8(name[:min(len(name), maxName)], "")
}

func (f frame) application() string { return cmp.Or(text(f.Source, "application"), product) }

// actions returns the actions of an event.
func (f frame) actions() (actions []contract.Action, err error) {
	if f.Type == promptEvent {
		actions, err = f.prompt()
	} else {
		actions, err = f.toolCalls()
	}
	for i := range actions {
		actions[i].Session, actions[i].Event = f.Session, f.Type
	}
	return actions, err
}

// prompt returns the submission of what follows the last answer: texts, attachments, and results of tools.
func (f frame) prompt() ([]contract.Action, error) {
	first := len(f.Messages)
	for first > 0 && f.Messages[first-1].Role != "assistant" {
		first--
	}
	var texts []string
	attachments, tools, secrets := []any{}, []any{}, false
	for _, m := range f.Messages[first:] {
		blocks, err := m.blocks()
		if err != nil {
			return nil, err
		}
		for _, block := range blocks {
			switch text(block, "type") {
			case "text":
				texts = append(texts, text(block, "text"))
			case "attachment":
				attachments = append(attachments, text(block, "file_name"))
			case "tool_result":
				tools = append(tools, text(block, "tool_name"))
			}
			for _, field := range []string{"text", "content"} {
				content := text(block, field)
				_, found := redact.Text(content[:min(len(content), maxSearched)])
				secrets = secrets || found
			}
		}
	}
	action := contract.Other(contract.PromptSubmit, "prompt", strings.Join(texts, "\n"), "")
	action.Params["attachments"], action.Params["tools"], action.Params["secrets"] = attachments, tools, secrets
	return []contract.Action{action}, nil
}

// toolCalls returns the actions of the calls in the last message.
func (f frame) toolCalls() (actions []contract.Action, err error) {
	var blocks []map[string]any
	if len(f.Messages) > 0 {
		blocks, err = f.Messages[len(f.Messages)-1].blocks()
	}
	calls := 0
	for _, block := range blocks {
		if text(block, "type") != "tool_use" {
			continue
		}
		calls++
		info, _ := block["tool_info"].(map[string]any)
		server := ""
		if text(info, "type") == "third_party" {
			server = cmp.Or(text(info, "toolset_name"), text(info, "origin"))
		}
		found, wrong := contract.ToolCall(server, text(block, "tool_name"), block["input"])
		if wrong != nil {
			return nil, wrong
		}
		for _, action := range found {
			if action.ToolUseID = text(block, "id"); info != nil {
				action.Params["tool_info"] = info
			}
			actions = append(actions, action)
		}
	}
	if err == nil && calls == 0 {
		err = unreadable("no tool call")
	}
	return actions, err
}

func (m message) blocks() (blocks []map[string]any, err error) {
	if err = json.Unmarshal(m.Content, &blocks); err != nil {
		err = unreadable("a message without blocks")
	}
	return blocks, err
}

func unreadable(has string) error {
	return apperr.New(apperr.Validation, "The event has "+has).
		WithHint("Check for a newer version of Nomograph")
}

// text returns a field that is text; "" for others.
func text(fields map[string]any, name string) string {
	value, _ := fields[name].(string)
	return value
}

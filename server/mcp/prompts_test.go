package mcp_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// prompt requests a prompt and returns its text.
func prompt(t *testing.T, c *graphtest.Client, name string, arguments map[string]any) string {
	t.Helper()
	m := c.Request("prompts/get", map[string]any{"name": name, "arguments": arguments})
	if m.Error != nil {
		t.Fatalf("%s: got %+v, want nil", name, m.Error)
	}
	messages := m.Result["messages"].([]any)
	if len(messages) != 1 || messages[0].(map[string]any)["role"] != "user" {
		t.Fatalf("%s: got %v, want len(messages)=1, role=user", name, messages)
	}
	return messages[0].(map[string]any)["content"].(map[string]any)["text"].(string)
}

func holds(t *testing.T, text string, parts ...string) {
	t.Helper()
	at := 0
	for _, part := range parts {
		found := strings.Index(text[at:], part)
		if found < 0 {
			t.Errorf("%q is not at its place in:\n%s", part, text)
			return
		}
		at += found
	}
}

func TestPrompts_Graph_AddsFacts(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, `CREATE (:Decision {uid: 'u1', id: 'aaaa0001', decision: 'Cache everything for a day', confidence: 0.7, status: 'pending', created_at: datetime()}),
		(:Decision {uid: 'u2', id: 'aaaa0002', decision: 'Else', created_at: datetime()})`, nil)
	c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve")
	c.Initialize("2025-06-18")

	listed := c.Request("prompts/list", nil).Result["prompts"].([]any)
	var names []string
	for _, p := range listed {
		p := p.(map[string]any)
		names = append(names, p["name"].(string))
		if p["title"] == "" || p["description"] == "" {
			t.Errorf("%v lacks words", p)
		}
	}
	graphtest.Equal(t, strings.Join(names, " "), "after_work before_decision review_due session_start", "names")

	text := prompt(t, c, "session_start", map[string]any{"task": "Build the {task} cache"})
	holds(t, text, "The task: Build the {task} cache\n", "`get_threshold` with `name`", "`record_thought`",
		"`update_decision`")
	text = prompt(t, c, "before_decision", map[string]any{"decision": "Cache for an hour", "category": "architecture"})
	holds(t, text, "Planned decision: Cache for an hour\nCategory: architecture\n", "1. `record_thought`",
		"`link_decisions`")
	if text = prompt(t, c, "before_decision", map[string]any{"decision": "Cache for an hour"}); strings.Contains(text,
		"Category") {
		t.Errorf("without a category: got\n%s", text)
	}
	text = prompt(t, c, "after_work", map[string]any{"decision": "aaaa0001"})
	holds(t, text, "decision aaaa0001", "1. `get_decision`", "`update_decision` with `id` aaaa0001", "`review_outcome`",
		"Current answer of `get_decision`", "Cache everything for a day")
	text = prompt(t, c, "review_due", nil)
	holds(t, text, "1. `", "`review_outcome` with `id`, `outcome`")

	for _, wrong := range []struct {
		name      string
		arguments map[string]any
		says      string
	}{
		{"after_work", map[string]any{"decision": "bbbb0000"}, "Decision 'bbbb0000' not found"},
		{"after_work", map[string]any{"decision": "aaaa"}, "matches 2 decisions"},
		{"after_work", nil, "after_work needs decision"},
		{"session_start", map[string]any{"task": "  "}, "session_start needs task"},
		{"session_start", map[string]any{"task": "x", "tsak": "y"}, `no argument "tsak"`},
		{"before_decision", map[string]any{"decision": "x", "category": "cooking"}, "one of architecture, process"},
		{"no_prompt", nil, "not found"},
	} {
		if m := c.Request("prompts/get", map[string]any{"name": wrong.name,
			"arguments": wrong.arguments}); m.Error == nil || !strings.Contains(m.Error.Message, wrong.says) {
			t.Errorf("%v: got %+v, want non-nil Error, Message with %q", wrong, m, wrong.says)
		}
	}

	complete := func(prompt, argument, value string) string {
		m := c.Request("completion/complete", map[string]any{"ref": map[string]any{"type": "ref/prompt",
			"name": prompt}, "argument": map[string]any{"name": argument, "value": value}})
		if m.Error != nil {
			t.Fatalf("got %+v, want nil", m.Error)
		}
		values, _ := json.Marshal(m.Result["completion"].(map[string]any)["values"])
		return string(values)
	}
	graphtest.Equal(t, complete("after_work", "decision", "aaaa"), `["aaaa0001","aaaa0002"]`, "ids")
	graphtest.Equal(t, complete("before_decision", "category", "pro"), `["process"]`, "categories")
	graphtest.Equal(t, complete("before_decision", "decision", "x"), `[]`, "free text is completed to")
	ends(t, c)
}

func TestPrompts_NoGraph_StillInstruct(t *testing.T) {
	environ := append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1")
	c := graphtest.Start(t, environ, graphtest.Binary(t), "serve")
	c.Initialize("2025-06-18")
	text := prompt(t, c, "after_work", map[string]any{"decision": "aaaa0001"})
	holds(t, text, "1. `get_decision`", "On `unavailable`, stop", "The graph is unavailable: ")
	ends(t, c)
}

func TestPrompts_Toolsets_NameOnlyServedTools(t *testing.T) {
	environ := append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1")
	c := graphtest.Start(t, environ, graphtest.Binary(t), "serve", "--toolsets", "policy")
	c.Initialize("2025-06-18")
	text := prompt(t, c, "before_decision", map[string]any{"decision": "x"})
	holds(t, text, "`check_action`")
	if strings.Contains(text, "link_decisions") {
		t.Errorf("the prompt names tools that are not served:\n%s", text)
	}
	if m := c.Request("prompts/get", map[string]any{"name": "review_due"}); m.Error == nil {
		t.Errorf("a prompt without a step: got %+v, want non-nil Error", m)
	}
	ends(t, c)
}

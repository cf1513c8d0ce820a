package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// answerTo returns the answer to a call as JSON, or its error.
func answerTo(t *testing.T, env *tools.App, by, name, arguments string) (string, error) {
	t.Helper()
	o, _ := tools.Find(tools.Catalog, name)
	who := caller.Caller{Name: by, Permissions: []caller.Permission{caller.Admin}, Connection: "c-" + by}
	answer, err := o.Run(caller.With(context.WithoutCancel(t.Context()), who), env, json.RawMessage(arguments))
	text, _ := json.Marshal(answer)
	return string(text), err
}

// TestFreeze_EveryDoor_DeniesAtOnce freezes an agent and a session on one server and asks on another.
func TestFreeze_EveryDoor_DeniesAtOnce(t *testing.T) {
	g, env := toolstest.Open(t)
	other := toolstest.App(t, g.DB)
	must := func(by, name, arguments string) string {
		t.Helper()
		text, err := answerTo(t, env, by, name, arguments)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return text
	}
	if text := must("ada", "freeze_agent", `{"name": " Bot ", "reason": "it deletes branches", "until": "2h"}`); !strings.Contains(text, `"known":false`) ||
		!strings.Contains(text, `"policy":"frozen-agent-bot"`) {
		t.Errorf("got %s, want the rule, and that nobody of this name is known", text)
	}
	calls := []struct {
		title, by, name, arguments string
		denied                     bool
	}{
		{"the agent", "bot", "check_action", `{"description": "d"}`, true},
		{"its name in capitals", "BOT", "check_action", `{"description": "d"}`, true},
		{"under another name", "bot", "check_action", `{"description": "d", "agent_id": "zoe"}`, true},
		{"others for it", "zoe", "check_action", `{"description": "d", "agent_id": "bot"}`, true},
		{"as a subagent", "zoe", "check_action", `{"description": "d", "context": {"subagent": "bot"}}`, true},
		{"as a client's hook", "zoe", "check_action", `{"description": "d", "context": {"client": "bot"}}`, true},
		{"a prepared decision", "bot", "pre_action", `{"action": {"description": "d"}}`, true},
		{"a recording", "bot", "log_decision", `{"decision": "d", "category": "tooling", "confidence": 0.8}`, true},
		{"a session's bootstrap", "bot", "cra_bootstrap", `{"intent": "i", "capabilities": ["x"]}`, true},
		{"another agent", "zoe", "check_action", `{"description": "d"}`, false},
		{"an agent with a longer name", "bot-2", "check_action", `{"description": "d"}`, false},
	}
	ask := func(frozen bool) {
		t.Helper()
		for _, c := range calls {
			text, err := answerTo(t, other, c.by, c.name, c.arguments)
			says := strings.Contains(text, "The agent 'Bot' is frozen by ada since ") &&
				strings.Contains(text, ": it deletes branches")
			if denied := c.denied && frozen; err != nil || denied != says ||
				c.name == "check_action" && denied == strings.Contains(text, `"allowed":true`) {
				t.Errorf("%s, frozen %v: got %s, %v", c.title, frozen, text, err)
			}
		}
	}
	ask(true)
	if text := must("ada", "get_today", `{}`); !strings.Contains(text, `"frozen":[{"policy":"frozen-agent-bot"`) {
		t.Errorf("today: got %s", text)
	}
	for arguments, want := range map[string]apperr.Code{`{"name": "bot", "reason": "x", "until": "2020-01-01"}`: apperr.Validation,
		`{"name": "bot", "reason": "x", "until": "soon"}`: apperr.Validation, `{"name": "bot"}`: apperr.Validation,
		`{"name": " \u200b", "reason": "x"}`: apperr.Validation,
		`{"name": "ADA", "reason": "x"}`:     apperr.Conflict} {
		if _, err := answerTo(t, env, "ada", "freeze_agent", arguments); !apperr.Is(err, want) {
			t.Errorf("%s: got %v, want %s", arguments, err, want)
		}
	}
	if _, err := answerTo(t, env, "bot", "unfreeze_agent", `{"name": "Bot", "reason": "I am fine"}`); !apperr.Is(err,
		apperr.PermissionDenied) {
		t.Errorf("unfrozen by itself: got %v", err)
	}
	// The end passes: the clock cannot be moved, so the end is.
	g.Exec(t, `MATCH (p:SYS_Policy {freezes: 'agent'}) SET p.applies_when = replace(p.applies_when, '("20', '("19'), p.frozen_until = datetime('1990-01-01')`, nil)
	ask(false)
	if text := must("ada", "get_today", `{}`); !strings.Contains(text, `"frozen":[]`) {
		t.Errorf("today after the end: got %s", text)
	}
	must("ada", "freeze_agent", `{"name": "Bot", "reason": "it deletes branches"}`)
	ask(true)
	must("zoe", "unfreeze_agent", `{"name": "bot", "reason": "mended"}`)
	ask(false)
	if _, err := answerTo(t, env, "zoe", "unfreeze_agent", `{"name": "bot", "reason": "again"}`); !apperr.Is(err,
		apperr.NotFound) {
		t.Errorf("unfrozen twice: got %v", err)
	}
	var by []string
	for _, change := range toolstest.Changes(t, g, "SYS_Policy", "frozen-agent-bot") {
		by = append(by, fmt.Sprint(change["by"], " ", change["kind"]))
	}
	if got := strings.Join(by, ", "); got != "ada applied, unknown observed, ada applied, zoe removed" {
		t.Errorf("got changes %s", got)
	}
}

// TestFreezeSession_AmbientAndNamed_DeniesItsActions freezes a session that no caller named, and a named one.
func TestFreezeSession_AmbientAndNamed_DeniesItsActions(t *testing.T) {
	g, env := toolstest.Open(t)
	if _, err := answerTo(t, env, "zoe", "record_thought", `{"text": "a thought"}`); err != nil {
		t.Fatal(err)
	}
	ambient := g.Rows(t, "MATCH (s:Session) RETURN s.id AS id", nil)[0]["id"].(string)
	for id, arguments := range map[string]string{ambient: `{"description": "d"}`,
		"named": `{"description": "d", "session_id": "named"}`} {
		for _, frozen := range []bool{true, false} {
			name := map[bool]string{true: "freeze_session", false: "unfreeze_session"}[frozen]
			if _, err := answerTo(t, env, "ada", name, fmt.Sprintf(`{"name": %q, "reason": "looks around"}`,
				id)); err != nil {
				t.Fatal(err)
			}
			text, err := answerTo(t, env, "zoe", "check_action", arguments)
			if err != nil || frozen != strings.Contains(text, "The session '"+id+"' is frozen by ada") {
				t.Errorf("%s, frozen %v: got %s, %v", id, frozen, text, err)
			}
			if text, err = answerTo(t, env, "bob", "check_action", `{"description": "d"}`); err != nil ||
				!strings.Contains(text, `"allowed":true`) {
				t.Errorf("another session: got %s, %v", text, err)
			}
		}
	}
}

package mcp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/server/mcp"
	"nomograph/sessions"
	"nomograph/tokens"
)

// showing is the capability of a client that shows cards.
var showing = map[string]any{"extensions": map[string]any{"io.modelcontextprotocol/ui": map[string]any{
	"mimeTypes": []string{"text/html;profile=mcp-app"}}}}

// cardsIn returns the cards that a list of tools declares, by tool, and whether the answering tool is listed.
func cardsIn(t *testing.T, result map[string]any) (cards map[string]any, answers bool) {
	t.Helper()
	cards = map[string]any{}
	for _, one := range result["tools"].([]any) {
		tool := one.(map[string]any)
		meta, _ := tool["_meta"].(map[string]any)
		ui, _ := meta["ui"].(map[string]any)
		if tool["name"] == "answer_approval" {
			visible, _ := ui["visibility"].([]any)
			answers = len(visible) == 1 && visible[0] == "app"
		} else if meta != nil {
			cards[tool["name"].(string)] = ui["resourceUri"]
			graphtest.Equal(t, ui["resourceUri"], meta["ui/resourceUri"], fmt.Sprint("the card of ", tool["name"]))
		}
	}
	return cards, answers
}

// TestCards_Clients_GetThemIfTheyDeclareThem: the golden files have the lists of other clients.
func TestCards_Clients_GetThemIfTheyDeclareThem(t *testing.T) {
	g := graphtest.New(t)
	other := map[string]any{"extensions": map[string]any{"io.modelcontextprotocol/ui": map[string]any{
		"mimeTypes": []string{"text/plain"}}}}
	n := overHTTP(t, g, false)
	stdio := func(capabilities map[string]any, environ ...string) func(string, map[string]any) map[string]any {
		c := connect(t, g, capabilities, environ...)
		return func(method string, params map[string]any) map[string]any { return c.Request(method, params).Result }
	}
	http := func(revision string, capabilities map[string]any) func(string, map[string]any) map[string]any {
		c := &client{t: t, servers: []*network{n}, revision: revision, name: "host", capabilities: capabilities}
		if revision != modern {
			c.initialize()
		}
		return func(method string, params map[string]any) map[string]any {
			_, _, reply := c.send(method, params)
			result, _ := reply["result"].(map[string]any)
			return result
		}
	}
	for name, tt := range map[string]struct {
		request        func(string, map[string]any) map[string]any
		shows, answers bool
	}{
		"over stdio": {stdio(showing, "NOMOGRAPH_TOOLSETS=all"), true, false},
		"with answers": {stdio(showing, "NOMOGRAPH_TOOLSETS=all", "NOMOGRAPH_ANSWER_IN_CARDS=true"),
			true, true},
		"without trust": {stdio(showing, "NOMOGRAPH_TOOLSETS=all", "NOMOGRAPH_ANSWER_IN_CARDS=true",
			"NOMOGRAPH_ASK_CLIENT=never"), true, false},
		"over stdio without cards": {stdio(map[string]any{}, "NOMOGRAPH_TOOLSETS=all",
			"NOMOGRAPH_ANSWER_IN_CARDS=true"), false, false},
		"of another type":                 {stdio(other), false, false},
		"over HTTP":                       {http("2025-06-18", showing), true, false},
		"over HTTP without cards":         {http("2025-06-18", map[string]any{}), false, false},
		"over HTTP since 2026-07-28":      {http(modern, showing), true, false},
		"of another type over HTTP since": {http(modern, other), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			cards, answers := cardsIn(t, tt.request("tools/list", map[string]any{}))
			if tt.shows && (len(cards) != 6 || cards["get_graph"] != "ui://nomograph/graph" ||
				cards["pre_action"] != "ui://nomograph/verdict" ||
				cards["cra_report_action"] != "ui://nomograph/approval") || !tt.shows && len(cards) > 0 ||
				answers != tt.answers {
				t.Errorf("got the cards %v and answers=%v, want answers=%v", cards, answers, tt.answers)
			}
			var listed []string
			for _, one := range tt.request("resources/list", map[string]any{})["resources"].([]any) {
				if uri := one.(map[string]any)["uri"].(string); strings.HasPrefix(uri, "ui://") {
					listed = append(listed, uri)
				}
			}
			if (len(listed) == 3) != tt.shows || !tt.shows && len(listed) > 0 {
				t.Errorf("got the resources %v", listed)
			}
			if !tt.shows {
				return
			}
			read := tt.request("resources/read", map[string]any{"uri": "ui://nomograph/verdict"})
			content := read["contents"].([]any)[0].(map[string]any)
			ui, _ := content["_meta"].(map[string]any)["ui"].(map[string]any)
			if content["mimeType"] != "text/html;profile=mcp-app" || ui["csp"] == nil ||
				!strings.HasPrefix(content["text"].(string), "<!DOCTYPE html>") {
				t.Errorf("got the card %v", content)
			}
		})
	}
}

// TestCards_Answers_NeedTheSecretOfTheirCard attacks the tool that answers from a card.
func TestCards_Answers_NeedTheSecretOfTheirCard(t *testing.T) {
	g := graphtest.New(t)
	folder := t.TempDir()
	graphtest.OK(t, os.WriteFile(filepath.Join(folder, "refunds.yaml"), []byte(refundsAtlas), 0o600))
	environ := append(g.Environ(t), "NOMOGRAPH_TOOLSETS=all", "NOMOGRAPH_APPROVAL_DELAY=1m")
	if _, reply, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), "atlas", "load", folder); code != 0 {
		t.Fatal(reply)
	}
	open := func(capabilities map[string]any, more ...string) *graphtest.Client {
		c := graphtest.Start(t, append(slices.Clone(environ), more...), graphtest.Binary(t), "serve")
		c.Request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": capabilities,
			"clientInfo": map[string]any{"name": "bot", "version": "1"}})
		c.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		return c
	}
	report := func(c *graphtest.Client, amount int) (id string, meta map[string]any) {
		t.Helper()
		m := c.Request("tools/call", map[string]any{"name": "cra_report_action",
			"arguments": map[string]any{"action": "refund.pay", "params": map[string]any{"amount": amount}}})
		content, failed := c.Content(m)
		if failed || content["decision"] != "needs_approval" {
			t.Fatalf("got %v, want decision=needs_approval", content)
		}
		if text, _ := m.Result["content"].([]any)[0].(map[string]any)["text"].(string); strings.Contains(text,
			"secret") {
			t.Errorf("the text for the model has %s", text)
		}
		meta, _ = m.Result["_meta"].(map[string]any)
		return content["approval_id"].(string), meta
	}
	answers := "NOMOGRAPH_ANSWER_IN_CARDS=true"
	c := open(showing, answers)
	c.Call("cra_start_session", map[string]any{"goal": "Pay refunds"})
	id, meta := report(c, 20)
	secret := meta["nomograph/secret"]
	shown, _ := meta["nomograph/approval"].(map[string]any)
	if secret == nil || shown["params"] != `{"amount":20}` || shown["message"] == nil {
		t.Fatalf("got the card %v", meta)
	}
	otherID, otherMeta := report(c, 30)
	answer := func(c *graphtest.Client, id string, action string, secret any) (map[string]any, map[string]any, bool) {
		t.Helper()
		m := c.Request("tools/call", map[string]any{"name": "answer_approval", "arguments": map[string]any{
			"approval_id": id, "action": action, "secret": secret, "reason": "It was double charged"}})
		content, failed := c.Content(m)
		meta, _ := m.Result["_meta"].(map[string]any)
		return content, meta, failed
	}
	session := open(showing, answers) // another session of the same agent
	session.Call("cra_start_session", map[string]any{"goal": "Pay refunds"})
	linking := open(showing) // cards only link by default
	_, linkMeta := report(linking, 20)
	if linkMeta["nomograph/secret"] != nil || linkMeta["nomograph/approval"] == nil {
		t.Errorf("without the setting, the card gets %v", linkMeta)
	}
	if _, none := report(open(map[string]any{}, answers), 20); none != nil {
		t.Errorf("a client without cards gets %v", none)
	}
	for name, tt := range map[string]struct {
		by     *graphtest.Client
		id     string
		secret any
	}{
		"without a secret":                     {c, id, ""},
		"with nonsense":                        {c, id, "bm9uc2Vuc2U.bm9uc2Vuc2U"},
		"with the secret of another approval":  {c, id, otherMeta["nomograph/secret"]},
		"with the secret of another session":   {session, id, secret},
		"where the setting is off":             {linking, id, secret},
		"for an approval that does not exist":  {c, "none", secret},
		"with the secret for another approval": {c, otherID, secret},
	} {
		if content, _, failed := answer(tt.by, tt.id, "approve", tt.secret); !failed ||
			content["error"] != "permission_denied" && content["error"] != "not_found" {
			t.Errorf("%s: got %v, want failed=true, error=permission_denied", name, content)
		}
	}
	content, next, failed := answer(c, id, "approve", secret)
	if failed || content["state"] != "approving" || content["answered_by"] != "user of bot" {
		t.Fatalf("with the secret: got %v, want state=approving, answered_by=user of bot", content)
	}
	if content, _, failed := answer(c, id, "undo", secret); !failed { // used
		t.Errorf("twice: got %v, want failed=true", content)
	}
	content, again, failed := answer(c, id, "undo", next["nomograph/secret"])
	if failed || content["state"] != "waiting" {
		t.Fatalf("undone: got %v, want state=waiting", content)
	}
	for name, old := range map[string]any{"the first": secret, "the undoing": next["nomograph/secret"]} {
		if content, _, failed := answer(c, id, "approve", old); !failed {
			t.Errorf("again with the secret of %s: got %v, want failed=true", name, content)
		}
	}
	if expired, open := mcp.VerifyAfter(-time.Second), mcp.VerifyAfter(time.Minute); expired == nil || open != nil {
		t.Errorf("after its time: got %v, want an error; before: got %v, want nil", expired, open)
	}
	if content, _, failed := answer(c, id, "reject", again["nomograph/secret"]); failed ||
		content["state"] != "rejected" {
		t.Errorf("got %v, want state=rejected", content)
	}
}

// TestCards_AgentWithoutGovern_SeesNoAnswersToOthers: a card gives an agent no more rights than the tool.
func TestCards_AgentWithoutGovern_SeesNoAnswersToOthers(t *testing.T) {
	g := graphtest.New(t)
	n := overHTTP(t, g, true)
	launch := func(by string) sessions.Reported {
		t.Helper()
		out := graphtest.Must(n.env.Sessions.Report(t.Context(), sessions.Report{Action: "rocket.launch",
			Caller: sessions.Caller{By: by}}))(t)
		return out
	}
	graphtest.Must(n.env.Sessions.Reject(t.Context(), sessions.Answer{ApprovalID: launch("ann").ApprovalID,
		Reason: "It rains", By: "mia"}))(t)
	id := launch("bo").ApprovalID
	for permission, sees := range map[string]bool{"decide": false, "govern": true} {
		name := map[bool]string{false: "bo", true: "mia"}[sees]
		made := graphtest.Must(n.env.Tokens.Create(t.Context(), tokens.CreateRequest{Name: name,
			Permissions: []string{"read", "decide", permission}}))(t)
		c := &client{t: t, servers: []*network{n}, revision: modern, name: name, token: made.Token,
			capabilities: showing}
		_, _, reply := c.send("tools/call", map[string]any{"name": "get_approval",
			"arguments": map[string]any{"approval_id": id}})
		text, _ := json.Marshal(reply)
		if !strings.Contains(string(text), "nomograph/approval") || strings.Contains(string(text), "It rains") != sees {
			t.Errorf("with %s: got %s, want earlier answers=%v", permission, text, sees)
		}
	}
}

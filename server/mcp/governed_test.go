package mcp_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

const refundsAtlas = `
atlas_version: "1.0"
atlas_id: refunds
version: 1.0.0
name: Refunds
context_blocks: [{context_id: refunds-how, name: Refunds, content: Refunds are paid within a week, inject_mode: always}]
actions: [{action_id: refund.pay, risk_tier: high}]
policies: [{policy_id: by-a-person, type: requires_approval, actions: [refund.pay], reason: Money leaves the shop}]
`

// TestMCP_GovernedSession_AsksTheUser: the user is asked if the client supports it, the session is a resource with
// subscriptions, and other requests wait in the queue.
func TestMCP_GovernedSession_AsksTheUser(t *testing.T) {
	g := graphtest.New(t)
	folder := t.TempDir()
	graphtest.OK(t, os.WriteFile(filepath.Join(folder, "refunds.yaml"), []byte(refundsAtlas), 0o600))
	if _, reply, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "atlas", "load", folder); code != 0 {
		t.Fatal(reply)
	}
	forms := map[string]any{"elicitation": map[string]any{}}
	environ := g.Environ(t) // processes of one user share a key
	open := func(capabilities map[string]any, more ...string) *graphtest.Client {
		c := graphtest.Start(t, append(environ, more...), graphtest.Binary(t), "serve", "--toolsets", "cra")
		c.Request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": capabilities,
			"clientInfo": map[string]any{"name": "agent", "version": "1"}})
		c.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		return c
	}
	refund := map[string]any{"action": "refund.pay", "params": map[string]any{"amount": 20}}
	unasked := func(m graphtest.Message) { t.Errorf("got the question %+v", m) }

	c := open(forms)
	started, failed := c.Call("cra_start_session", map[string]any{"goal": "Pay refunds"}, unasked)
	if failed {
		t.Fatalf("got %v, want failed=false", started)
	}
	text := func(uri string) string {
		t.Helper()
		m := c.Request("resources/read", map[string]any{"uri": uri})
		if m.Error != nil {
			t.Fatalf("%s: got %+v, want nil", uri, m.Error)
		}
		return m.Result["contents"].([]any)[0].(map[string]any)["text"].(string)
	}
	id := started["session_id"].(string)
	for uri, says := range map[string]string{"cra://session/current": `"goal":"Pay refunds"`, "cra://trace/" +
		id: `"context.given"`, "cra://chain/" + id: `"is_valid":true`,
		"cra://atlas/refunds": `"context_id":"refunds-how"`} {
		if got := text(uri); !strings.Contains(got, says) || !json.Valid([]byte(got)) {
			t.Errorf("%s reads %s", uri, got)
		}
	}
	if m := c.Request("resources/templates/list", nil); len(m.Result["resourceTemplates"].([]any)) != 8 {
		t.Errorf("got %v, want len(resourceTemplates)=8", m.Result)
	}
	if m := c.Request("resources/list", nil); len(m.Result["resources"].([]any)) != 2 {
		t.Errorf("got %v, want len(resources)=2", m.Result)
	}
	for _, uri := range []string{"cra://session/current", "cra://atlas/refunds"} {
		if m := c.Request("resources/subscribe", map[string]any{"uri": uri}); m.Error != nil {
			t.Fatalf("%s: got %+v, want nil", uri, m.Error)
		}
	}
	updates := map[any]int{}
	asks := 0
	granted, failed := c.Call("cra_report_action", refund, func(m graphtest.Message) {
		if m.Method == "notifications/resources/updated" {
			updates[m.Params["uri"]]++
			return
		}
		asks++
		if message, _ := m.Params["message"].(string); m.Method != "elicitation/create" ||
			!strings.Contains(message, `agent requests refund.pay with {"amount":20}`) ||
			!strings.Contains(message, "Money leaves the shop") || !strings.Contains(message, "high") {
			t.Errorf("got the question %+v", m)
		}
		respond(t, c, m, "result", map[string]any{"action": "accept",
			"content": map[string]any{"answer": "approve", "reason": "It was double charged"}})
	})
	if failed || asks != 1 || granted["decision"] != "approved" ||
		!strings.Contains(strings.Join(texts(granted["policy_notes"]), "\n"),
			"Approved by user of agent: It was double charged") {
		t.Errorf(`after %d questions: got %v, want failed=false, asks=1, decision=approved, strings.Join(texts(granted["policy_notes"]), "\n") with "Approved by user of agent: It was double charged"`, asks, granted)
	}
	for updates["cra://session/current"] == 0 {
		updates[notification(t, c, "notifications/resources/updated")["uri"]]++
	}
	g.Exec(t, "MATCH (c:Context {context_id: 'refunds-how'}) SET c.content = 'Refunds are paid within a day'", nil)
	if _, reply, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "policy", "sync"); code != 0 {
		t.Fatal(reply)
	}
	for updates["cra://atlas/refunds"] == 0 {
		updates[notification(t, c, "notifications/resources/updated")["uri"]]++
	}

	// A declined or unasked question stays in the queue, with earlier answers.
	shown := func(m graphtest.Message) {
		if m.Method == "elicitation/create" {
			respond(t, c, m, "result", map[string]any{"action": "decline"})
		}
	}
	waits, failed := c.Call("cra_report_action", refund, shown)
	if precedents, _ := waits["precedents"].([]any); failed || waits["decision"] != "needs_approval" ||
		len(precedents) != 1 {
		t.Errorf("after a declined question: got %v, want failed=false, decision=needs_approval, len(precedents)=1",
			waits)
	}
	ends(t, c)
	for name, c := range map[string]*graphtest.Client{"a client that cannot ask": open(map[string]any{}),
		"a client that is not to": open(forms, "NOMOGRAPH_ASK_CLIENT=never")} {
		if out, failed := c.Call("cra_report_action", refund, unasked); failed || out["decision"] != "needs_approval" ||
			out["approval_id"] != waits["approval_id"] {
			t.Errorf("%s: got %v, want failed=false, decision=needs_approval, approval_id=%v", name, out,
				waits["approval_id"])
		}
		ends(t, c)
	}
}

// TestAnswer_WithoutQuestion_ApprovesNothing: in 2026-07-28 the client sends the answer with a new call, so it could
// send an answer that nobody gave.
func TestAnswer_WithoutQuestion_ApprovesNothing(t *testing.T) {
	g := graphtest.New(t)
	folder := t.TempDir()
	graphtest.OK(t, os.WriteFile(filepath.Join(folder, "refunds.yaml"), []byte(refundsAtlas), 0o600))
	environ := g.Environ(t)
	if _, reply, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), "atlas", "load", folder); code != 0 {
		t.Fatal(reply)
	}
	c := graphtest.Start(t, environ, graphtest.Binary(t), "serve", "--toolsets", "cra")
	call := func(who string, amount int, more map[string]any) map[string]any {
		t.Helper()
		params := map[string]any{"name": "cra_report_action",
			"arguments": map[string]any{"action": "refund.pay", "params": map[string]any{"amount": amount}},
			"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
				"io.modelcontextprotocol/clientCapabilities": map[string]any{"elicitation": map[string]any{}},
				"io.modelcontextprotocol/clientInfo":         map[string]any{"name": who, "version": "1"}}}
		for name, value := range more {
			params[name] = value
		}
		m := c.Request("tools/call", params, func(m graphtest.Message) { t.Errorf("got the question %+v", m) })
		if m.Error != nil {
			t.Fatalf("got %+v, want nil", m.Error)
		}
		return m.Result
	}
	answer := func(state any) map[string]any {
		return map[string]any{"requestState": state,
			"inputResponses": map[string]any{"question": map[string]any{"action": "accept",
				"content": map[string]any{"answer": "approve", "reason": "go on"}}}}
	}
	refused := func(what string, out map[string]any) {
		t.Helper()
		if text, _ := json.Marshal(out); out["isError"] != true ||
			!strings.Contains(string(text), "permission_denied") {
			t.Errorf("%s: got %s, want isError=true, text with permission_denied", what, text)
		}
		if rows := g.Rows(t, "MATCH (a:Approval) WHERE a.state <> 'waiting' RETURN a.uid AS uid", nil); len(rows) > 0 {
			t.Fatalf("%s: %d requests are answered", what, len(rows))
		}
	}
	refused("before anything was asked", call("agent", 20, answer("")))
	asked := call("agent", 20, nil)
	state, _ := asked["requestState"].(string)
	if asked["resultType"] != "input_required" || state == "" {
		t.Fatalf("got %v, want resultType=input_required, non-empty state", asked)
	}
	other, _ := call("agent", 30, nil)["requestState"].(string)
	body, sum, _ := strings.Cut(state, ".")
	refused("without a state", call("agent", 20, map[string]any{"inputResponses": answer("")["inputResponses"]}))
	refused("for another action", call("agent", 40, answer(state)))
	refused("with the state of another question", call("agent", 20, answer(other)))
	refused("by another caller", call("stranger", 20, answer(state)))
	refused("with a state that was changed", call("agent", 20, answer("A"+body[1:]+"."+sum)))
	refused("with a state that was cut", call("agent", 20, answer(body)))
	given, _ := call("agent", 20, answer(state))["structuredContent"].(map[string]any)
	if given["decision"] != "approved" {
		t.Errorf("the answer to the question: got %v, want decision=approved", given)
	}
	graphtest.Equal(t, call("agent", 20, answer(state))["isError"], true, "the answer given again is an error")
	ends(t, c)
}

func texts(value any) []string {
	list, _ := value.([]any)
	var out []string
	for _, item := range list {
		text, _ := item.(string)
		out = append(out, text)
	}
	return out
}

// TestTwoWindows_NoSessionID_EachKeepsItsSession: two clients with the same name in one directory, over each transport
// that can distinguish them.
func TestTwoWindows_NoSessionID_EachKeepsItsSession(t *testing.T) {
	g := graphtest.New(t)
	environ := append(g.Environ(t), "NOMOGRAPH_UNKNOWN_ACTION=allow")
	type window = func(tool string, arguments map[string]any) map[string]any
	stdio := func() window {
		c := graphtest.Start(t, environ, graphtest.Binary(t), "serve", "--toolsets", "cra")
		c.Request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": map[string]any{},
			"clientInfo": map[string]any{"name": "claude", "version": "1"}})
		c.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
		return func(tool string, arguments map[string]any) map[string]any {
			out, failed := c.Call(tool, arguments, func(graphtest.Message) {})
			if failed {
				t.Fatalf("%s: got %v, want failed=false", tool, out)
			}
			return out
		}
	}
	n := overHTTP(t, g, false)
	n.env.Sessions.UnknownAction = "allow"
	network := func() window {
		c := connectHTTP(t, "2025-11-25", "claude over http", "", n)
		return func(tool string, arguments map[string]any) map[string]any {
			out, failed := c.call(tool, arguments)
			if failed {
				t.Fatalf("%s: got %v, want failed=false", tool, out)
			}
			return out
		}
	}
	for name, open := range map[string]func() window{"stdio": stdio, "http": network} {
		left, right := open(), open()
		first := left("cra_start_session", map[string]any{"goal": "Fix a bug"})["session_id"]
		second := right("cra_start_session", map[string]any{"goal": "Write docs"})["session_id"]
		for range 2 {
			graphtest.Equal(t, left("cra_report_action", map[string]any{"action": "file.write"})["session_id"], first,
				name+": the first window reports in")

			graphtest.Equal(t, right("cra_report_action", map[string]any{"action": "file.write"})["session_id"], second,
				name+": the second window reports in")
		}
		graphtest.Equal(t, left("cra_end_session", map[string]any{})["session_id"], first, name+
			": the first window ends")
		graphtest.Equal(t, right("cra_report_action", map[string]any{"action": "file.write"})["session_id"], second,
			name+": the second window then reports in")
	}

	left, right := connectHTTP(t, modern, "stateless", "", n), connectHTTP(t, modern, "stateless", "", n)
	var ids []any
	for _, c := range []*client{left, right} {
		started, failed := c.call("cra_start_session", map[string]any{"goal": "Work"})
		if failed {
			t.Fatal(started)
		}
		ids = append(ids, started["session_id"])
	}
	if out, failed := left.call("cra_end_session", map[string]any{}); !failed || out["error"] != "conflict" {
		t.Errorf("stateless: one of two sessions is ended: %v", out)
	}
	if out, failed := left.call("cra_end_session", map[string]any{"session_id": ids[0]}); failed ||
		out["session_id"] != ids[0] {
		t.Errorf("stateless, by its id: %v", out)
	}
	if out, failed := right.call("cra_report_action", map[string]any{"action": "file.write"}); failed ||
		out["session_id"] != ids[1] {
		t.Errorf("stateless, when one is left: %v", out)
	}
}

package mcp_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/sessions"
	"nomograph/tokens"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestTasks_Approvals_OutliveTheTurn: a client with tasks gets the pending approval as one, and asks for it later at
// any server.
func TestTasks_Approvals_OutliveTheTurn(t *testing.T) {
	g := graphtest.New(t)
	tasks := map[string]any{"extensions": map[string]any{"io.modelcontextprotocol/tasks": map[string]any{}}}
	n := overHTTP(t, g, true)
	folder := t.TempDir()
	graphtest.OK(t, os.WriteFile(filepath.Join(folder, "refunds.yaml"), []byte(refundsAtlas), 0o600))
	if _, reply, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "atlas", "load", folder); code != 0 {
		t.Fatal(reply)
	}
	as := func(name string, capabilities map[string]any, permissions ...string) *client {
		made := graphtest.Must(n.env.Tokens.Create(t.Context(),
			tokens.CreateRequest{Name: name, Permissions: permissions}))(t)
		return &client{t: t, servers: []*network{n}, revision: modern, name: name, token: made.Token,
			capabilities: capabilities}
	}
	bot, eve := as("bot", tasks, "read", "decide"), as("eve", tasks, "read", "decide")
	legacy := as("carol", nil, "read", "decide")
	started, failed := bot.call("cra_start_session", map[string]any{"goal": "Pay refunds"})
	if failed {
		t.Fatal(started)
	}
	report := func() map[string]any {
		t.Helper()
		_, _, reply := bot.send("tools/call", map[string]any{"name": "cra_report_action", "arguments": map[string]any{
			"action": "refund.pay", "session_id": started["session_id"], "params": map[string]any{"amount": 20}}})
		return reply["result"].(map[string]any)
	}
	task := report()
	id, _ := task["taskId"].(string)
	if task["resultType"] != "task" || id == "" || task["status"] != "working" || task["ttlMs"] != 86_400_000.0 ||
		task["content"] != nil {
		t.Fatalf("got %v, want resultType=task, status=working, ttlMs of a day", task)
	}
	ask := func(c *client, method, id string) (result map[string]any, code any) {
		t.Helper()
		_, _, reply := c.send(method, map[string]any{"taskId": id})
		if problem, failed := reply["error"].(map[string]any); failed {
			return problem, problem["code"]
		}
		result, _ = reply["result"].(map[string]any)
		return result, nil
	}
	for name, tt := range map[string]struct {
		by         *client
		method, id string
		code       any
		status     any
	}{
		"pending":               {bot, "tasks/get", id, nil, "working"},
		"acknowledged":          {bot, "tasks/cancel", id, nil, nil},
		"unknown":               {bot, "tasks/get", "none", -32602.0, nil},
		"unknown, canceled":     {bot, "tasks/cancel", "none", -32602.0, nil},
		"without an id":         {bot, "tasks/get", "", -32602.0, nil},
		"of another agent":      {eve, "tasks/get", id, -32602.0, nil},
		"without the extension": {legacy, "tasks/get", id, -32021.0, nil},
	} {
		if got, code := ask(tt.by, tt.method, tt.id); code != tt.code || got["status"] != tt.status ||
			tt.code == nil && got["resultType"] != "complete" {
			t.Errorf("%s: got %v, want code=%v, status=%v", name, got, tt.code, tt.status)
		}
	}
	if problem, _ := ask(legacy, "tasks/get", id); problem["data"].(map[string]any)["requiredCapabilities"] == nil {
		t.Errorf("got %v, want the required capabilities", problem)
	}
	if own, failed := bot.call("get_approval", map[string]any{"approval_id": id}); failed || own["state"] != "waiting" {
		t.Errorf("get_approval of one's own: got %v, want state=waiting", own)
	}
	if others, failed := eve.call("get_approval", map[string]any{"approval_id": id}); !failed ||
		others["error"] != "not_found" {
		t.Errorf("get_approval of another agent: got %v, want not_found", others)
	}
	n.env.Sessions.ApprovalDelay = 0
	graphtest.Must(n.env.Sessions.Approve(t.Context(), sessions.Grant{Answer: sessions.Answer{ApprovalID: id,
		Reason: "It was double charged", By: "ada"}}))(t)
	for range 2 { // asking uses nothing up
		got, _ := ask(bot, "tasks/get", id)
		result, _ := got["result"].(map[string]any)
		content, _ := result["structuredContent"].(map[string]any)
		if got["status"] != "completed" || result["resultType"] != "complete" ||
			content["decision"] != "needs_approval" ||
			!strings.Contains(fmt.Sprint(content["reason"]), "Approved by ada: It was double charged") {
			t.Errorf("got %v, want status=completed with the answer", got)
		}
	}
	graphtest.Equal(t, report()["structuredContent"].(map[string]any)["decision"], "approved", "reported again")
}

// TestSkills_Entry_DescribesItsFile follows a host: list, get, read, and verify.
func TestSkills_Entry_DescribesItsFile(t *testing.T) {
	g := graphtest.New(t)
	n := overHTTP(t, g, false)
	over := &client{t: t, servers: []*network{n}, revision: modern, name: "host"}
	stdio := connect(t, g, map[string]any{})
	for name, request := range map[string]func(string, map[string]any) (map[string]any, any){
		"over HTTP": func(method string, params map[string]any) (map[string]any, any) {
			_, _, reply := over.send(method, params)
			result, _ := reply["result"].(map[string]any)
			problem, _ := reply["error"].(map[string]any)
			return result, problem["code"]
		},
		"over stdio": func(method string, params map[string]any) (map[string]any, any) {
			m := stdio.Request(method, params)
			if m.Error != nil {
				return nil, float64(m.Error.Code)
			}
			return m.Result, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			listed, _ := request("skills/list", map[string]any{})
			entry, _ := listed["skills"].([]any)[0].(map[string]any)
			uri, _ := entry["uri"].(string)
			got, _ := request("skills/get", map[string]any{"uri": uri})
			if fmt.Sprint(got["skill"]) != fmt.Sprint(entry) || got["ttlMs"] == 0.0 ||
				got["resultType"] != "complete" ||
				listed["cacheScope"] == nil {
				t.Errorf("got %v and %v, want the same entry, cacheable", listed, got)
			}
			read, _ := request("resources/read", map[string]any{"uri": uri})
			content := read["contents"].([]any)[0].(map[string]any)
			text, _ := content["text"].(string)
			file := entry["resources"].([]any)[0].(map[string]any)
			front := entry["frontmatter"].(map[string]any)
			if fmt.Sprintf("sha256:%x", sha256.Sum256([]byte(text))) != file["digest"] ||
				file["size"] != float64(len(text)) || content["mimeType"] != "text/markdown" ||
				!strings.HasPrefix(text, fmt.Sprintf("---\nname: %s\ndescription: %s\n---\n", front["name"],
					front["description"])) {
				t.Errorf("got %v for the entry %v", content, entry)
			}
			for _, word := range strings.Split(text, "`") { // every tool that it names exists
				if o, ok := tools.Find(tools.Catalog, word); strings.Count(word, "_") > 0 &&
					!strings.ContainsAny(word, " \n") &&
					!ok && !strings.Contains("would_pass approval_id needs_approval recorded_text", word) {
					t.Errorf("the skill names %q: %v", word, o.Name)
				}
			}
			if _, code := request("skills/get", map[string]any{"uri": "skill://none/SKILL.md"}); code != -32602.0 {
				t.Errorf("an unknown skill: got %v, want -32602", code)
			}
		})
	}
}

// TestLists_Modern_MayBeCached: lists change seldom, and live values must be read each time.
func TestLists_Modern_MayBeCached(t *testing.T) {
	g := graphtest.New(t)
	toolstest.ApplyShipped(t, g, "core")
	c := &client{t: t, servers: []*network{overHTTP(t, g, false)}, revision: modern, name: "host"}
	for request, cached := range map[string]bool{"tools/list": true, "prompts/list": true, "resources/list": true,
		"resources/templates/list": true, "server/discover": true, "resources/read ui://nomograph/graph": true,
		"resources/read nomograph://threshold/high_stakes_min_confidence": false} {
		method, uri, _ := strings.Cut(request, " ")
		params := map[string]any{}
		if uri != "" {
			params["uri"] = uri
		}
		_, _, reply := c.send(method, params)
		result, _ := reply["result"].(map[string]any)
		if ttl, ok := result["ttlMs"].(float64); !ok || (ttl > 0) != cached || result["cacheScope"] == nil {
			t.Errorf("%s: got %v, want cached=%v", request, reply, cached)
		}
	}
}

package mcp_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/server"
	"nomograph/server/auth"
	"nomograph/server/mcp"
	"nomograph/server/rest"
	"nomograph/tokens"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// network is the MCP endpoint behind the whole HTTP server, wired as in the program.
type network struct {
	t   *testing.T
	url string
	env *tools.App

	server   *mcp.Server
	register *tokens.Registry
}

func overHTTP(t *testing.T, g *graphtest.Graph, required bool) *network {
	t.Helper()
	return inFrontOf(t, g.DB, required)
}

// inFrontOf serves operations over MCP; the whole catalog if none are given.
func inFrontOf(t *testing.T, db *graph.DB, required bool, operations ...tools.Operation) *network {
	t.Helper()
	if len(operations) == 0 {
		var err error
		if operations, err = tools.Select(tools.Catalog, []string{"all"}); err != nil {
			t.Fatal(err)
		}
	}
	env := toolstest.OpenWithoutEmbedder(t, db)
	listener := graphtest.Must(server.Listen(t.Context(), "127.0.0.1:0"))(t)
	address := listener.Addr().String()
	ctx, stop := context.WithCancel(context.Background())
	counts := tokens.NewUsageCounter(env.Tokens, zerolog.Nop())
	register := tokens.NewRegistry(env.Tokens, counts, zerolog.Nop())
	callers := graphtest.Must(auth.New(auth.Options{Address: address, Required: required, Register: register,
		Counts: counts}))(t)
	env.Watches = []tools.Watch{auth.ObserveCall}
	s := server.New(server.Options{Address: address, Authenticate: callers.Authenticate, Challenge: callers.Challenge,
		Within: callers.Counted, Log: zerolog.Nop()})
	transport := mcp.New(env.Runner(), mcp.Options{Version: "test", Operations: operations, Log: zerolog.Nop()})
	s.Handle("/mcp", transport.HTTP())
	rest.New(env.Runner(), rest.Options{Version: "test", Operations: tools.Catalog}).Serve(s)
	done := make(chan struct{}, 3)
	go func() { _ = s.Serve(ctx, listener); done <- struct{}{} }()
	go func() { register.Follow(ctx); done <- struct{}{} }()
	go func() { counts.Write(ctx); done <- struct{}{} }()
	t.Cleanup(func() {
		stop()
		for range 3 {
			graphtest.Receive(t, "the server ends", done)
		}
	})
	return &network{t, "http://" + address + "/mcp", env, transport, register}
}

const modern = "2026-07-28"

// client speaks one revision and may use a different server for each request.
type client struct {
	t        *testing.T
	servers  []*network
	revision string
	name     string
	token    string
	session  string

	capabilities map[string]any
}

// send posts a message and returns the response.
func (c *client) send(method string, params map[string]any) (int, http.Header, map[string]any) {
	c.t.Helper()
	r := c.message(method, params)
	answer, err := http.DefaultClient.Do(r)
	graphtest.OK(c.t, err)
	defer answer.Body.Close()
	text := graphtest.Must(io.ReadAll(answer.Body))(c.t)
	if strings.HasPrefix(answer.Header.Get("Content-Type"), "text/event-stream") { // the last event is the response
		events := strings.Split(strings.TrimSpace(string(text)), "data: ")
		text = []byte(events[len(events)-1])
	}
	var reply map[string]any
	if err := json.Unmarshal(text, &reply); err != nil && len(text) > 0 {
		c.t.Logf("%s is answered with %s", method, text)
	}
	return answer.StatusCode, answer.Header, reply
}

func (c *client) message(method string, params map[string]any) *http.Request {
	c.t.Helper()
	if params == nil {
		params = map[string]any{}
	}
	if c.revision == modern {
		params["_meta"] = map[string]any{"io.modelcontextprotocol/protocolVersion": modern,
			"io.modelcontextprotocol/clientCapabilities": c.can(),
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": c.name, "version": "1"}}
	}
	message := map[string]any{"jsonrpc": "2.0", "method": method, "params": params}
	if !strings.HasPrefix(method, "notifications/") {
		message["id"] = 1
	}
	text := graphtest.Must(json.Marshal(message))(c.t)
	server := c.servers[rand.IntN(len(c.servers))]
	r := graphtest.Must(http.NewRequestWithContext(c.t.Context(), http.MethodPost, server.url,
		bytes.NewReader(text)))(c.t)
	c.dress(r)
	if c.revision == modern {
		r.Header.Set("Mcp-Method", method)
		if name, ok := params["name"].(string); ok {
			r.Header.Set("Mcp-Name", name)
		}
		if id, ok := params["taskId"].(string); ok {
			r.Header.Set("Mcp-Name", id)
		}
		if uri, ok := params["uri"].(string); ok {
			r.Header.Set("Mcp-Name", uri)
		}
	}
	return r
}

// can returns the capabilities of the client.
func (c *client) can() map[string]any {
	if c.capabilities == nil {
		return map[string]any{}
	}
	return c.capabilities
}

func (c *client) dress(r *http.Request) {
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	if c.session != "" || c.revision == modern {
		r.Header.Set("Mcp-Protocol-Version", c.revision)
	}
	if c.session != "" {
		r.Header.Set("Mcp-Session-Id", c.session)
	}
	if c.token != "" {
		r.Header.Set("Authorization", "Bearer "+c.token)
	}
}

func connectHTTP(t *testing.T, revision, name, token string, servers ...*network) *client {
	t.Helper()
	c := &client{t: t, servers: servers, revision: revision, name: name, token: token}
	if revision != modern {
		c.initialize()
	}
	return c
}

// initialize opens a session of a revision before 2026-07-28.
func (c *client) initialize() {
	t, revision := c.t, c.revision
	t.Helper()
	status, headers, reply := c.send("initialize",
		map[string]any{"protocolVersion": revision, "capabilities": c.can(),
			"clientInfo": map[string]any{"name": c.name, "version": "1"}})
	if status != 200 || reply["result"].(map[string]any)["protocolVersion"] != revision ||
		headers.Get("Mcp-Session-Id") == "" {
		t.Fatalf("initialize of %s: %d %v %v", revision, status, headers, reply)
	}
	c.session = headers.Get("Mcp-Session-Id")
	if status, _, _ := c.send("notifications/initialized", nil); status != 202 {
		t.Errorf("initialized: %d", status)
	}
}

// call calls a tool and returns its structured content, or the error in its text.
func (c *client) call(name string, arguments map[string]any) (content map[string]any, failed bool) {
	c.t.Helper()
	status, _, reply := c.send("tools/call", map[string]any{"name": name, "arguments": arguments})
	result, ok := reply["result"].(map[string]any)
	if status != 200 || !ok {
		c.t.Fatalf("%s %v: got %d %v, want status=200, ok=true", name, arguments, status, reply)
	}
	if failed, _ = result["isError"].(bool); failed {
		text := result["content"].([]any)[0].(map[string]any)["text"].(string)
		graphtest.OK(c.t, json.Unmarshal([]byte(text), &content))
		return content, true
	}
	return result["structuredContent"].(map[string]any), false
}

func TestMCP_EveryRevision_IsAnsweredOverHTTP(t *testing.T) {
	g := graphtest.New(t)
	toolstest.ApplyShipped(t, g, "chrystallum")
	n := overHTTP(t, g, false)
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", modern} {
		t.Run(revision, func(t *testing.T) {
			c := connectHTTP(t, revision, "tester", "", n)
			if content, failed := c.call("get_policy", map[string]any{"name": "NoTemporalFacet"}); failed ||
				content["facet_key"] != "TEMPORAL" {
				t.Errorf("get_policy: got %v, want failed=false, facet_key=TEMPORAL", content)
			}
			if content, failed := c.call("get_policy", map[string]any{"name": "none"}); !failed ||
				content["error"] != "not_found" {
				t.Errorf("got the error %v", content)
			}
			if content, failed := c.call("get_policy", map[string]any{"nmae": "x"}); !failed ||
				content["error"] != "validation_error" {
				t.Errorf("an unknown argument: got %v, want failed=true, error=validation_error", content)
			}
			_, _, reply := c.send("tools/call", map[string]any{"name": "no_such_tool"})
			graphtest.Equal(t, reply["error"].(map[string]any)["code"], -32602.0,
				fmt.Sprint("an unknown tool: ", reply))
			status, _, reply := c.send("resources/read", map[string]any{"uri": "nomograph://policy/none"})
			failure := reply["error"].(map[string]any)
			want, wantStatus := -32002.0, 200
			if revision == modern {
				want, wantStatus = -32602.0, 400
			}
			if data, _ := failure["data"].(map[string]any); failure["code"] != want || status != wantStatus ||
				data["error"] != "not_found" || data["uri"] != "nomograph://policy/none" {
				t.Errorf(`a missing resource: got %d %v, want code=%v, status=%v, error=not_found, uri="nomograph://policy/none"`, status, reply, want, wantStatus)
			}
			status, _, reply = c.send("no/such/method", nil)
			if code := reply["error"].(map[string]any)["code"]; code != -32601.0 || revision == modern &&
				status != 404 {
				t.Errorf("an unknown method: %d %v", status, reply)
			}
			verdict, _ := c.call("check_action", map[string]any{"description": "Deploy"})
			graphtest.Equal(t, verdict["agent_id"], "tester", "the call acts as")
		})
	}
}

func TestMCP_InvalidMessage_IsRefused(t *testing.T) {
	n := overHTTP(t, graphtest.New(t), false)
	for body, want := range map[string]string{
		"":                        "400 -32700",
		"no JSON":                 "400 -32700",
		`{"jsonrpc":"2.0","id":1`: "400 -32700",
		`[{"jsonrpc":"2.0","id":1,"method":"ping"}]`:                               "400",
		`{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}`:                          "400 -32600",
		`{"jsonrpc":"2.0","id":1,"Method":"tools/list","method":"ping"}`:           "400 -32600",
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{},"_META":1}}`: "400 -32600",
	} {
		got, _, text := graphtest.Send(t, http.DefaultClient, http.MethodPost, n.url, body, "Content-Type",
			"application/json")
		status, code, _ := strings.Cut(want, " ")
		if fmt.Sprint(got) != status && got != http.StatusOK || !strings.Contains(text, code) {
			t.Errorf("%q: got %d %s", body, got, text)
		}
	}
	for method, want := range map[string]int{"GET": 406, "PUT": 405, "PATCH": 405, "DELETE": 405} {
		status, _, _ := graphtest.Send(t, http.DefaultClient, method, n.url, "")
		graphtest.Equal(t, status, want, method)
	}
}

// TestMCP_SeveralServers_ActAsOne sends each request of a client to another server.
func TestMCP_SeveralServers_ActAsOne(t *testing.T) {
	g := graphtest.New(t)
	servers := []*network{overHTTP(t, g, false), overHTTP(t, g, false), overHTTP(t, g, false)}
	for _, revision := range []string{"2025-06-18", modern} {
		t.Run(revision, func(t *testing.T) {
			name := "wanderer of " + revision
			c := connectHTTP(t, revision, name, "", servers...)
			var sessions []string
			for i := range 8 {
				remaining, failed := c.call("record_thought", map[string]any{"text": fmt.Sprintf("thought %d", i)})
				if failed || remaining["seq"] != float64(i) {
					t.Fatalf("thought %d: %v", i, remaining)
				}
				sessions = append(sessions, remaining["session_id"].(string))
			}
			graphtest.Equal(t, len(slices.Compact(sessions)), 1, fmt.Sprint("number of the sessions ", sessions))
			decided, failed := c.call("log_decision", map[string]any{"decision": "Use one server for all",
				"category": "architecture", "confidence": 0.8})
			if failed {
				t.Fatalf("got %v, want failed=false", decided)
			}
			found, failed := c.call("get_decision", map[string]any{"id": decided["id"]})
			if failed || found["decision"].(map[string]any)["agent"] != name {
				t.Errorf("got %v, want failed=false, agent=%v", found, name)
			}
			if steps := found["decision"].(map[string]any)["deliberation"]; steps == nil {
				t.Error("thoughts recorded at other servers are not attached")
			}
		})
	}
}

// events reads Server-Sent Events into a channel.
func events(t *testing.T, r *http.Request) <-chan map[string]any {
	t.Helper()
	answer, err := http.DefaultClient.Do(r) //nolint:bodyclose // the goroutine that reads the stream closes the body
	graphtest.OK(t, err)
	if answer.StatusCode != http.StatusOK {
		t.Fatalf("the stream: got %d, want StatusCode=%v", answer.StatusCode, http.StatusOK)
	}
	out := make(chan map[string]any, 100)
	go func() {
		defer close(out)
		defer answer.Body.Close()
		lines := bufio.NewScanner(answer.Body)
		for lines.Scan() {
			var reply map[string]any
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok &&
				json.Unmarshal([]byte(data), &reply) == nil {
				out <- reply
			}
		}
	}()
	return out
}

func nextEvent(t *testing.T, from <-chan map[string]any, method string) map[string]any {
	t.Helper()
	for {
		select {
		case reply, open := <-from:
			if !open {
				t.Fatalf("the stream ended before %s", method)
			}
			if reply["method"] == method {
				return reply["params"].(map[string]any)
			}
		case <-time.After(timeout):
			t.Fatalf("no %s arrived", method)
		}
	}
}

func TestMCP_SubscriberOverHTTP_IsNotified(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 0})", nil)
	n := overHTTP(t, g, false)
	const updated = "notifications/resources/updated"
	change := func() { g.Exec(t, "MATCH (t:SYS_Threshold {name: 'x'}) SET t.value = t.value + 1", nil) }

	t.Run("a session is notified on its GET stream", func(t *testing.T) {
		c := connectHTTP(t, "2025-06-18", "old", "", n)
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, n.url, nil)
		c.dress(r)
		stream := events(t, r)
		if _, _, reply := c.send("resources/subscribe", address("x")); reply["error"] != nil {
			t.Fatalf("got %v, want error=nil", reply)
		}
		change()
		graphtest.Equal(t, nextEvent(t, stream, updated)["uri"], "nomograph://threshold/x", "uri")
	})
	t.Run("a request is notified until it ends", func(t *testing.T) {
		c := connectHTTP(t, modern, "new", "", n)
		r := c.message("subscriptions/listen", map[string]any{"notifications": map[string]any{"resourceSubscriptions": []string{"nomograph://threshold/x"}}})
		stream := events(t, r)
		nextEvent(t, stream, "notifications/subscriptions/acknowledged")
		change()
		graphtest.Equal(t, nextEvent(t, stream, updated)["uri"], "nomograph://threshold/x", "uri")
	})
}

func TestMCP_StreamsOfACaller_AreBounded(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 0})", nil)
	n := overHTTP(t, g, false)
	n.server.LimitStreams(10, 2)
	listen := func() *http.Request {
		return connectHTTP(t, modern, "new", "", n).
			message("subscriptions/listen", map[string]any{"notifications": map[string]any{"resourceSubscriptions": []string{"nomograph://threshold/x"}}})
	}
	hear := func() *http.Request {
		r := graphtest.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, n.url, nil))(t)
		connectHTTP(t, "2025-06-18", "old", "", n).dress(r)
		return r
	}
	nextEvent(t, events(t, listen()), "notifications/subscriptions/acknowledged")
	events(t, hear())
	for name, r := range map[string]*http.Request{"a further subscription": listen(), "a further GET": hear()} {
		answer, err := http.DefaultClient.Do(r)
		graphtest.OK(t, err)
		_ = answer.Body.Close()
		if answer.StatusCode != http.StatusTooManyRequests || answer.Header.Get("Retry-After") == "" {
			t.Errorf("%s: got %d %v, want StatusCode=%v, non-empty Retry-After", name, answer.StatusCode, answer.Header,
				http.StatusTooManyRequests)
		}
	}
}

func TestMCP_CallerOverHTTP_HasItsPermissions(t *testing.T) {
	g := graphtest.New(t)
	n := overHTTP(t, g, true)
	token := func(name string, permissions ...string) string {
		t.Helper()
		made := graphtest.Must(n.env.Tokens.Create(t.Context(),
			tokens.CreateRequest{Name: name, Permissions: permissions}))(t)
		return made.Token
	}
	reader, ada, bob := token("reader"), token("Ada", "read", "decide", "query"), token("bob", "admin")

	if status, headers, _ := (&client{t: t, servers: []*network{n}, revision: modern}).
		send("tools/list", nil); status != 401 || headers.Get("WWW-Authenticate") == "" {
		t.Errorf("without a token: %d %v", status, headers)
	}
	list := func(token string) (names []string) {
		_, _, reply := connectHTTP(t, "2025-11-25", "x", token, n).send("tools/list", nil)
		for _, tool := range reply["result"].(map[string]any)["tools"].([]any) {
			names = append(names, tool.(map[string]any)["name"].(string))
		}
		return names
	}
	permitted := func(permissions ...tools.Permission) (names []string) {
		for _, o := range tools.Catalog {
			if slices.Contains(permissions, o.Permission) {
				names = append(names, o.Name)
			}
		}
		slices.Sort(names)
		return names
	}
	if diff := cmp.Diff(permitted(tools.Read), list(reader)); diff != "" {
		t.Errorf("a reader's tools: %s", diff)
	}
	if diff := cmp.Diff(permitted(tools.Read, tools.Decide, tools.Query), list(ada)); diff != "" {
		t.Errorf("ada's tools: %s", diff)
	}
	if diff := cmp.Diff(len(tools.Catalog), len(list(bob))); diff != "" {
		t.Errorf("an administrator's tools: %s", diff)
	}

	c := connectHTTP(t, modern, "some client", ada, n)
	decided, failed := c.call("log_decision", map[string]any{"decision": "Use tokens", "category": "security",
		"confidence": 0.9})
	if failed {
		t.Fatalf("got %v, want failed=false", decided)
	}
	row := g.Rows(t, "MATCH (a:Agent)-[:MADE]->(d:Decision) RETURN a.name AS agent, d.agent_asserted AS asserted, [(d)<-[:JUDGED]-(v) | v.agent + '/' + v.agent_asserted] AS verdicts", nil)[0]
	if row["agent"] != "Ada" || row["asserted"] != false || fmt.Sprint(row["verdicts"]) != "[Ada/false]" {
		t.Errorf("the event has the agent %v", row)
	}
	for name, arguments := range map[string]map[string]any{
		"check_action": {"description": "Deploy", "agent_id": "bob"},
		"log_decision": {"decision": "Use tokens of others", "category": "security", "confidence": 0.9,
			"agent_id": "bob"},
		"record_thought":  {"text": "I am bob", "agent_id": "bob"},
		"set_threshold":   {"name": "x", "value": 1},
		"create_token":    {"name": "eve"},
		"query_decisions": {"query": "tokens", "agent_id": "bob"},
	} {
		if content, failed := c.call(name, arguments); !failed || content["error"] != "permission_denied" ||
			name == "check_action" && content["allowed"] != false {
			t.Errorf(`got %s %v, %v, want failed=true, error=permission_denied, not name == "check_action" && content["allowed"] != false`, name, arguments, content)
		}
	}
	if content, failed := c.call("check_action", map[string]any{"description": "Deploy", "agent_id": "ada"}); failed ||
		content["agent_id"] != "Ada" {
		t.Errorf("under her own name: %v", content)
	}

	theirs, _ := connectHTTP(t, modern, "x", bob, n).
		call("record_thought", map[string]any{"text": "private", "session_id": "bobs"})
	for name, arguments := range map[string]map[string]any{
		"record_thought": {"text": "me too", "session_id": "bobs"},
		"check_action":   {"description": "Deploy", "session_id": "bobs"},
		"get_decision":   {"id": decided["id"], "session_id": "bobs"},
	} {
		if content, failed := c.call(name, arguments); !failed || content["error"] != "permission_denied" {
			t.Errorf("%s in another's session %v: %v", name, theirs, content)
		}
	}
	graphtest.Equal(t, toolstest.Count(t, g,
		"MATCH (s:Session {id: 'bobs'})-[:RECORDED]->(e) RETURN count(e)"), 1, "events in bob's session")

	toolstest.Eventually(t, g, "MATCH (u:TokenUsage {key: 'ada', operation: 'create_token'}) RETURN coalesce(sum(u.refusals), 0) AS n", 1)
	toolstest.Eventually(t, g, "MATCH (u:TokenUsage {key: 'ada', operation: 'log_decision'}) RETURN coalesce(sum(u.calls), 0) AS n", 2)
}

func TestMCP_RevokedToken_EndsItsStreams(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 0})", nil)
	here, there := overHTTP(t, g, true), overHTTP(t, g, true)
	made := graphtest.Must(here.env.Tokens.Create(t.Context(), tokens.CreateRequest{Name: "ada"}))(t)
	c := connectHTTP(t, modern, "x", made.Token, there)
	stream := events(t, c.message("subscriptions/listen",
		map[string]any{"notifications": map[string]any{"resourceSubscriptions": []string{"nomograph://threshold/x"}}}))
	nextEvent(t, stream, "notifications/subscriptions/acknowledged")
	graphtest.Must(here.env.Tokens.Revoke(t.Context(), tokens.RevokeRequest{Name: "ada"}))(t)
	deadline := time.After(timeout)
	for open := true; open; {
		select {
		case _, open = <-stream:
		case <-deadline:
			t.Fatal("the stream did not end")
		}
	}
	if status, _, _ := c.send("tools/list", nil); status != 401 {
		t.Errorf("a revoked token: got %d, want status=401", status)
	}
}

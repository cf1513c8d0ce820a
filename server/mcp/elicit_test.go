package mcp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
)

// connect starts the program and initializes it as a client with the given capabilities.
func connect(t *testing.T, g *graphtest.Graph, capabilities map[string]any, more ...string) *graphtest.Client {
	t.Helper()
	c := graphtest.Start(t, append(g.Environ(t), more...), graphtest.Binary(t), "serve")
	c.Request("initialize", map[string]any{"protocolVersion": "2025-11-25", "capabilities": capabilities,
		"clientInfo": map[string]any{"name": "asked", "version": "1"}})
	c.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// review calls review_outcome and answers the questions of the program.
func review(t *testing.T, c *graphtest.Client, arguments map[string]any,
	answer func(graphtest.Message)) (content map[string]any, failed bool) {
	t.Helper()
	return c.Call("review_outcome", arguments, answer)
}

func respond(t *testing.T, c *graphtest.Client, asked graphtest.Message, member string, value any) {
	t.Helper()
	line := graphtest.Must(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": asked.ID, member: value}))(t)
	c.Send(string(line))
}

func TestReview_OutcomeMissing_AsksThePerson(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, `CREATE (:Decision {uid: 'u1', id: 'aaaa0001', decision: 'Cache everything
for a day', confidence: 0.7, status: 'pending', created_at: datetime()})`, nil)
	reviews := func() string {
		row := g.Rows(t, "MATCH (d:Decision {id: 'aaaa0001'}) OPTIONAL MATCH (d)-[:HAS_REVIEW]->(r) WITH d, r ORDER BY r.number RETURN collect(r.outcome + '/' + r.lessons + '/' + r.actual_result + '/' + r.by) AS r, d.outcome AS outcome", nil)[0]
		return fmt.Sprintf("%v %v", row["r"], row["outcome"])
	}
	unasked := func(m graphtest.Message) { t.Errorf("got the question %+v", m) }
	forms := map[string]any{"elicitation": map[string]any{}}

	t.Run("the call fails if the client cannot ask", func(t *testing.T) {
		for _, capabilities := range []map[string]any{{}, {"elicitation": map[string]any{"url": map[string]any{}}}} {
			c := connect(t, g, capabilities)
			content, failed := review(t, c, map[string]any{"id": "aaaa"}, unasked)
			if !failed || content["error"] != "validation_error" || content["message"] != "outcome is required" ||
				!strings.Contains(content["hint"].(string), "abandoned") {
				t.Errorf(`%v: got %v, want failed=true, error=validation_error, message="outcome is required", hint with abandoned`, capabilities, content)
			}
			ends(t, c)
		}
	})
	t.Run("nobody is asked about an unknown decision or a given outcome", func(t *testing.T) {
		c := connect(t, g, forms)
		if content, failed := review(t, c, map[string]any{"id": "bbbb0000"}, unasked); !failed ||
			content["error"] != "not_found" {
			t.Errorf("it: got %v, want failed=true, error=not_found", content)
		}
		if content, failed := review(t, c, map[string]any{"id": "aaaa0001", "outcome": "great"}, unasked); !failed ||
			content["error"] != "validation_error" {
			t.Errorf("it: got %v, want failed=true, error=validation_error", content)
		}
		ends(t, c)
	})
	t.Run("a declined or invalid answer writes nothing", func(t *testing.T) {
		c := connect(t, g, forms)
		for answer, says := range map[string]string{
			`{"action":"decline"}`:                                  "declined, so nothing was written",
			`{"action":"cancel"}`:                                   "declined, so nothing was written",
			`{"action":"accept"}`:                                   "outcome is required",
			`{"action":"accept","content":{"outcome":"great"}}`:     "outcome must be one of success, partial, failure, abandoned",
			`{"action":"accept","content":{"outcome":""}}`:          "outcome is required",
			`{"action":"accept","content":{"outcome":["success"]}}`: "outcome must be",
		} {
			content, failed := review(t, c, map[string]any{"id": "aaaa0001"},
				func(m graphtest.Message) { respond(t, c, m, "result", json.RawMessage(answer)) })
			if !failed || content["error"] != "validation_error" ||
				!strings.Contains(content["message"].(string), says) || content["hint"] == "" {
				t.Errorf("%s: got %v, want failed=true, error=validation_error, message with %q, non-empty hint",
					answer, content, says)
			}
		}
		content, failed := review(t, c, map[string]any{"id": "aaaa0001"}, func(m graphtest.Message) {
			respond(t, c, m, "error", map[string]any{"code": -32603, "message": "no window"})
		})
		if !failed || content["error"] != "unavailable" ||
			!strings.Contains(content["message"].(string), "nothing was written") {
			t.Errorf(`a failing client: got %v, want failed=true, error=unavailable, message with "nothing was written"`, content)
		}
		graphtest.Equal(t, reviews(), "[] <nil>", "stored review")
		ends(t, c)
	})
	t.Run("the answer is written while other calls continue", func(t *testing.T) {
		c := connect(t, g, forms)
		var asked graphtest.Message
		between := 0
		content, failed := review(t, c, map[string]any{"id": "aaaa", "actual_result": "twice as fast",
			"lessons": "none"}, func(m graphtest.Message) {
			if m.ID == "between" { // the person answers after this request
				between++
				respond(t, c, asked, "result", map[string]any{"action": "accept",
					"content": map[string]any{"outcome": "partial", "lessons": "A day is long", "actual_result": ""}})
				return
			}
			asked = m
			if m.Method != "elicitation/create" || m.Params["message"] != "How did decision aaaa0001 turn out? Cache everything" {
				t.Errorf("got the question %+v", m)
			}
			form, _ := json.Marshal(m.Params["requestedSchema"])
			var got struct {
				Type       string
				Required   []string
				Properties map[string]struct {
					Type string
					Enum []string
				}
			}
			if err := json.Unmarshal(form, &got); err != nil || got.Type != "object" ||
				strings.Join(got.Required, " ") != "outcome" || len(got.Properties) != 3 ||
				strings.Join(got.Properties["outcome"].Enum, " ") != "success partial failure abandoned" ||
				got.Properties["lessons"].Type != "string" {
				t.Errorf("got the form %s", form)
			}
			c.Send(`{"jsonrpc":"2.0","id":"between","method":"tools/call","params":{"name":"get_decision","arguments":{"id":"aaaa0001"}}}`)
		})
		if failed || between != 1 || content["outcome"] != "partial" || content["review_number"] != 1.0 {
			t.Errorf("with %d calls in between: got %v, want failed=false, between=1, outcome=partial, review_number=1.0", between, content)
		}
		graphtest.Equal(t, reviews(), "[partial/A day is long/twice as fast/asked] partial", "stored review")
		ends(t, c)
	})
	t.Run("the end of input ends the wait", func(t *testing.T) {
		c := connect(t, g, forms)
		c.Send(`{"jsonrpc":"2.0","id":"r","method":"tools/call","params":{"name":"review_outcome","arguments":{"id":"aaaa0001"}}}`)
		if line := c.Line(); !strings.Contains(line, "elicitation/create") {
			t.Fatalf(`got %s, want line with "elicitation/create"`, line)
		}
		began := time.Now()
		ends(t, c)
		if took := time.Since(began); took > time.Minute {
			t.Errorf("the call took %v", took)
		}
	})
	t.Run("in 2026-07-28 the client calls again with the answer", func(t *testing.T) {
		c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve")
		call := func(capabilities map[string]any, more ...any) graphtest.Message {
			params := map[string]any{"name": "review_outcome", "arguments": map[string]any{"id": "aaaa0001"},
				"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
					"io.modelcontextprotocol/clientCapabilities": capabilities,
					"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "modern", "version": "1"}}}
			if len(more) > 0 {
				params["inputResponses"] = map[string]any{"question": more[0]}
			}
			if len(more) > 1 {
				params["requestState"] = more[1]
			}
			return c.Request("tools/call", params, unasked)
		}
		graphtest.Equal(t, call(map[string]any{}).Result["isError"], true, "an error without the capability")
		m := call(forms)
		text, _ := json.Marshal(m.Result)
		if m.Result["resultType"] != "input_required" ||
			!strings.Contains(string(text), `"method":"elicitation/create"`) ||
			!strings.Contains(string(text), `"abandoned"`) {
			t.Fatalf(`it: got %s, want resultType=input_required, string(text) with ""method":"elicitation/create"", string(text) with ""abandoned""`, text)
		}
		if m := call(forms, map[string]any{"action": "decline"},
			m.Result["requestState"]); m.Result["isError"] != true ||
			!strings.Contains(fmt.Sprint(m.Result), "declined") {
			t.Errorf("declined, it: got %+v, want isError=true, fmt.Sprint(m.Result) with declined", m)
		}
		failure := map[string]any{"action": "accept", "content": map[string]any{"outcome": "failure"}}
		for _, state := range []any{"", "nonsense", m.Result["requestState"]} { // the last state was used already
			if m := call(forms, failure, state); m.Result["isError"] != true ||
				!strings.Contains(fmt.Sprint(m.Result), "permission_denied") {
				t.Errorf("with the state %v, it: got %+v, want isError=true, fmt.Sprint(m.Result) with permission_denied", state, m)
			}
		}
		m = call(forms, failure, call(forms).Result["requestState"])
		if content, _ := m.Result["structuredContent"].(map[string]any); content["outcome"] != "failure" ||
			content["review_number"] != 2.0 {
			t.Errorf("accepted, it: got %+v, want outcome=failure, review_number=2.0", m)
		}
		ends(t, c)
	})
}

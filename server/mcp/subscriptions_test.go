package mcp_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/server/mcp"
	"nomograph/tools/toolstest"
)

// timeout is far longer than any step takes, even on a busy machine.
const timeout = 2 * time.Minute

// notification returns the next message of the program, which must have the given method.
func notification(t *testing.T, c *graphtest.Client, method string) map[string]any {
	t.Helper()
	var m graphtest.Message
	if line := c.Line(); json.Unmarshal([]byte(line), &m) != nil || m.Method != method {
		t.Fatalf("got %s, want %s", line, method)
	}
	return m.Params
}

func address(name string) map[string]any {
	return map[string]any{"uri": "nomograph://threshold/" + name}
}

func TestSubscriptions_Change_IsNotified(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'x', value: 0}), (:SYS_Threshold {name: 'per cent', value: 0}), (:SYS_Policy {name: 'x', active: true})", nil)
	change := func(name string) {
		t.Helper()
		g.Exec(t, "MATCH (t:SYS_Threshold {name: $name}) SET t.value = t.value + 1", map[string]any{"name": name})
	}
	const updated = "notifications/resources/updated"

	t.Run("a session subscribes and unsubscribes", func(t *testing.T) {
		c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve")
		m := c.Initialize("2025-06-18")
		if can := m.Result["capabilities"].(map[string]any)["resources"].(map[string]any); can["subscribe"] != true {
			t.Fatalf("resources can do %v", can)
		}
		for _, params := range []map[string]any{address("x"), address("x"), address("per%20cent"),
			{"uri": "nomograph://policy/x"}} {
			if m := c.Request("resources/subscribe", params); m.Error != nil {
				t.Fatalf("%v: got %+v, want nil", params, m.Error)
			}
		}
		change("x")
		graphtest.Equal(t, notification(t, c, updated)["uri"], "nomograph://threshold/x", "uri")
		m = c.Request("resources/read", address("x"))
		if text := m.Result["contents"].([]any)[0].(map[string]any)["text"].(string); !strings.Contains(text,
			`"value":1`) {
			t.Errorf(`got %s, want text with ""value":1"`, text)
		}
		change("per cent")
		graphtest.Equal(t, notification(t, c, updated)["uri"], "nomograph://threshold/per%20cent", "uri")
		g.Exec(t, "MATCH (p:SYS_Policy {name: 'x'}) DETACH DELETE p", nil)
		graphtest.Equal(t, notification(t, c, updated)["uri"], "nomograph://policy/x", "uri")
		if m := c.Request("resources/unsubscribe", address("x")); m.Error != nil {
			t.Errorf("unsubscribe: %+v", m.Error)
		}
		change("x")
		change("per cent")
		graphtest.Equal(t, notification(t, c, updated)["uri"], "nomograph://threshold/per%20cent",
			"after unsubscribing")
		ends(t, c)
	})
	t.Run("an unreadable address is refused", func(t *testing.T) {
		c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve")
		c.Initialize("2025-11-25")
		for uri, message := range map[string]string{
			"nomograph://threshold/none": "SYS_Threshold node 'none' not found",
			"nomograph://threshold/":     "Unknown resource address",
			"nomograph://threshold/x/y":  "Unknown resource address",
			"nomograph://decision/x":     "Cannot subscribe to",
			"https://example.org":        "Unknown resource address",
		} {
			if m := c.Request("resources/subscribe", map[string]any{"uri": uri}); m.Error == nil ||
				!strings.Contains(m.Error.Message, message) {
				t.Errorf("%s: got %+v, want non-nil Error, Message with %q", uri, m, message)
			}
			if m := c.Request("subscriptions/listen", listening(uri)); m.Error == nil ||
				!strings.Contains(m.Error.Message, message) {
				t.Errorf("listening to %s: got %+v, want non-nil Error, Message with %q", uri, m, message)
			}
		}
		ends(t, c)
	})
	t.Run("a listen request is notified", func(t *testing.T) {
		c := graphtest.Start(t, g.Environ(t), graphtest.Binary(t), "serve")
		listen := func(id string, addresses ...any) {
			t.Helper()
			line := graphtest.Must(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": id,
				"method": "subscriptions/listen",
				"params": listening(addresses...)}))(t)
			c.Send(string(line))
			if got := notification(t, c, "notifications/subscriptions/acknowledged"); subscription(got) != id ||
				!strings.Contains(fmt.Sprint(got["notifications"]), "threshold") {
				t.Fatalf("acknowledged is %v", got)
			}
		}
		listen("first", "nomograph://threshold/x", "nomograph://threshold/x", "nomograph://threshold/per%20cent")
		change("x")
		if got := notification(t, c, updated); got["uri"] != "nomograph://threshold/x" || subscription(got) != "first" {
			t.Errorf(`got %v, want uri="nomograph://threshold/x", subscription(got)=first`, got)
		}
		const second = `the "second"` // escaped in JSON, as every id that the library would not return as it came
		listen(second, "nomograph://threshold/x")
		c.Send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"first"}}`)
		graphtest.Contains(t, c.Line(), `"id":"first"`, `"result"`)
		change("per cent")
		change("x")
		if got := notification(t, c, updated); got["uri"] != "nomograph://threshold/x" || subscription(got) != second {
			t.Errorf(`got %v, want uri="nomograph://threshold/x", subscription(got)=%s`, got, second)
		}
		ends(t, c)
	})
}

// listening returns the parameters of a request that subscribes to addresses.
func listening(addresses ...any) map[string]any {
	return map[string]any{"notifications": map[string]any{"resourceSubscriptions": addresses},
		"_meta": map[string]any{"io.modelcontextprotocol/protocolVersion": "2026-07-28",
			"io.modelcontextprotocol/clientCapabilities": map[string]any{},
			"io.modelcontextprotocol/clientInfo":         map[string]any{"name": "modern", "version": "1"}}}
}

func subscription(params map[string]any) any {
	meta, _ := params["_meta"].(map[string]any)
	return meta["io.modelcontextprotocol/subscriptionId"]
}

// ends checks that the end of input ends the program despite open subscriptions.
func ends(t *testing.T, c *graphtest.Client) {
	t.Helper()
	graphtest.Equal(t, c.Close(), 0, "exit code")
}

// piped is a server in this process with the client's ends of its streams.
type piped struct {
	t         *testing.T
	questions *io.PipeWriter
	answers   *bufio.Scanner
	ended     chan error
}

func serve(t *testing.T, g *graphtest.Graph) *piped {
	t.Helper()
	transport := mcp.New(toolstest.OpenWithoutEmbedder(t, g.DB).Runner(),
		mcp.Options{Version: "test", Log: zerolog.Nop()})
	in, questions := io.Pipe()
	answers, out := io.Pipe()
	p := &piped{t: t, questions: questions, answers: bufio.NewScanner(answers), ended: make(chan error, 1)}
	giveUp := time.AfterFunc(timeout, func() { questions.Close() }) // pending questions then get no answer
	t.Cleanup(func() { giveUp.Stop() })
	go func() {
		err := transport.ServeStdio(t.Context(), in, out)
		out.Close()
		p.ended <- err
	}()
	return p
}

func (p *piped) ask(method string, params any, answer string) {
	p.t.Helper()
	line := graphtest.Must(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": method, "method": method,
		"params": params}))(p.t)
	graphtest.Must(p.questions.Write(append(line, '\n')))(p.t)
	if !p.answers.Scan() || !strings.Contains(p.answers.Text(), answer) {
		p.t.Fatalf("%s: got %s, want p.answers.Scan()=true, Text with %q", line, p.answers.Text(), answer)
	}
}

// close closes the input and reads the remaining output.
func (p *piped) close() {
	p.t.Helper()
	p.questions.Close()
	for p.answers.Scan() {
	}
	if err := graphtest.Receive(p.t, "the server ends", p.ended); err != nil {
		p.t.Error(err)
	}
}

func TestSubscriptions_OneClient_AreBounded(t *testing.T) {
	g := graphtest.New(t)
	const many = 150 // more than the library queues for a client that does not read
	g.Exec(t, "UNWIND range(1, $many) AS n CREATE (:SYS_Threshold {name: 'x' + n, value: 0})",
		map[string]any{"many": many})
	t.Run("subscriptions end with the client", func(t *testing.T) {
		p := serve(t, g)
		p.ask("initialize", map[string]any{"protocolVersion": "2025-06-18", "capabilities": map[string]any{},
			"clientInfo": map[string]any{"name": "x", "version": "1"}}, "serverInfo")
		p.ask("resources/subscribe", address("x1"), `"result"`)
		p.ask("subscriptions/listen", listening("nomograph://threshold/x2"), "acknowledged")
		if watching() == 0 {
			t.Fatal("no subscription is active")
		}
		p.close()
		graphtest.Until(t, "the goroutines that watch are gone", func() bool { return watching() == 0 })
	})
	t.Run("a slow client is notified when it reads again", func(t *testing.T) {
		p := serve(t, g)
		pending := map[string]bool{}
		var addresses []any
		for n := range many {
			uri := fmt.Sprintf("nomograph://threshold/x%d", n+1)
			addresses, pending[uri] = append(addresses, uri), true
		}
		p.ask("subscriptions/listen", listening(addresses...), "acknowledged")
		g.Exec(t, "MATCH (t:SYS_Threshold) SET t.value = 1", nil)
		graphtest.Until(t, "its queue is full", func() bool {
			return graphtest.Running("mcp.deliver(", "mcp.pause(") > 0
		})
		for len(pending) > 0 {
			var m graphtest.Message
			if !p.answers.Scan() || json.Unmarshal(p.answers.Bytes(), &m) != nil ||
				!pending[fmt.Sprint(m.Params["uri"])] {
				t.Fatalf("%d subscribers got no update; output: %s", len(pending), p.answers.Text())
			}
			delete(pending, m.Params["uri"].(string))
		}
		p.close()
	})
}

// watching counts the goroutines that serve subscriptions.
func watching() int {
	return graphtest.Running("live.(*poller)") + graphtest.Running("mcp.(*subscriptions)")
}

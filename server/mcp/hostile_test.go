package mcp_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/tokens"
	"nomograph/tools/toolstest"
)

// newcomer returns a client that opens a connection for each request.
func newcomer() *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
}

// settled waits until the number of goroutines is back to before, with a small tolerance.
func settled(t *testing.T, before int) {
	t.Helper()
	for deadline := time.Now().Add(timeout); runtime.NumGoroutine() > before+5; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			stacks := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before and %d after\n%s", before, runtime.NumGoroutine(),
				stacks[:runtime.Stack(stacks, true)])
		}
	}
}

// token creates a token.
func (n *network) token(c tokens.CreateRequest) string {
	n.t.Helper()
	made := graphtest.Must(n.env.Tokens.Create(n.t.Context(), c))(n.t)
	return made.Token
}

// TestMCP_FloodOfOneCaller_DelaysNoOtherCaller: one caller sends a flood of requests, and connections with incomplete
// requests.
func TestMCP_FloodOfOneCaller_DelaysNoOtherCaller(t *testing.T) {
	g := graphtest.New(t)
	toolstest.ApplyShipped(t, g, "chrystallum")
	n := overHTTP(t, g, true)
	ada := connectHTTP(t, modern, "ada", n.token(tokens.CreateRequest{Name: "ada"}), n)
	asks := func(when string) {
		t.Helper()
		for range 5 {
			if content, failed := ada.call("get_policy", map[string]any{"name": "NoTemporalFacet"}); failed ||
				content["facet_key"] != "TEMPORAL" {
				t.Errorf("%s another caller: got %v, want failed=false, facet_key=TEMPORAL", when, content)
			}
		}
	}
	asks("at first")
	before := runtime.NumGoroutine()

	t.Run("many requests of one caller", func(t *testing.T) {
		flooder := n.token(tokens.CreateRequest{Name: "flooder", Rate: 5})
		var taken, refused atomic.Int64
		var flood sync.WaitGroup
		for range 8 {
			flood.Go(func() {
				client := newcomer()
				for range 40 {
					r, _ := http.NewRequestWithContext(t.Context(), http.MethodGet, strings.TrimSuffix(n.url, "/mcp")+
						"/api/v1/policies/NoTemporalFacet", nil)
					r.Header.Set("Authorization", "Bearer "+flooder)
					answer, err := client.Do(r)
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = io.Copy(io.Discard, answer.Body)
					_ = answer.Body.Close()
					seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
					switch {
					case answer.StatusCode == http.StatusOK:
						taken.Add(1)
					case answer.StatusCode == http.StatusTooManyRequests && seconds >= 1:
						refused.Add(1)
					default:
						t.Errorf("%d %v", answer.StatusCode, answer.Header)
					}
				}
			})
		}
		asks("in the flood")
		flood.Wait()
		if refused.Load() == 0 || taken.Load() == 0 {
			t.Errorf("%d were accepted and %d refused", taken.Load(), refused.Load())
		}
	})
	t.Run("incomplete requests", func(t *testing.T) {
		address := strings.TrimSuffix(strings.TrimPrefix(n.url, "http://"), "/mcp")
		head := "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer " +
			ada.token + "\r\n"
		var half []net.Conn
		for i := range 200 {
			c := graphtest.Must(net.Dial("tcp", address))(t)
			defer c.Close()
			_, _ = io.WriteString(c, []string{"", "POST /mcp HT", head, head +
				"Content-Length: 5000\r\n\r\n{\"jsonrpc\":"}[i%4])
			half = append(half, c)
		}
		asks("beside 200 half requests")
		for i, c := range half {
			if i%2 == 0 {
				_ = c.(*net.TCPConn).CloseWrite()
			} else {
				_ = c.(*net.TCPConn).SetLinger(0) // send a reset on close
				_ = c.Close()
			}
		}
		asks("after them")
		for _, c := range half {
			_ = c.Close()
		}
	})
	settled(t, before)
}

// TestMCP_ManyConnections_LeakNothing: clients never end their sessions, and break off streams.
func TestMCP_ManyConnections_LeakNothing(t *testing.T) {
	n := overHTTP(t, graphtest.New(t), false)
	visit := func(i int) error {
		client := newcomer()
		name := fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"visitor %d","version":"1"}}}`, i)
		r, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, n.url, strings.NewReader(name))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		answer, err := client.Do(r)
		if err != nil {
			return err
		}
		_, _ = io.Copy(io.Discard, answer.Body)
		_ = answer.Body.Close()
		session := answer.Header.Get("Mcp-Session-Id")
		if answer.StatusCode != http.StatusOK || session == "" {
			return fmt.Errorf("%d %v", answer.StatusCode, answer.Header)
		}
		if i%10 > 0 {
			return nil
		}
		r, _ = http.NewRequestWithContext(t.Context(), http.MethodGet, n.url, nil)
		r.Header.Set("Accept", "text/event-stream")
		r.Header.Set("Mcp-Session-Id", session)
		if answer, err = client.Do(r); err != nil {
			return err
		}
		return answer.Body.Close() // in the middle of the stream
	}
	graphtest.OK(t, visit(0))
	before := runtime.NumGoroutine()
	var visitors sync.WaitGroup
	var next atomic.Int64
	for range 20 {
		visitors.Go(func() {
			for i := next.Add(1); i <= 1000; i = next.Add(1) {
				if err := visit(int(i)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	visitors.Wait()
	settled(t, before)
}

func TestMCP_DatabaseReturns_ServesAgain(t *testing.T) {
	g := graphtest.New(t)
	toolstest.ApplyShipped(t, g, "chrystallum")
	p := graphtest.NewProxy(t, g)
	db := graph.Open(graph.Options{URI: "bolt://" + p.Address, Username: g.Endpoint.Username,
		Password: g.Endpoint.Password, Database: g.Endpoint.Database, Log: zerolog.Nop()})
	t.Cleanup(func() { _ = db.Close(t.Context()) })
	n := inFrontOf(t, db, true)
	ada := connectHTTP(t, modern, "ada", n.token(tokens.CreateRequest{Name: "ada"}), n)
	rest := func(method, path, body string) (int, http.Header, map[string]any) {
		t.Helper()
		status, header, text := graphtest.Send(t, http.DefaultClient, method, strings.TrimSuffix(n.url, "/mcp")+path,
			body,
			"Authorization", "Bearer "+ada.token, "Content-Type", "application/json")
		var reply map[string]any
		graphtest.OK(t, json.Unmarshal([]byte(text), &reply))
		return status, header, reply
	}
	works := func(when string) {
		t.Helper()
		if content, failed := ada.call("get_policy", map[string]any{"name": "NoTemporalFacet"}); failed ||
			content["facet_key"] != "TEMPORAL" {
			t.Errorf("%s MCP answers %v", when, content)
		}
		if status, _, reply := rest("GET", "/api/v1/policies/NoTemporalFacet", ""); status != http.StatusOK ||
			reply["facet_key"] != "TEMPORAL" {
			t.Errorf("%s REST answers %d %v", when, status, reply)
		}
	}
	works("before")
	if known, err := n.register.HasName(t.Context(), "ada"); !known ||
		err != nil { // the server must have read the tokens before it can verify them
		t.Fatalf("HasName(ada): got %t and %v, want true", known, err)
	}

	p.StopListening()
	p.Cut()
	if content, failed := ada.call("get_policy", map[string]any{"name": "NoTemporalFacet"}); !failed ||
		content["error"] != "unavailable" {
		t.Errorf("MCP answers %v", content)
	}
	if content, failed := ada.call("check_action", map[string]any{"description": "Deploy"}); !failed ||
		content["error"] != "unavailable" || content["allowed"] != false {
		t.Errorf("check_action answers %v", content)
	}
	if status, header, reply := rest("GET", "/api/v1/policies/NoTemporalFacet",
		""); status != http.StatusServiceUnavailable || reply["error"] != "unavailable" ||
		header.Get("Retry-After") == "" {
		t.Errorf("REST answers %d %v %v", status, header, reply)
	}
	if status, _, reply := rest("GET", "/healthz", ""); status != http.StatusOK {
		t.Errorf("the health check: got %d %v, want status=%v", status, reply, http.StatusOK)
	}

	p.Listen(t)
	works("afterwards")
}

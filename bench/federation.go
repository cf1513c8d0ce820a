package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const slowest = 40 * time.Millisecond // delay of the slowest of eight servers, whose delays differ by 5 ms

// answers holds the responses of the other servers.
var answers = map[string]string{
	"cstp.queryDecisions": `{"decisions":[%s],"total":10,"queryTimeMs":4}`,
	"cstp.announceIntent": `{"received":true,"similarDecisions":[],"guardrailStatus":{"allowed":true,"violations":[]},"suggestions":[]}`,
}

// newAgent starts a server that answers CSTP after a fixed delay, so that only the calling side is measured.
func (b *bench) newAgent(number int, after time.Duration) *httpServer {
	var decisions []string
	for i := range 10 {
		decisions = append(decisions, fmt.Sprintf(`{"id":"dec-%d-%d","title":"Decide on the migration of database %d","category":"architecture","confidence":0.9,"outcome":"success","date":"2026-01-20T14:00:00Z","distance":0.2}`, number, i, i))
	}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage
			Method string
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		time.Sleep(after)
		_, _ = fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID,
			strings.Replace(answers[call.Method], "%s", strings.Join(decisions, ","), 1))
	}))
	b.atEnd(s.Close)
	return &httpServer{url: s.URL, client: s.Client()}
}

// agents measures calls to eight other servers against the slowest of them, also while a ninth is unavailable.
func (b *bench) agents(ctx context.Context) ([]row, error) {
	folder, err := os.MkdirTemp("", "nomograph-bench-agents-")
	if err != nil {
		return nil, err
	}
	b.atEnd(func() { _ = os.RemoveAll(folder) })
	file, list := filepath.Join(folder, "agents.yaml"), "agents:\n"
	var last *httpServer
	for i := range 8 {
		last = b.newAgent(i, slowest-time.Duration(7-i)*5*time.Millisecond)
		list += fmt.Sprintf("  - {name: other-%d, url: %q}\n", i, last.url)
	}
	if err := os.WriteFile(file, []byte(list), 0o600); err != nil {
		return nil, err
	}
	web, err := b.http(ctx, "NOMOGRAPH_AGENTS_FILE="+file)
	if err != nil {
		return nil, err
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections but never answers
	if err != nil {
		return nil, err
	}
	b.atEnd(func() { _ = silent.Close() })
	query := same(map[string]any{"query": "migration of the database", "all": true})
	bare := floor{"slowest server", last.rpc(ctx, "/cstp", "cstp.queryDecisions", `"result"`, same(map[string]any{}))}
	return []row{
		{name: "query_agents, 8 servers", work: web.post(ctx, "/api/v1/agents/query", `"total":10`, query),
			floor: bare},
		{name: "announce_intent, 8 servers", workers: 20, floor: bare,
			work: web.post(ctx, "/api/v1/agents/intents", `"intent_id"`,
				func(i int) map[string]any {
					return map[string]any{"intent": fmt.Sprintf("Deploy service %d", i),
						"agent_id": fmt.Sprintf("agent-%d", i%20), "all": true}
				})},
		{name: "query_agents, while a ninth is unavailable",
			work: web.post(ctx, "/api/v1/agents/query", `"answered":false`, query), floor: bare,
			prepare: func() error {
				list += fmt.Sprintf("  - {name: dead, url: %q, timeout_seconds: 1, retry_count: 0}\n", "http://"+
					silent.Addr().String())
				return os.WriteFile(file, []byte(list), 0o600)
			}},
	}, nil
}

// Package agents measures federation: how much longer eight servers take than the slowest of them, the cost of an
// unavailable server, and whether the intents of twenty agents reach every server once and in order.
//
// The other servers run in this process and answer over CSTP after a fixed delay, so that only the calling side is
// measured.
package agents

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Server starts the program as a server with additional environment variables. It returns its URL and a function that
// stops it.
type Server func(ctx context.Context, variables ...string) (url string, stop func(), err error)

const (
	several = 8
	calls   = 200
	many    = 20
	slowest = 40 * time.Millisecond // delay of the slowest of eight servers, whose delays differ by 5 ms
	timeout = time.Second           // timeout for an unavailable server
)

// answers holds the responses of the other servers.
var answers = map[string]string{
	"cstp.queryDecisions":  `{"decisions":[%s],"total":10,"queryTimeMs":4}`,
	"cstp.checkGuardrails": `{"allowed":true,"violations":[],"warnings":[],"evaluated":4,"evaluatedAt":"2026-02-04T21:00:00Z"}`,
	"cstp.announceIntent":  `{"received":true,"similarDecisions":[],"guardrailStatus":{"allowed":true,"violations":[]},"suggestions":[]}`,
}

// other is a simulated server.
type other struct {
	*httptest.Server
	after time.Duration

	mu    sync.Mutex
	heard []string // correlation ids in the order of arrival
}

func newOther(number int, after time.Duration) *other {
	o := &other{after: after}
	var decisions []string
	for i := range 10 {
		decisions = append(decisions, fmt.Sprintf(`{"id":"dec-%d-%d","title":"Decide on the migration of database %d","category":"architecture","confidence":0.9,"outcome":"success","date":"2026-01-20T14:00:00Z","distance":0.2}`, number, i, i))
	}
	o.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var call struct {
			ID     json.RawMessage
			Method string
			Params struct{ CorrelationID string }
		}
		if err := json.NewDecoder(r.Body).Decode(&call); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if call.Method == "cstp.announceIntent" {
			o.mu.Lock()
			o.heard = append(o.heard, call.Params.CorrelationID)
			o.mu.Unlock()
		}
		time.Sleep(o.after)
		result := answers[call.Method]
		if call.Method == "cstp.queryDecisions" {
			result = fmt.Sprintf(result, strings.Join(decisions, ","))
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, call.ID, result)
	}))
	return o
}

// Measure runs all measurements with the given number of intents and writes a section of the report.
func Measure(ctx context.Context, serve Server, intents int, report io.Writer) error {
	folder, err := os.MkdirTemp("", "nomograph-bench-agents-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	file := filepath.Join(folder, "agents.yaml")
	var eight []*other
	for i := range several {
		eight = append(eight, newOther(i, slowest-time.Duration(several-1-i)*5*time.Millisecond))
		defer eight[i].Close()
	}
	if err := write(file, eight, ""); err != nil {
		return err
	}
	url, stop, err := serve(ctx, "NOMOGRAPH_AGENTS_FILE="+file)
	if err != nil {
		return err
	}
	defer stop()
	fmt.Fprintf(report, "\n## Other servers (%d that answer after %v to %v, %d calls)\n\n| | p50 | p95 | p50 of the slowest |\n|---|---|---|---|\n", several, eight[0].after, slowest, calls)
	const check, query = `{"description": "Deploy the service", "stakes": "high", "confidence": 0.9, "all": true}`, `{"query": "migration of the database", "all": true}`
	bare, err := timed(func() error {
		return post(ctx, eight[several-1].URL+"/cstp", `{"jsonrpc":"2.0","id":1,"method":"cstp.queryDecisions","params":{}}`, `"result"`)
	})
	if err != nil {
		return err
	}
	row := func(name string, spans []time.Duration) {
		fmt.Fprintf(report, "| %s | %.2f | %.2f | %.2f |\n", name, at(spans, 0.5), at(spans, 0.95), at(spans, 0.5)/at(bare, 0.5))
	}
	row("the slowest, asked directly", bare)
	for _, one := range []struct{ name, path, body, wants string }{{"check_agents", "/api/v1/agents/check", check, `"allowed":true`}, {"query_agents", "/api/v1/agents/query", query, `"total":10`}} {
		for range 20 { // warm up plans and connections
			if err := post(ctx, url+one.path, one.body, one.wants); err != nil {
				return err
			}
		}
		spans, err := timed(func() error { return post(ctx, url+one.path, one.body, one.wants) })
		if err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		row(one.name, spans)
	}
	silent, err := net.Listen("tcp", "127.0.0.1:0") // accepts connections but never answers
	if err != nil {
		return err
	}
	defer func() { _ = silent.Close() }()
	if err := write(file, eight, "http://"+silent.Addr().String()); err != nil {
		return err
	}
	started := time.Now()
	if err := post(ctx, url+"/api/v1/agents/query", query, `"answered":false`); err != nil {
		return err
	}
	first := time.Since(started)
	started = time.Now()
	spans := []time.Duration{}
	for time.Since(started) < 10*time.Second { // shorter than the cooldown of a slow server
		begun := time.Now()
		if err := post(ctx, url+"/api/v1/agents/query", query, `"answered":false`); err != nil {
			return err
		}
		spans = append(spans, time.Since(begun))
	}
	row("query_agents, while a ninth is dead", spans)
	fmt.Fprintf(report, "\nThe first query that met the dead one took %.0f ms; its time-out is %v.\n", float64(first.Microseconds())/1000, timeout)
	return broadcasts(ctx, url, file, intents, report)
}

// broadcasts lets twenty agents announce intents in parallel, each agent one after another.
func broadcasts(ctx context.Context, url, file string, intents int, report io.Writer) error {
	var all []*other
	for i := range many {
		all = append(all, newOther(i, 0))
		defer all[i].Close()
	}
	if err := write(file, all, ""); err != nil {
		return err
	}
	started := time.Now()
	failed := make(chan error, many)
	var sending sync.WaitGroup
	for sender := range many {
		sending.Go(func() {
			for i := range intents / many {
				body := fmt.Sprintf(`{"intent": "Deploy service %d of agent %d", "agent_id": "agent-%d", "correlation_id": "agent-%d/%06d", "all": true}`, i, sender, sender, sender, i)
				if err := post(ctx, url+"/api/v1/agents/intents", body, `"intent_id"`); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	sending.Wait()
	took := time.Since(started)
	close(failed)
	if err := <-failed; err != nil {
		return err
	}
	missed, twice, disordered := 0, 0, 0
	for _, o := range all {
		last, seen := map[string]string{}, map[string]bool{}
		for _, id := range o.heard {
			sender, _, _ := strings.Cut(id, "/")
			switch {
			case seen[id]:
				twice++
			case id < last[sender]:
				disordered++
			}
			seen[id], last[sender] = true, max(id, last[sender])
		}
		missed += intents/many*many - len(seen)
	}
	fmt.Fprintf(report, "\n%d agents announced %d intents to %d servers in %.1f s (%.0f deliveries a second): %d missed, %d twice, %d out of their sender's order.\n",
		many, intents, many, took.Seconds(), float64(intents*many)/took.Seconds(), missed, twice, disordered)
	return nil
}

func write(file string, all []*other, dead string) error {
	text := "agents:\n"
	for i, o := range all {
		text += fmt.Sprintf("  - {name: other-%d, url: %q}\n", i, o.URL)
	}
	if dead != "" {
		text += fmt.Sprintf("  - {name: dead, url: %q, timeout_seconds: %v, retry_count: 0}\n", dead, timeout.Seconds())
	}
	return os.WriteFile(file, []byte(text), 0o600)
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

func post(ctx context.Context, url, body, wants string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK || !strings.Contains(string(text), wants) {
		return fmt.Errorf("%s answers %d: %.300s (%w)", url, answer.StatusCode, text, err)
	}
	return nil
}

func timed(work func() error) ([]time.Duration, error) {
	spans := make([]time.Duration, calls)
	for i := range spans {
		started := time.Now()
		if err := work(); err != nil {
			return nil, err
		}
		spans[i] = time.Since(started)
	}
	return spans, nil
}

// at returns a quantile in milliseconds.
func at(spans []time.Duration, quantile float64) float64 {
	sorted := slices.Sorted(slices.Values(spans))
	return float64(sorted[int(quantile*float64(len(sorted)-1))].Microseconds()) / 1000
}

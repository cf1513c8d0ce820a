package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"sync"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/internal/uid"
)

const (
	shippedAway   = "MATCH (p:SYS_Policy) WHERE NOT p.name STARTS WITH 'bench_' DETACH DELETE p"
	bareThreshold = "MATCH (t:SYS_Threshold {name: $name}) RETURN properties(t)"
	readers       = 16
	askers        = 64
	standing      = 200_000 // verdicts in the graph before checks are measured
	rounds        = 3       // rounds of alternating loads
)

// http measures the network transports under load: reading a threshold over REST and over MCP against a bare driver with
// as many workers, and checks with 100 rules against bare small writes. Compared loads alternate several times.
func (b *bench) http(ctx context.Context) error {
	driver, server, err := b.driverAndServer()
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx) }()
	if err := server.call("list_policies", `{"limit":1}`); err != nil { // the first call migrates the graph
		return err
	}
	if err := runOnDriver(ctx, driver, fill, map[string]any{"from": 0, "to": *small}); err != nil {
		return err
	}
	if err := runOnDriver(ctx, driver, "CALL db.awaitIndexes(300)", nil); err != nil {
		return err
	}
	target, err := b.serveHTTP(ctx)
	if err != nil {
		return err
	}
	defer target.stop()
	name := func() string { return fmt.Sprintf("bench_threshold_%d", rand.IntN(*small)) }
	bare := func() error { return bareThresholdRead(ctx, driver, name()) }
	rest := func() error { return target.get(ctx, "/api/v1/thresholds/"+name()) }
	mcp := func() error {
		return target.post(ctx, "/mcp", fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_threshold","arguments":{"name":%q}}}`, name()), `"structuredContent"`)
	}
	fmt.Fprintf(&b.report, "\n## The HTTP server under load (%v of each, %d alternating rounds)\n\n| | calls a second | of the floor | p50 | p99 | p99 of the floor |\n|---|---|---|---|---|---|\n", *loadTime, rounds)
	if err := b.compare(readers, []load{{"bare read", bare}, {"GET /api/v1/thresholds/{name}", rest}, {"MCP get_threshold", mcp}}); err != nil {
		return err
	}
	if err := runOnDriver(ctx, driver, fillRules, nil); err != nil {
		return err
	}
	// A used graph has many verdicts. If the number doubled during the measurement, the server would plan statements
	// again each time.
	for from := 0; from < standing; from += 10_000 {
		if err := runOnDriver(ctx, driver, fillVerdicts, map[string]any{"from": from, "to": from + 10_000}); err != nil {
			return err
		}
	}
	write := func() error {
		return runOnDriver(ctx, driver, bareWrite, map[string]any{"uid": uid.Random(), "text": actionCheck})
	}
	checks := func() error { return target.post(ctx, "/api/v1/checks", actionCheck, `"allowed":true`) }
	for try := 0; checks() != nil && try < 5; try++ { // the first check of a process plans its statements
	}
	kept, err := rowsOnDriver(ctx, driver, "MATCH (v:Verdict) RETURN properties(v) LIMIT 1", nil)
	if err != nil || len(kept) == 0 {
		return fmt.Errorf("no verdict was stored: %w", err)
	}
	verdict := maps.Clone(kept[0].Values[0].(map[string]any))
	same := func() error {
		one := maps.Clone(verdict)
		one["uid"] = uid.Random()
		return runOnDriver(ctx, driver, "CREATE (v:Verdict) SET v = $properties", map[string]any{"properties": one})
	}
	if err := b.compare(askers, []load{{"bare write of such a verdict", same}, {"POST /api/v1/checks, 100 rules and the shipped ones, of which breakers ask the graph", checks}}); err != nil {
		return err
	}
	if err := runOnDriver(ctx, driver, shippedAway, nil); err != nil {
		return err
	}
	if err := b.compare(askers, []load{{"bare write of such a verdict", same}, {"bare small write", write}, {"POST /api/v1/checks, 100 rules", checks}}); err != nil {
		return err
	}
	return server.close()
}

// bareThresholdRead is the floor for reading a threshold: one indexed read of one node.
func bareThresholdRead(ctx context.Context, driver neo4j.DriverWithContext, name string) error {
	session := driver.NewSession(ctx, neo4j.SessionConfig{DatabaseName: "neo4j", AccessMode: neo4j.AccessModeRead})
	defer func() { _ = session.Close(ctx) }()
	result, err := session.Run(ctx, bareThreshold, map[string]any{"name": name})
	if err != nil {
		return err
	}
	_, err = result.Collect(ctx)
	return err
}

// load is work that many workers do in parallel.
type load struct {
	name string
	work func() error
}

// compare runs loads alternately and reports them; the first is the floor. With one worker the turns are short, so that
// drift, such as background work, affects all loads equally.
func (b *bench) compare(workers int, loads []load) error {
	samples := make([]sample, len(loads))
	rounds := rounds
	if workers == 1 {
		rounds *= 10
	}
	for round := range rounds + 1 {
		for i := range loads {
			one := loads[(i+round)%len(loads)]
			span := *loadTime / time.Duration(rounds)
			if round == 0 {
				span = time.Second // warm-up
			}
			timed, err := parallelCalls(workers, span, one.work)
			if err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
			if round > 0 {
				samples[(i+round)%len(loads)] = append(samples[(i+round)%len(loads)], timed...)
			}
		}
	}
	perSecond := func(s sample) float64 { return float64(len(s)) / (*loadTime).Seconds() }
	for i, l := range loads {
		fmt.Fprintf(&b.report, "| %s, %d concurrent | %.0f | %.2f | %.2f | %.2f | %.2f |\n", l.name, workers, perSecond(samples[i]), perSecond(samples[i])/perSecond(samples[0]),
			samples[i].p50(), samples[i].at(0.99), samples[i].at(0.99)/samples[0].at(0.99))
	}
	return nil
}

// parallelCalls measures calls of many parallel workers.
func parallelCalls(workers int, span time.Duration, work func() error) (sample, error) {
	samples, errs := make([]sample, workers), make([]error, workers)
	until := time.Now().Add(span)
	var wait sync.WaitGroup
	for i := range workers {
		wait.Go(func() {
			for time.Now().Before(until) && errs[i] == nil {
				errs[i] = samples[i].timed(work)
			}
		})
	}
	wait.Wait()
	var all sample
	for i, s := range samples {
		if errs[i] != nil {
			return nil, errs[i]
		}
		all = append(all, s...)
	}
	return all, nil
}

// httpServer is a server over HTTP with a client that has one connection per worker.
type httpServer struct {
	url    string
	client *http.Client
	cmd    *exec.Cmd
}

func (b *bench) serveHTTP(ctx context.Context, variables ...string) (*httpServer, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		return nil, err
	}
	d := &httpServer{url: "http://" + address, client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: askers, DisableCompression: true}},
		cmd: exec.Command(b.program, "serve", "--http", address)}
	d.cmd.Env, d.cmd.Stderr = append(b.environ(), variables...), io.Discard
	if err := d.cmd.Start(); err != nil {
		return nil, err
	}
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		err := d.get(ctx, "/readyz")
		if err == nil {
			return d, nil
		}
		if time.Now().After(until) {
			d.stop()
			return nil, err
		}
	}
}

func (d *httpServer) stop() {
	_ = d.cmd.Process.Signal(os.Interrupt)
	_ = d.cmd.Wait()
}

func (d *httpServer) get(ctx context.Context, path string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url+path, nil)
	if err != nil {
		return err
	}
	return d.do(r, "")
}

func (d *httpServer) post(ctx context.Context, path, body, wants string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+path, bytes.NewReader([]byte(body)))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	return d.do(r, wants)
}

// do fails unless the response is successful, so that no errors are measured.
func (d *httpServer) do(r *http.Request, wants string) error {
	answer, err := d.client.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK || !bytes.Contains(text, []byte(wants)) || wants == "" && !json.Valid(text) {
		return fmt.Errorf("%s %s: %d %s", r.Method, r.URL.Path, answer.StatusCode, text)
	}
	return nil
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"
)

const (
	subscribers  = 200
	idleSessions = 1000
	changesMade  = 50
	warmings     = 5 // warm-up runs of each kind, for the plans of server and database
)

// events measures notifications: the latency to 200 subscribers after a change through the server and after a manual
// edit, the cost of these and of 1,000 idle MCP sessions, and leaks after many connections.
func (b *bench) events(ctx context.Context) error {
	driver, server, err := b.driverAndServer()
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx) }()
	if err := server.call("list_policies", `{"limit":1}`); err != nil { // the first call migrates the graph
		return err
	}
	if err := runOnDriver(ctx, driver, "MERGE (t:SYS_Threshold {name: 'bench_event'}) SET t.value = 0", nil); err != nil {
		return err
	}
	target, err := b.serveHTTP(ctx)
	if err != nil {
		return err
	}
	defer target.stop()
	target.client.Transport = &http.Transport{MaxIdleConnsPerHost: askers, DisableCompression: true}

	fmt.Fprintf(&b.report, "\n## Events\n\n| to %d subscribers | p50 | p99 | slowest |\n|---|---|---|---|\n", subscribers)
	before, err := target.cost(ctx)
	if err != nil {
		return err
	}
	life, leave := context.WithCancel(ctx)
	defer leave()
	arrivals := make(chan time.Time, subscribers)
	for range subscribers {
		if err := target.listen(life, "/api/v1/events?type=threshold&name=bench_event", arrivals); err != nil {
			return err
		}
	}
	var through, answered, hand sample
	for n := range 2*warmings + changesMade + *edits {
		byHand := n >= warmings && n < 2*warmings || n >= 2*warmings+changesMade
		started := time.Now()
		committed := started
		if !byHand {
			err = target.post(ctx, "/api/v1/tools/set_threshold", fmt.Sprintf(`{"name":"bench_event","value":%d,"reason":"bench","confirm":true}`, n+1), `"changed":true`)
			committed = time.Now()
		} else {
			err = runOnDriver(ctx, driver, "MATCH (t:SYS_Threshold {name: 'bench_event'}) SET t.value = $n", map[string]any{"n": n + 1})
			started = time.Now()
		}
		if err != nil {
			return err
		}
		for range subscribers {
			select {
			case at := <-arrivals:
				switch {
				case n < 2*warmings:
				case byHand:
					hand = append(hand, at.Sub(started))
				default:
					through, answered = append(through, at.Sub(started)), append(answered, max(0, at.Sub(committed)))
				}
			case <-time.After(time.Minute):
				return fmt.Errorf("event %d did not reach everybody", n)
			}
		}
	}
	for _, row := range []struct {
		what string
		took sample
	}{{"set_threshold through the server, from the call on", through}, {"the same, from its answer on", answered}, {"a change with Cypher, from its commit on", hand}} {
		fmt.Fprintf(&b.report, "| %s | %.2f | %.2f | %.2f |\n", row.what, row.took.p50(), row.took.at(0.99), row.took.at(1))
	}

	var streams []string
	for range idleSessions {
		id, err := target.session(ctx)
		if err != nil {
			return err
		}
		streams = append(streams, id)
	}
	idle, err := target.cost(ctx)
	if err != nil {
		return err
	}
	for _, id := range streams {
		if err := target.openIdleStream(life, id); err != nil {
			return err
		}
	}
	full, err := target.cost(ctx)
	if err != nil {
		return err
	}
	leave()
	target.client.CloseIdleConnections()
	if err := target.connects(ctx, *connects); err != nil {
		return err
	}
	after, err := target.settled(ctx, before.goroutines)
	if err != nil {
		return err
	}
	fmt.Fprintf(&b.report, "\n| the server | resident MB | heap MB | goroutines |\n|---|---|---|---|\n")
	for _, row := range []struct {
		when string
		cost cost
	}{{"before", before}, {fmt.Sprintf("with %d subscribers and %d idle MCP sessions", subscribers, idleSessions), idle}, {"the same, where each session has its stream open", full}, {fmt.Sprintf("after %d further connects, all gone", *connects), after}} {
		fmt.Fprintf(&b.report, "| %s | %.0f | %.1f | %.0f |\n", row.when, row.cost.resident, row.cost.heap, row.cost.goroutines)
	}
	return server.close()
}

// listen opens a stream and records the arrival times of events.
func (d *httpServer) listen(ctx context.Context, path string, arrivals chan<- time.Time) error {
	answer, err := d.stream(ctx, path, nil) //nolint:bodyclose // the goroutine that reads the stream closes the body
	if err != nil {
		return err
	}
	lines := bufio.NewReader(answer.Body)
	if _, err := lines.ReadString('\n'); err != nil { // the stream has started
		return err
	}
	go func() {
		defer func() { _ = answer.Body.Close() }()
		for {
			line, err := lines.ReadString('\n')
			if err != nil {
				return
			}
			if strings.HasPrefix(line, "data: ") {
				arrivals <- time.Now()
			}
		}
	}()
	return nil
}

func (d *httpServer) stream(ctx context.Context, path string, header http.Header) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, d.url+path, nil)
	if err != nil {
		return nil, err
	}
	r.Header.Set("Accept", "text/event-stream")
	for name, values := range header {
		r.Header[name] = values
	}
	answer, err := d.client.Do(r)
	if err != nil {
		return nil, err
	}
	if answer.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(answer.Body)
		_ = answer.Body.Close()
		return nil, fmt.Errorf("%s: %d %s", path, answer.StatusCode, text)
	}
	return answer, nil
}

// session starts an MCP session and returns its id.
func (d *httpServer) session(ctx context.Context) (string, error) {
	const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.url+"/mcp", bytes.NewReader([]byte(initialize)))
	if err != nil {
		return "", err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := d.client.Do(r)
	if err != nil {
		return "", err
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	return answer.Header.Get("Mcp-Session-Id"), answer.Body.Close()
}

// openIdleStream opens the stream of a session, which stays idle.
func (d *httpServer) openIdleStream(ctx context.Context, id string) error {
	stream, err := d.stream(ctx, "/mcp", http.Header{"Mcp-Session-Id": {id}, "Mcp-Protocol-Version": {"2025-11-25"}}) //nolint:bodyclose // the goroutine that reads the stream closes the body
	if err != nil {
		return err
	}
	go func() {
		_, _ = io.Copy(io.Discard, stream.Body)
		_ = stream.Body.Close()
	}()
	return nil
}

// connects opens streams, reads their beginning, and disconnects.
func (d *httpServer) connects(ctx context.Context, many int) error {
	var wait sync.WaitGroup
	errs := make([]error, readers)
	for i := range readers {
		wait.Go(func() {
			for n := i; n < many && errs[i] == nil; n += readers {
				life, leave := context.WithCancel(ctx)
				answer, err := d.stream(life, "/api/v1/events?type=threshold", nil)
				if err == nil {
					_, err = bufio.NewReader(answer.Body).ReadString('\n')
					leave()
					_ = answer.Body.Close()
				}
				leave()
				errs[i] = err
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// cost is the resource usage of the server.
type cost struct{ resident, heap, goroutines float64 }

func (d *httpServer) cost(ctx context.Context) (cost, error) {
	var c cost
	answer, err := d.stream(ctx, "/metrics", nil)
	if err != nil {
		return c, err
	}
	defer func() { _ = answer.Body.Close() }()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		for name, into := range map[string]*float64{"process_resident_memory_bytes": &c.resident, "go_memstats_heap_inuse_bytes": &c.heap, "go_goroutines": &c.goroutines} {
			if text, ok := strings.CutPrefix(lines.Text(), name+" "); ok {
				if _, err := fmt.Sscan(text, into); err != nil {
					return c, err
				}
			}
		}
	}
	c.resident /= 1e6
	c.heap /= 1e6
	return c, nil
}

// settled returns the usage after all closed connections have ended, or after a minute.
func (d *httpServer) settled(ctx context.Context, goroutines float64) (c cost, err error) {
	for until := time.Now().Add(time.Minute); ; time.Sleep(time.Second) {
		if c, err = d.cost(ctx); err != nil || c.goroutines <= goroutines+2 || time.Now().After(until) {
			return c, err
		}
	}
}

package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/rs/zerolog"

	"nomograph/graph/engine"
	"nomograph/internal/config"
	"nomograph/tools"
)

const (
	emptyGraph = `MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock CALL (n) { DETACH DELETE n } IN TRANSACTIONS OF 5000 ROWS`
	upToDate   = `CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()`
)

// bench is the engine with the clients of the current part.
type bench struct {
	program string
	home    string // of the engines
	wanted  *regexp.Regexp
	options engine.Options
	driver  neo4j.DriverWithContext // for floors
	server  *client                 // over stdio
	app     *tools.App              // in this process
	opened  []func()                // end what the part opened, in reverse order
	report  strings.Builder
}

// open starts the engine of a part, empties its graph, and opens the clients.
func (b *bench) open(ctx context.Context, part string) error {
	b.options.Dir = filepath.Join(b.home, part, "engine")
	b.options = b.options.Defaults()
	b.atEnd(func() { _ = engine.Stop(context.WithoutCancel(ctx), b.options) })
	lease, err := engine.Acquire(ctx, b.options)
	if err != nil {
		return err
	}
	b.atEnd(func() { _ = lease.Release() })
	at := lease.Endpoint()
	b.driver, err = neo4j.NewDriverWithContext(at.URI, neo4j.BasicAuth(at.Username, at.Password, ""))
	if err != nil {
		return err
	}
	b.atEnd(func() { _ = b.driver.Close(ctx) })
	if err := b.run(ctx, emptyGraph, nil); err != nil {
		return err
	}
	if b.server, err = b.stdio("--toolsets", "all"); err != nil {
		return err
	}
	for range 5 { // a new engine may need longer than a call may take; the first call migrates the graph
		if _, err = b.server.call("list_policies", map[string]any{"limit": 1}); err == nil {
			break
		}
	}
	c := config.Defaults()
	c.URI, c.Username, c.Password, c.Database = at.URI, at.Username, at.Password, at.Database
	app := tools.Open(c, zerolog.Nop(), tools.Options{})
	b.atEnd(func() { _ = app.Close(ctx) })
	b.app = app
	return err
}

func (b *bench) atEnd(work func()) { b.opened = append(b.opened, work) }

// end ends what was opened after the first so many.
func (b *bench) end(first int) {
	for ; len(b.opened) > first; b.opened = b.opened[:len(b.opened)-1] {
		b.opened[len(b.opened)-1]()
	}
}

// folder returns the home folder of the programs of the part.
func (b *bench) folder() string { return filepath.Dir(b.options.Dir) }

// environ returns the environment for programs that use the engine of the bench.
func (b *bench) environ() []string {
	return append([]string{"HOME=" + b.folder(), "PATH=" + os.Getenv("PATH"), "JAVA_HOME=" +
		os.Getenv("JAVA_HOME")},
		b.options.Environ()...)
}

// run runs a writing statement with only the driver.
func (b *bench) run(ctx context.Context, query string, params map[string]any) error {
	_, err := b.query(ctx, neo4j.AccessModeWrite, query, params)
	return err
}

// rows runs a reading statement with only the driver. No row is an error, so that no failures are measured.
func (b *bench) rows(ctx context.Context, query string, params map[string]any) ([]*neo4j.Record, error) {
	rows, err := b.query(ctx, neo4j.AccessModeRead, query, params)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("nothing found: %s %v", query, params)
	}
	return rows, err
}

func (b *bench) query(ctx context.Context, mode neo4j.AccessMode, query string, params map[string]any) ([]*neo4j.Record,
	error) {
	session := b.driver.NewSession(ctx, neo4j.SessionConfig{DatabaseName: "neo4j", AccessMode: mode})
	defer func() { _ = session.Close(ctx) }()
	result, err := session.Run(ctx, query, params)
	if err != nil {
		return nil, err
	}
	return result.Collect(ctx)
}

// reads and writes return floors: one statement in an auto-commit transaction, with all its rows.
func (b *bench) reads(ctx context.Context, query string, params func(i int) map[string]any) operation {
	return timed(func(i int) error { _, err := b.rows(ctx, query, params(i)); return err })
}

func (b *bench) writes(ctx context.Context, query string, params func(i int) map[string]any) operation {
	return timed(func(i int) error { return b.run(ctx, query, params(i)) })
}

// client is a minimal MCP client over stdio.
type client struct {
	mu     sync.Mutex
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	stdout *bufio.Reader
}

// stdio starts a server until the end of the part.
func (b *bench) stdio(args ...string) (*client, error) {
	cmd := exec.Command(b.program, append([]string{"serve"}, args...)...)
	cmd.Env = b.environ()
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &client{cmd: cmd, stdin: stdin, stdout: bufio.NewReaderSize(stdout, 1<<20)}
	b.atEnd(c.close)
	_, err = c.ask("initialize", json.RawMessage(`{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}`))
	return c, err
}

func (c *client) close() {
	_ = c.stdin.Close()
	_ = c.cmd.Wait()
}

// ask sends a request and returns its result.
func (c *client) ask(method string, params any) (json.RawMessage, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, err := fmt.Fprintf(c.stdin, `{"jsonrpc":"2.0","id":1,"method":%q,"params":%s}`+"\n", method,
		asJSON(params)); err != nil {
		return nil, err
	}
	line, err := c.stdout.ReadBytes('\n')
	if err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	var answer struct {
		Result json.RawMessage
		Error  any
	}
	if err := json.Unmarshal(line, &answer); err != nil || answer.Error != nil {
		return nil, fmt.Errorf("%s: %.600s, %w", method, line, err)
	}
	return answer.Result, nil
}

// call calls a tool and fails on an error result, so that no errors are measured.
func (c *client) call(tool string, arguments any) (json.RawMessage, error) {
	result, err := c.ask("tools/call", map[string]any{"name": tool, "arguments": arguments})
	if err != nil {
		return nil, err
	}
	var answer struct {
		IsError           bool
		StructuredContent json.RawMessage
	}
	if err := json.Unmarshal(result, &answer); err != nil || answer.IsError {
		return nil, fmt.Errorf("%s: %.600s, %w", tool, result, err)
	}
	return answer.StructuredContent, nil
}

// tool returns an operation that calls a tool over stdio.
func (b *bench) tool(name string, arguments func(i int) map[string]any) operation {
	return timed(func(i int) error { _, err := b.server.call(name, arguments(i)); return err })
}

// inProcess runs an operation as every transport does and returns its result as JSON.
func (b *bench) inProcess(ctx context.Context, name string, arguments any) (json.RawMessage, error) {
	operation, ok := tools.Find(tools.Catalog, name)
	if !ok {
		return nil, fmt.Errorf("operation %q not found", name)
	}
	out, err := operation.Run(ctx, b.app, asJSON(arguments))
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

// asJSON encodes arguments of this command, which always encode.
func asJSON(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return text
}

// same returns the same arguments for each call.
func same(arguments map[string]any) func(int) map[string]any {
	return func(int) map[string]any { return arguments }
}

// httpServer is a server over HTTP with a client that has one connection per worker.
type httpServer struct {
	url    string
	client *http.Client
	pid    int
}

// http starts a server over HTTP until the end of the part.
func (b *bench) http(ctx context.Context, variables ...string) (*httpServer, error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := free.Addr().String()
	if err := free.Close(); err != nil {
		return nil, err
	}
	cmd := exec.Command(b.program, "serve", "--http", address)
	cmd.Env, cmd.Stderr = append(b.environ(), variables...), io.Discard
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b.atEnd(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	h := &httpServer{"http://" + address, &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64,
		DisableCompression: true}}, cmd.Process.Pid}
	for until := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := h.send(ctx, http.MethodGet, "/readyz", ""); err == nil || time.Now().After(until) {
			return h, err
		}
	}
}

// send sends a request and fails unless the response is successful.
func (h *httpServer) send(ctx context.Context, method, path, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, h.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	answer, err := h.client.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err == nil && answer.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %d %.600s", method, path, answer.StatusCode, text)
	}
	return text, err
}

// get returns an operation that reads an address.
func (h *httpServer) get(ctx context.Context, path func(i int) string) operation {
	return timed(func(i int) error { _, err := h.send(ctx, http.MethodGet, path(i), ""); return err })
}

// post returns an operation that sends a body and expects a part of the response.
func (h *httpServer) post(ctx context.Context, path, wants string, body func(i int) map[string]any) operation {
	return timed(func(i int) error {
		text, err := h.send(ctx, http.MethodPost, path, string(asJSON(body(i))))
		if err == nil && !bytes.Contains(text, []byte(wants)) {
			err = fmt.Errorf("%s: %.600s", path, text)
		}
		return err
	})
}

// mcp calls a tool over MCP.
func (h *httpServer) mcp(ctx context.Context, tool string, arguments func(i int) map[string]any) operation {
	return h.post(ctx, "/mcp", `"structuredContent"`, func(i int) map[string]any {
		return map[string]any{"jsonrpc": "2.0", "id": 1, "method": "tools/call",
			"params": map[string]any{"name": tool, "arguments": arguments(i)}}
	})
}

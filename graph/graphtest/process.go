package graphtest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"nomograph/graph/engine"
)

// Environ returns the environment of a program that uses this graph, with its own empty home folder. Approvals take
// effect immediately, and a check may take a minute, because an engine can plan a statement for seconds on a busy
// machine.
func (g *Graph) Environ(t testing.TB) []string {
	t.Helper()
	return slices.Clip(append(BareEnviron(t), "NEO4J_URI="+g.Endpoint.URI, "NEO4J_USERNAME="+g.Endpoint.Username,
		"NEO4J_PASSWORD="+g.Endpoint.Password, "NEO4J_DATABASE="+g.Endpoint.Database, "NOMOGRAPH_APPROVAL_DELAY=0s",
		"NOMOGRAPH_CHECK_TIMEOUT=1m"))
}

// BareEnviron returns an environment with an empty home folder. From this process's settings it passes on only the
// version of Neo4j.
func BareEnviron(t testing.TB) []string {
	t.Helper()
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home(t), "NOMOGRAPH=" + Binary(t)}
	if version := os.Getenv(engine.EnvVersion); version != "" {
		environ = append(environ, engine.EnvVersion+"="+version, "JAVA_HOME="+os.Getenv("JAVA_HOME"))
	}
	return slices.Clip(environ) // so that appending copies it
}

// home returns an empty folder, removed at the end of the test. A supervisor that a program started may still write
// there for a moment.
func home(t testing.TB) string {
	t.Helper()
	dir := Must(os.MkdirTemp("", "home"))(t)
	t.Cleanup(func() {
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			err := os.RemoveAll(dir)
			if err == nil {
				return
			}
			if time.Now().After(deadline) {
				t.Error(err)
				return
			}
		}
	})
	return dir
}

// timeLimit is far longer than any program of a test runs, including the start of an engine.
const timeLimit = 10 * time.Minute

// Command returns a command that is killed after ten minutes and when the test ends, so that a test that waits for it
// cannot hang.
func Command(t testing.TB, program string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	t.Cleanup(cancel)
	return exec.CommandContext(ctx, program, args...)
}

// Run runs a program and returns its output and exit code. It fails the test after ten minutes.
func Run(t testing.TB, environ []string, stdin io.Reader, program string, args ...string) (stdout, stderr string,
	code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.WaitDelay = time.Minute
	cmd.Env = environ
	cmd.Dir = t.TempDir()
	cmd.Stdin = stdin
	var out, errs limited
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("%s %v did not end within %s: %s%s", program, args, timeLimit, out, errs)
	}
	if cmd.ProcessState == nil {
		t.Fatalf("%s: %v", program, err)
	}
	return string(out), string(errs), cmd.ProcessState.ExitCode()
}

type limited []byte

func (l *limited) Write(p []byte) (int, error) {
	*l = append(*l, p...)
	return len(p), nil
}

// Client is a bare MCP client over a program's stdin and stdout, which shows exactly what goes over the wire.
type Client struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	lines  chan string
	lastID int
}

// Start starts a program that speaks MCP, and stops it when the test ends.
func Start(t testing.TB, environ []string, program string, args ...string) *Client {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Env = environ
	cmd.Dir = t.TempDir()
	stdin := Must(cmd.StdinPipe())(t)
	stdout := Must(cmd.StdoutPipe())(t)
	cmd.Stderr = &limited{}
	OK(t, cmd.Start())
	c := &Client{t: t, cmd: cmd, stdin: stdin, lines: make(chan string, 1000)}
	go func() {
		scanner := bufio.NewScanner(stdout)
		scanner.Buffer(nil, 64<<20)
		for scanner.Scan() {
			c.lines <- scanner.Text()
		}
		close(c.lines)
	}()
	t.Cleanup(func() {
		_ = stdin.Close()
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return c
}

// Send writes a line as it is.
func (c *Client) Send(line string) {
	c.t.Helper()
	Must(io.WriteString(c.stdin, line+"\n"))(c.t)
}

// Line returns the next line that the program writes.
func (c *Client) Line() string {
	c.t.Helper()
	select {
	case line, open := <-c.lines:
		if !open {
			c.t.Fatal("the program ended")
		}
		return line
	case <-time.After(time.Minute):
		c.t.Fatal("no answer within a minute")
	}
	return ""
}

// Message is a JSON-RPC message from the program.
type Message struct {
	ID     any
	Method string
	Params map[string]any
	Result map[string]any
	Error  *struct {
		Code    int
		Message string
		Data    map[string]any
	}
}

// Request sends a request and returns its answer. It passes notifications that arrive before to each function of seen.
func (c *Client) Request(method string, params any, seen ...func(Message)) Message {
	c.t.Helper()
	c.lastID++
	line := Must(json.Marshal(map[string]any{"jsonrpc": "2.0", "id": c.lastID, "method": method,
		"params": params}))(c.t)
	c.Send(string(line))
	for {
		var m Message
		text := c.Line()
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			c.t.Fatalf("a line of stdout is not JSON: %q", text)
		}
		if fmt.Sprint(m.ID) == fmt.Sprint(c.lastID) {
			return m
		}
		for _, notify := range seen {
			notify(m)
		}
	}
}

// Initialize opens the session with a revision of the protocol.
func (c *Client) Initialize(revision string) Message {
	c.t.Helper()
	m := c.Request("initialize", map[string]any{"protocolVersion": revision, "capabilities": map[string]any{},
		"clientInfo": map[string]any{"name": "test-client", "version": "1"}})
	c.Send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return m
}

// Call calls a tool and returns the structured content of its answer, or the JSON in the text of its error.
func (c *Client) Call(tool string, arguments any, seen ...func(Message)) (content map[string]any, failed bool) {
	c.t.Helper()
	return c.Content(c.Request("tools/call", map[string]any{"name": tool, "arguments": arguments}, seen...))
}

// Content returns the structured content of a tool's answer, or the JSON in the text of its error. An error with
// structured content fails the test, because clients check structured content against the schema of answers.
func (c *Client) Content(m Message) (content map[string]any, failed bool) {
	c.t.Helper()
	if m.Error != nil {
		c.t.Fatalf("the call: got %d %s", m.Error.Code, m.Error.Message)
	}
	structured, _ := m.Result["structuredContent"].(map[string]any)
	if m.Result["isError"] != true {
		return structured, false
	}
	text, _ := m.Result["content"].([]any)[0].(map[string]any)["text"].(string)
	if structured != nil || json.Unmarshal([]byte(text), &content) != nil {
		c.t.Fatalf("the error is %v", m.Result)
	}
	return content, true
}

// Close closes the program's stdin, waits until it exits, and returns the exit code. A program that runs ten minutes
// longer is killed and fails the test.
func (c *Client) Close() int {
	c.t.Helper()
	_ = c.stdin.Close()
	kill := time.AfterFunc(timeLimit, func() {
		c.t.Errorf("the program did not end within %s of the end of its input", timeLimit)
		_ = c.cmd.Process.Kill()
	})
	defer kill.Stop()
	_ = c.cmd.Wait()
	return c.cmd.ProcessState.ExitCode()
}

// Suspend pauses the program. Kill still ends it.
func (c *Client) Suspend() {
	c.t.Helper()
	OK(c.t, c.cmd.Process.Signal(syscall.SIGSTOP))
}

// Kill ends the program as a crash would.
func (c *Client) Kill() {
	c.t.Helper()
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

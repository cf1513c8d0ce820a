package server

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"github.com/rs/zerolog"
)

const (
	longestLine = 8 << 20 // bytes; far above any request, and a bound on what a broken client can make us hold
	lastAnswers = 2 * time.Minute
)

// ServeStdio speaks MCP over in and out until in ends or ctx is done. Requests that are being worked on when in ends are
// still answered, so that a script may pipe its questions in and read the answers.
func ServeStdio(ctx context.Context, mcpServer *server.MCPServer, in io.Reader, out io.Writer, log zerolog.Logger) error {
	open := &openRequests{changed: make(chan struct{}, 1)}
	stdio := server.NewStdioServer(mcpServer)
	stdio.SetErrorLogger(stdlog(log))
	err := stdio.Listen(ctx, &requestReader{lines: bufio.NewReaderSize(in, 64<<10), open: open}, &answerWriter{out: out, open: open})
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// openRequests counts what was asked and not answered yet.
type openRequests struct {
	mu      sync.Mutex
	count   int
	changed chan struct{}
}

func (o *openRequests) add(n int) {
	o.mu.Lock()
	o.count += n
	o.mu.Unlock()
	select {
	case o.changed <- struct{}{}:
	default:
	}
}

func (o *openRequests) none() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.count <= 0
}

func (o *openRequests) wait(limit time.Duration) {
	timeout := time.After(limit)
	for !o.none() {
		select {
		case <-o.changed:
		case <-timeout:
			return
		}
	}
}

// requestReader hands on one line at a time. Blank lines are dropped, as clients and people at a terminal send them; a line
// over the limit becomes one that is no JSON, which is answered with a parse error.
type requestReader struct {
	lines *bufio.Reader
	open  *openRequests
	rest  []byte
}

func (r *requestReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, err := r.line()
		if len(line) > 0 {
			r.rest = append(line, '\n')
			if isRequest(line) {
				r.open.add(1)
			}
			break
		}
		if err != nil {
			r.open.wait(lastAnswers)
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

func (r *requestReader) line() ([]byte, error) {
	var line []byte
	tooLong := false
	for {
		part, err := r.lines.ReadSlice('\n')
		if !tooLong {
			line = append(line, part...)
			tooLong = len(line) > longestLine
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if tooLong {
			line = []byte("line too long")
		}
		return bytes.TrimSpace(line), err
	}
}

type answerWriter struct {
	out  io.Writer
	open *openRequests
}

func (w *answerWriter) Write(p []byte) (int, error) {
	n, err := w.out.Write(p)
	if !isNotification(p) {
		w.open.add(-1)
	}
	return n, err
}

// isRequest tells whether a line will be answered: it is no JSON, or has an id and a method.
func isRequest(line []byte) bool {
	var message struct {
		ID     json.RawMessage `json:"id"`
		Method json.RawMessage `json:"method"`
	}
	if err := json.Unmarshal(line, &message); err != nil {
		return true
	}
	return message.ID != nil && string(message.ID) != "null" && message.Method != nil
}

// isNotification tells whether a line of ours answers nothing. Its first member after the version says so almost always.
func isNotification(line []byte) bool {
	if bytes.HasPrefix(line, []byte(`{"jsonrpc":"2.0","id":`)) && !bytes.Contains(line[:min(len(line), 60)], []byte(`"method"`)) {
		return false
	}
	var message struct {
		Method json.RawMessage `json:"method"`
	}
	return json.Unmarshal(line, &message) == nil && message.Method != nil
}

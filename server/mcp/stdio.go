package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/tidwall/gjson"

	"nomograph/internal/document"
	httpserver "nomograph/server"
)

const (
	maxLineLength      = 8 << 20 // bytes; far above any request
	maxIDLength        = 512     // bytes of an id in an answer to a longer line
	lastAnswers        = 2 * time.Minute
	maxConcurrentCalls = 20 // including calls that wait for a person's answer
)

// ServeStdio serves MCP on in and out until in ends or ctx is done. Open requests are still answered after in has
// ended, so that a script can pipe its requests in and read the answers.
func (d *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	open := &openRequests{changed: make(chan struct{}, 1), streams: map[string]int{}}
	ended := make(chan struct{})
	failed := newFailures()
	stdio := server.NewStdioServer(d.mcp)
	server.WithWorkerPoolSize(maxConcurrentCalls)(stdio)
	stdio.SetContextFunc(func(ctx context.Context) context.Context {
		return withFailures(withInputEnd(ctx, ended), failed)
	})
	stdio.SetErrorLogger(httpserver.StandardLog(d.options.Log, "mcp"))
	answers := &answerWriter{out: out, open: open, failed: failed, batches: map[int]*openBatch{}}
	err := stdio.Listen(ctx, &requestReader{lines: bufio.NewReaderSize(document.NewReader(in), 64<<10),
		answers: answers, open: open, end: sync.OnceFunc(func() { close(ended) })}, answers)
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// tooLong is the error for a request above the limit.
var tooLong = fmt.Sprintf("The message has more than %d MB, which is the limit of a line. Send less at once, such as a page of a list", maxLineLength>>20)

// openRequests counts unanswered requests. It does not wait for streams, which end when the client leaves.
type openRequests struct {
	mu      sync.Mutex
	count   int
	streams map[string]int // number of streams with this id
	changed chan struct{}
}

// requestRead records a line that was read, and reports whether it will be answered.
func (o *openRequests) requestRead(line []byte) bool {
	id, method, answered := request(line)
	switch {
	case !answered:
	case method == string(mcp.MethodSubscriptionsListen):
		o.mu.Lock()
		o.streams[id]++
		o.mu.Unlock()
	default:
		o.add(1)
	}
	return answered
}

// responseWritten records a line that was written.
func (o *openRequests) responseWritten(line []byte) {
	if !isNotification(line) && !o.endsStream(line) {
		o.add(-1)
	}
}

func (o *openRequests) endsStream(line []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	id := idText(gjson.GetBytes(line, "id").Value())
	if o.streams[id] == 0 {
		return false
	}
	if o.streams[id]--; o.streams[id] == 0 {
		delete(o.streams, id)
	}
	return true
}

// idText distinguishes the id 1 from the id "1".
func idText(id any) string { return fmt.Sprintf("%T %v", id, id) }

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

// requestReader passes on one line at a time and drops blank lines. The messages of a batch become lines. A request
// above the limit is answered with an error for its id, so that no client waits for it. Without an id, the request
// becomes an invalid line, which is answered with a parse error.
type requestReader struct {
	lines   *bufio.Reader
	answers *answerWriter
	open    *openRequests
	end     func() // called at the end of the input
	rest    []byte

	revision string // that initialize requested, which is the negotiated one if it has batches
}

func (r *requestReader) Read(p []byte) (int, error) {
	for len(r.rest) == 0 {
		line, long, err := r.line()
		if len(line) > 0 {
			if err := r.pass(line, long); err != nil {
				return 0, err
			}
			continue
		}
		if err != nil {
			r.end()
			r.open.wait(lastAnswers)
			return 0, err
		}
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// pass gives the messages of a line to the library, and answers those that are refused.
func (r *requestReader) pass(line []byte, long bool) error {
	if long || !isBatch(line) {
		answer, _ := r.passOne(line, long, 0)
		return r.answers.print(answer)
	}
	messages, refused := batch(line, r.revision)
	if refused != nil {
		return r.answers.print(refused...)
	}
	number, open := r.answers.begin()
	for _, message := range messages { // the library reads them after this method
		switch answer, answered := r.passOne(message, false, number); {
		case answer != nil:
			open.answers = append(open.answers, answer)
		case answered:
			open.missing++
		}
	}
	return r.answers.print(r.answers.answerBatch(number))
}

// passOne gives a message of a batch, 0 for none, to the library, and reports whether it will be answered. If the
// message is refused, it returns the answer.
func (r *requestReader) passOne(message []byte, long bool, batch int) (answer []byte, answered bool) {
	problem, code := tooLong, invalidRequest
	switch {
	case batch > 0:
		problem, code = invalidInBatch(message)
	case !long:
		problem, code = problemOf(message)
	}
	if problem != "" {
		return refusal(message, problem, code), false
	}
	if fields := gjson.GetManyBytes(message, "method",
		"params.protocolVersion"); fields[0].Str == string(mcp.MethodInitialize) {
		r.revision = fields[1].Str
	}
	message = forLibrary(message, batch)
	r.rest = append(append(r.rest, message...), '\n')
	return nil, r.open.requestRead(message)
}

// line reads the next line. If it is above the limit, line returns a replacement, to be refused if long.
func (r *requestReader) line() (line []byte, long bool, err error) {
	line, err = r.lines.ReadBytes('\n')
	if len(line) > maxLineLength {
		line, long = withoutContent(line)
		return line, long, err
	}
	return bytes.TrimSpace(bytes.TrimPrefix(line, []byte("\ufeff"))), false,
		err // some programs write a byte order mark before each message
}

// withoutContent returns a minimal request with the id of a request, to be refused. Otherwise it returns a line that is
// no JSON.
func withoutContent(line []byte) (message []byte, isRequest bool) {
	m := gjson.GetManyBytes(line, "id", "method")
	id := json.RawMessage(m[0].Raw)
	if m[1].Str == "" || len(id) == 0 || len(id) > maxIDLength || !json.Valid(id) || !validID(id) {
		return []byte("line too long"), false
	}
	return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"method":""}`, id), true
}

// answerWriter writes one line at a time: the library serializes answers but not questions to the client.
type answerWriter struct {
	mu      sync.Mutex
	out     io.Writer
	open    *openRequests
	failed  *failures
	batches map[int]*openBatch
	last    int    // number of the last batch
	held    []byte // notification of a changed list
}

// openBatch collects the answers of a batch.
type openBatch struct {
	missing int
	answers [][]byte
}

// begin returns a new batch and its number.
func (w *answerWriter) begin() (int, *openBatch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last++
	w.batches[w.last] = &openBatch{}
	return w.last, w.batches[w.last]
}

// answerBatch adds answers to a batch. It returns the answer of the batch when it is complete, nil before and if there
// is nothing to answer.
func (w *answerWriter) answerBatch(number int, answers ...[]byte) []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	open := w.batches[number]
	open.missing -= len(answers)
	open.answers = append(open.answers, answers...)
	if open.missing > 0 {
		return nil
	}
	delete(w.batches, number)
	return list(open.answers)
}

// Write writes a message of the library.
func (w *answerWriter) Write(p []byte) (int, error) {
	line, _ := w.failed.complete(p)
	if line == nil {
		line = bytes.TrimSuffix(p, []byte("\n"))
	}
	line, batch := fromLibrary(line)
	switch {
	case batch > 0:
		line = w.answerBatch(batch, bytes.Clone(line))
	case isListChanged(line):
		w.mu.Lock()
		w.held, line = bytes.Clone(line), nil
		w.mu.Unlock()
	}
	if err := w.print(line); err != nil {
		return 0, err
	}
	w.open.responseWritten(p)
	return len(p), w.print()
}

// print writes lines, and what was held back once no request is open: a client could take it for the answer.
func (w *answerWriter) print(lines ...[]byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.held != nil && w.open.none() {
		lines, w.held = append(lines, w.held), nil
	}
	for _, line := range lines {
		if len(line) == 0 {
			continue
		}
		if _, err := w.out.Write(append(bytes.Clone(line), '\n')); err != nil {
			return err
		}
	}
	return nil
}

// request returns the id and method of a line, and whether it will be answered: it is invalid JSON, or has both.
func request(line []byte) (id, method string, answered bool) {
	var message struct{ ID, Method any }
	if err := json.Unmarshal(line, &message); err != nil {
		return "", "", true
	}
	method, _ = message.Method.(string)
	return idText(message.ID), method, message.ID != nil && message.Method != nil
}

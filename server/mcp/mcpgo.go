package mcp

import (
	"bytes"
	"mime"
	"net/http"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
	"github.com/tidwall/gjson"
	"github.com/tidwall/sjson"

	"nomograph/internal/uid"
)

// This file changes what mcp-go writes. docs/contributing/mcp-go.md lists what the library lacks.

// withData returns a Server-Sent Event with other data and unchanged other fields.
func withData(was, data []byte) []byte {
	var event []byte
	for line := range bytes.Lines(was) {
		line = bytes.TrimRight(line, "\r\n")
		if name, _, _ := bytes.Cut(line, []byte(":")); len(line) > 0 && string(name) != "data" {
			event = append(append(event, line...), '\n')
		}
	}
	event = append(append(event, "data: "...), data...)
	return append(event, "\n\n"...)
}

// complete returns an answer with the details of its failure, and the code of the error; nil if it stays unchanged.
func (f *failures) complete(message []byte) (completed []byte, code int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.byID) == 0 || !gjson.GetBytes(message, "error.code").Exists() {
		return nil, 0
	}
	id := idText(gjson.GetBytes(message, "id").Value())
	known, noted := f.byID[id]
	if !noted {
		return nil, 0
	}
	delete(f.byID, id)
	completed, _ = sjson.SetBytes(bytes.TrimSpace(message), "error", known) // stays nil if it cannot be encoded
	return completed, known.Code
}

func isEventStream(header http.Header) bool {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	return err == nil && kind == "text/event-stream"
}

// eventData returns the data of a Server-Sent Event, nil if it has none, such as a heartbeat.
func eventData(event []byte) []byte {
	var data [][]byte
	for line := range bytes.Lines(event) {
		name, value, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte(":"))
		if string(name) == "data" {
			data = append(data, bytes.TrimPrefix(value, []byte(" ")))
		}
	}
	return bytes.Join(data, []byte("\n"))
}

// isNotification reports whether a message of this server is not a response.
func isNotification(message []byte) bool { return gjson.GetBytes(message, "method").Exists() }

// sessionIDs creates the id of a stream that was opened without one. Any other id is accepted, because it is only a
// name.
type sessionIDs struct{}

//nolint:staticcheck // the name is the library's
func (sessionIDs) ResolveSessionIdManager(r *http.Request) server.SessionIdManager {
	return sessionID{stream: r != nil && r.Method == http.MethodGet}
}

type sessionID struct{ stream bool }

// Generate returns no id for initialize, because the library would then store a session; the endpoint sets that id
// itself.
func (s sessionID) Generate() string {
	if s.stream {
		return uid.Random()
	}
	return ""
}

const maxSessionIDLength = 512

func (sessionID) Validate(id string) (ended bool, err error) {
	return len(id) > maxSessionIDLength, nil
}
func (sessionID) Terminate(string) (refused bool, err error) { return true, nil }

// completing adds details to the answer of a failed request and the session id to that of initialize. It delays the
// status until the first byte is known.
type completing struct {
	http.ResponseWriter
	failed    *failures
	modern    bool // in this revision the status reflects the kind of error
	sessionID string
	lasting   bool   // a stream of notifications
	held      []byte // events that follow the answer
	status    int
	started   bool
}

func (w *completing) WriteHeader(status int) { w.status = status }

func (w *completing) Write(p []byte) (int, error) {
	line := p
	if isEventStream(w.Header()) {
		if answer, _ := w.failed.complete(eventData(p)); answer != nil {
			line = withData(p, answer)
		}
	} else if answer, code := w.failed.complete(p); answer != nil {
		line = append(answer, '\n')
		if w.modern && code == mcp.INVALID_PARAMS {
			w.status = http.StatusBadRequest
		}
	}
	line = w.original(line)
	w.begin(line)
	_, err := w.ResponseWriter.Write(line)
	return len(p), err
}

// original returns what the library writes with ids as the client wrote them. It moves a notification of a changed list
// behind the answer, for which a client could take it.
func (w *completing) original(p []byte) []byte {
	if !isEventStream(w.Header()) {
		line, _ := fromLibrary(p)
		return line
	}
	data := eventData(p)
	if !w.lasting && isListChanged(data) {
		w.held = append(w.held, p...)
		return nil
	}
	if changed, _ := fromLibrary(data); len(changed) != len(data) {
		p = withData(p, changed)
	}
	if w.held != nil && !isNotification(data) {
		p, w.held = append(bytes.Clone(p), w.held...), nil
	}
	return p
}

func (w *completing) begin(first []byte) {
	if w.started {
		return
	}
	w.started = true
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if w.sessionID != "" && w.status == http.StatusOK {
		if isEventStream(w.Header()) {
			first = eventData(first)
		}
		if gjson.GetBytes(first, "result").Exists() {
			w.Header().Set(server.HeaderKeySessionID, w.sessionID)
		}
	}
	w.ResponseWriter.WriteHeader(w.status)
}

// finish sends the status of an answer without a body.
func (w *completing) finish() {
	if !w.started && w.status != 0 {
		w.begin(nil)
	}
}

// Flush sends buffered data, at least the headers of a stream.
func (w *completing) Flush() {
	if w.status != 0 {
		w.begin(nil)
	}
	if f, can := w.ResponseWriter.(http.Flusher); can {
		f.Flush()
	}
}

// Unwrap lets http.ResponseController reach the wrapped writer.
func (w *completing) Unwrap() http.ResponseWriter { return w.ResponseWriter }

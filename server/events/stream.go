package events

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"nomograph/events"
)

// stream tells a client in Server-Sent Events, as the HTML standard has them.
type stream struct {
	w     http.ResponseWriter
	flush func() error
	ofrep bool
	line  bytes.Buffer
}

func newStream(w http.ResponseWriter, ofrep bool) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // a proxy that gathers answers would hold back each event
	w.WriteHeader(http.StatusOK)
	return &stream{w: w, flush: http.NewResponseController(w).Flush, ofrep: ofrep}
}

// begin says when to come back, and from where: a client that is told nothing knows its place as well.
func (s *stream) begin(position string, pause time.Duration) error {
	fmt.Fprintf(&s.line, "retry: %d\n", pause.Milliseconds())
	s.id(position)
	return s.send()
}

func (s *stream) event(e *events.Event, position string, more bool) error {
	if s.ofrep {
		if more { // one asks for all flags
			return nil
		}
		s.id(position)
		s.line.WriteString("event: message\ndata: {\"type\":\"refetchEvaluation\"}\n")
		return s.send()
	}
	text, err := e.JSON()
	if err != nil {
		return err
	}
	s.id(position)
	s.line.WriteString("event: " + e.Type + "\ndata: ")
	s.line.Write(text) // JSON has no line breaks
	s.line.WriteByte('\n')
	if more {
		return s.write()
	}
	return s.send()
}

func (s *stream) beat(position string) error {
	s.line.WriteString(":\n")
	s.id(position)
	return s.send()
}

func (s *stream) id(position string) {
	if position != "" {
		s.line.WriteString("id: " + strings.ReplaceAll(position, "\n", "") + "\n")
	}
}

func (s *stream) write() error {
	s.line.WriteByte('\n')
	_, err := s.w.Write(s.line.Bytes())
	s.line.Reset()
	return err
}

func (s *stream) send() error {
	if err := s.write(); err != nil {
		return err
	}
	return s.flush()
}

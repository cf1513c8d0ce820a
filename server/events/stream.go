package events

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"time"

	"nomograph/events"
)

// stream sends Server-Sent Events.
type stream struct {
	w     http.ResponseWriter
	flush func() error
	ofrep bool
	line  bytes.Buffer
}

func newStream(w http.ResponseWriter, ofrep bool) *stream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("X-Accel-Buffering", "no") // a buffering proxy would delay events
	w.WriteHeader(http.StatusOK)
	return &stream{w: w, flush: http.NewResponseController(w).Flush, ofrep: ofrep}
}

// begin sends the reconnection delay and the position, so that a client that receives no event knows its position too.
func (s *stream) begin(position string, pause time.Duration) error {
	fmt.Fprintf(&s.line, "retry: %d\n", pause.Milliseconds())
	s.id(position)
	return s.send()
}

func (s *stream) event(e *events.Event, position string, more bool) error {
	if s.ofrep {
		if more { // OFREP clients then reload all flags once
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
	s.line.Write(text) // encoded JSON contains no line breaks
	s.line.WriteByte('\n')
	if more {
		return s.write()
	}
	return s.send()
}

func (s *stream) keepAlive(position string) error {
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

package server

import (
	"bytes"
	"net/http"
)

// Recorded is an answer that a handler writes and that is not sent.
type Recorded struct {
	bytes.Buffer // the body
	Status       int
	header       http.Header
}

// NewRecorded returns an answer without a body.
func NewRecorded() *Recorded { return &Recorded{Status: http.StatusOK, header: http.Header{}} }

// Header returns the headers.
func (o *Recorded) Header() http.Header { return o.header }

// WriteHeader sets the status.
func (o *Recorded) WriteHeader(status int) { o.Status = status }

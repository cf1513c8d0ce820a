package client

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"nomograph/events"
	"nomograph/internal/apperr"
	"nomograph/internal/retry"
)

// Events configures Follow.
type Events struct {
	Query url.Values // parameters of /api/v1/events
	// OnOpen is called whenever the stream was opened; later events are received. May be nil.
	OnOpen func() error
	// OnEvent is called once for each event. Its error ends Follow.
	OnEvent func(*events.Event) error
	// OnDisconnect is called once with the reason when the server becomes unreachable. Events in the meantime are
	// received later.
	OnDisconnect func(error)
}

const (
	// a stream is considered dead after this time; the server sends a heartbeat every 15 s
	streamTimeout  = 45 * time.Second
	firstPause     = time.Second // before reconnecting, unless the server sets a delay
	maxPause       = 10 * time.Second
	maxEventLength = 16 << 20 // bytes
)

// Follow receives events until the context ends, and then returns nil. After an interruption it reconnects, possibly to
// another server, without losing or repeating an event. It returns the errors of Call that a retry cannot fix, and any
// error of the first connection.
func (c *Client) Follow(ctx context.Context, e Events) error {
	s := &eventStream{client: c, Events: e, pause: firstPause}
	for ctx.Err() == nil {
		err := s.connect(ctx)
		var ended callbackError
		if errors.As(err, &ended) {
			return ended.error
		}
		if ctx.Err() != nil {
			break
		}
		if !s.started || err != nil && !isTemporary(err) {
			return err
		}
		if err != nil && !s.away {
			s.away = true
			e.OnDisconnect(err)
		}
		if s.delays == nil {
			s.delays = retry.Policy{First: s.pause, Max: maxPause}.Delays()
		}
		s.delays.Wait(ctx)
	}
	return nil //nolint:nilerr // an ended context is not an error
}

// isTemporary reports whether a retry may fix an error.
func isTemporary(err error) bool {
	return apperr.Is(err, apperr.Unavailable) || apperr.Is(err, apperr.RateLimited) ||
		apperr.Is(err, apperr.QueryTimeout) || apperr.Is(err, apperr.Internal)
}

// callbackError is an error of a callback in Events.
type callbackError struct{ error }

type eventStream struct {
	client *Client
	Events
	last          string // id of the last event
	pause         time.Duration
	delays        *retry.Delays // delays since the last successful attempt; nil before the first
	started, away bool
}

// connect reads one stream to its end, which is not an error.
func (s *eventStream) connect(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	header := http.Header{"Accept": {"text/event-stream"}}
	if s.last != "" {
		header.Set("Last-Event-ID", s.last)
	}
	alive := time.AfterFunc(streamTimeout, cancel)
	defer alive.Stop()
	answer, err := s.client.Open(ctx, "/api/v1/events", s.Query, header)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.Header.Get("Content-Type") != "text/event-stream" {
		return s.client.notNomograph(answer)
	}
	s.started, s.away, s.delays = true, false, nil
	if s.OnOpen != nil {
		if err := s.OnOpen(); err != nil {
			return callbackError{err}
		}
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, maxEventLength)
	var id, data []byte
	for lines.Scan() {
		alive.Reset(streamTimeout)
		name, value, _ := bytes.Cut(lines.Bytes(), []byte(":"))
		value = bytes.Clone(bytes.TrimPrefix(value, []byte(" ")))
		switch string(name) {
		case "id":
			id = value
		case "data":
			data = value // the server writes data in one line
		case "retry":
			if ms, err := strconv.Atoi(string(value)); err == nil && ms > 0 {
				s.pause = min(time.Duration(ms)*time.Millisecond, maxPause)
			}
		case "":
			if len(lines.Bytes()) > 0 { // a comment serves as heartbeat
				continue
			}
			if err := s.dispatch(data); err != nil {
				return err
			}
			if id != nil {
				s.last = string(id)
			}
			id, data = nil, nil
		}
	}
	return nil // reconnect after an interrupted or ended stream
}

func (s *eventStream) dispatch(data []byte) error {
	if data == nil {
		return nil
	}
	var e events.Event
	if err := json.Unmarshal(data, &e); err != nil {
		return callbackError{apperr.New(apperr.Unavailable, "This version does not understand an event of the server").
			WithHint("Use the same version of nomograph on both sides").Because(err)}
	}
	if err := s.OnEvent(&e); err != nil {
		return callbackError{err}
	}
	return nil
}

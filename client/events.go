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

// Events is what a client that follows the events of a server wants to hear.
type Events struct {
	Query url.Values // which events: the parameters of /api/v1/events
	// Opened is called each time the stream was opened: what happens from then on is told. nil: nobody wants to know.
	Opened func() error
	// Tell is called with each event, once. An error of it ends all.
	Tell func(*events.Event) error
	// Away is called once when the server cannot be reached any more, and why; what happens meanwhile is told when it can.
	Away func(error)
}

const (
	silence        = 45 * time.Second // after which a stream is given up: the server says every 15 s that it lives
	firstPause     = time.Second      // before coming back, unless the server says how long
	maxPause       = 10 * time.Second
	maxEventLength = 16 << 20 // bytes
)

// Follow tells what happens at the server until the context ends, which is its good end. It comes back by itself after a break, also
// where another server answers then, and nothing is lost or told twice. It returns the errors of Call for what does not pass by
// waiting, and of the first try for anything.
func (c *Client) Follow(ctx context.Context, e Events) error {
	s := &following{client: c, Events: e, pause: firstPause}
	for ctx.Err() == nil {
		err := s.once(ctx)
		var ended stopped
		if errors.As(err, &ended) {
			return ended.error
		}
		if ctx.Err() != nil {
			break
		}
		if !s.begun || err != nil && !passes(err) {
			return err
		}
		if err != nil && !s.away {
			s.away = true
			e.Away(err)
		}
		if s.delays == nil {
			s.delays = retry.Policy{First: s.pause, Max: maxPause}.Delays()
		}
		s.delays.Wait(ctx)
	}
	return nil //nolint:nilerr // the end that was asked for is no error
}

// passes tells whether an error may be over when it is tried again.
func passes(err error) bool {
	return apperr.Is(err, apperr.Unavailable) || apperr.Is(err, apperr.RateLimited) || apperr.Is(err, apperr.QueryTimeout) || apperr.Is(err, apperr.Internal)
}

// stopped is an error of the listener's.
type stopped struct{ error }

type following struct {
	client *Client
	Events
	last        string // the id of the last event
	pause       time.Duration
	delays      *retry.Delays // between attempts since the last one that succeeded; nil before the first
	begun, away bool
}

// once follows one stream to its end, which is no error.
func (s *following) once(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	header := http.Header{"Accept": {"text/event-stream"}}
	if s.last != "" {
		header.Set("Last-Event-ID", s.last)
	}
	alive := time.AfterFunc(silence, cancel)
	defer alive.Stop()
	answer, err := s.client.Open(ctx, "/api/v1/events", s.Query, header)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.Header.Get("Content-Type") != "text/event-stream" {
		return s.client.stranger(answer)
	}
	s.begun, s.away, s.delays = true, false, nil
	if s.Opened != nil {
		if err := s.Opened(); err != nil {
			return stopped{err}
		}
	}
	lines := bufio.NewScanner(answer.Body)
	lines.Buffer(nil, maxEventLength)
	var id, data []byte
	for lines.Scan() {
		alive.Reset(silence)
		name, value, _ := bytes.Cut(lines.Bytes(), []byte(":"))
		value = bytes.Clone(bytes.TrimPrefix(value, []byte(" ")))
		switch string(name) {
		case "id":
			id = value
		case "data":
			data = value // in one line, as the server writes it
		case "retry":
			if ms, err := strconv.Atoi(string(value)); err == nil && ms > 0 {
				s.pause = min(time.Duration(ms)*time.Millisecond, maxPause)
			}
		case "":
			if len(lines.Bytes()) > 0 { // a comment: it lives
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
	return nil // it broke off or was ended: it is taken up again
}

func (s *following) dispatch(data []byte) error {
	if data == nil {
		return nil
	}
	var e events.Event
	if err := json.Unmarshal(data, &e); err != nil {
		return stopped{apperr.New(apperr.Unavailable, "This version does not understand an event of the server").WithHint("Use the same version of nomograph on both sides").Because(err)}
	}
	if err := s.Tell(&e); err != nil {
		return stopped{err}
	}
	return nil
}

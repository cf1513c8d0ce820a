package events

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"strings"
	"time"

	"nomograph/events"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/tools"
)

// Path is the path of the event stream.
const Path = "/api/v1/events"

// ForOFREP is the path of events in the format of OFREP.
const ForOFREP = Path + "?as=" + asOFREP

const (
	// heartbeat prevents proxies from closing an idle stream, and sends the client its position.
	heartbeat = 15 * time.Second
	// Clients reconnect after a random delay of one to three seconds, so that they do not all reconnect at the same
	// time.
	minPause, morePause = time.Second, 2 * time.Second
	// maxStreams and maxCallerStreams limit the open streams of one server and of one caller.
	maxStreams, maxCallerStreams = 2000, 500
)

// Server serves events.
type Server struct {
	runner    tools.Runner
	heartbeat time.Duration
	streams   *server.Streams
}

// New returns the endpoint.
func New(runner tools.Runner) *Server {
	return &Server{runner: runner, heartbeat: heartbeat, streams: server.NewStreams(maxStreams, maxCallerStreams)}
}

// Serve adds the endpoint to a server.
func (d *Server) Serve(s *server.Server) {
	s.Handle(Path, d)
}

// ServeHTTP sends events until the client disconnects.
func (d *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	server.Through("events", server.Only(http.MethodGet, d.serve)).ServeHTTP(w, r)
}

func (d *Server) serve(w http.ResponseWriter, r *http.Request) {
	ctx, end := server.LongLived(r.Context())
	defer end()
	asked, err := parseRequest(r)
	if err != nil {
		server.Refuse(w, r, err)
		return
	}
	leave, err := d.streams.Enter(caller.From(ctx))
	if err != nil {
		server.Refuse(w, r, err)
		return
	}
	defer leave()
	subscription, err := d.runner.Subscribe(ctx, asked.Filter, asked.after)
	if err != nil {
		if apperr.Is(err, apperr.NotFound) {
			err = server.WithStatus(http.StatusGone, err)
		}
		server.Refuse(w, r, err)
		return
	}
	defer subscription.Close()
	if isSocket(r) {
		d.overSocket(ctx, w, r, subscription)
		return
	}
	to := newStream(w, asked.ofrep)
	if err := to.begin(subscription.Position(), minPause+rand.N(morePause)); err != nil {
		return
	}
	_ = d.sendEvents(ctx, subscription, to) // the client sees the end of the stream and reconnects
}

// client is a connected client over either transport.
type client interface {
	// event sends an event. more is true if another one follows immediately.
	event(e *events.Event, position string, more bool) error
	// keepAlive sends a heartbeat with the client's position; "" if it is unknown.
	keepAlive(position string) error
}

// sendEvents sends the events of a subscription until the context ends, the client is gone or too slow, or the
// database cannot provide past events.
func (d *Server) sendEvents(ctx context.Context, s *events.Subscription, to client) error {
	for {
		wait, cancel := context.WithTimeout(ctx, d.heartbeat)
		e, position, err := s.Next(wait)
		idle := wait.Err() != nil
		cancel()
		switch {
		case err == nil:
			err = to.event(e, position, s.Waiting() > 0)
		case ctx.Err() != nil:
			return ctx.Err()
		case idle && !errors.Is(err, events.ErrSlow):
			err = to.keepAlive(s.Position())
		}
		if err != nil {
			return err
		}
	}
}

func isSocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

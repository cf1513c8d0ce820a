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

// Path is where events are told.
const Path = "/api/v1/events"

// ForOFREP is where they are told in the form of OFREP.
const ForOFREP = Path + "?as=" + asOFREP

const (
	// heartbeat keeps proxies from closing a stream that has nothing to tell, and tells the client how far it has come.
	heartbeat = 15 * time.Second
	// A client that lost its stream comes back after one to three seconds: not all of them at once when a server stops.
	minPause, morePause = time.Second, 2 * time.Second
	// maxStreams are open at one server, and of one caller.
	maxStreams, maxOfOne = 2000, 500
)

// Door tells of events.
type Door struct {
	runner    tools.Runner
	heartbeat time.Duration
	streams   *server.Streams
}

// New gives the door.
func New(runner tools.Runner) *Door {
	return &Door{runner: runner, heartbeat: heartbeat, streams: server.NewStreams(maxStreams, maxOfOne)}
}

// Serve puts the door into a server.
func (d *Door) Serve(s *server.Server) {
	s.Handle(Path, d)
}

// ServeHTTP tells whoever asks of events until they leave.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	server.Only(http.MethodGet, d.serve).ServeHTTP(w, r)
}

func (d *Door) serve(w http.ResponseWriter, r *http.Request) {
	who := caller.From(r.Context())
	who.Door = "events"
	ctx, end := server.Lasting(caller.With(r.Context(), who))
	defer end()
	asked, err := askedFor(r)
	if err != nil {
		server.Refuse(w, r, err)
		return
	}
	leave, err := d.streams.Enter(who)
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
	_ = d.tell(ctx, subscription, to) // that a stream has ended is how its client learns that it should come back
}

// client is one that is told, over whatever transport.
type client interface {
	// event tells of one; more tells that another follows at once.
	event(e *events.Event, position string, more bool) error
	// beat says that the stream lives, and how far the client has come; "" where that cannot be said.
	beat(position string) error
}

// tell tells a client what a subscription gives, until the context ends, the client is gone or too slow, or the database does not give
// what happened before.
func (d *Door) tell(ctx context.Context, s *events.Subscription, to client) error {
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
			err = to.beat(s.Position())
		}
		if err != nil {
			return err
		}
	}
}

func isSocket(r *http.Request) bool {
	return strings.EqualFold(r.Header.Get("Upgrade"), "websocket")
}

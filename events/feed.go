package events

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/policies/history"
)

// Feed publishes the events of one graph. One reader serves all subscribers; without subscribers nothing is read.
type Feed struct {
	graph   *graph.DB
	history *history.Store
	log     zerolog.Logger

	mu     sync.Mutex
	users  int
	reader *reader // nil without subscribers
}

// New returns the feed of a graph.
func New(db *graph.DB, history *history.Store, log zerolog.Logger) *Feed {
	return &Feed{graph: db, history: history, log: log}
}

// Query selects events for a subscriber.
type Query struct {
	Filter
	// Types are the selected types that the caller may see.
	Types []Type
	// After is the last event that the subscriber received; nil means from now on.
	After *Position
}

// Subscription delivers events to one subscriber. It is for one goroutine.
type Subscription struct {
	feed   *Feed
	query  Query
	caller caller.Caller
	reader *reader

	begin time.Time // earlier commits are replayed if requested; later events are queued
	queue chan *Event
	cut   chan struct{}             // closed when the queue was full
	heard atomic.Pointer[time.Time] // all visible events up to this time are in the queue

	track    track
	again    *replay                    // events before the subscription began; nil after the replay
	replayed map[eventPosition]struct{} // events sent by the replay that the reader may find, too
	leave    func()
}

// queueLength is the number of events queued for a slow subscriber. Events are shared, so each costs a pointer.
const queueLength = 1024

// Subscribe subscribes the caller in ctx. It returns unavailable if the database cannot be read, and not_found for a
// position that is too old. The subscription must be closed.
func (f *Feed) Subscribe(ctx context.Context, q Query) (*Subscription, error) {
	s := &Subscription{feed: f, query: q, caller: caller.From(ctx), queue: make(chan *Event, queueLength),
		cut: make(chan struct{})}
	s.reader = f.enter()
	s.leave = sync.OnceFunc(func() { f.exit(s) })
	if err := s.reader.join(ctx, s); err != nil {
		s.leave()
		return nil, err
	}
	if q.After != nil {
		if s.begin = *s.heard.Load(); s.begin.Sub(q.After.newest.at) > oldest {
			s.leave()
			return nil, apperr.Newf(apperr.NotFound, "Events after %s are no longer available",
				q.After.newest.at.Format(time.RFC3339)).
				WithHint("Events stay available for %d days. Read lists such as `list_decisions`, then connect without a Last-Event-ID", oldest/(24*time.Hour))
		}
		s.track = track{newest: q.After.newest}
		s.again, s.replayed = newReplay(*q.After), map[eventPosition]struct{}{}
	}
	return s, nil
}

// Close ends the subscription.
func (s *Subscription) Close() { s.leave() }

// ErrSlow is in the error of a subscription that ended because its subscriber did not read its events.
var ErrSlow = errors.New("the client read events too slowly")

func tooSlow() error {
	return apperr.New(apperr.Unavailable, "The client read events too slowly").
		WithHint("Connect again with the last event's id to get the missed events").Because(ErrSlow)
}

// Next returns the next event and the position after it. It returns ErrSlow, the reason why earlier events cannot be
// read, or the error of the context, after which it can be called again.
func (s *Subscription) Next(ctx context.Context) (*Event, string, error) {
	for s.again != nil {
		e, err := s.again.next(ctx, s)
		if err != nil {
			return nil, "", err
		}
		if e != nil {
			return e, s.track.String(), nil
		}
	}
	for {
		select { // queued events come before the end
		case <-s.cut:
			return nil, "", tooSlow()
		default:
		}
		select {
		case e := <-s.queue:
			if _, next := s.replayed[e.position()]; next {
				continue
			}
			s.track.add(e.position())
			return e, s.track.String(), nil
		case <-s.cut:
			return nil, "", tooSlow()
		case <-ctx.Done():
			return nil, "", ctx.Err()
		}
	}
}

// Position returns the current position, even if no selected event has occurred since; "" if it is not known yet.
func (s *Subscription) Position() string {
	if s.again != nil {
		return ""
	}
	if at := *s.heard.Load(); len(s.queue) == 0 {
		s.track.reach(at)
		for m := range s.replayed {
			if !m.at.After(at.Add(-maxCommitDelay)) {
				delete(s.replayed, m)
			}
		}
	}
	return s.track.String()
}

// Waiting returns the number of queued events.
func (s *Subscription) Waiting() int {
	if s.again != nil {
		return len(s.again.ready) + len(s.queue)
	}
	return len(s.queue)
}

// wants reports whether the query selects an event.
func (s *Subscription) wants(e *Event) bool {
	for _, t := range s.query.Types {
		if t.Name == e.Type {
			return e.visible(s.caller) && s.query.passes(e)
		}
	}
	return false
}

func (s *Subscription) kinds() map[string]bool {
	kinds := map[string]bool{}
	for _, t := range s.query.Types {
		kinds[t.Kind] = true
	}
	return kinds
}

// offer queues an event. A subscriber with a full queue is disconnected; it continues from its position when it
// reconnects.
func (s *Subscription) offer(e *Event) (taken bool) {
	select {
	case s.queue <- e:
		return true
	default:
		close(s.cut)
		return false
	}
}

func (f *Feed) enter() *reader {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users++; f.reader == nil {
		f.reader = f.start()
	}
	return f.reader
}

func (f *Feed) exit(s *Subscription) {
	s.reader.remove(s)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.users--; f.users == 0 {
		f.reader.end()
		f.reader = nil
	}
}

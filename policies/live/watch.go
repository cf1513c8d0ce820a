package live

import (
	"context"
	"sync"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
)

// lookTimeout is the timeout of one poll; a connection that hangs counts as lost.
const lookTimeout = 10 * time.Second

// Watcher notifies subscribers of changes of policies and thresholds, whoever made them. One poller serves all
// subscribers and runs only while there are any: it waits for commits (graph.DB.CommitNotifications) and then reads what
// is watched, in one statement. It needs no stored state.
type Watcher struct {
	store *Store
	now   func() time.Time

	mu          sync.Mutex
	subscribers map[*subscriber]struct{}
	poller      *poller // nil without subscribers
}

// NewWatcher returns the watcher of a graph, which is idle without subscribers.
func NewWatcher(store *Store) *Watcher {
	return &Watcher{store: store, now: time.Now, subscribers: map[*subscriber]struct{}{}}
}

// subscriber receives observations. Its channel holds the newest unread observation, so that a slow subscriber blocks
// nobody and still gets the last state.
type subscriber struct {
	target  Watched
	changes chan Observation
	state   string // what it was told last; "" before the first reading
	away    bool   // was notified that the database is away
}

// tell must be called with the watcher's lock held, so that only the goroutine that drains the channel refills it.
func (s *subscriber) tell(o Observation) {
	select {
	case <-s.changes:
	default:
	}
	s.changes <- o
}

// Subscribe returns the current observation of a name, and then one for each change: another node, none, or several.
// While the database is away there is one observation of that, and a new one when it is back. Newer observations replace
// unread ones. cancel ends the subscription and closes the channel; it can be called more than once.
func (w *Watcher) Subscribe(target Watched) (changes <-chan Observation, cancel func()) {
	s := &subscriber{target: target, changes: make(chan Observation, 1)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subscribers[s] = struct{}{}
	if w.poller == nil {
		w.poller = w.start()
	}
	w.poller.hurry()
	return s.changes, sync.OnceFunc(func() { w.leave(s) })
}

func (w *Watcher) leave(s *subscriber) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.subscribers, s)
	close(s.changes)
	if len(w.subscribers) == 0 {
		w.poller.end()
		w.poller = nil
	}
}

// poller is the goroutine that polls the database.
type poller struct {
	watcher *Watcher
	known   bool // the last read is not older than the last notification
	wake    chan struct{}
	end     context.CancelFunc
	done    chan struct{}
}

func (w *Watcher) start() *poller {
	ctx, end := context.WithCancel(graph.Operation(context.Background(), "watch", "watcher"))
	p := &poller{watcher: w, wake: make(chan struct{}, 1), end: end, done: make(chan struct{})}
	go p.poll(ctx)
	return p
}

// hurry makes the poller poll immediately.
func (p *poller) hurry() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *poller) poll(ctx context.Context) {
	defer close(p.done)
	beats, stop := p.watcher.store.graph.CommitNotifications("SYS_Change")
	defer stop()
	for {
		var beat graph.CommitNotification
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		case beat = <-beats:
		}
		err := beat.Err
		if p.known = p.known && !beat.Moved; err == nil {
			err = p.look(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			p.known = false
			p.away(err)
		}
	}
}

// look reads what is watched if anything was committed since the last poll, or a subscriber waits for its first
// observation. Manual edits are recorded in the history.
func (p *poller) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	targets, news := p.targets()
	if !news && p.known {
		return nil
	}
	seen, unrecorded, err := p.watcher.store.observe(ctx, targets, p.watcher.now)
	if err != nil {
		return err
	}
	p.known = true // later commits cause another notification
	p.tell(seen)
	// A user with read access cannot record them; the next check does.
	if err := p.watcher.store.history.RecordObserved(ctx, unrecorded); err != nil && !apperr.Is(err, apperr.PermissionDenied) {
		return err
	}
	return nil
}

// targets returns what is watched, and whether any subscriber waits for its first observation.
func (p *poller) targets() (targets map[Watched]struct{}, waits bool) {
	w := p.watcher
	w.mu.Lock()
	defer w.mu.Unlock()
	targets = map[Watched]struct{}{}
	for s := range w.subscribers {
		targets[s.target] = struct{}{}
		waits = waits || s.state == "" || s.away
	}
	return targets, waits
}

// tell passes new observations to subscribers.
func (p *poller) tell(seen map[Watched]Observation) {
	p.each(func(s *subscriber) {
		o, read := seen[s.target]
		if !read { // subscribed after the read began
			return
		}
		state := o.state()
		if s.state != state || s.away {
			s.tell(o)
		}
		s.state, s.away = state, false
	})
}

// away notifies all subscribers once that the database cannot be read.
func (p *poller) away(err error) {
	o := Observation{At: p.watcher.now().UTC(), Err: err, Away: true}
	p.each(func(s *subscriber) {
		if !s.away {
			s.tell(o)
		}
		s.away = true
	})
}

// each visits the subscribers, unless another poller has replaced this one, whose data would be outdated.
func (p *poller) each(visit func(s *subscriber)) {
	w := p.watcher
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.poller != p {
		return
	}
	for s := range w.subscribers {
		visit(s)
	}
}

package live

import (
	"context"
	"sync"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
)

// lookTimeout is for one look; a connection that hangs is as good as away.
const lookTimeout = 10 * time.Second

// Watcher tells its subscribers when a policy or threshold changes, whoever changed it. However many they are, one poller
// serves them, and it runs only while there are any: it hears of commits (graph.DB.Beats), and only then
// reads what is watched, in one statement. Nothing of it needs to outlive the process.
type Watcher struct {
	store *Store
	now   func() time.Time

	mu          sync.Mutex
	subscribers map[*subscriber]struct{}
	poller      *poller // nil while there are no subscribers
}

// NewWatcher gives the watcher of a graph. It does nothing until somebody subscribes.
func NewWatcher(store *Store) *Watcher {
	return &Watcher{store: store, now: time.Now, subscribers: map[*subscriber]struct{}{}}
}

// subscriber is one that is told. Its channel holds the newest observation that it has not taken yet, so that a slow one
// keeps nobody waiting and still learns the last state.
type subscriber struct {
	target  Watched
	changes chan Observation
	state   string // what it was told last; "" before the first reading
	away    bool   // whether it was told that the database is away
}

// tell must be called under the watcher's lock: whoever empties the channel is then the one who fills it.
func (s *subscriber) tell(o Observation) {
	select {
	case <-s.changes:
	default:
	}
	s.changes <- o
}

// Subscribe gives what the name stands for now, and then an observation at each change: another node, none any more, one
// again, or several. While the database is away there is one observation of that, and a fresh one when it is back.
// Observations that were not taken in time give way to newer ones. cancel ends it, closes the channel, and may be called
// more than once.
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

// poller is the one goroutine that asks the database.
type poller struct {
	watcher *Watcher
	known   bool // what was read last is not older than the last beat
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

// hurry has the poller look now rather than at the end of its pause.
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

// look reads what is watched if anything was committed since the last look, or somebody waits for a first reading. What
// was changed past Nomograph is recorded in the history.
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
	p.known = true // what was committed meanwhile makes another beat
	p.tell(seen)
	// Whoever watches may only read: then the next check records it.
	if err := p.watcher.store.history.RecordObserved(ctx, unrecorded); err != nil && !apperr.Is(err, apperr.PermissionDenied) {
		return err
	}
	return nil
}

// targets are what is watched, and whether any subscriber waits for a reading.
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

// tell hands what was seen to those for whom it is news.
func (p *poller) tell(seen map[Watched]Observation) {
	p.each(func(s *subscriber) {
		o, read := seen[s.target]
		if !read { // it came after the question
			return
		}
		state := o.state()
		if s.state != state || s.away {
			s.tell(o)
		}
		s.state, s.away = state, false
	})
}

// away tells everybody once that the database cannot be read.
func (p *poller) away(err error) {
	o := Observation{At: p.watcher.now().UTC(), Err: err, Away: true}
	p.each(func(s *subscriber) {
		if !s.away {
			s.tell(o)
		}
		s.away = true
	})
}

// each visits the subscribers, unless another poller has taken over: what this one still knows would be out of date.
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

package live

import (
	"context"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/policies"
	"nomograph/policies/rule"
)

// pollTimeout is the timeout of one poll; a connection that hangs counts as lost.
const pollTimeout = 10 * time.Second

// Watcher notifies subscribers of changes of policies and thresholds by anyone. One poller serves all
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
	state   string // last state that was sent to it; "" before the first read
	away    bool   // was notified that the database is away
}

// notify must be called with the watcher's lock held, so that only the goroutine that drains the channel refills it.
func (s *subscriber) notify(o Observation) {
	select {
	case <-s.changes:
	default:
	}
	s.changes <- o
}

// Subscribe returns the current observation of a name, and then an observation for each change: a different node, no
// node, or several nodes. If the database becomes unavailable, one observation says so, and a new one follows when it
// is back. Newer observations replace unread ones. cancel ends the subscription and closes the channel; it can be
// called more than once.
func (w *Watcher) Subscribe(target Watched) (changes <-chan Observation, cancel func()) {
	s := &subscriber{target: target, changes: make(chan Observation, 1)}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.subscribers[s] = struct{}{}
	if w.poller == nil {
		w.poller = w.start()
	}
	w.poller.pollNow()
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
	known   bool // the last read is at least as new as the last notification
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

// pollNow makes the poller poll immediately.
func (p *poller) pollNow() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

func (p *poller) poll(ctx context.Context) {
	defer close(p.done)
	notifications, stop := p.watcher.store.graph.CommitNotifications("SYS_Change")
	defer stop()
	for {
		var notification graph.CommitNotification
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		case notification = <-notifications:
		}
		err := notification.Err
		if p.known = p.known && !notification.Moved; err == nil {
			err = p.readWatched(ctx)
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			p.known = false
			p.notifyUnavailable(err)
		}
	}
}

// readWatched reads what is watched if anything was committed since the last poll, or a subscriber waits for its first
// observation. Manual edits are recorded in the history.
func (p *poller) readWatched(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pollTimeout)
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
	p.notify(seen)
	// A user with read access cannot record manual edits. The next check records them.
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

// notify passes new observations to subscribers.
func (p *poller) notify(seen map[Watched]Observation) {
	p.each(func(s *subscriber) {
		o, read := seen[s.target]
		if !read { // subscribed after the read began
			return
		}
		state := o.state()
		if s.state != state || s.away {
			s.notify(o)
		}
		s.state, s.away = state, false
	})
}

// notifyUnavailable notifies each subscriber that the database cannot be read, once per outage.
func (p *poller) notifyUnavailable(err error) {
	o := Observation{At: p.watcher.now().UTC(), Err: err, Away: true}
	p.each(func(s *subscriber) {
		if !s.away {
			s.notify(o)
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

// Watched identifies what a subscriber watches.
type Watched struct {
	Kind  string // KindPolicy or KindThreshold
	Name  string
	Scope string // prefer the node for this scope; may be empty
}

// Observation is the result of reading a name: a node, or the error of a read: not_found, or a conflict for a duplicate
// name. If Away is true the database could not be read, and Err says why.
type Observation struct {
	At   time.Time // when this process read the node, in UTC
	Node policies.Node
	Err  error
	Away bool
}

// Same reports whether two observations are equal for a reader.
func (o Observation) Same(other Observation) bool { return o.state() == other.state() }

// state is equal for two observations without a visible difference.
func (o Observation) state() string {
	if o.Away {
		return "away"
	}
	if o.Err != nil {
		f := apperr.From(o.Err)
		return string(f.Code) + ": " + f.Message
	}
	return o.Node.Reading.Source + " " + o.Node.Reading.Version
}

// observe reads all targets in one statement, each as Policy or Threshold does. It also returns the element ids of
// manual edits.
func (s *Store) observe(ctx context.Context, targets map[Watched]struct{}, now func() time.Time) (seen map[Watched]Observation, unrecorded []string, err error) {
	names := map[string][]string{policies.KindPolicy: {}, policies.KindThreshold: {}}
	for t := range targets {
		names[t.Kind] = append(names[t.Kind], policies.NamesFor(t.Name, t.Scope)...)
	}
	rows, err := graph.All[struct {
		Kind, ID, Recorded string
		Properties         map[string]any
		Links              []any
	}](ctx, s.graph, cypher.WatchedNodes, graph.Params{"policies": names[policies.KindPolicy], "thresholds": names[policies.KindThreshold]})
	if err != nil {
		return nil, nil, err
	}
	called := map[[2]string][]policies.Stored{} // by kind and name
	for _, row := range rows {
		name, _ := row.Properties["name"].(string) // one of the requested names
		key := [2]string{row.Kind, name}
		called[key] = append(called[key], policies.Stored{ID: row.ID, Properties: row.Properties, Links: row.Links})
		if row.Recorded != policies.Version(row.Properties, graph.Texts(row.Links)) {
			unrecorded = append(unrecorded, row.ID)
		}
	}
	at := now().UTC()
	seen = make(map[Watched]Observation, len(targets))
	for t := range targets {
		var found []policies.Stored
		for _, name := range policies.NamesFor(t.Name, t.Scope) {
			found = append(found, called[[2]string{t.Kind, name}]...)
		}
		seen[t] = t.pick(found, at)
	}
	return seen, unrecorded, nil
}

// pick returns the observation of the target from the nodes with its names.
func (t Watched) pick(found []policies.Stored, at time.Time) Observation {
	node, source, err := policies.Pick(policies.LabelsOfKinds[t.Kind], t.Name, t.Scope, found)
	switch {
	case err != nil:
		return Observation{At: at, Err: err}
	case node == nil:
		return Observation{At: at, Err: apperr.Newf(apperr.NotFound, "%s node '%s' not found", policies.LabelsOfKinds[t.Kind], t.Name).
			WithHint("It was removed or renamed. Watchers are notified if it returns")}
	}
	reading := node.Node(source, t.Scope)
	if t.Kind == policies.KindPolicy {
		reading = rule.WithEffect(reading, graph.Texts(node.Links))
	}
	return Observation{At: at, Node: reading}
}

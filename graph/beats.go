package graph

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	pollInterval      = time.Second      // between two looks at the pulse: what others commit is told after this
	maxConnectBackoff = 10 * time.Second // between two, while the database is away
	pollTimeout       = 10 * time.Second // for one; a connection that hangs is as good as away
)

// CommitNotification says that the database was asked whether anything was committed, or that this process committed something.
type CommitNotification struct {
	// Asked is this machine's clock before it was asked: whatever was committed by then shows to who reads now.
	Asked time.Time
	// Moved tells that something was committed since the last beat, or that this is not known.
	Moved bool
	// Here tells that this process committed it just now, and nobody asked the database.
	Here bool
	// Err is why the database could not be asked.
	Err error
}

// and puts two beats that nobody took in between into one.
func (b CommitNotification) and(later CommitNotification) CommitNotification {
	later.Moved = later.Moved || b.Moved
	later.Here = later.Here && b.Here
	return later
}

// commitPoller tells its listeners of commits. One goroutine asks for the pulse for all of them, while there are any.
type commitPoller struct {
	mu        sync.Mutex
	listeners map[*listener]struct{}
	end       context.CancelFunc
}

type listener struct {
	beats  chan CommitNotification
	labels []string
}

// tell must be called under the lock: whoever empties the channel is then the one who fills it.
func (l *listener) tell(b CommitNotification) {
	select {
	case before := <-l.beats:
		b = before.and(b)
	default:
	}
	l.beats <- b
}

// CommitNotifications gives a beat each second, and one at once when this process commits something that makes a node of one of the labels (of
// those in cypher.EventLabels). Beats that were not taken in time become one. However many listen, the database is asked once a second; the
// first beat comes without a pause. stop ends it and may be called more than once.
func (db *DB) CommitNotifications(labels ...string) (_ <-chan CommitNotification, stop func()) {
	l := &listener{beats: make(chan CommitNotification, 1), labels: labels}
	b := &db.beats
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listeners == nil {
		b.listeners = map[*listener]struct{}{}
	}
	b.listeners[l] = struct{}{}
	l.tell(CommitNotification{Asked: time.Now(), Moved: true})
	if b.end == nil {
		ctx, end := context.WithCancel(Operation(db.life, "watch", "pulse"))
		b.end = end
		db.background.Go(func() { b.follow(ctx, db) })
	}
	return l.beats, sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if delete(b.listeners, l); len(b.listeners) == 0 {
			b.end()
			b.end = nil
		}
	})
}

// follow asks for the pulse until the context ends.
func (b *commitPoller) follow(ctx context.Context, db *DB) {
	pause, last, asked := pollInterval, "", time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(asked.Add(pause))):
		}
		asked = time.Now()
		patience, cancel := context.WithTimeout(ctx, pollTimeout)
		pulse, err := db.PollCommits(patience)
		cancel()
		pause = pollInterval
		if err != nil {
			pulse, pause = "", min(2*pause, maxConnectBackoff)
		}
		b.each(ctx, nil, CommitNotification{Asked: asked, Moved: pulse == "" || pulse != last, Err: err})
		last = pulse
	}
}

// each tells those who listen for a label, or everybody, unless the follower who tells has been replaced by another.
func (b *commitPoller) each(ctx context.Context, labels []string, beat CommitNotification) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	for l := range b.listeners {
		if labels == nil || slices.ContainsFunc(labels, func(label string) bool { return slices.Contains(l.labels, label) }) {
			l.tell(beat)
		}
	}
}

// wrote tells that this process committed nodes of these labels.
func (db *DB) wrote(ctx context.Context, labels []string) {
	if len(labels) > 0 {
		db.beats.each(context.WithoutCancel(ctx), labels, CommitNotification{Asked: time.Now(), Moved: true, Here: true})
	}
}

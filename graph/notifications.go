package graph

import (
	"context"
	"slices"
	"sync"
	"time"
)

const (
	pollInterval      = time.Second      // between two polls: commits of others are noticed after this
	maxConnectBackoff = 10 * time.Second // between two polls while the database is away
	pollTimeout       = 10 * time.Second // limit for one poll
)

// CommitNotification says that the database was polled for commits, or that this process committed something.
type CommitNotification struct {
	// Asked is this machine's clock before the poll: everything committed by then is visible to later reads.
	Asked time.Time
	// Moved means that something was committed since the last notification, or that this is unknown.
	Moved bool
	// Here means that this process has just committed, and the database was not polled.
	Here bool
	// Err is the error of the poll.
	Err error
}

// merge merges two notifications that were not read in between.
func (b CommitNotification) merge(later CommitNotification) CommitNotification {
	later.Moved = later.Moved || b.Moved
	later.Here = later.Here && b.Here
	return later
}

// commitPoller notifies listeners of commits. One goroutine polls for all of them, while there are any.
type commitPoller struct {
	mu        sync.Mutex
	listeners map[*listener]struct{}
	end       context.CancelFunc
}

type listener struct {
	notifications chan CommitNotification
	labels        []string
}

// notify must be called with the lock held, so that nothing else fills the channel after it was drained.
func (l *listener) notify(b CommitNotification) {
	select {
	case before := <-l.notifications:
		b = before.merge(b)
	default:
	}
	l.notifications <- b
}

// CommitNotifications returns a channel with a notification each second, and immediately when this process commits a
// node with one of the labels (of cypher.EventLabels). Unread notifications are merged. The database is polled once a
// second, however many listeners there are; the first notification comes without a delay. stop ends it and can be
// called more than once.
func (db *DB) CommitNotifications(labels ...string) (_ <-chan CommitNotification, stop func()) {
	l := &listener{notifications: make(chan CommitNotification, 1), labels: labels}
	b := &db.commits
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.listeners == nil {
		b.listeners = map[*listener]struct{}{}
	}
	b.listeners[l] = struct{}{}
	l.notify(CommitNotification{Asked: time.Now(), Moved: true})
	if b.end == nil {
		ctx, end := context.WithCancel(Operation(db.life, "watch", "poll"))
		b.end = end
		db.background.Go(func() { b.follow(ctx, db) })
	}
	return l.notifications, sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		if delete(b.listeners, l); len(b.listeners) == 0 {
			b.end()
			b.end = nil
		}
	})
}

// follow polls until the context ends.
func (b *commitPoller) follow(ctx context.Context, db *DB) {
	pause, last, asked := pollInterval, "", time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Until(asked.Add(pause))):
		}
		asked = time.Now()
		timed, cancel := context.WithTimeout(ctx, pollTimeout)
		bookmark, err := db.PollCommits(timed)
		cancel()
		pause = pollInterval
		if err != nil {
			bookmark, pause = "", min(2*pause, maxConnectBackoff)
		}
		b.each(ctx, nil, CommitNotification{Asked: asked, Moved: bookmark == "" || bookmark != last, Err: err})
		last = bookmark
	}
}

// each notifies the listeners of a label, or all, unless another poller has replaced the calling one.
func (b *commitPoller) each(ctx context.Context, labels []string, notification CommitNotification) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	for l := range b.listeners {
		if labels == nil || slices.ContainsFunc(labels,
			func(label string) bool { return slices.Contains(l.labels, label) }) {
			l.notify(notification)
		}
	}
}

// wrote reports that this process committed nodes with these labels.
func (db *DB) wrote(ctx context.Context, labels []string) {
	if len(labels) > 0 {
		db.commits.each(context.WithoutCancel(ctx), labels,
			CommitNotification{Asked: time.Now(), Moved: true, Here: true})
	}
}

package counters

import (
	"context"
	"sync"
	"time"

	"nomograph/graph"
)

const (
	countSettle       = 300 * time.Millisecond // decisions that change at once are counted at once
	shortestCountWait = time.Second            // after counting failed; doubled each time
	countTries        = 6                      // in a row; then whoever writes or asks next tries again
	lastCount         = 3 * time.Second        // what the end of the process waits
)

// counter keeps the cells of calibration up to date with the decisions of one graph. Whatever changes a decision marks it
// Uncounted in its own transaction, so nothing is lost where a process ends before it has counted: the next one to count
// finds the marks. It is safe for concurrent use, also by several processes on one graph. Nothing runs while nothing changes.
type counter struct {
	db    *graph.DB
	turn  chan struct{} // held by whoever counts
	limit int           // decisions of the next transaction; of who has the turn

	closing chan struct{}
	life    context.Context
	end     context.CancelFunc

	mu      sync.Mutex
	woken   bool          // since the counting under way began
	running chan struct{} // closed when it ends; nil while there is none
	closed  bool
}

func newCounter(db *graph.DB) *counter {
	life, end := context.WithCancel(context.Background())
	return &counter{db: db, turn: make(chan struct{}, 1), limit: foldedFirst, closing: make(chan struct{}), life: life, end: end}
}

// Wake says that decisions were marked. They are counted in the background, within a second.
func (c *counter) Wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.woken = true; c.closed || c.running != nil {
		return
	}
	c.running = make(chan struct{})
	go c.keepUp(c.running)
}

// Close waits until the counting under way has come to the end of its transaction, or ctx ends. What is left is counted by
// whoever counts next.
func (c *counter) Close(ctx context.Context) {
	c.mu.Lock()
	if !c.closed {
		c.closed = true
		close(c.closing)
	}
	running := c.running
	c.mu.Unlock()
	if running != nil {
		ctx, cancel := context.WithTimeout(ctx, lastCount)
		defer cancel()
		select {
		case <-running:
		case <-ctx.Done():
		}
	}
	c.end()
	if running != nil {
		<-running
	}
}

// keepUp counts until nobody has woken it meanwhile.
func (c *counter) keepUp(running chan struct{}) {
	defer close(running)
	for wait, failed := countSettle, 0; ; {
		c.pause(wait)
		c.mu.Lock()
		c.woken = false
		c.mu.Unlock()
		started := time.Now()
		more, err := c.once(c.life)
		took := time.Since(started)
		switch failed++; {
		case err != nil:
			wait = shortestCountWait << (failed - 1)
		case more:
			wait, failed = 0, 0
		default: // half of the time is left to others
			wait, failed = max(countSettle, took), 0
		}
		if c.rests(err != nil && failed == countTries, err == nil && !more) {
			return
		}
	}
}

// rests ends the counting where nothing is left to do, or it failed for good.
func (c *counter) rests(failed, done bool) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || failed || done && !c.woken {
		c.running = nil
		return true
	}
	return false
}

func (c *counter) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-c.closing:
	}
}

// once counts what fits into a transaction, and tells whether there may be more.
func (c *counter) once(ctx context.Context) (more bool, err error) {
	select {
	case c.turn <- struct{}{}:
		defer func() { <-c.turn }()
	case <-ctx.Done():
		return false, graph.Fault(ctx.Err())
	}
	next, err := c.fold(ctx, c.limit)
	c.limit = max(next, foldedFirst)
	return next > 0, err
}

// Drain counts all decisions that are marked, now. It returns an unavailable fault where the database does not answer.
func (c *counter) Drain(ctx context.Context) error {
	for {
		if more, err := c.once(ctx); err != nil || !more {
			return err
		}
	}
}

// Wake has what changed counted in the background, such as what another process marked before it was stopped.
func (s *Store) Wake() { s.counter.Wake() }

// Close finishes what the store counts behind answers.
func (s *Store) Close(ctx context.Context) { s.counter.Close(ctx) }

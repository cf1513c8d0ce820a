// Package worker does work behind answers: one thing after another while there is any, again and ever later where it failed, and nothing at all
// while nobody wakes it.
package worker

import (
	"cmp"
	"context"
	"sync"
	"time"
)

const (
	usualSettle  = 300 * time.Millisecond // what is woken for at once is done at once
	shortestWait = time.Second            // after it failed; doubled each time
	tries        = 6                      // in a row; then whoever wakes it next tries again
	last         = 3 * time.Second        // what the end of the process waits
)

// Work is done by a function that does some of it and tells whether there may be more. It is safe for concurrent use.
type Work struct {
	// Leave has Close leave to others what has not begun.
	Leave bool
	// Settle is how long the work waits for what else is woken for; 0 means 300 ms. It is set before the first Wake.
	Settle time.Duration
	// Rest, where there is one, waits at most so long before the next of what came meanwhile, or until stop is closed.
	Rest func(most time.Duration, stop <-chan struct{})

	some func(ctx context.Context) (more bool, err error)
	turn chan struct{} // held by whoever works

	closing chan struct{}
	life    context.Context
	end     context.CancelFunc

	mu      sync.Mutex
	woken   bool          // since what is under way began
	running chan struct{} // closed when it ends; nil while there is none
	closed  bool
}

// New gives work that is not under way.
func New(some func(ctx context.Context) (more bool, err error)) *Work {
	life, end := context.WithCancel(context.Background())
	return &Work{some: some, turn: make(chan struct{}, 1), closing: make(chan struct{}), life: life, end: end}
}

// Wake says that there is work. It is begun within a second.
func (w *Work) Wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.woken = true; w.closed || w.running != nil {
		return
	}
	w.running = make(chan struct{})
	go w.keepUp(w.running)
}

// Close waits until what is under way has come to the end of a part, or ctx ends.
func (w *Work) Close(ctx context.Context) {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.closing)
	}
	running := w.running
	w.mu.Unlock()
	if running != nil {
		ctx, cancel := context.WithTimeout(ctx, last)
		defer cancel()
		select {
		case <-running:
		case <-ctx.Done():
		}
	}
	w.end()
	if running != nil {
		<-running
	}
}

// keepUp works until nobody has woken it meanwhile.
func (w *Work) keepUp(running chan struct{}) {
	defer close(running)
	pause := w.pause
	for wait, failed := w.settle(), 0; ; {
		closing := pause(wait)
		pause = w.pause
		w.mu.Lock()
		w.woken = false
		if closing && w.Leave {
			w.running = nil
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		started := time.Now()
		more, err := w.once(w.life)
		took := time.Since(started)
		switch failed++; {
		case err != nil:
			wait = shortestWait << (failed - 1)
		case more:
			wait, failed = 0, 0
		default: // half of the time is left to others
			wait, failed = max(w.settle(), took), 0
			if w.Rest != nil {
				pause = w.rest
			}
		}
		if w.rests(err != nil && failed == tries, err == nil && !more) {
			return
		}
	}
}

func (w *Work) settle() time.Duration { return cmp.Or(w.Settle, usualSettle) }

// rests ends the work where nothing is left to do, or it failed for good.
func (w *Work) rests(failed, done bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || failed || done && !w.woken {
		w.running = nil
		return true
	}
	return false
}

// pause tells whether the end came first.
func (w *Work) pause(d time.Duration) (closing bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return false
	case <-w.closing:
		return true
	}
}

// rest is a pause that is over as soon as nobody needs it.
func (w *Work) rest(most time.Duration) (closing bool) {
	w.Rest(most, w.closing)
	return w.pause(0)
}

// once does some of the work, alone.
func (w *Work) once(ctx context.Context) (more bool, err error) {
	select {
	case w.turn <- struct{}{}:
		defer func() { <-w.turn }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return w.some(ctx)
}

// Drain does all of the work, now. It returns the function's error, or that of ctx.
func (w *Work) Drain(ctx context.Context) error {
	for {
		if more, err := w.once(ctx); err != nil || !more {
			return err
		}
	}
}

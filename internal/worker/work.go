// Package worker runs work in the background: item by item while there is any, with growing delays after failures, and
// idle until it is woken.
package worker

import (
	"cmp"
	"context"
	"sync"
	"time"
)

const (
	defaultDebounce = 300 * time.Millisecond // what is woken for at once is done at once
	initialBackoff  = time.Second            // after it failed; doubled each time
	maxAttempts     = 6                      // in a row; then whoever wakes it next tries again
	closeTimeout    = 3 * time.Second        // what the end of the process waits
)

// Worker is done by a function that does some of it and tells whether there may be more. It is safe for concurrent use.
type Worker struct {
	// SkipPendingOnClose has Close leave to others what has not begun.
	SkipPendingOnClose bool
	// Debounce is how long the work waits for what else is woken for; 0 means 300 ms. It is set before the first Wake.
	Debounce time.Duration
	// Rest, where there is one, waits at most so long before the next of what came meanwhile, or until stop is closed.
	WaitUntilIdle func(most time.Duration, stop <-chan struct{})

	step  func(ctx context.Context) (more bool, err error)
	token chan struct{} // held by whoever works

	closing chan struct{}
	ctx     context.Context
	cancel  context.CancelFunc

	mu      sync.Mutex
	woken   bool          // since what is under way began
	running chan struct{} // closed when it ends; nil while there is none
	closed  bool
}

// New gives work that is not under way.
func New(some func(ctx context.Context) (more bool, err error)) *Worker {
	life, end := context.WithCancel(context.Background())
	return &Worker{step: some, token: make(chan struct{}, 1), closing: make(chan struct{}), ctx: life, cancel: end}
}

// Wake says that there is work. It is begun within a second.
func (w *Worker) Wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.woken = true; w.closed || w.running != nil {
		return
	}
	w.running = make(chan struct{})
	go w.run(w.running)
}

// Close waits until what is under way has come to the end of a part, or ctx ends.
func (w *Worker) Close(ctx context.Context) {
	w.mu.Lock()
	if !w.closed {
		w.closed = true
		close(w.closing)
	}
	running := w.running
	w.mu.Unlock()
	if running != nil {
		ctx, cancel := context.WithTimeout(ctx, closeTimeout)
		defer cancel()
		select {
		case <-running:
		case <-ctx.Done():
		}
	}
	w.cancel()
	if running != nil {
		<-running
	}
}

// run works until nobody has woken it meanwhile.
func (w *Worker) run(running chan struct{}) {
	defer close(running)
	pause := w.pause
	for wait, failed := w.debounce(), 0; ; {
		closing := pause(wait)
		pause = w.pause
		w.mu.Lock()
		w.woken = false
		if closing && w.SkipPendingOnClose {
			w.running = nil
			w.mu.Unlock()
			return
		}
		w.mu.Unlock()
		started := time.Now()
		more, err := w.runOnce(w.ctx)
		took := time.Since(started)
		switch failed++; {
		case err != nil:
			wait = initialBackoff << (failed - 1)
		case more:
			wait, failed = 0, 0
		default: // half of the time is left to others
			wait, failed = max(w.debounce(), took), 0
			if w.WaitUntilIdle != nil {
				pause = w.waitUntilIdle
			}
		}
		if w.stopIfDone(err != nil && failed == maxAttempts, err == nil && !more) {
			return
		}
	}
}

func (w *Worker) debounce() time.Duration { return cmp.Or(w.Debounce, defaultDebounce) }

// stopIfDone ends the work where nothing is left to do, or it failed for good.
func (w *Worker) stopIfDone(failed, done bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || failed || done && !w.woken {
		w.running = nil
		return true
	}
	return false
}

// pause tells whether the end came first.
func (w *Worker) pause(d time.Duration) (closing bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return false
	case <-w.closing:
		return true
	}
}

// waitUntilIdle is a pause that is over as soon as nobody needs it.
func (w *Worker) waitUntilIdle(most time.Duration) (closing bool) {
	w.WaitUntilIdle(most, w.closing)
	return w.pause(0)
}

// runOnce does some of the work, alone.
func (w *Worker) runOnce(ctx context.Context) (more bool, err error) {
	select {
	case w.token <- struct{}{}:
		defer func() { <-w.token }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return w.step(ctx)
}

// Drain does all of the work, now. It returns the function's error, or that of ctx.
func (w *Worker) Drain(ctx context.Context) error {
	for {
		if more, err := w.runOnce(ctx); err != nil || !more {
			return err
		}
	}
}

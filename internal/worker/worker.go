// Package worker runs work in the background: step by step while there is any, with growing delays after failures, and
// idle until it is woken.
package worker

import (
	"cmp"
	"context"
	"sync"
	"time"

	"nomograph/internal/retry"
)

const (
	defaultDebounce = 300 * time.Millisecond // wakes in this time are handled together
	maxAttempts     = 6                      // consecutive failures, after which the worker is idle until the next Wake
	closeTimeout    = 3 * time.Second
	othersShare     = 4 // pause after work, as a multiple of its duration
	maxPause        = 5 * time.Second
)

// delays are the delays between attempts after failures.
var delays = retry.Policy{First: time.Second, Max: time.Minute}

// Worker calls a function that does one step and reports whether there may be more. It is safe for concurrent use. Its
// fields are set before the first Wake.
type Worker struct {
	// SkipPendingOnClose makes Close skip work that has not begun.
	SkipPendingOnClose bool
	// Debounce is how long the worker collects wakes before the first step; 0 means 300 ms.
	Debounce time.Duration
	// Rest is the minimum time between two runs while others need the machine; 0 leaves them four fifths of the time.
	Rest time.Duration
	// WaitUntilIdle, if not nil, waits until nobody else needs the machine, but at most for most, and only until stop
	// is closed. It is called between two runs.
	WaitUntilIdle func(most time.Duration, stop <-chan struct{})
	// Persistent makes the worker retry until it succeeds, with delays of up to a minute. Otherwise the worker is idle
	// after six failures in a row.
	Persistent bool
	// Failed, if not nil, is called after a failed step with the delay until the next attempt; Recovered after the
	// first success that follows a failure.
	Failed    func(err error, delay time.Duration)
	Recovered func()

	step  func(ctx context.Context) (more bool, err error)
	token chan struct{} // held during a step

	closing chan struct{}
	ctx     context.Context
	cancel  context.CancelFunc

	resumes time.Time // used by the running step only

	mu      sync.Mutex
	woken   bool          // true if Wake was called since the current step began
	running chan struct{} // closed at the end of a run; nil while idle
	closed  bool
}

// New returns an idle worker.
func New(step func(ctx context.Context) (more bool, err error)) *Worker {
	ctx, cancel := context.WithCancel(context.Background())
	return &Worker{step: step, token: make(chan struct{}, 1), closing: make(chan struct{}), ctx: ctx, cancel: cancel}
}

// Wake reports new work. It begins after Debounce.
func (w *Worker) Wake() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.woken = true; w.closed || w.running != nil {
		return
	}
	w.running = make(chan struct{})
	go w.run(w.running)
}

// Closing is closed when Close is called.
func (w *Worker) Closing() <-chan struct{} { return w.closing }

// Close waits for the end of the current step, at most three seconds or until ctx ends, and cancels it then.
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

// run makes steps until there is no work and no new wake.
func (w *Worker) run(running chan struct{}) {
	defer close(running)
	backoff := delays.Delays()
	for wait, failures := w.debounce(), 0; ; {
		closing := w.pause(wait) || w.yieldToOthers()
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
		if err != nil {
			failures++
			wait = backoff.NextBackOff()
			if w.Failed != nil && w.ctx.Err() == nil {
				w.Failed(err, wait)
			}
		} else {
			if failures > 0 && w.Recovered != nil {
				w.Recovered()
			}
			failures, backoff, wait = 0, delays.Delays(), 0
			if !more {
				wait, w.resumes = w.debounce(), time.Now().Add(max(min(othersShare*took, maxPause), w.Rest))
			}
		}
		if w.stopIfDone(failures == maxAttempts && !w.Persistent, err == nil && !more) {
			return
		}
	}
}

func (w *Worker) debounce() time.Duration { return cmp.Or(w.Debounce, defaultDebounce) }

// stopIfDone ends the run if there is nothing left to do, or after the last attempt.
func (w *Worker) stopIfDone(failed, done bool) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed || failed || done && !w.woken {
		w.running = nil
		return true
	}
	return false
}

// pause waits for d and reports whether the worker was closed first.
func (w *Worker) pause(d time.Duration) (closing bool) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-w.closing:
		return true
	default:
	}
	select {
	case <-timer.C:
		return false
	case <-w.closing:
		return true
	}
}

// yieldToOthers waits until others had most of the time since the last step, or until the machine is idle. It reports
// whether the worker was closed first.
func (w *Worker) yieldToOthers() (closing bool) {
	left := time.Until(w.resumes)
	if w.WaitUntilIdle != nil && left > 0 {
		w.WaitUntilIdle(left, w.closing)
		left = 0
	}
	return w.pause(max(left, 0))
}

// runOnce makes one step, never two at the same time.
func (w *Worker) runOnce(ctx context.Context) (more bool, err error) {
	select {
	case w.token <- struct{}{}:
		defer func() { <-w.token }()
	case <-ctx.Done():
		return false, ctx.Err()
	}
	return w.step(ctx)
}

// Drain does all of the work now. It returns the error of a step or of ctx.
func (w *Worker) Drain(ctx context.Context) error {
	for {
		if more, err := w.runOnce(ctx); err != nil || !more {
			return err
		}
	}
}

package graph

import (
	"context"
	"fmt"
	"sync"

	"nomograph/internal/apperr"
)

// Batcher coalesces concurrent requests: one batch runs at a time, and requests that arrive meanwhile share the next.
// No request is answered with data read before it arrived, and none waits longer than two batches.
type Batcher[In, Out any] struct {
	run func(ctx context.Context, in []In) (Out, error)

	mu      sync.Mutex
	running bool
	next    *batch[In, Out]
}

// NewBatcher returns a Batcher that processes batches with run. run receives the inputs of one batch in the order of
// their arrival, and a context without cancellation, because the first caller may leave while others wait.
func NewBatcher[In, Out any](run func(ctx context.Context, in []In) (Out, error)) *Batcher[In, Out] {
	return &Batcher[In, Out]{run: run}
}

type batch[In, Out any] struct {
	ctx  context.Context // context of the first caller, without its cancellation
	in   []In
	out  Out
	err  error
	done chan struct{}
}

// Do returns the result of the batch that contains in. If ctx ends first, it returns an error, and the batch continues.
func (r *Batcher[In, Out]) Do(ctx context.Context, in In) (Out, error) {
	r.mu.Lock()
	if r.next == nil {
		r.next = &batch[In, Out]{ctx: context.WithoutCancel(ctx), done: make(chan struct{})}
	}
	mine := r.next
	mine.in = append(mine.in, in)
	if !r.running {
		r.running = true
		go r.loop()
	}
	r.mu.Unlock()
	select {
	case <-mine.done:
		return mine.out, mine.err
	case <-ctx.Done():
		var none Out
		return none, AsError(ctx.Err())
	}
}

func (r *Batcher[In, Out]) loop() {
	for {
		r.mu.Lock()
		current := r.next
		r.next = nil
		r.running = current != nil
		r.mu.Unlock()
		if current == nil {
			return
		}
		r.runBatch(current)
	}
}

func (r *Batcher[In, Out]) runBatch(current *batch[In, Out]) {
	defer close(current.done)
	defer func() {
		if problem := recover(); problem != nil { // one malformed node must not end a server
			current.err = apperr.From(fmt.Errorf("panic: %v", problem))
		}
	}()
	current.out, current.err = r.run(current.ctx, current.in)
}

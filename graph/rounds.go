package graph

import (
	"context"
	"fmt"
	"sync"

	"nomograph/internal/apperr"
)

// Batcher shares work among callers that come at once: one round runs at a time, and whoever asks while it runs shares the
// next. So nobody is answered with what was read before they asked, and many wait no longer than two rounds.
type Batcher[In, Out any] struct {
	run func(ctx context.Context, in []In) (Out, error)

	mu      sync.Mutex
	running bool
	next    *batch[In, Out]
}

// NewBatcher gives rounds that do their work by run: it gets what the callers of one round gave, in the order in which they came,
// and a context without an end, since the first caller may leave while the others wait.
func NewBatcher[In, Out any](run func(ctx context.Context, in []In) (Out, error)) *Batcher[In, Out] {
	return &Batcher[In, Out]{run: run}
}

type batch[In, Out any] struct {
	ctx  context.Context // of the first who asked, without its end: the others want the answer too
	in   []In
	out  Out
	err  error
	done chan struct{}
}

// Do gives what the round gave that in was part of. Where ctx ends first, it gives the fault of that, and the round goes on.
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
		if problem := recover(); problem != nil { // one bad node must not end a server
			current.err = apperr.From(fmt.Errorf("panic: %v", problem))
		}
	}()
	current.out, current.err = r.run(current.ctx, current.in)
}

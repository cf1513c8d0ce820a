package graph

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"nomograph/internal/apperr"
)

// TestBatch_CallerDuringARun_WaitsForTheNextRun blocks the first batch until others have asked. They must share a
// second batch, because the data of the first may be older than their question.
func TestBatch_CallerDuringARun_WaitsForTheNextRun(t *testing.T) {
	started, release := make(chan int, 10), make(chan struct{})
	count := 0
	r := NewBatcher(func(_ context.Context, in []int) (int, error) {
		count++
		started <- len(in)
		<-release
		return count, nil
	})
	results := make(chan int, 10)
	ask := func() {
		n, err := r.Do(t.Context(), 1)
		if err != nil {
			t.Error(err)
		}
		results <- n
	}
	go ask()
	if n := <-started; n != 1 {
		t.Fatalf("the first round has %d callers", n)
	}
	var wait sync.WaitGroup
	for range 5 {
		wait.Go(ask)
	}
	for asked := 0; asked < 5; { // all of them are in the next batch
		r.mu.Lock()
		if r.next != nil {
			asked = len(r.next.in)
		}
		r.mu.Unlock()
	}
	release <- struct{}{}
	if got := <-results; got != 1 {
		t.Errorf("the first caller got round %d", got)
	}
	if n := <-started; n != 5 {
		t.Errorf("the second round has %d callers", n)
	}
	release <- struct{}{}
	wait.Wait()
	for range 5 {
		if got := <-results; got != 2 {
			t.Errorf("a caller got round %d", got)
		}
	}
}

func TestBatch_FirstCallerPanics_OthersAreAnswered(t *testing.T) {
	held := make(chan struct{})
	r := NewBatcher(func(ctx context.Context, in []string) (string, error) {
		if slices.Contains(in, "panic") {
			panic("no such node")
		}
		<-held
		return in[0], ctx.Err()
	})
	ctx, cancel := context.WithCancel(t.Context())
	left := make(chan error)
	go func() {
		_, err := r.Do(ctx, "first")
		left <- err
	}()
	cancel()
	if err := <-left; !apperr.Is(err, apperr.Unavailable) || !errors.Is(err, context.Canceled) {
		t.Errorf("the canceled caller: got %v, want error %s, errors.Is(err, context.Canceled)=true", err,
			apperr.Unavailable)
	}
	close(held)
	if _, err := r.Do(t.Context(), "panic"); !apperr.Is(err, apperr.Internal) {
		t.Errorf("after a panic: got %v, want error %s", err, apperr.Internal)
	}
	if got, err := r.Do(t.Context(), "after"); got != "after" || err != nil {
		t.Errorf("afterwards: %q %v", got, err)
	}
}

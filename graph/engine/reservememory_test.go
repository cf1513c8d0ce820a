package engine

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"nomograph/internal/apperr"
)

func TestEngine_LargeQueries_ShareTheHeap(t *testing.T) {
	o := Options{Dir: t.TempDir()}.Defaults()
	for name, room := range map[string]func(context.Context, float64) (func(),
		error){"of all processes": (&Lease{o: o, heap: "512m"}).ReserveMemory,
		"of one process": new(MemoryReservations).ReserveMemory} {
		t.Run(name, func(t *testing.T) { divided(t, room) })
	}
}

func divided(t *testing.T, room func(context.Context, float64) (func(), error)) {
	ctx, soon := context.Background(), func() context.Context {
		ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
		t.Cleanup(cancel)
		return ctx
	}
	all, err := room(ctx, 400<<20) // more than the whole heap share
	if err != nil {
		t.Fatal(err)
	}
	if _, err := room(soon(), 1); !apperr.Is(err, apperr.Unavailable) || apperr.From(err).Hint == "" {
		t.Errorf("a second query: got %v, want error %s, non-empty Hint", err, apperr.Unavailable)
	}
	all()
	some, err := room(ctx, 100<<20)
	if err != nil {
		t.Fatal(err)
	}
	more, err := room(ctx, 100<<20)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := room(soon(), 100<<20); !apperr.Is(err, apperr.Unavailable) {
		t.Errorf("a third query: got %v, want error %s", err, apperr.Unavailable)
	}
	some()
	more()

	// Every waiting query runs, and running queries never exceed the heap.
	var now, limit atomic.Int64
	var callers sync.WaitGroup
	for range 12 {
		callers.Go(func() {
			leave, err := room(ctx, 120<<20)
			if err != nil {
				t.Error(err)
				return
			}
			defer leave()
			if n := now.Add(1); n > limit.Load() {
				limit.Store(n)
			}
			time.Sleep(time.Millisecond)
			now.Add(-1)
		})
	}
	callers.Wait()
	if limit.Load() > 2 {
		t.Errorf("%d queries ran at the same time", limit.Load())
	}
}

package pages

import (
	"errors"
	"sync/atomic"
	"testing"

	"nomograph/graph/graphtest"
)

func TestConcurrently_ManyReads_ReturnTheFirstErrorWithinTheLimit(t *testing.T) {
	first, later := errors.New("first"), errors.New("later")
	var running, most atomic.Int32
	reads := make([]func() error, 5*maxReads)
	for i := range reads {
		reads[i] = func() error {
			now := running.Add(1)
			defer running.Add(-1)
			for seen := most.Load(); now > seen && !most.CompareAndSwap(seen, now); seen = most.Load() {
			}
			switch i {
			case 3:
				return first
			case 4:
				return later
			}
			return nil
		}
	}
	if err := concurrently(reads...); !errors.Is(err, first) {
		t.Errorf("got %v, want %v", err, first)
	}
	if most.Load() > maxReads {
		t.Errorf("got %d reads at the same time, want at most %d", most.Load(), maxReads)
	}
}

func TestConcurrently_ReadPanics_CallerPanics(t *testing.T) {
	defer func() {
		graphtest.Equal(t, recover(), "broken", "panic")
	}()
	_ = concurrently(func() error { return nil }, func() error { panic("broken") })
}

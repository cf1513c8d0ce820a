package federation

import (
	"context"
	"slices"
	"sync"
	"testing"
)

func TestLane_ConcurrentWrites_KeepOrder(t *testing.T) {
	const key, maximum = "one", 50
	var l lanes
	places := make([]lane, maximum)
	for i := range places {
		places[i] = l.enter([]string{key, "another"})[0]
	}
	gaveUp, cancel := context.WithCancel(t.Context())
	cancel()
	var mu sync.Mutex
	var came []int
	var all sync.WaitGroup
	for i := maximum - 1; i >= 0; i-- { // later callers finish first
		all.Go(func() {
			defer l.leave(key, places[i])
			if i%7 == 3 { // some give up
				_ = places[i].wait(gaveUp)
				return
			}
			if err := places[i].wait(t.Context()); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			came = append(came, i)
		})
	}
	all.Wait()
	if !slices.IsSorted(came) || len(came) < maximum*5/6 {
		t.Errorf("got %v, want slices.IsSorted(came)=true, len(came) at least %v", came, maximum*5/6)
	}
	if place := l.enter([]string{key})[0]; place.wait(t.Context()) != nil {
		t.Error("a later announcement waits forever")
	}
}

package worker_test

import (
	"context"
	"testing"
	"time"

	"nomograph/internal/worker"
)

func TestWorker_ConstantWakes_RunsAtMostASmallShareOfTheTime(t *testing.T) {
	const took = 10 * time.Millisecond
	done := make(chan time.Time, 100)
	w := worker.New(func(context.Context) (bool, error) {
		time.Sleep(took) // stands for the work
		done <- time.Now()
		return false, nil
	})
	w.Debounce = time.Millisecond
	defer w.Close(t.Context())
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	var ends []time.Time
	for len(ends) < 6 {
		select {
		case end := <-done:
			ends = append(ends, end)
		case <-tick.C:
			w.Wake()
		}
	}
	if all, least := ends[5].Sub(ends[0]), 5*5*took; all < least {
		t.Errorf("five steps of %v within %v, want at least %v", took, all, least)
	}
}

func TestWorker_BusyMachine_RestsBetweenRuns(t *testing.T) {
	done, waited := make(chan struct{}, 100), make(chan time.Duration, 100)
	w := worker.New(func(context.Context) (bool, error) {
		done <- struct{}{}
		return false, nil
	})
	w.Debounce, w.Rest = time.Millisecond, time.Hour
	w.WaitUntilIdle = func(most time.Duration, _ <-chan struct{}) { waited <- most } // as on an idle machine
	defer w.Close(t.Context())
	for range 3 {
		w.Wake()
		<-done
	}
	for range 2 {
		if most := <-waited; most < time.Hour-time.Minute {
			t.Errorf("got at most %v for others, want %v", most, w.Rest)
		}
	}
}

package graph

import (
	"context"
	"testing"
	"time"
)

func TestWaitUntilIdle_CallsRunning_Waits(t *testing.T) {
	t.Parallel()
	db := Open(Options{URI: "bolt://127.0.0.1:1"})
	defer func() { _ = db.Close(context.Background()) }()
	waits := func(limit time.Duration, stop <-chan struct{}) time.Duration {
		started := time.Now()
		db.WaitUntilIdle(limit, stop)
		return time.Since(started)
	}
	if took := waits(10*time.Minute, nil); took >= 10*time.Minute {
		t.Errorf("without calls, it waited %s", took)
	}
	leave, err := db.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if took := waits(200*time.Millisecond, nil); took < 200*time.Millisecond {
		t.Errorf("during a call, it waited only %s", took)
	}
	done, err := db.enter(InBackground(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	stop := make(chan struct{})
	close(stop)
	if took := waits(10*time.Minute, stop); took >= 10*time.Minute {
		t.Errorf("after stop, it waited %s", took)
	}
	time.AfterFunc(100*time.Millisecond, leave)
	if took := waits(10*time.Minute, nil); took < 100*time.Millisecond || took >= 10*time.Minute {
		t.Errorf("during a call of 100 ms, it waited %s", took)
	}
}

func TestRead_ColdServer_ForegroundRunsFirst(t *testing.T) {
	t.Parallel()
	db := Open(Options{URI: "bolt://127.0.0.1:1"})
	defer func() { _ = db.Close(context.Background()) }()
	leave, err := db.enter(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	waits := func(ctx context.Context, cold time.Duration) time.Duration {
		db.current.Store(&connection{cold: time.Now().Add(cold)})
		defer db.current.Store(nil)
		started := time.Now()
		if _, err := db.connection(ctx); err != nil {
			t.Fatal(err)
		}
		return time.Since(started)
	}
	if took := waits(InBackground(t.Context()), 200*time.Millisecond); took < 200*time.Millisecond {
		t.Errorf("during a call on a cold server, background work waited %s", took)
	}
	if took := waits(t.Context(), 10*time.Minute); took >= 10*time.Minute {
		t.Errorf("a foreground call waited %s", took)
	}
	if took := waits(InBackground(t.Context()), -time.Second); took >= 10*time.Minute {
		t.Errorf("on a warm server, background work waited %s", took)
	}
	time.AfterFunc(100*time.Millisecond, leave)
	if took := waits(InBackground(t.Context()), 10*time.Minute); took < 100*time.Millisecond || took >= 10*time.Minute {
		t.Errorf("during a call of 100 ms, background work waited %s", took)
	}
}

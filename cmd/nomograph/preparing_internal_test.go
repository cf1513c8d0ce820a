package main

import (
	"bytes"
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/internal/apperr"
)

// restarting is an engine that starts late and loses its connections.
type restarting struct {
	refused, losses atomic.Int64
	idleWaits       atomic.Int64 // seconds
}

func (r *restarting) Connect(context.Context) (graph.Server, error) {
	if r.refused.Add(-1) >= 0 {
		return graph.Server{}, apperr.New(apperr.Unavailable, "No engine").WithHint("Wait")
	}
	return graph.Server{}, nil
}

func (r *restarting) ConnectionLosses() int64 { return r.losses.Load() }

func (r *restarting) WaitUntilIdle(limit time.Duration, _ <-chan struct{}) {
	time.Sleep(limit)
	r.idleWaits.Add(int64(limit / time.Second))
}

func TestPreparePages_EngineStartsLateAndRestarts_PreparesAfterEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // virtual time
		var log bytes.Buffer
		a, db := &app{log: zerolog.New(&log)}, &restarting{}
		db.refused.Store(3)
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		var prepared, failing atomic.Int64
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			a.preparePages(ctx, db, func(ctx context.Context, wait func(context.Context)) int {
				for range 20 {
					wait(ctx)
				}
				prepared.Add(1)
				return int(failing.Load())
			})
		}()
		expect := func(when string, want int64) {
			t.Helper()
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			if got := prepared.Load(); got != want {
				t.Errorf("%s: prepared %d times, want %d", when, got, want)
			}
		}
		expect("after three refused connections", 1)
		if got := db.idleWaits.Load(); got != 60 {
			t.Errorf("waited %d seconds for callers, want 60", got)
		}
		failing.Store(2)
		db.losses.Add(1)
		expect("after a restart", 2)
		if lines := strings.Split(strings.TrimSpace(log.String()), "\n"); len(lines) != 2 ||
			!strings.Contains(lines[0], `"pages prepared"`) || !strings.Contains(lines[1], `"failed":2`) {
			t.Errorf("logged %q, want one success and one with 2 failed pages", lines)
		}
		stop()
		<-ended
		db.losses.Add(1)
		expect("after the end", 2)
	})
}

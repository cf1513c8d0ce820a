package engine

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

func TestWatch_LeaseHeld_EngineStays(t *testing.T) {
	o := Options{Dir: t.TempDir(), Idle: time.Minute}.Defaults()
	if err := o.folders(); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		lease := o.lock(leasesLock)
		if locked, err := lease.TryRLock(); err != nil || !locked {
			t.Fatalf("got %v, %v, want a lease", locked, err)
		}
		defer func() { _ = lease.Close() }()
		s := &supervisor{o: o, log: zerolog.Nop(), leases: o.lock(leasesLock)}
		defer func() { _ = s.leases.Close() }()
		var why string
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			why = s.watch(context.Background(),
				&server{in: &installation{o: o, log: zerolog.Nop()}, ended: make(chan struct{})})
		}()

		time.Sleep(10 * o.Idle) // advances only the virtual clock of synctest
		select {
		case <-ended:
			t.Fatal("got an end under a lease, want none")
		default:
		}
		released := time.Now()
		if err := lease.Unlock(); err != nil {
			t.Fatal(err)
		}
		<-ended
		if idle := time.Since(released); why != "" || idle < o.Idle-watchInterval || idle > o.Idle+watchInterval {
			t.Errorf("got %q after %s, want an end after %s without a lease", why, idle, o.Idle)
		}
	})
}

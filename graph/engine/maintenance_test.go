package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"nomograph/graph/engine"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/internal/progress"
)

func TestMaintenance_Lease_BacksUpAndRestores(t *testing.T) {
	t.Parallel()
	o := setup(t)
	lease := acquire(t, o)
	must(t, lease.Endpoint(), "CREATE (:Kept {name: 'first'})")
	file := filepath.Join(t.TempDir(), "my graph.backup") // the file may have any name
	if err := engine.Backup(within(t, 5*time.Minute), o, file); err != nil {
		t.Fatalf("got %v: %v, want no error", err, apperr.From(err).Unwrap())
	}
	if info, err := os.Stat(file); err != nil || info.Size() == 0 || info.Mode().Perm() != 0o600 {
		t.Errorf("got %v %v, want nonzero Size, Perm=0o600", info, err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".*")); len(left) != 0 {
		t.Errorf("got the remaining files %v", left)
	}
	wantError(t, engine.Backup(t.Context(), o, file), apperr.Conflict, "already exists")

	e := graphtest.Must(lease.Revive(within(t, 5*time.Minute)))(t)
	must(t, e, "CREATE (:Kept {name: 'second'})")
	// Kill the engine, so that the restore must recover the graph before it can keep a dump.
	status := inspect(t, o)
	kill(t, status.Supervisor)
	kill(t, status.PID)

	heard := make(chan string, 1)
	var once sync.Once
	var waiting sync.WaitGroup
	restored := make(chan error, 1)
	go func() { restored <- engine.Restore(within(t, 5*time.Minute), o, file) }()
	awaitState(t, o, engine.Maintenance, 3*time.Minute)
	waiting.Go(func() { // a new client waits and knows the reason
		ctx := progress.Listen(within(t, 5*time.Minute), func(s progress.Step) {
			if strings.Contains(s.Message, "restore") {
				once.Do(func() { heard <- s.Message })
			}
		})
		if e, err := lease.Revive(ctx); err != nil {
			t.Error(err)
		} else if got, err := query(t, e, "MATCH (n:Kept) RETURN collect(n.name)[0] + count(n)"); err != nil ||
			got != "first1" {
			t.Errorf("after the restore: %v %v", got, err)
		}
	})
	if err := graphtest.Receive(t, "the restore ends", restored); err != nil {
		t.Fatalf("got %v: %v, want no error", err, apperr.From(err).Unwrap())
	}
	waiting.Wait()
	select {
	case message := <-heard:
		t.Log(message)
	default:
		t.Error("the waiting client got no message about the restore")
	}

	previous, _ := filepath.Glob(filepath.Join(o.Dir, "backups", "before-restore-*.dump"))
	if len(previous) != 1 {
		t.Fatalf("got previous folders %v, want one", previous)
	}
	if err := engine.Restore(within(t, 5*time.Minute), o, previous[0]); err != nil { // undoes the restore
		t.Fatalf("got %v: %v, want no error", err, apperr.From(err).Unwrap())
	}
	e = graphtest.Must(lease.Revive(within(t, 5*time.Minute)))(t)
	golden.Equal[any](t, "nodes", must(t, e, "MATCH (n:Kept) RETURN count(n)"), int64(2))
	t.Run("a folder without a graph", func(t *testing.T) { checkFailedRestores(t, file) })
}

// checkFailedRestores restores invalid files and a backup of one node into a folder without a graph. It opens data of
// an older version, and data of a newer one.
func checkFailedRestores(t *testing.T, backup string) {
	o := setup(t)
	o.Scratch = false
	file := filepath.Join(t.TempDir(), "novel.txt")
	wantErrorCode(t, engine.Restore(t.Context(), o, file), apperr.NotFound)
	graphtest.OK(t, os.WriteFile(file, []byte("It was a dark and stormy night"), 0o600))
	wantError(t, engine.Restore(within(t, 5*time.Minute), o, file), apperr.Validation, "graph is unchanged")
	if err := engine.Restore(within(t, 5*time.Minute), o, backup); err != nil {
		t.Fatalf("got %v: %v, want no error", err, apperr.From(err).Unwrap())
	}
	lease := acquire(t, o)
	golden.Equal(t, "after a restore into a new folder",
		must(t, lease.Endpoint(), "MATCH (n:Kept) RETURN collect(n.name)[0] + count(n)"), "first1")
	wantError(t, engine.Restore(within(t, 5*time.Minute), o, file), apperr.Validation, "graph is unchanged")
	note := func(version string) {
		t.Helper()
		graphtest.OK(t, engine.Stop(within(t, 5*time.Minute), o))
		graphtest.OK(t, os.WriteFile(filepath.Join(o.Dir, "version.json"), []byte(`{"version":"`+version+`"}`),
			0o600))
	}

	note("5.26.4") // an older version
	e := graphtest.Must(lease.Revive(within(t, 5*time.Minute)))(t)
	golden.Equal[any](t, "nodes", must(t, e, "MATCH (n:Kept) RETURN count(n)"), int64(1))
	if dumps, _ := filepath.Glob(filepath.Join(o.Dir, "backups", "before-"+o.Version+
		"-from-5.26.4-*.dump")); len(dumps) != 1 {
		t.Errorf("dumps before the upgrade: %v", dumps)
	}
	// A user's engine creates query plans in the background after the start.
	awaitLog(t, o, func(log string) bool { return strings.Contains(log, "query plans warmed up") })

	note("3000.10.1") // a newer version
	_, err := lease.Revive(within(t, 5*time.Minute))
	wantError(t, err, apperr.Unavailable, "3000.10.1", o.Version)
}

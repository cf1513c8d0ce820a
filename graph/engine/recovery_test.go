package engine_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nomograph/fault"
	"nomograph/graph/engine"
)

func TestKilledEngineAndKilledSupervisor(t *testing.T) {
	t.Parallel()
	o := setup(t)
	lease := acquire(t, o)
	must(t, lease.Endpoint(), "UNWIND range(1, 1000) AS i CREATE (:Kept {i: i})")
	pid := inspect(t, o).PID
	kill(t, pid)
	for alive(pid) {
		time.Sleep(time.Millisecond)
	}
	begun := time.Now()
	e, err := lease.Revive(within(t, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("revived in %s", time.Since(begun))
	if got := must(t, e, "MATCH (n:Kept) RETURN count(n)"); got != int64(1000) {
		t.Errorf("%v nodes", got)
	}
	if now := inspect(t, o).PID; now == pid || now == 0 {
		t.Errorf("pid %d after %d", now, pid)
	}

	// The engine lives on without its supervisor, until the next one comes.
	status := inspect(t, o)
	kill(t, status.Supervisor)
	awaitState(t, o, engine.Stopped, 5*time.Second) // the file still says that it runs
	if !alive(status.PID) {
		t.Fatal("the engine went with its supervisor, so there is no orphan to test with")
	}

	next := acquire(t, o)
	if got := must(t, next.Endpoint(), "MATCH (n:Kept) RETURN count(n)"); got != int64(1000) {
		t.Errorf("%v nodes", got)
	}
	if now := inspect(t, o); now.PID == status.PID || now.Supervisor == status.Supervisor {
		t.Errorf("still the old ones: %+v", now)
	}
	if alive(status.PID) {
		t.Error("two engines run")
	}
	e, err = lease.Revive(within(t, time.Minute))
	if err != nil || e != next.Endpoint() {
		t.Errorf("the older lease was given %+v, %v", e, err)
	}
}

func TestStaleStateFileMisleadsNobody(t *testing.T) {
	t.Parallel()
	o := setup(t)
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	// From before a reboot: the process id is one that lives now, and is not the engine.
	stale, err := json.Marshal(map[string]any{
		"run": "long ago", "state": "running", "port": 1,
		"supervisor": map[string]any{"pid": os.Getpid(), "started": "then"},
		"engine":     map[string]any{"pid": os.Getpid(), "started": "then"},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range []string{string(stale), "{ not json"} {
		if err := os.WriteFile(filepath.Join(o.Dir, "state.json"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if status := inspect(t, o); status.State != engine.Stopped || status.PID != 0 || status.URI != "" {
			t.Errorf("believed: %+v", status)
		}
		lease := acquire(t, o)
		must(t, lease.Endpoint(), "RETURN 1")
		if err := engine.Stop(within(t, time.Minute), o); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTruncatedClassDataArchive(t *testing.T) {
	t.Parallel()
	o := setup(t)
	acquire(t, o)
	if err := engine.Stop(within(t, time.Minute), o); err != nil { // by now the cache holds jars and an archive
		t.Fatal(err)
	}
	archives, _ := filepath.Glob(filepath.Join(o.Cache, "classes-"+o.Version[:strings.LastIndexByte(o.Version, '.')]+"-*.jsa"))
	if len(archives) != 1 {
		t.Fatalf("archives after a clean stop: %v", archives)
	}
	// Damage a copy, in a cache that the other tests do not share. The jars stay where they are, as an installation.
	whole, err := os.ReadFile(archives[0])
	if err != nil {
		t.Fatal(err)
	}
	o.Home, o.Cache = filepath.Join(o.Cache, "neo4j-"+o.Version), t.TempDir()
	damaged := filepath.Join(o.Cache, filepath.Base(archives[0]))
	if err := os.WriteFile(damaged, whole[:len(whole)/3], 0o600); err != nil {
		t.Fatal(err)
	}
	lease := acquire(t, o)
	must(t, lease.Endpoint(), "RETURN 1")
	if got := lease.Endpoint().Version; got != o.Version {
		t.Errorf("the installation's version is %q", got)
	}
	text, _ := engine.Tail(filepath.Join(o.Dir, "logs", "supervisor.log"), 20)
	if !strings.Contains(text, "ended while it was starting") {
		t.Errorf("the archive was not noticed:\n%s", text)
	}
	if err := engine.Stop(within(t, time.Minute), o); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(damaged); err != nil || info.Size() < int64(len(whole)/2) {
		t.Errorf("no new archive: %v %v", info, err)
	}
}

func TestLostPasswordIsReplaced(t *testing.T) {
	t.Parallel()
	o := setup(t)
	lease := acquire(t, o)
	must(t, lease.Endpoint(), "CREATE (:Kept)")
	old := lease.Endpoint().Password
	file := filepath.Join(o.Dir, "password")
	if err := engine.Stop(within(t, time.Minute), o); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte("anotherpassword\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := lease.Revive(within(t, time.Minute))
	wantFault(t, err, fault.Unavailable, "does not take the password", "Remove that file")

	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	e, err := lease.Revive(within(t, time.Minute))
	if err != nil {
		t.Fatal(err)
	}
	if e.Password == old || e.Password == "" {
		t.Error("no new password")
	}
	if got := must(t, e, "MATCH (n:Kept) RETURN count(n)"); got != int64(1) {
		t.Errorf("%v nodes", got)
	}
}

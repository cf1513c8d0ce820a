package engine_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/graph/engine"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
)

// The test binary is also the supervisor and a client process.
func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == "supervise" {
		engine.Hasten()
		o, err := engine.OptionsFromEnv()
		if err == nil {
			err = engine.Supervise(context.Background(), o)
		}
		if err != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	if len(os.Args) == 2 && os.Args[1] == "client" {
		os.Exit(client())
	}
	// Tests mostly wait for engines, so more run in parallel than there are cores.
	flag.Parse()
	if err := flag.Set("test.parallel", "3"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// client acquires a lease, prints the endpoint, and holds the lease until its input ends.
func client() int {
	o, err := engine.OptionsFromEnv()
	if err != nil {
		return 1
	}
	o.Supervisor = []string{os.Args[0], "supervise"}
	lease, err := engine.Acquire(context.Background(), o)
	if err != nil {
		fmt.Println("error:", err)
		return 1
	}
	status, _ := engine.Inspect(o)
	fmt.Println(lease.Endpoint().URI, status.PID)
	_, _ = io.Copy(io.Discard, os.Stdin)
	_ = lease.Release()
	return 0
}

// setup returns options for an engine in its own directory that ends with the test.
func setup(t *testing.T) engine.Options {
	t.Helper()
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	self := graphtest.Must(os.Executable())(t)
	o := engine.Options{
		Version: os.Getenv(engine.EnvVersion),
		Dir:     filepath.Join(t.TempDir(), "engine"), Idle: 10 * time.Second,
		Heap: "256m", PageCache: "32m", Scratch: true, Supervisor: []string{self, "supervise"},
	}.Defaults()
	t.Cleanup(func() {
		if t.Failed() {
			text, _ := engine.Tail(filepath.Join(o.Dir, "logs", "supervisor.log"), 30)
			t.Log("supervisor.log:\n" + text)
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := engine.Stop(ctx, o); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return o
}

// within returns a context with a timeout that logs progress.
func within(t *testing.T, d time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), d)
	t.Cleanup(cancel)
	return progress.Listen(ctx, func(s progress.Step) {
		if s.Done == 0 || s.Done%50 == 0 {
			t.Logf("progress: %s %d/%d", s.Message, s.Done, s.Total)
		}
	})
}

func acquire(t *testing.T, o engine.Options) *engine.Lease {
	t.Helper()
	started := time.Now()
	lease := graphtest.Must(engine.Acquire(within(t, 5*time.Minute), o))(t)
	t.Logf("acquired in %s", time.Since(started).Round(100*time.Microsecond))
	t.Cleanup(func() { _ = lease.Release() })
	return lease
}

// query runs a statement and returns the first value of the first row.
func query(t *testing.T, e engine.Endpoint, cypher string) (any, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	driver, err := neo4j.NewDriverWithContext(e.URI, neo4j.BasicAuth(e.Username, e.Password, ""))
	if err != nil {
		return nil, err
	}
	defer driver.Close(ctx)
	session := driver.NewSession(ctx, neo4j.SessionConfig{DatabaseName: e.Database})
	defer session.Close(ctx)
	result, err := session.Run(ctx, cypher, nil)
	if err != nil {
		return nil, err
	}
	rows, err := result.Collect(ctx)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return rows[0].Values[0], nil
}

func must(t *testing.T, e engine.Endpoint, cypher string) any {
	t.Helper()
	value, err := query(t, e, cypher)
	if err != nil {
		t.Fatalf("%s: got %v, want no error", cypher, err)
	}
	return value
}

func inspect(t *testing.T, o engine.Options) engine.Status {
	t.Helper()
	status := graphtest.Must(engine.Inspect(o))(t)
	return status
}

// awaitState waits for a state.
func awaitState(t *testing.T, o engine.Options, wanted engine.State, limit time.Duration) {
	t.Helper()
	for deadline := time.Now().Add(limit); ; time.Sleep(5 * time.Millisecond) {
		if state := inspect(t, o).State; state == wanted {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("state is %s, not %s", state, wanted)
		}
	}
}

// awaitLog waits until the supervisor's log satisfies a condition.
func awaitLog(t *testing.T, o engine.Options, wanted func(log string) bool) {
	t.Helper()
	for deadline := time.Now().Add(3 * time.Minute); ; time.Sleep(20 * time.Millisecond) {
		log, _ := os.ReadFile(filepath.Join(o.Dir, "logs", "supervisor.log"))
		if wanted(string(log)) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the awaited log line did not appear:\n%s", log)
		}
	}
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if pid <= 0 {
		t.Fatalf("no process to kill: %d", pid)
	}
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	graphtest.OK(t, err)
}

func alive(pid int) bool {
	if runtime.GOOS == "windows" {
		return false
	}
	p, err := os.FindProcess(pid)
	return err == nil && p.Signal(syscall.Signal(0)) == nil
}

func wantError(t *testing.T, err error, code apperr.Code, words ...string) {
	t.Helper()
	var f *apperr.Error
	if !errors.As(err, &f) {
		t.Fatalf("not a fault: %v", err)
	}
	if f.Code != code {
		t.Errorf("code %s, want %s: %v", f.Code, code, f)
	}
	if f.Hint == "" {
		t.Errorf("no hint: %v", f)
	}
	for _, word := range words {
		if !strings.Contains(f.Error(), word) {
			t.Errorf("%q is not in: %v", word, f)
		}
	}
}

// process starts a client process and returns the line that it prints when it has the engine.
func process(t *testing.T, o engine.Options) (line func() string, end func()) {
	t.Helper()
	cmd := exec.Command(o.Supervisor[0], "client")
	cmd.Env = append(os.Environ(), o.Environ()...)
	in := graphtest.Must(cmd.StdinPipe())(t)
	out := graphtest.Must(cmd.StdoutPipe())(t)
	graphtest.OK(t, cmd.Start())
	end = sync.OnceFunc(func() {
		_ = in.Close()
		_ = cmd.Wait()
	})
	t.Cleanup(end)
	return func() string {
		text, _ := bufio.NewReader(out).ReadString('\n')
		return strings.TrimSpace(text)
	}, end
}

package engine_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"nomograph/graph/engine"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

func TestEngine_FirstStart_Answers(t *testing.T) {
	t.Parallel()
	o := setup(t)
	if status := inspect(t, o); status.State != engine.Stopped || status.PID != 0 {
		t.Errorf("before: %+v", status)
	}
	if _, err := os.Stat(o.Dir); err == nil {
		t.Error("Inspect created files")
	}
	if err := engine.Stop(t.Context(), o); err != nil {
		t.Errorf("nothing to stop: %v", err)
	}
	first, endFirst := process(t, o) // three clients start at the same time and share one engine
	second, endSecond := process(t, o)
	lease := acquire(t, o)
	e := lease.Endpoint()
	for _, line := range []string{first(), second()} {
		if want := fmt.Sprint(e.URI, " ", inspect(t, o).PID); line != want ||
			!strings.HasPrefix(line, "bolt://127.0.0.1:") {
			t.Errorf("another process has %q, this one %q", line, want)
		}
	}
	endFirst()
	endSecond()
	if got := must(t, e, "RETURN 1"); got != int64(1) {
		t.Errorf("got %v, want got=1", got)
	}

	t.Run("password is private", func(t *testing.T) {
		if runtime.GOOS != "windows" {
			info, err := os.Stat(filepath.Join(o.Dir, "password"))
			if err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("got %v %v, want Perm=0o600", info.Mode(), err)
			}
			golden.Equal(t, "permissions", graphtest.Must(os.Stat(o.Dir))(t).Mode().Perm(), 0o700)
		}
		if len(e.Password) < 20 {
			t.Errorf("a password of %d characters", len(e.Password))
		}
		for _, path := range append(engine.Logs(o), filepath.Join(o.Dir, "state.json"),
			filepath.Join(o.Dir, "run", "neo4j.args")) {
			if text, err := os.ReadFile(path); err != nil || strings.Contains(string(text), e.Password) {
				t.Errorf("the password is in %s (%v)", path, err)
			}
		}
		if _, err := os.Stat(filepath.Join(o.Dir, "run", "admin.args")); err == nil {
			t.Error("the arguments with the first password are still there")
		}
		wrong := e
		wrong.Password = "not this one"
		if _, err := query(t, wrong, "RETURN 1"); err == nil {
			t.Error("every password is accepted")
		}
	})

	t.Run("the status describes the engine", func(t *testing.T) {
		status := inspect(t, o)
		if status.State != engine.Running || status.URI != e.URI || status.Version != o.Version || !alive(status.PID) {
			t.Errorf("got %+v, want State=%v, URI=%v, Version=%v, alive(status.PID)=true", status, engine.Running,
				e.URI, o.Version)
		}
	})

	t.Run("query plans are kept", func(t *testing.T) {
		if got := must(t, e, "SHOW SETTINGS YIELD name, value WHERE name = 'dbms.cypher.min_replan_interval' RETURN value"); got != "1h" {
			t.Errorf("got %v, want 1h", got)
		}
		conf, err := os.ReadFile(filepath.Join(o.Dir, "conf",
			"neo4j.conf")) // the server does not show internal settings
		if want := "\ninternal.cypher.use_parameter_size=false\n"; err != nil || !strings.Contains(string(conf), want) {
			t.Errorf("got %s, %v, want %q", conf, err, want)
		}
	})

	t.Run("queries cannot read files or addresses", func(t *testing.T) {
		for _, from := range []string{"file:///etc/passwd", "http://127.0.0.1:1/x", "http://[::1]:1/x",
			"ftp://127.0.0.1/x", "http://192.0.2.1/x"} {
			_, err := query(t, e, "LOAD CSV FROM '"+from+"' AS line RETURN line")
			if err == nil || !strings.Contains(err.Error(), "configuration property") {
				t.Errorf(`%s: got %v, want an error, error with "configuration property"`, from, err)
			}
		}
	})

	t.Run("only loopback listens", func(t *testing.T) {
		port := e.URI[strings.LastIndexByte(e.URI, ':')+1:]
		addresses, err := net.InterfaceAddrs()
		if err != nil {
			t.Skip(err)
		}
		for _, a := range addresses {
			if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
				if conn, err := net.DialTimeout("tcp", net.JoinHostPort(ip.IP.String(), port),
					time.Second); err == nil {
					_ = conn.Close()
					t.Errorf("answers on %s", ip.IP)
				}
			}
		}
	})
}

func TestEngine_FixedPortTaken_Fails(t *testing.T) {
	o := setup(t)
	listener := graphtest.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer listener.Close()
	o.Port = listener.Addr().(*net.TCPAddr).Port
	_, err := engine.Acquire(within(t, 3*time.Minute), o)
	wantError(t, err, apperr.Unavailable, strconv.Itoa(o.Port), "Another program uses port", "NOMOGRAPH_ENGINE_PORT")
	if status := inspect(t, o); status.State != engine.Failed || status.Error == nil {
		t.Errorf("got %+v, want State=%v, non-nil Error", status, engine.Failed)
	}
}

func TestEngine_ReadOnlyFolder_Fails(t *testing.T) {
	o := setup(t)
	file := filepath.Join(t.TempDir(), "file")
	graphtest.OK(t, os.WriteFile(file, nil, 0o600))
	o.Dir = filepath.Join(file, "engine")
	_, err := engine.Acquire(within(t, 3*time.Minute), o)
	wantError(t, err, apperr.Unavailable, "Cannot write", o.Dir)
}

func TestEngine_SilentSupervisor_IsReported(t *testing.T) {
	o := setup(t)
	o.Supervisor = []string{o.Supervisor[0], "-test.run=^$"}
	_, err := engine.Acquire(within(t, 3*time.Minute), o)
	wantError(t, err, apperr.Unavailable, "supervisor.log")
	o.Supervisor = []string{filepath.Join(t.TempDir(), "none")}
	_, err = engine.Acquire(within(t, 3*time.Minute), o)
	wantError(t, err, apperr.Unavailable, "Cannot start")
}

func TestEngine_BadOptions_AreRefused(t *testing.T) {
	for _, o := range []engine.Options{{Heap: "lots"}, {PageCache: "12"}, {Port: 70000}, {Heap: "1m"},
		{Version: "5.25.1"}, {Version: "2026.08"}, {Version: "../../1.2.3"}} {
		o.Dir = t.TempDir()
		_, err := engine.Acquire(t.Context(), o)
		wantError(t, err, apperr.Validation)
	}
	t.Setenv("NOMOGRAPH_ENGINE_PORT", "bolt")
	_, err := engine.OptionsFromEnv()
	wantErrorCode(t, err, apperr.Validation)
}

// bare makes the supervisor find no Java and reach no network.
func bare(t *testing.T, o *engine.Options) {
	t.Helper()
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", "")
	t.Setenv("HTTPS_PROXY", "http://127.0.0.1:1")
	o.Cache = t.TempDir()
}

func TestEngine_NoJavaNoNetwork_SaysWhatToDo(t *testing.T) {
	o := setup(t)
	bare(t, &o)
	_, err := engine.Acquire(within(t, 3*time.Minute), o)
	wantError(t, err, apperr.Unavailable, "no java in JAVA_HOME or PATH", "127.0.0.1:1", "HTTPS_PROXY",
		"NOMOGRAPH_ENGINE_MIRROR", "full", "Java 17", "NEO4J_URI", "NEO4J_HOME", "Docker")
}

func TestEngine_UnknownVersion_IsNotDownloaded(t *testing.T) {
	o := setup(t)
	bare(t, &o)
	o.Version = "5.26.29"
	_, err := engine.Acquire(within(t, 3*time.Minute), o)
	wantError(t, err, apperr.Unavailable, "5.26.29", engine.Version, "NEO4J_HOME")
}

func TestEngine_OldJava_IsRefused(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the fake java is a shell script")
	}
	o, home := setup(t), t.TempDir()
	bare(t, &o)
	o.Version = "2026.08.1"
	java := filepath.Join(home, "bin", "java")
	graphtest.OK(t, os.MkdirAll(filepath.Dir(java), 0o700))
	graphtest.OK(t, os.WriteFile(java, []byte("#!/bin/sh\necho 'openjdk version \"17.0.15\"' >&2\n"), 0o700))
	t.Setenv("JAVA_HOME", home)
	_, err := engine.Acquire(within(t, 3*time.Minute), o)
	wantError(t, err, apperr.Unavailable, "Neo4j 2026.08.1", "no Java 21 or newer", java+" is Java 17", "JAVA_HOME")
}

func TestEngine_InvalidHome_IsRefused(t *testing.T) {
	o := setup(t)
	o.Home = t.TempDir()
	_, err := engine.Acquire(within(t, 3*time.Minute), o)
	wantError(t, err, apperr.Unavailable, "NEO4J_HOME", o.Home)
}

func wantErrorCode(t *testing.T, err error, code apperr.Code) {
	t.Helper()
	if !apperr.Is(err, code) {
		t.Errorf("want %s: %v", code, err)
	}
}

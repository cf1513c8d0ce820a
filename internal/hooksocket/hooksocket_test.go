package hooksocket_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nomograph/internal/config"
	"nomograph/internal/hooksocket"
)

// socket returns a path that is short enough for a socket.
func socket(t *testing.T) string {
	dir, err := os.MkdirTemp("", "s")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return filepath.Join(dir, "run", "x.sock")
}

// serve starts a server, and returns a function that ends it.
func serve(t *testing.T, path, name string) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- hooksocket.Serve(ctx, path, func(_ context.Context, r hooksocket.Request) hooksocket.Answer {
			return hooksocket.Answer{Stdout: name + " " + r.Client + " " + string(r.Stdin), Exit: 2}
		})
	}()
	return func() {
		cancel()
		if err := <-ended; err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}
}

// ask asks until an answer comes.
func ask(t *testing.T, path string) hooksocket.Answer {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		answer, err := hooksocket.Ask(ctx, path, hooksocket.Request{Client: "cursor", Stdin: []byte("event\x00")})
		if err == nil {
			return answer
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestServe_SocketOfAnEndedServer_IsTakenOver(t *testing.T) {
	path := socket(t)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil { // as after a crash: a file that nobody listens at
		t.Fatal(err)
	}
	stop := serve(t, path, "first")
	if got, want := ask(t, path), (hooksocket.Answer{Stdout: "first cursor event\x00", Exit: 2}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for _, at := range []string{path, filepath.Dir(path)} {
		if info, err := os.Stat(at); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s: got mode %v (%v), want one for the user only", at, info.Mode(), err)
		}
	}
	second := serve(t, path, "second") // waits for the first
	defer func() { second() }()
	if got := ask(t, path); !strings.HasPrefix(got.Stdout, "first") {
		t.Errorf("got %q, want the answer of the first server", got.Stdout)
	}
	stop()
	if got := ask(t, path); !strings.HasPrefix(got.Stdout, "second") {
		t.Errorf("got %q, want the answer of the second server", got.Stdout)
	}
}

func TestAsk_ServerThatHangs_FailsAtTheDeadline(t *testing.T) {
	path := socket(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_ = hooksocket.Serve(ctx, path, func(ctx context.Context, r hooksocket.Request) hooksocket.Answer {
			if r.Client != "cursor" {
				<-ctx.Done()
			}
			return hooksocket.Answer{}
		})
	}()
	ask(t, path)
	late, end := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer end()
	if _, err := hooksocket.Ask(late, path, hooksocket.Request{Client: "hangs"}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want %v", err, context.DeadlineExceeded)
	}
}

func TestPath_OtherDatabaseOrVersion_HasAnotherSocket(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	one := config.Config{URI: "bolt://a", Username: "neo4j", Database: "d", EngineDir: "e"}
	first, err := hooksocket.Path(one, "1")
	if err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*config.Config){
		"URI": func(c *config.Config) { c.URI = "bolt://b" }, "user": func(c *config.Config) { c.Username = "x" },
		"database": func(c *config.Config) { c.Database = "x" }, "engine": func(c *config.Config) { c.EngineDir = "x" },
	} {
		other := one
		change(&other)
		if got, err := hooksocket.Path(other, "1"); err != nil || got == first {
			t.Errorf("other %s: got %s (%v), want another socket", name, got, err)
		}
	}
	if got, err := hooksocket.Path(one, "2"); err != nil || got == first {
		t.Errorf("other version: got %s (%v), want another socket", got, err)
	}
	one.URL = "https://nomograph.example.org"
	if got, err := hooksocket.Path(one, "1"); got != "" || err != nil {
		t.Errorf("with a URL: got %q (%v), want none", got, err)
	}
}

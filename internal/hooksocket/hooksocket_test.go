package hooksocket_test

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/hooksocket"
)

// socket returns the socket for some settings, in a folder whose path is short enough for a socket.
func socket(t *testing.T) string {
	dir := graphtest.Must(os.MkdirTemp("", "s"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_CACHE_HOME", dir)
	return hooksocket.Path("1", "settings")
}

// serve starts a server, and returns a function that ends it.
func serve(t *testing.T, path, name string) (stop func()) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- hooksocket.Serve(ctx, path, func(_ context.Context, r hooksocket.Request) hooksocket.Answer {
			return hooksocket.Answer{Stdout: name + " " + r.Client + " " + string(r.Stdin[:min(len(r.Stdin), 100)]),
				Exit: 2, Declined: r.Settings == "" && !slices.Contains(r.Environ, "NEO4J_URI="+name)}
		})
	}()
	return func() {
		cancel()
		if err := <-ended; err != nil && ctx.Err() == nil {
			t.Error(err)
		}
	}
}

// ask repeats the request until the server answers.
func ask(t *testing.T, settings string) hooksocket.Answer {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		answer, err := hooksocket.Ask(deadline, hooksocket.Request{Version: "1", Settings: settings, Client: "cursor",
			Stdin: []byte("event\x00")})
		if err == nil {
			return answer
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(time.Millisecond)
	}
}

func TestServe_SocketOfAnEndedServer_IsTakenOver(t *testing.T) {
	path := socket(t)
	graphtest.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	if err := os.WriteFile(path, nil, 0o600); err != nil { // as after a crash: a file that nobody listens at
		t.Fatal(err)
	}
	stop := serve(t, path, "first")
	graphtest.Equal(t, ask(t, "settings"), (hooksocket.Answer{Stdout: "first cursor event\x00", Exit: 2}))
	for _, at := range []string{path, filepath.Dir(path)} {
		graphtest.Equal(t, graphtest.Must(os.Stat(at))(t).Mode().Perm()&0o077, 0, at, "mode", "one for the user only")
	}
	second := serve(t, path, "second") // the second server waits until the first ends
	defer func() { second() }()
	if got := ask(t, "settings"); !strings.HasPrefix(got.Stdout, "first") {
		t.Errorf("got %q, want the answer of the first server", got.Stdout)
	}
	stop()
	if got := ask(t, "settings"); !strings.HasPrefix(got.Stdout, "second") {
		t.Errorf("got %q, want the answer of the second server", got.Stdout)
	}
}

func TestAsk_HangingServer_FailsAtTheDeadline(t *testing.T) {
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
	ask(t, "settings")
	if _, err := hooksocket.Ask(time.Now().Add(time.Second),
		hooksocket.Request{Version: "1", Settings: "settings", Client: "hangs"}); !errors.Is(err,
		os.ErrDeadlineExceeded) {
		t.Errorf("got %v, want %v", err, os.ErrDeadlineExceeded)
	}
}

func TestAsk_UnknownSettings_TriesServersOfTheSameVersion(t *testing.T) {
	one := socket(t)
	t.Setenv("NEO4J_URI", "second")
	stop := serve(t, one, "first")
	defer stop()
	stopSecond := serve(t, hooksocket.Path("1", "others"), "second")
	defer stopSecond()
	stopThird := serve(t, hooksocket.Path("2", "others"), "second")
	defer stopThird()
	ask(t, "settings")
	ask(t, "others")
	r := hooksocket.Request{Version: "1", Client: "cursor", Args: []string{"a", ""}, FailOpen: []string{"file.*"},
		Budget: time.Second, Stdin: make([]byte, 10<<20), Environ: hooksocket.Environ()}
	if got, err := hooksocket.Ask(time.Now().Add(time.Minute), r); err != nil ||
		!strings.HasPrefix(got.Stdout, "second cursor") {
		t.Errorf("got %.50q (%v), want the answer of the second server", got.Stdout, err)
	}
	t.Setenv("NEO4J_URI", "third")
	r.Environ = hooksocket.Environ()
	if _, err := hooksocket.Ask(time.Now().Add(time.Minute), r); !errors.Is(err, hooksocket.ErrNone) {
		t.Errorf("with settings of no server: got %v, want %v", err, hooksocket.ErrNone)
	}
}

func TestServe_BrokenMessages_AreNotAnswered(t *testing.T) {
	path := socket(t)
	stop := serve(t, path, "first")
	defer stop()
	ask(t, "settings")
	for _, message := range []string{"\xff\xff\xff\xffx", "\x00\x00\x00\x01x", "\x00\x00\x00\x04\x00\x00\x00\x09",
		"\x00\x00\x00\x00"} {
		connection := graphtest.Must(net.Dial("unix", path))(t)
		_, _ = connection.Write([]byte(message))
		if got, _ := io.ReadAll(connection); len(got) > 0 { // ignore the error: closing with unread bytes resets the connection
			t.Errorf("%q: got %q, want no answer", message, got)
		}
		_ = connection.Close()
	}
	ask(t, "settings")
}

// TestAsk_SocketOfSomebodyElse_IsNotObeyed: anyone who may write to the socket or its folder could answer in place of
// the server.
func TestAsk_SocketOfSomebodyElse_IsNotObeyed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no owners and modes of sockets")
	}
	for name, change := range map[string]func(path string) error{
		"socket for the group":    func(path string) error { return os.Chmod(path, 0o660) },
		"socket for everyone":     func(path string) error { return os.Chmod(path, 0o666) },
		"folder for everyone":     func(path string) error { return os.Chmod(filepath.Dir(path), 0o777) },
		"folder that others list": func(path string) error { return os.Chmod(filepath.Dir(path), 0o755) },
		"socket of another user":  func(path string) error { return os.Lchown(path, 12345, 12345) },
		"folder of another user":  func(path string) error { return os.Lchown(filepath.Dir(path), 12345, 12345) },
		"link to a socket":        elsewhere,
	} {
		t.Run(name, func(t *testing.T) {
			path := socket(t)
			stop := serve(t, path, "first")
			defer stop()
			ask(t, "settings")
			if err := change(path); err != nil {
				if errors.Is(err, os.ErrPermission) {
					t.Skip("only root can give files to others")
				}
				t.Fatal(err)
			}
			for _, settings := range []string{"settings", ""} {
				if got, err := hooksocket.Ask(time.Now().Add(time.Minute),
					hooksocket.Request{Version: "1", Settings: settings, Client: "cursor",
						Environ: []string{"NEO4J_URI=first"}}); !errors.Is(err, hooksocket.ErrNone) {
					t.Errorf("settings %q: got %+v, %v, want %v", settings, got, err, hooksocket.ErrNone)
				}
			}
		})
	}
}

// elsewhere moves a socket and leaves a link to it.
func elsewhere(path string) error {
	target := path + ".moved"
	return errors.Join(os.Rename(path, target), os.Symlink(target, path))
}

// Package hooksocket lets the process of a hook ask a running server of the same user over a private socket, instead of a database of
// its own. The name of the socket depends on the version and the database, so another version or database is never asked.
package hooksocket

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"nomograph/internal/config"
	"nomograph/internal/disk"
)

// Request is an event of a client's hook, with the settings of the process that got it.
type Request struct {
	Client   string        `json:"client"`
	Event    string        `json:"event,omitempty"` // named on the command line; empty if the input names it
	Args     []string      `json:"args,omitempty"`  // arguments after the event
	Stdin    []byte        `json:"stdin"`
	Agent    string        `json:"agent,omitempty"`
	Project  string        `json:"project,omitempty"`
	FailOpen []string      `json:"fail_open,omitempty"`
	Budget   time.Duration `json:"budget"` // nanoseconds
}

// Answer is what the process prints, and its exit code.
type Answer struct {
	Stdout   string `json:"stdout"`
	Stderr   string `json:"stderr"`
	Exit     int    `json:"exit"`
	Declined bool   `json:"declined,omitempty"` // the server has other settings; the process must check by itself
}

// DefaultBudget is the maximum time for the answer to a hook.
const DefaultBudget = 10 * time.Second

const (
	dialTimeout = 250 * time.Millisecond
	readTimeout = 10 * time.Second // of a request
	maxRequest  = 96 << 20         // bytes; input of 64 MB in Base64
	maxAnswer   = 4 << 20          // bytes
)

// Path returns the socket of the servers with these settings. It is in the user's cache directory. Servers on other machines have none, so
// it is empty with a URL.
func Path(c config.Config, version string) (string, error) {
	if c.URL != "" {
		return "", nil
	}
	folder, err := disk.Cache("nomograph", "run")
	if err != nil {
		return "", err
	}
	of, err := json.Marshal([]string{version, c.URI, c.Username, c.Database, c.EngineDir})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(of)
	return filepath.Join(folder, hex.EncodeToString(sum[:8])+".sock"), nil
}

// Ask sends a request to the server at a path. Any error but context.DeadlineExceeded, or an answer that is declined, means that the
// process must check by itself.
func Ask(ctx context.Context, path string, r Request) (Answer, error) {
	connection, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, "unix", path)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = connection.Close() }()
	if deadline, ok := ctx.Deadline(); ok {
		_ = connection.SetDeadline(deadline)
	}
	if err := json.NewEncoder(connection).Encode(r); err != nil {
		return Answer{}, err
	}
	var answer Answer
	err = json.NewDecoder(io.LimitReader(connection, maxAnswer)).Decode(&answer)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = context.DeadlineExceeded
	}
	return answer, err
}

// Serve answers requests at a path until ctx ends. If another server has the socket, it waits until that one ends. A request that cannot
// be read gets no answer.
func Serve(ctx context.Context, path string, answer func(context.Context, Request) Answer) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.Chmod(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock := flock.New(strings.TrimSuffix(path, ".sock") + ".lock")
	if err := lock.Lock(); err != nil { // waits in the kernel, so it costs nothing
		return err
	}
	defer func() { _ = lock.Unlock() }()
	if ctx.Err() != nil {
		return nil
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // left by a server that was killed
		return err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return err
	}
	defer func() { _ = listener.Close() }()
	if err := os.Chmod(path, 0o600); err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { _ = listener.Close() })()
	for {
		connection, err := listener.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		go serve(ctx, connection, answer)
	}
}

// serve answers one request. If the process that sent it ends, so does the context of its answer.
func serve(ctx context.Context, connection net.Conn, answer func(context.Context, Request) Answer) {
	defer func() { _ = connection.Close() }()
	_ = connection.SetReadDeadline(time.Now().Add(readTimeout))
	var r Request
	if err := json.NewDecoder(io.LimitReader(connection, maxRequest)).Decode(&r); err != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	_ = connection.SetReadDeadline(time.Time{})
	go func() {
		_, _ = connection.Read(make([]byte, 1)) // returns when the process ends
		cancel()
	}()
	_ = json.NewEncoder(connection).Encode(answer(ctx, r))
}

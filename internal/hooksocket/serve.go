package hooksocket

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

const readTimeout = 10 * time.Second // limit for reading a request

// Serve answers requests at a path until ctx ends. If another server has the socket, it waits until that one ends. A
// request that cannot be read gets no answer.
func Serve(ctx context.Context, path string, answer func(context.Context, Request) Answer) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := os.Chmod(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	lock := flock.New(strings.TrimSuffix(path, suffix) + ".lock")
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
	r, err := receiveRequest(connection)
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	_ = connection.SetReadDeadline(time.Time{})
	go func() {
		_, _ = connection.Read(make([]byte, 1)) // returns when the process ends
		cancel()
	}()
	_ = answer(ctx, r).send(connection)
}

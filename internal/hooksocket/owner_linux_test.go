package hooksocket_test

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/hooksocket"
)

// TestAsk_ProcessOfAnotherUser_IsNotObeyed: the file belongs to this user, but another user's process listens at it.
func TestAsk_ProcessOfAnotherUser_IsNotObeyed(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	path := socket(t)
	graphtest.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
	asked := make(chan struct{}, 1)
	listening := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // this thread becomes another user, and ends with the goroutine
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
		if err == nil {
			err = syscall.Bind(fd, &syscall.SockaddrUnix{Name: path})
		}
		if _, _, number := syscall.RawSyscall(syscall.SYS_SETRESUID, ^uintptr(0), 12345, ^uintptr(0)); number != 0 {
			err = errors.Join(err, number)
		}
		if err = errors.Join(err, syscall.Listen(fd, 1)); err != nil {
			listening <- err
			return
		}
		file := os.NewFile(uintptr(fd), path)
		listener, err := net.FileListener(file)
		listening <- err
		if connection, err := listener.Accept(); err == nil {
			read, _ := connection.Read(make([]byte, 1))
			if read > 0 {
				asked <- struct{}{}
			}
			_ = connection.Close()
		}
	}()
	graphtest.OK(t, <-listening)
	graphtest.OK(t, os.Chmod(path, 0o600))
	got, err := hooksocket.Ask(time.Now().Add(time.Minute),
		hooksocket.Request{Version: "1", Settings: "settings", Client: "cursor"})
	if !errors.Is(err, hooksocket.ErrNone) || len(asked) > 0 {
		t.Errorf("got %+v, %v, want %v, and no event sent", got, err, hooksocket.ErrNone)
	}
}

//go:build unix

package disk

import (
	"errors"
	"path/filepath"
	"syscall"
	"testing"
)

// TestOpen_Pipe_IsRefused: opening a pipe blocks until a writer opens it.
func TestOpen_Pipe_IsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{path, "/dev/zero"} {
		if _, err := Read(name, 1<<20); !errors.Is(err, ErrNotRegular) {
			t.Errorf("%s: got %v, want errors.Is(err, ErrNotRegular)=true", name, err)
		}
	}
}

//go:build unix

package main_test

import (
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// TestFolders_WithoutHOME_AreInTheUsersHome: files were once written to /, where a second engine started.
func TestFolders_WithoutHOME_AreInTheUsersHome(t *testing.T) {
	who, err := user.Current()
	if err != nil || filepath.Dir(who.HomeDir) == who.HomeDir {
		t.Skipf("LEFT OUT: this user is not listed with a home folder: %v", err)
	}
	environ := slices.DeleteFunc(graphtest.BareEnviron(t),
		func(entry string) bool { return strings.HasPrefix(entry, "HOME=") })
	for _, args := range [][]string{{"engine", "path"}, {"install", "cursor", "--show"},
		{"install", "vscode", "--show"}, {"memory", "install", "claude-code", "--show"}} {
		stdout, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), args...)
		if code != 0 || !strings.Contains(stdout, who.HomeDir) || strings.Contains(stdout, " /.") ||
			strings.HasPrefix(stdout, "/.") || strings.Contains(stdout, "\"/.") {
			t.Errorf("%q: exit %d\n%s%s", args, code, stdout, stderr)
		}
	}
}

// TestPipes_NamedAsFiles_AreRefused: reading a pipe without a writer would block forever.
func TestPipes_NamedAsFiles_AreRefused(t *testing.T) {
	environ := append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1", "NOMOGRAPH_TOKEN=x")
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.yaml")
	graphtest.OK(t, syscall.Mkfifo(pipe, 0o600))
	home := strings.TrimPrefix(environ[1], "HOME=")
	graphtest.OK(t, syscall.Mkfifo(filepath.Join(home, ".claude.json"), 0o600))
	for _, row := range golden.Rows(t, "testdata/pipes.txt") {
		args := strings.Fields(strings.ReplaceAll(row[0], "PIPE", pipe))
		stdout, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), args...)
		if code == 0 || stderr == "" {
			t.Errorf("%q: exit %d\n%s%s", args, code, stdout, stderr)
		}
	}
	engine, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), "engine", "path")
	if engine = strings.TrimSpace(engine); code != 0 || !strings.HasPrefix(engine, home) {
		t.Fatalf("engine path: exit %d: got %q%s, want a folder in %s", code, engine, stderr, home)
	}
	if _, err := os.Stat(engine); err == nil {
		t.Error("an engine was set up to restore a pipe")
	}
}

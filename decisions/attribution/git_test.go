package attribution

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// TestGit_HostileRepository_RunsNothing: the repository's configuration names programs for git to run. One object is
// missing, and git would run another program to fetch it.
func TestGit_HostileRepository_RunsNothing(t *testing.T) {
	dir := t.TempDir()
	ran := filepath.Join(t.TempDir(), "ran")
	program := filepath.Join(t.TempDir(), "program")
	graphtest.OK(t, os.WriteFile(program, []byte("#!/bin/sh\necho \"$0 $*\" >> '"+ran+"'\nexit 1\n"), 0o700))
	git := func(arguments ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=ada", "-c", "user.email=ada@example.org"},
			arguments...)...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v %s", arguments, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "--quiet", "--bare", "origin")
	git("init", "--quiet")
	git("commit", "--quiet", "--allow-empty", "-m", "one")
	lost := git("rev-parse", "HEAD")
	git("commit", "--quiet", "--allow-empty", "-m", "two")
	values := strings.NewReplacer("FOLDER", dir, "HOOKS", filepath.Dir(program), "PROGRAM", program)
	for _, setting := range golden.Rows(t, "testdata/settings.txt") {
		git("config", setting[0], values.Replace(setting[1]))
	}
	graphtest.OK(t, os.WriteFile(filepath.Join(dir, ".gitattributes"), []byte("* diff=x\n"), 0o600))
	graphtest.OK(t, os.Remove(filepath.Join(dir, ".git", "objects", lost[:2], lost[2:])))
	r, err := openRepository(t.Context(), dir)
	if err == nil {
		_, _ = r.walk(t.Context(), func(GitCommit, string) {}) // the missing object is an error
		r.project(t.Context())
		r.shallow(t.Context())
	}
	if stderr, err := os.ReadFile(ran); err == nil {
		t.Errorf("git ran %s", stderr)
	}
	// Without the protection, git runs the programs.
	cmd := exec.Command("git", "-c", "core.pager=cat", "log", "--format=%H")
	cmd.Dir = dir
	_ = cmd.Run()
	if _, err := os.ReadFile(ran); err != nil {
		t.Error("the repository is harmless, so nothing was shown")
	}
}

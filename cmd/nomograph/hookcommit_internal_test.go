package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// TestStoredMessage_RealCommits_EqualsWhatGitStores makes commits with a hook that copies the file, and compares with
// the log.
func TestStoredMessage_RealCommits_EqualsWhatGitStores(t *testing.T) {
	for _, row := range golden.Rows(t, "testdata/commits.txt") {
		name, text := row[0], strings.NewReplacer(`\n`, "\n", `\r`, "\r").Replace(row[1])
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_AUTHOR_NAME": "a",
				"GIT_AUTHOR_EMAIL": "a@host.example", "GIT_COMMITTER_NAME": "a",
				"GIT_COMMITTER_EMAIL": "a@host.example"} {
				t.Setenv(name, value)
			}
			write := func(name, text string) string {
				path := filepath.Join(dir, name)
				graphtest.OK(t, os.WriteFile(path, []byte(text), 0o755))
				return path
			}
			git := func(stdin string, arguments ...string) string {
				t.Helper()
				cmd := exec.Command("git", arguments...)
				cmd.Stdin = strings.NewReader(stdin)
				out, err := cmd.Output()
				if err != nil {
					t.Fatalf("git %v: %v %s", arguments, err, out)
				}
				return string(out)
			}
			git("", "init", "-q")
			for _, setting := range strings.Fields(row[2]) {
				name, value, _ := strings.Cut(setting, "=")
				git("", "config", name, value)
			}
			write("a.txt", "password of the diff\n")
			git("", "add", "a.txt")
			write("text", text)
			t.Setenv("GIT_EDITOR", "sh "+write("editor", "cat '"+filepath.Join(dir, "text")+"' \"$1\" > '"+dir+
				"/new' && cat '"+dir+"/new' > \"$1\"\n"))
			write(".git/hooks/commit-msg", "#!/bin/sh\ncat \"$1\" > '"+dir+"/seen'\nprintf %s \"$GIT_EDITOR\" > '"+dir+
				"/by'\n")
			git(text, append([]string{"commit", "-q"}, strings.Fields(row[3])...)...)
			seen, err := os.ReadFile(filepath.Join(dir, "seen"))
			by, byErr := os.ReadFile(filepath.Join(dir, "by"))
			if err != nil || byErr != nil {
				t.Fatal(err, byErr)
			}
			want := git("", "log", "-1", "--format=%B")
			t.Setenv("GIT_EDITOR", string(by))
			got, err := storedMessage(t.Context(), string(seen))
			if err != nil || strings.TrimRight(got, "\n") != strings.TrimRight(want, "\n") {
				t.Errorf("got %q, %v, want %q of %q", got, err, want, seen)
			}
			if strings.Contains(got, "password of the diff") {
				t.Errorf("got the diff: %q", got)
			}
		})
	}
}

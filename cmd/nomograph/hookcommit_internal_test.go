package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestStoredMessage_RealCommits_EqualsWhatGitStores makes commits with a hook that copies the file, and compares with
// the log.
func TestStoredMessage_RealCommits_EqualsWhatGitStores(t *testing.T) {
	const cut = "------------------------ >8 ------------------------\n"
	for _, tt := range []struct {
		name, text string   // text that the editor writes before Git's comments, or the message
		config     []string // NAME=value
		options    []string // of git commit; an editor is used without -F
	}{
		{"editor", "Add a\n\nBecause.\n", nil, nil},
		{"editor with comments", "Add a\n# a comment\nand b\n\n\n\nmore  \n", nil, nil},
		{"verbose", "Add a\n", nil, []string{"-v"}},
		{"verbose twice", "Add a\n", nil, []string{"-vv"}},
		{"verbose by setting", "Add a\n", []string{"commit.verbose=true"}, nil},
		{"verbose by number", "Add a\n", []string{"commit.verbose=2"}, nil},
		{"verbose, whitespace", "Add a\n# kept\n", []string{"commit.cleanup=whitespace"}, []string{"-v"}},
		{"verbose, verbatim", "Add a  \n# kept\n", []string{"commit.cleanup=verbatim"}, []string{"-v"}},
		{"scissors", "Add a\n# kept\n", []string{"commit.cleanup=scissors"}, nil},
		{"scissors, verbose", "Add a\n# kept\n", []string{"commit.cleanup=scissors"}, []string{"-v"}},
		{"semicolon", "Add a\n# kept\n; gone\n", []string{"core.commentChar=;"}, nil},
		{"semicolon, verbose", "Add a\n# kept\n", []string{"core.commentChar=;"}, []string{"-v"}},
		{"percent, scissors", "Add a\n", []string{"core.commentChar=%", "commit.cleanup=scissors"}, nil},
		{"automatic", "Add a\n", []string{"core.commentChar=auto"}, nil},
		{"automatic, verbose", "Add a\n", []string{"core.commentChar=auto"}, []string{"-v"}},
		{"message", "Add a\n# kept\n", nil, []string{"-F", "-"}},
		{"message, strip", "Add a\n# gone\n", []string{"commit.cleanup=strip"}, []string{"-F", "-"}},
		{"message, verbatim", "\n\nAdd a  \n# kept\n\n\n", []string{"commit.cleanup=verbatim"}, []string{"-F", "-"}},
		{"message, scissors", "Add a\n# " + cut + "kept\n", []string{"commit.cleanup=scissors"}, []string{"-F", "-"}},
		{"message with a cut", "Add a\n# " + cut + "kept\n", nil, []string{"-F", "-"}},
		{"message with a cut and a diff", "Add a\n# " + cut + "diff --git kept\n", nil, []string{"-F", "-"}},
		{"message with a cut, edited", "Add a\n# " + cut + "kept\n", nil, nil},
		{"accents", "Füge é hinzu 日本\n", nil, []string{"-v"}},
		{"CRLF", "Add a\r\n\r\nmore\r\n", nil, []string{"-F", "-"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": os.DevNull, "GIT_AUTHOR_NAME": "a",
				"GIT_AUTHOR_EMAIL": "a@host.example", "GIT_COMMITTER_NAME": "a",
				"GIT_COMMITTER_EMAIL": "a@host.example"} {
				t.Setenv(name, value)
			}
			write := func(name, text string) string {
				path := filepath.Join(dir, name)
				if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
					t.Fatal(err)
				}
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
			for _, setting := range tt.config {
				name, value, _ := strings.Cut(setting, "=")
				git("", "config", name, value)
			}
			write("a.txt", "password of the diff\n")
			git("", "add", "a.txt")
			write("text", tt.text)
			t.Setenv("GIT_EDITOR", "sh "+write("editor", "cat '"+filepath.Join(dir, "text")+"' \"$1\" > '"+dir+
				"/new' && cat '"+dir+"/new' > \"$1\"\n"))
			write(".git/hooks/commit-msg", "#!/bin/sh\ncat \"$1\" > '"+dir+"/seen'\nprintf %s \"$GIT_EDITOR\" > '"+dir+
				"/by'\n")
			git(tt.text, append([]string{"commit", "-q"}, tt.options...)...)
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

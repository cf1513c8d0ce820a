package main_test

import (
	"os/exec"
	"path/filepath"
	"testing"

	"nomograph/graph/graphtest"
)

// TestEnv_Error_FailsTheShell: a shell ignores the exit code of a command substitution, so the output itself must fail.
func TestEnv_Error_FailsTheShell(t *testing.T) {
	environ := append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1", "NEO4J_PASSWORD=x")
	for _, c := range []struct {
		name, stdout string
		args         []string
	}{
		{"no database", "false\n", []string{"env", "least"}},
		{"no database, sh", "false\n", []string{"env", "least", "--format", "sh"}},
		{"no database, fish", "false\n", []string{"env", "--format=fish", "least"}},
		{"no database, table", "false\n", []string{"env", "--table", "R1"}},
		{"no database, dotenv", "", []string{"env", "least", "--format", "dotenv"}},
		{"no database, github", "", []string{"env", "least", "--format", "github"}},
		{"no database, json", "", []string{"env", "least", "-o", "json"}},
		{"no database, a file", "", []string{"env", "least", "--out", filepath.Join(t.TempDir(), "x")}},
		{"an unknown flag", "false\n", []string{"env", "least", "--nosuch"}},
		{"an unknown format", "false\n", []string{"env", "least", "--format", "toml"}},
		{"a server that is not there", "false\n", []string{"env", "least", "--url", "http://127.0.0.1:1"}},
		{"another command", "", []string{"threshold", "get", "least"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			stdout, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), c.args...)
			if stdout != c.stdout || stderr == "" || code == 0 {
				t.Errorf("got %q, %q, exit %d, want %q, an error and a nonzero exit", stdout, stderr, code, c.stdout)
			}
		})
	}
	for _, shell := range [][]string{{"sh", `eval "$("$0" env least 2>/dev/null)" && echo on`},
		{"bash", `set -e; eval "$("$0" env least 2>/dev/null)"; echo on`}} {
		path, err := exec.LookPath(shell[0])
		if err != nil {
			continue
		}
		if stdout, _, code := graphtest.Run(t, environ, nil, path, "-c", shell[1], graphtest.Binary(t)); stdout != "" ||
			code == 0 {
			t.Errorf("%s: got %q, exit %d, want that the script stops", shell[0], stdout, code)
		}
	}
}

package main_test

import (
	"os/exec"
	"testing"

	"nomograph/graph/graphtest"
)

// TestEnv_Error_FailsTheShell: a shell ignores the exit code of a command substitution, so the output itself must fail.
func TestEnv_Error_FailsTheShell(t *testing.T) {
	environ := append(away(t), "DIR="+t.TempDir())
	session(t, environ, `
$ env least # 4
= false
err No Neo4j answers
$ env least --format sh # 4
= false
$ env --format=fish least # 4
= false
$ env --table R1 # 4
= false
$ env least --format dotenv # 4
$ env least --format github # 4
$ env least -o json # 4
$ env least --out $DIR/x # 4
$ env least --nosuch # 2
= false
$ env least --format toml # 2
= false
$ env least --url http://127.0.0.1:1 # 4
= false
$ threshold get least # 4`)
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

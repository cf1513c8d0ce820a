package main_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
)

// TestArguments_DuplicateKey_IsRefusedByEveryTransport: no call reaches a database. Archives and imported records
// have tests of their own.
func TestArguments_DuplicateKey_IsRefusedByEveryTransport(t *testing.T) {
	environ := append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1")
	pack := filepath.Join(t.TempDir(), "p.yaml")
	graphtest.OK(t, os.WriteFile(pack, []byte("pack: p\nversion: 1.0.0\npolicies:\n  - name: r\n    active: true\n    severity: block\n    severity: warn\n"), 0o600))
	session(t, append(environ, "PACK="+pack), `
$ policy check x --context '{"stakes": "high", "a": 1, "stakes": "low"}' # 2
err in context, line 1, column 42: the key "stakes" already exists
$ policy check x --context '{stakes: high, stakes: low}' # 2
err the key "stakes" already exists
$ policy check x --context 'stakes=high,stakes=low' # 2
err the key "stakes" already exists
$ policy check x --params '{"a": [{"stakes": 1, "st\u0061kes": 2}]}' # 2
err in params.a[0], line 1, column 59: the key "stakes" already exists
$ call check_action '{"description": "x", "stakes": "high", "stakes": "low"}' # 2
err check_action: in the arguments, line 1, column 47: 
$ policy validate $PACK # 2
err $PACK:7:5: the key "severity" already exists, at line 6, column 5
$ policy apply $PACK # 2
err $PACK:7:5: the key "severity" already exists
$ policy import $PACK --as q # 2
err $PACK:7:5: the key "severity" already exists`)

	client := graphtest.Start(t, environ, graphtest.Binary(t), "serve")
	client.Initialize("2025-06-18")
	long := strings.NewReplacer("DEEP", strings.Repeat("[", 101)+strings.Repeat("]", 101), "WIDE",
		strings.Repeat("1,", 210_000))
	for _, row := range golden.Rows(t, "testdata/duplicates.txt") {
		line, want := long.Replace(row[0]), row[1]
		client.Send(line)
		if answer := client.Line(); !strings.Contains(strings.ReplaceAll(answer, `\\\"`, `"`), want) &&
			!strings.Contains(answer, strings.ReplaceAll(want, `"`, `\"`)) {
			t.Errorf("%s\nis answered with %s", row[0], answer)
		}
	}
	client.Send(`{"jsonrpc":"2.0","id":11,"method":"ping"}`)
	graphtest.Contains(t, client.Line(), `"id":11`)
	graphtest.Equal(t, client.Close(), 0, "exit code of serve")
}

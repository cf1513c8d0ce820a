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
	if err := os.WriteFile(pack, []byte("pack: p\nversion: 1.0.0\npolicies:\n  - name: r\n    active: true\n    severity: block\n    severity: warn\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const already = `the key "stakes" already exists`
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"policy", "check", "x", "--context", `{"stakes": "high", "a": 1, "stakes": "low"}`}, "in context, "},
		{[]string{"policy", "check", "x", "--context", `{stakes: high, stakes: low}`}, already},
		{[]string{"policy", "check", "x", "--context", `stakes=high,stakes=low`}, already},
		{[]string{"policy", "check", "x", "--params", `{"a": [{"stakes": 1, "st\u0061kes": 2}]}`}, "in params.a[0], "},
		{[]string{"call", "check_action", `{"description": "x", "stakes": "high", "stakes": "low"}`},
			"check_action: in the arguments, line 1, column 47: "},
		{[]string{"policy", "validate", pack}, pack + `:7:5: the key "severity" already exists, at line 6, column 5`},
		{[]string{"policy", "apply", pack}, pack + `:7:5: the key "severity" already exists`},
		{[]string{"policy", "import", pack, "--as", "q"}, pack + `:7:5: the key "severity" already exists`},
	} {
		_, stderr, code := graphtest.Run(t, environ, nil, graphtest.Binary(t), c.args...)
		if code != 2 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: got %d\n%s, want code=2, stderr with %v", strings.Join(c.args, " "), code, stderr, c.want)
		}
	}

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
	if answer := client.Line(); !strings.Contains(answer, `"id":11`) {
		t.Errorf("afterwards: %s", answer)
	}
	if code := client.Close(); code != 0 {
		t.Errorf("serve ended with %d", code)
	}
}

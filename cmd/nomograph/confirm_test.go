package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
)

// TestMemoryForget_MoreThanTen_AsksOrTakesYes: a person sees what would be deleted and types the number; a script
// passes --yes.
func TestMemoryForget_MoreThanTen_AsksOrTakesYes(t *testing.T) {
	g := graphtest.New(t)
	for _, entry := range g.Environ(t) {
		name, value, _ := strings.Cut(entry, "=")
		t.Setenv(name, value)
	}
	nomograph := func(typed string, args ...string) (stdout, stderr string, err error) {
		a, out, output := &app{in: strings.NewReader(typed), quiet: true}, &strings.Builder{}, &strings.Builder{}
		root := a.root(args)
		root.SetArgs(args)
		root.SetOut(out)
		root.SetErr(output)
		err = root.ExecuteContext(t.Context())
		a.close()
		return out.String(), output.String(), err
	}
	path, talk := filepath.Join(t.TempDir(), "c.jsonl"), ""
	for i := range 12 {
		talk += fmt.Sprintf(`{"session":"c%d","role":"user","content":"the orders of customer %d"}`+"\n", i, i)
	}
	graphtest.OK(t, os.WriteFile(path, []byte(talk), 0o600))
	if _, _, err := nomograph("", "import", "sessions", path); err != nil {
		t.Fatal(err)
	}
	forget := []string{"memory", "forget", "--query", "orders", "--dry-run=false"}
	for _, typed := range []string{"", "\n", "11\n", "yes\n"} {
		_, asked, err := nomograph(typed, forget...)
		if !apperr.Is(err, apperr.Conflict) || !strings.Contains(asked, "customer 11") ||
			!strings.Contains(asked, "12 chunks of 12 sessions") {
			t.Errorf("%q: %v after\n%s", typed, err, asked)
		}
	}
	if stdout, asked, err := nomograph("12\n", append(forget, "--since", "2000-01-01", "--until",
		"2000-01-02")...); err != nil || asked != "" || !strings.Contains(stdout, "Nothing in memory matches") {
		t.Errorf("nothing to forget: %v, %s%s", err, stdout, asked)
	}
	if stdout, _, err := nomograph("12\n", forget...); err != nil || !strings.Contains(stdout, "Forgotten: 12 chunks") {
		t.Errorf("typed: %v, %s", err, stdout)
	}
	graphtest.OK(t, os.WriteFile(path, []byte(strings.NewReplacer("orders", "payments", `:"c`, `:"d`).Replace(talk)),
		0o600))
	if _, _, err := nomograph("", "import", "sessions", path); err != nil {
		t.Fatal(err)
	}
	if stdout, asked, err := nomograph("", "memory", "forget", "--query", "payments", "--yes"); err != nil ||
		asked != "" || !strings.Contains(stdout, "Forgotten: 12 chunks") {
		t.Errorf("--yes: %v, %s%s", err, stdout, asked)
	}
}

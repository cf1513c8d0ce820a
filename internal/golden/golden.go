// Package golden compares output with golden files, and reads tables of test cases. UPDATE_GOLDEN=1 writes the golden
// files.
package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Check compares got with the file at path.
func Check(t *testing.T, path, got string) {
	t.Helper()
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (`make golden` writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s has changed (-file +now); where that is meant, run `make golden`:\n%s", path, diff)
	}
}

// Section compares got with the text between a line with begin and "<!-- end -->" in the page at path.
func Section(t *testing.T, path, begin, got string) {
	t.Helper()
	const end = "<!-- end -->"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, begins := strings.Cut(string(text), begin+"\n")
	_, after, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s has no section between %q and %q", path, begin, end)
	}
	Check(t, path, before+begin+"\n"+got+end+after)
}

// Rows reads a table of test cases: one on each line, with columns between " | ". Lines that begin with # are comments.
func Rows(t testing.TB, path string) [][]string {
	t.Helper()
	return Columns(t, path, -1)
}

// Columns reads a table like Rows, with a number of columns, so that the last one can contain " | ".
func Columns(t testing.TB, path string, number int) [][]string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			columns := strings.SplitN(line+" ", " | ", number)
			for i := range columns {
				columns[i] = strings.TrimSpace(columns[i])
			}
			rows = append(rows, columns)
		}
	}
	return rows
}

// Case is a test case with a text of several lines.
type Case struct{ Name, Want, Text string }

// Cases reads test cases. Each begins with a line "=== name => want", and its text follows, without the last line
// break. Lines before the first case are comments.
func Cases(t testing.TB, path string) []Case {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var cases []Case
	for _, block := range strings.Split("\n"+string(text), "\n=== ")[1:] {
		head, body, _ := strings.Cut(block, "\n")
		name, want, _ := strings.Cut(head, " =>")
		cases = append(cases, Case{name, strings.TrimSpace(want), strings.TrimSuffix(body, "\n")})
	}
	return cases
}

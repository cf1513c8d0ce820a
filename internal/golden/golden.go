// Package golden compares output with golden files. UPDATE_GOLDEN=1 writes the files.
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

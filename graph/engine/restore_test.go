package engine

import (
	"os"
	"path/filepath"
	"testing"
)

// TestRestore_Killed_IsUndone covers a kill after each step of a restore.
func TestRestore_Killed_IsUndone(t *testing.T) {
	for name, c := range map[string]struct {
		before  string // content of the graph directory; empty for none
		killed  func(t *testing.T, o Options)
		wanted  string
		partial string
	}{
		"while it loaded": {before: "old",
			killed: func(t *testing.T, o Options) { check(t, setGraphAside(o)) }, partial: "half", wanted: "old"},
		"while it loaded the first": {killed: func(t *testing.T, o Options) { check(t, setGraphAside(o)) },
			partial: "half", wanted: ""},
		"before it had begun": {before: "old", wanted: "old", killed: func(t *testing.T, o Options) {
			check(t, os.MkdirAll(o.path(replaced, "databases"), 0o700))
		}},
		"after it had ended": {before: "old", partial: "new", wanted: "new", killed: func(t *testing.T, o Options) {
			check(t, setGraphAside(o))
			check(t, os.Rename(o.path(replaced), o.path(replacedDone)))
		}},
	} {
		t.Run(name, func(t *testing.T) {
			o := Options{Dir: t.TempDir()}.Defaults()
			store := o.path("data", "databases", database, "store")
			put := func(content string) {
				if content != "" {
					check(t, os.MkdirAll(filepath.Dir(store), 0o700))
					check(t, os.WriteFile(store, []byte(content), 0o600))
				}
			}
			put(c.before)
			c.killed(t, o)
			put(c.partial)
			check(t, undoRestore(o))
			if got, _ := os.ReadFile(store); string(got) != c.wanted {
				t.Errorf("got %q, want %q", got, c.wanted)
			}
			if exists(o.path(replaced)) || exists(o.path(replacedDone)) {
				t.Error("files remain")
			}
		})
	}
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

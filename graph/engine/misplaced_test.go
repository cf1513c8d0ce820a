package engine

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/rs/zerolog"
)

// TestMoveMisplaced_OldFolder_IsFound: the folders are those in which version 1 found its data, with the path of
// neo4j.conf read as Latin-1.
func TestMoveMisplaced_OldFolder_IsFound(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("its paths were written with slashes, and have other forms")
	}
	for name, old := range map[string]string{
		"josé":   "jos/u00C3/u00A9",
		"日本":     "/u00E6/u0097/u00A5/u00E6/u009C/u00AC",
		"žluť o": "/u00C5/u00BElu/u00C5/u00A5 o",
		`a\b`:    "a/b",
		`a\s`:    "as",
		`a\\s`:   "a/s",
		"plain":  "",
		`q"t's`:  `q/"t's`,
		"a b":    "",
		"🦊":      "/u00F0/u009F/u00A6/u008A",
		`é\ü`:    "/u00C3/u00A9/u00C3/u00BC",
	} {
		root := t.TempDir()
		o := Options{Dir: filepath.Join(root, name, "engine")}
		wrong := ""
		if old != "" {
			wrong = filepath.Join(root, old, "engine", "data")
		}
		if got := o.misplacedData(); got != wrong {
			t.Errorf("%s: got %q, want %q", name, got, wrong)
		}
		for _, dir := range []string{o.path("data", "dbms"), filepath.Join(wrong, "databases", database)} {
			if wrong != "" {
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := o.moveMisplaced(zerolog.Nop()); err != nil ||
			exists(o.path("data", "databases", database)) != (old != "") {
			t.Errorf("%s: got %v, want the graph in %s: %v", name, err, o.path("data"), old != "")
		}
		if wrong == "" {
			continue
		}
		marker := o.path("data", "databases", database, "own") // a graph that is there stays
		if err := os.WriteFile(marker, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(wrong, "databases", database), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := o.moveMisplaced(zerolog.Nop()); err != nil || !exists(marker) {
			t.Errorf("%s: got %v, want the own graph to stay", name, err)
		}
	}
}

package main_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"nomograph/graph/graphtest"
)

// TestTour_Output_FitsAScreen: the text fits a screen, and --json has complete answers.
func TestTour_Output_FitsAScreen(t *testing.T) {
	environ := withDemoEngine(t, graphtest.New(t))
	stdout := printed(t, environ, "demo")
	lines := strings.Split(stdout, "\n")
	if len(lines) > 45 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > 160 && !strings.Contains(line,
			"nomograph") { // the path of a test's program is long
			t.Errorf("%d characters: %s", utf8.RuneCountInString(line), line)
		}
	}
	graphtest.Contains(t, stdout, "denied by no-high-stakes-low-confidence",
		"denied by rollouts-start-small",
		"allowed: none of", "10 percent", "Did you mean 'rollout_percent_first'?",
		"Use no default if the database does not answer")

	if strings.Contains(stdout, "{") {
		t.Errorf("JSON is shown:\n%s", stdout)
	}

	calls := strings.Split("\n"+printed(t, environ, "demo", "--json"), "\n> ")[1:]
	if len(calls) != 7 {
		t.Fatalf("%d calls:\n%s", len(calls), stdout)
	}
	for _, call := range calls {
		_, answer, _ := strings.Cut(call, "\n")
		if !json.Valid([]byte(answer)) {
			t.Errorf("no JSON: %s", call)
		}
	}
}

// withDemoEngine returns an environment in which the demo uses the engine of a test's graph, and the settings name a
// database that must not be asked.
func withDemoEngine(t *testing.T, g *graphtest.Graph) []string {
	t.Helper()
	environ := graphtest.BareEnviron(t)
	for _, line := range environ {
		if home, ok := strings.CutPrefix(line, "HOME="); ok {
			folder := filepath.Join(home, ".local", "share", "nomograph")
			graphtest.OK(t, os.MkdirAll(folder, 0o700))
			if err := os.Symlink(g.Engine.Dir, filepath.Join(folder,
				"demo")); err != nil { // the engine that already runs
				t.Skip(err)
			}
		}
	}
	return append(environ, "NEO4J_URI=bolt://127.0.0.1:1", "NEO4J_PASSWORD=x")
}

func TestDemoClean_Folder_IsRemovedWhenConfirmed(t *testing.T) {
	c := newClone(t)
	folder := filepath.Join(c.home, ".local", "share", "nomograph", "demo")
	c.write(t, filepath.Join(folder, "data", "x"), "", 0o600)
	for _, tt := range []struct {
		args []string
		says string
		left bool
	}{{[]string{"demo", "--clean"}, "Nothing was changed", true},
		{[]string{"demo", "--clean", "--yes"}, "Removed.", false},
		{[]string{"demo", "--clean", "--yes"}, "unchanged", false}} {
		output, code := c.run(t, tt.args...)
		if _, err := os.Stat(folder); code != 0 || !strings.Contains(output, tt.says) || (err == nil) != tt.left {
			t.Errorf("%v: exit %d, %v: %s", tt.args, code, err, output)
		}
	}
}

package main_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"nomograph/graph/graphtest"
)

// TestTour_Output_FitsAScreen: the text fits a screen, and --json has complete answers.
func TestTour_Output_FitsAScreen(t *testing.T) {
	g := graphtest.New(t)
	stdout, stderr, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "demo")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	if len(lines) > 45 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if utf8.RuneCountInString(line) > 160 && !strings.Contains(line, "nomograph") { // the path of a test's program is long
			t.Errorf("%d characters: %s", utf8.RuneCountInString(line), line)
		}
	}
	for _, want := range []string{"denied by no-high-stakes-low-confidence", "denied by rollouts-start-small", "allowed: none of", "10 percent", "Did you mean 'rollout_percent_first'?", "Use no default if the database does not answer", "relates to"} {
		if !strings.Contains(stdout, want) {
			t.Errorf("%q is missing from\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "{") {
		t.Errorf("JSON is shown:\n%s", stdout)
	}

	stdout, stderr, code = graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "demo", "--json")
	if code != 0 {
		t.Fatalf("exit %d: %s", code, stderr)
	}
	calls := strings.Split(stdout, "\n> ")[1:]
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

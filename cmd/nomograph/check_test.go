package main_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

func TestCheck_Output_SuitsPeopleAndScripts(t *testing.T) {
	g := withPacks(t)
	environ := g.Environ(t)
	away := append(graphtest.BareEnviron(t), "NEO4J_URI=bolt://127.0.0.1:1")
	run := func(environ []string, args ...string) (stdout, stderr string, code int) {
		t.Helper()
		return graphtest.Run(t, environ, nil, graphtest.Binary(t), args...)
	}
	stdout, stderr, code := run(environ, "policy", "check", "Move the database", "--stakes", "high", "--confidence",
		"0.4", "--agent", "ada")
	for _, want := range []string{"denied\n", "no-high-stakes-low-confidence blocks: ", "action.confidence 0.4",
		"to pass  action.confidence >= 0.5", "verdict "} {
		if code != 5 || stderr != "" || !strings.Contains(stdout, want) {
			t.Errorf("exit %d, stderr %q, and no %q in\n%s", code, stderr, want, stdout)
		}
	}
	stdout, _, code = run(environ, "policy", "check", "Move the database", "-o", "json", "--stakes", "high",
		"--confidence", "0.4")
	var verdict struct {
		Allowed   bool
		VerdictID string `json:"verdict_id"`
	}
	if err := json.Unmarshal([]byte(stdout), &verdict); err != nil || code != 5 || verdict.Allowed ||
		verdict.VerdictID == "" {
		t.Fatalf("exit %d, %v: %s", code, err, stdout)
	}
	for _, c := range []struct {
		environ []string
		args    []string
		code    int
		stdout  string
		stderr  string
	}{
		{environ, []string{"policy", "check", "Rename a variable"}, 0, "allowed\n", ""},
		{environ, []string{"policy", "check", "Deploy", "--context",
			`{"affectsProduction": true, "codeReviewCompleted": true}`}, 0, "allowed\n", ""},
		{environ, []string{"policy", "check", "Deploy", "--context", `{"affectsProduction": true}`}, 5,
			"no-production-without-review", ""},
		{environ, []string{"policy", "check", "x", "--confidence", "1.2"}, 2, "",
			"confidence must be at most 1, not 1.2"},
		{environ, []string{"policy", "check", "x", "--stakes", "extreme"}, 2, "",
			"must be one of low, medium, high, critical"},
		{away, []string{"policy", "check", "x", "-o", "json"}, 4, "", `"allowed": false`},
		{environ, []string{"verdict", "explain", verdict.VerdictID}, 0, "denied\n", ""},
		{environ, []string{"verdict", "explain", "nosuch"}, 3, "", "Verdict 'nosuch' not found"},
		{environ, []string{"verdict", "list", "--allowed=false", "--by", "ada", "--field", "rules"}, 0,
			"[\"no-high-stakes-low-confidence\"]\n", ""},
		{environ, []string{"history", "list", "threshold", "claim_promotion_confidence"}, 0, "value: (none) -> 0.9",
			""},
		{environ, []string{"history", "list", "rule", "x"}, 2, "", "must be one of policy, threshold, table"},
		{environ, []string{"threshold", "get", "claim_promotion_confidence", "--as-of", "2020-01-01"}, 3, "",
			"history starts at"},
		{environ, []string{"policy", "sync", "--field", "changed"}, 0, "0\n", ""},
	} {
		stdout, stderr, code := run(c.environ, c.args...)
		if code != c.code || !strings.Contains(stdout, c.stdout) || !strings.Contains(stderr, c.stderr) ||
			c.stdout == "" && stdout != "" {
			t.Errorf("%v: exit %d, want %d\nstdout %s\nstderr %s", c.args, code, c.code, stdout, stderr)
		}
	}
}

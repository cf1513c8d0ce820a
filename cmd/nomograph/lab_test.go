package main_test

import (
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

// TestLab_FortyFailures_CommandsStateTheirEvidence runs the commands of the lab on the history of a typical user.
func TestLab_FortyFailures_CommandsStateTheirEvidence(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	h := toolstest.FortyFailures(t, g)
	environ := append(g.Environ(t), "NOMOGRAPH_AGENT=ann")
	run := func(args ...string) string {
		t.Helper()
		out, stderr, code := graphtest.Run(t, environ, strings.NewReader(""), graphtest.Binary(t), args...)
		if code != 0 {
			t.Errorf("%v: exit %d: %s%s", args, code, out, stderr)
		}
		t.Logf("$ nomograph %s\n%s\n--- stderr\n%s", strings.Join(args, " "), out, stderr)
		return out + stderr
	}
	run("policy", "apply", "autonomy")
	run("policy", "propose", "--set", "bar=0.6", "--reason", "Acts at 0.55 failed")
	for _, test := range []struct {
		command string
		says    []string
	}{
		{"policy report", []string{"| autonomy-is-earned | shadow | 0 | 0 |"}},
		{"policy replay --mode small-steps=enforce", []string{"Change: rule small-steps: shadow → enforce"}},
		{"policy learn --from " + h.Failed, []string{"What distinguished the failure " + h.Failed}},
		{"decision review-next", []string{"reviews would not settle whether the proposal `",
			"stops failures that cost more than its denials (5 failures, 49 successes so far)"}},
		{"policy impact narrow", []string{"exception-1", "request-1"}},
		{"threshold impact bar --to 0.6", []string{"246 acts newly denied",
			"5 failures stopped, 49 successes blocked, 192 unknown"}},
		{"threshold impact bar --to 0.4", []string{"no estimate for newly allowed acts"}},
		{"decision impact " + h.Failed, []string{"| " + h.Unreviewed + " | " + h.Failed + " | 1 | not reviewed |"}},
		{"decision impact " + h.Unreviewed, []string{"No decision depends on it."}},
		{"exception list", []string{"exception-1", "active"}},
		{"exception show exception-1", []string{"unreviewed"}},
		{"autonomy show agent-0", []string{"count, of which", "a person approves every act with critical stakes"}},
		{"autonomy show nobody", []string{"No review at medium stakes counts"}},
		{"proposal list", []string{"open"}},
		{"verdict appeals", []string{"The rehearsal has no customers"}},
	} {
		words := strings.Fields(test.command)
		if strings.ContainsAny(strings.Join(test.says, ""), "|`") {
			words = append(words, "-o", "markdown")
		}
		stderr := run(words...)
		for _, text := range test.says {
			if !strings.Contains(stderr, text) {
				t.Errorf("%s does not say %q:\n%s", test.command, text, stderr)
			}
		}
		if strings.Contains(stderr, "note: ") {
			t.Errorf("%s repeats a note:\n%s", test.command, stderr)
		}
	}
}

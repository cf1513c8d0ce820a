package lab_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/internal/golden"
	"nomograph/policies/lab"
	"nomograph/tools/toolstest"
)

// TestLab_FortyFailures_SummariesStateKnownAndUnknown: five agents, 2,000 verdicts, 300 reviewed decisions and 40
// failures.
func TestLab_FortyFailures_SummariesStateKnownAndUnknown(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, env := toolstest.Open(t)
	toolstest.FortyFailures(t, g)
	var all strings.Builder
	say := func(name, summary string, err error) {
		if err != nil {
			t.Errorf("%s: got %v, want no error", name, err)
		}
		fmt.Fprintf(&all, "=== %s\n%s\n", name, summary)
	}
	replay, err := env.Lab.Replay(t.Context(), lab.Request{Change: lab.Change{Set: graph.Parameters{"bar": 0.6}}})
	say("replay", replay.Summary, err)
	report, err := env.Lab.Report(t.Context(), lab.ReportRequest{})
	say("report", report.Summary, err)
	learned, err := env.Lab.Learn(t.Context(), lab.LearnRequest{})
	say("learn", learned.Summary, err)
	tuned, err := env.Lab.Tune(t.Context(), lab.TuneRequest{Name: "bar"})
	say("tune", tuned.Summary, err)
	next, err := env.Lab.ReviewNext(t.Context(), lab.ReviewNextRequest{})
	say("review next", next.Summary, err)
	impact, err := env.Lab.PolicyImpact(t.Context(), lab.PolicyImpactRequest{Name: "sure"})
	say("impact", impact.Summary, err)
	if report.Verdicts != 2000 || learned.Failures != 40 || tuned.Failures != 40 || tuned.Successes != 255 {
		t.Errorf("got %d verdicts, %d and %d failures, %d successes, want 2000, 40, 40, 255", report.Verdicts,
			learned.Failures, tuned.Failures, tuned.Successes)
	}
	if replay.Today.Allowed+replay.Today.Denied+replay.BySession != 1964 || replay.Retries.Acts != 36 {
		t.Errorf("today's rules allow %d and deny %d acts, %d of them after a retry, want 1964 and 36",
			replay.Today.Allowed, replay.Today.Denied, replay.Retries.Acts)
	}
	golden.Contains(t, "all answers", all.String(),
		"5 failures stopped, 49 successes blocked, 192 unknown; 5 outcomes after retries that only changed numbers: no evidence; reviewing all of them may not show whether it costs less than it saves.",
		"Nothing sets the failures apart more than chance would",
		"With 300 acts and 40 failures a fact is found in four of five cases if:",
		"36 acts denied and then tried again until allowed:",
		"- confidence 0.3 → 0.55 (4)",
		"| small-steps | shadow | 1964 | 1964 | 964 | 579 | 96 | 0 | 0 | 28 | 15 failed, 98 succeeded, 340 unknown; 13 % failures (8 % to 21 %), 14 % otherwise |",
		"suggest no other value",
		"| 0.6 | 9 | 68 | 182 | +20 (-18 to +58), no difference shown; 193 unreviewed acts differ, at most +193; equal cost at 9.4 |",
		"would not settle whether `sure` is too strict (4 failures, 21 successes so far)",
		"0 acts newly denied, 425 acts newly allowed, 0 undetermined",
		"there is nothing to propose",
		"Looser values than the current one have no record",
		"drawn at random")
	for _, text := range []string{"0000000", "99999", "NaN", " -0 ", "is too strict: "} {
		if strings.Contains(strings.ReplaceAll(all.String(), "000d0", ""), text) {
			t.Errorf("an answer says %q in\n%s", text, all.String())
		}
	}
}

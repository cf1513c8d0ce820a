package pages_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/policies/change"
	"nomograph/policies/lab"
	"nomograph/policies/pack"
	"nomograph/policies/proposals"
	"nomograph/tools/toolstest"
)

var htmlTag = regexp.MustCompile(`(?s)<script.*?</script>|<style.*?</style>|<[^>]*>`)

// TestPages_FortyFailures_StateTheirEvidence reads the pages about rules as a new user does, on the history of a
// typical user.
func TestPages_FortyFailures_StateTheirEvidence(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	s := open(t)
	h := toolstest.FortyFailures(t, s.graph)
	toolstest.Apply(t, s.env, change.ApplyRequest{Packs: []pack.Source{{Name: "autonomy"}}})
	p := graphtest.Must(s.env.Proposals.Propose(t.Context(),
		proposals.Creation{Change: lab.Change{Set: graph.Parameters{"bar": 0.6}}, Reason: "Acts at 0.55 failed",
			By: "ann"}))(t)
	for path, says := range map[string][]string{
		"/report": {"shadow trial: open", "autonomy-is-earned shadow 0 0 0"},
		"/tuning?name=bar": {"no record: allows 334 denied acts",
			"42 (-20 to 104), no difference shown", "would have led to the same value"},
		"/replay?run=1&threshold=bar&value=0.6": {"Newly denied: 246", "192 not reviewed", "Newly allowed: 0"},
		"/proposals/" + p.ProposalID:            {"5 failures stopped, 49 successes blocked, 192 unknown"},
		"/autonomy?agent=agent-0":               {"sessions at high stakes count, of which"},
		"/exceptions":                           {"rollout", "agent-0", "narrow"},
		"/today?reviews=1": {"Pending approvals 1",
			"would not settle whether sure is too strict (4 failures, 21 successes so far)",
			"whether the proposal (threshold bar: 0.5 → 0.6) stops failures that cost more than its denials (5 failures, 49 successes so far) Show this proposal"},
		"/decisions/" + h.Failed:       {"1 decision depends on this"},
		"/impact?decision=" + h.Failed: {"1 decision depends on this decision, 1 still open", "sure enforce passed"},
		"/impact?threshold=bar&to=0.6": {"Newly denied: 246", "192 not reviewed", "sure enforce"},
		"/impact?policy=narrow": {"Compare with the mode",
			"Exceptions Action Agent Rules Until Used rollout agent-0 narrow",
			"Pending approvals Action Agent Rules Until Used rollout agent-2 narrow"},
	} {
		status, _, page := s.get(t, path)
		text := strings.Join(strings.Fields(htmlTag.ReplaceAllString(page, " ")), " ")
		graphtest.Equal(t, status, http.StatusOK, path+": status")
		if strings.Contains(text, "0000000") && !strings.HasPrefix(path, "/decisions/") ||
			strings.Contains(text, "NaN") { // a decision shows what was stored
			t.Errorf("%s shows a number without a source:\n%s", path, text)
		}
		graphtest.Contains(t, text, says...)
	}
	for path, heading := range map[string]string{"/impact?threshold=bar": "No value to compare with the threshold &#34;bar&#34;",
		"/impact?threshold=bar&to=much":   "holds a number, and the new value is a string",
		"/impact?policy=narrow&mode=loud": "Mode must be one of enforce, shadow, off"} {
		status, _, page := s.get(t, path)
		_, title, _ := strings.Cut(page, "<h1>")
		if title, _, _ = strings.Cut(title, "</h1>"); status != http.StatusBadRequest ||
			!strings.Contains(title, heading) {
			t.Errorf("%s: got %d %q, want %q", path, status, title, heading)
		}
	}
}

package insights_test

import (
	"slices"
	"strings"
	"testing"

	"nomograph/decisions/insights"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
)

// TestReady_OpenProposalsAndAppeals_AreDue: a person has to decide about them, and callers of other projects do not
// see them.
func TestReady_OpenProposalsAndAppeals_AreDue(t *testing.T) {
	g, env := toolstest.Open(t)
	rules := graphtest.Must(env.Checks.Rules(t.Context()))(t)
	g.Exec(t, `UNWIND [['open', 'o/r', 'ann'], ['approved', 'o/r', 'bo'], ['stale', 'o/r', 'bo'], ['open', 'o/other', 'bo'], ['draft', 'o/r', 'bo']] AS p
		CREATE (:Proposal {uid: p[0] + ' ' + p[1], state: p[0], project: p[1], proposed_by: p[2], proposer: p[2], words: ['rule a: enforce → off', 'rule b: off → enforce'], created_at: datetime(), opened_at: datetime(), base_revision: CASE p[1] WHEN 'o/other' THEN 'earlier' ELSE $revision END})
		WITH count(*) AS n UNWIND [['open', 'high', 'o/r'], ['open', 'low', 'o/other'], ['upheld', 'high', 'o/r']] AS a
		CREATE (v:Verdict {uid: a[0] + ' ' + a[1], project: a[2], allowed: false, at: datetime()})<-[:AGAINST]-(:Appeal {uid: 'appeal ' + a[0] + a[1], verdict: a[0] + ' ' + a[1], state: a[0], stakes: a[1], project: a[2], agent: 'ann', category: 'process', description: 'Drop it', at: datetime()})`, map[string]any{"revision": rules.RevisionOf(check.Concern{})})
	limited := caller.Caller{Name: "cy", Authenticated: true, Permissions: []caller.Permission{caller.Read},
		Projects: []string{"o/r"}}
	all := caller.Caller{Name: "mia", Trusted: true}
	for _, c := range []struct {
		who      caller.Caller
		q        insights.ReadyQuery
		want     []string
		filtered int
	}{
		{all, insights.ReadyQuery{}, []string{"open high", "open o/r", "approved o/r", "stale o/r", "open o/other",
			"open low"}, 0},
		{limited, insights.ReadyQuery{}, []string{"open high", "open o/r", "approved o/r", "stale o/r"}, 0},
		{all, insights.ReadyQuery{Selection: insights.Selection{Project: "o/other"}},
			[]string{"open o/other", "open low"}, 0},
		{all, insights.ReadyQuery{Selection: insights.Selection{Category: "process"}},
			[]string{"open high", "open low"}, 0},
		{all, insights.ReadyQuery{AgentID: "ann"}, []string{"open high", "open o/r", "open low"}, 0},
		{all, insights.ReadyQuery{ActionTypes: []string{"decide_appeal"}, MinPriority: "high"}, []string{"open high"},
			1},
	} {
		list := graphtest.Must(env.Insights.Ready(caller.With(t.Context(), c.who), c.q))(t)
		var got []string
		for _, a := range list.Actions {
			got = append(got, a.ID)
			if a.Title == "" || a.Reason == "" || a.Suggestion == "" || a.Date.IsZero() {
				t.Errorf("got %+v, want non-empty Title, non-empty Reason, non-empty Suggestion, a.Date.IsZero()=false",
					a)
			}
			if want, ok := map[string]string{"open o/r": "approve or reject", "approved o/r": "apply_proposal",
				"stale o/r": "open_proposal", "open o/other": "open_proposal"}[a.ID]; ok &&
				!strings.Contains(a.Suggestion, want) {
				t.Errorf("%s: got the suggestion %q, want %s", a.ID, a.Suggestion, want)
			}
		}
		if sorted := slices.Sorted(slices.Values(got)); !slices.Equal(sorted, slices.Sorted(slices.Values(c.want))) ||
			got[0] != c.want[0] || list.Filtered != c.filtered || list.Total != len(c.want)+c.filtered {
			t.Errorf("%+v for %s: got %v of %d, %d filtered, want %v", c.q, c.who.Name, got, list.Total, list.Filtered,
				c.want)
		}
	}
}

package events_test

import (
	"encoding/json"
	"testing"

	"nomograph/events"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/policies/lab"
	"nomograph/policies/proposals"
	"nomograph/tools/toolstest"
)

// TestFeed_Proposals_ArePublished: each step goes to subscribers that may see the proposal, and to nobody else.
func TestFeed_Proposals_ArePublished(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'sure', active: true, requires: \"action.confidence >= threshold('bar')\"}), (:SYS_Threshold {name: 'bar', value: 0.4})", nil)
	limited := func(name, project string) caller.Caller {
		return caller.Caller{Name: name, Authenticated: true, Permissions: []caller.Permission{caller.Read},
			Projects: []string{project}}
	}
	filter := events.Filter{Types: []string{"proposal", "breaker"}}
	subscribers := map[string]*events.Subscription{"all": subscribe(t, t.Context(), env.Feed, filter, ""),
		"its project":  subscribe(t, caller.With(t.Context(), limited("cy", "o/r")), env.Feed, filter, ""),
		"its proposer": subscribe(t, caller.With(t.Context(), limited("Ann", "o/other")), env.Feed, filter, "")}
	hidden := subscribe(t, caller.With(t.Context(), limited("cy", "o/other")), env.Feed, events.Filter{}, "")
	all := subscribe(t, t.Context(), env.Feed, filter, "")
	p := graphtest.Must(env.Proposals.Propose(t.Context(),
		proposals.Creation{Change: lab.Change{Set: graph.Parameters{"bar": 0.6}}, Reason: "Two failed", Project: "o/r",
			By: "ann"}))(t)
	query := proposals.Query{ProposalID: p.ProposalID}
	graphtest.Must(env.Proposals.Approve(t.Context(),
		proposals.Approval{Decision: proposals.Decision{Query: query, Reason: "It is well", By: "mia"}}))(t)
	graphtest.Must(env.Proposals.Apply(t.Context(), proposals.Step{Query: query, By: "zoe"}))(t)
	for name, s := range subscribers {
		for _, want := range []struct{ kind, by, reason string }{{"proposal.opened", "ann", "Two failed"},
			{"proposal.approved", "mia", "It is well"}, {"proposal.applied", "zoe", ""}} {
			e, _ := next(t, s)
			if text, err := e.JSON(); err != nil || !json.Valid(text) || e.Type != want.kind ||
				e.Proposal.By != want.by || e.Proposal.Reason != want.reason || e.Proposal.ProposalID != p.ProposalID ||
				len(e.Proposal.Change) != 1 {
				t.Errorf("%s: got %s, %v, want %+v", name, text, err, want)
			}
		}
	}
	for range 3 {
		next(t, all)
	}
	nothing(t, g, all) // the steps were published before this marker
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'later', value: 1})", nil)
	graphtest.Must(env.History.Sync(t.Context()))(t)
	for {
		e, _ := next(t, hidden)
		if e.Proposal != nil {
			t.Fatalf("a caller of another project got %+v, want Proposal=nil", e.Proposal)
		}
		if e.Change != nil && e.Change.Name == "later" {
			return
		}
	}
}

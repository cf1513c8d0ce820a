package sessions

import (
	"context"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/trace"
)

// Reach says who can answer pending requests, in addition to tokens in the graph with the permission.
type Reach struct {
	Person   string   // the user of this process, who answers requests of others on the command line
	Holders  []string // names of configured tokens that may answer
	Provider bool     // people sign in at an identity provider, whose claims say who may answer
}

// canBeApproved reports whether a person can approve the caller's actions: the user of a client that can ask, or
// another person who may answer pending requests.
func (s *Store) canBeApproved(ctx context.Context, c Caller, user bool) (bool, error) {
	if user || s.Reach.Provider {
		return true, nil
	}
	other := func(name string) bool {
		return name != "" && !caller.SameAgent(name, c.actor()) && !caller.SameAgent(name, trace.Actor("", c.By))
	}
	if caller.From(ctx).Trusted && other(s.Reach.Person) || slices.ContainsFunc(s.Reach.Holders, other) {
		return true, nil
	}
	there, err := graph.All[struct{ Name string }](ctx, s.graph, cypher.ApproversActive, nil)
	return slices.ContainsFunc(there, func(t struct{ Name string }) bool { return other(t.Name) }), err
}

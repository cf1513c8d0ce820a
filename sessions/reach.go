package sessions

import (
	"context"
	"slices"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/trace"
)

// Reach says who can answer a request that waits, besides those who hold a token of the graph that may.
type Reach struct {
	Person   string   // the user of this process, who answers on the command line what others ask here
	Holders  []string // of configured tokens that may answer
	Provider bool     // people sign in at a provider, which knows who may answer
}

// reached tells whether a person can be asked to approve what a caller does: the user of the client, where the client asks; or somebody
// who can answer a request that waits, and is not who asks.
func (s *Store) reached(ctx context.Context, c Caller, user bool) (bool, error) {
	if user || s.Reach.Provider {
		return true, nil
	}
	other := func(name string) bool {
		return name != "" && !caller.SameAgent(name, c.actor()) && !caller.SameAgent(name, trace.Actor("", c.By))
	}
	if caller.From(ctx).Trusted && other(s.Reach.Person) || slices.ContainsFunc(s.Reach.Holders, other) {
		return true, nil
	}
	there, err := graph.All[struct{ Name string }](ctx, s.graph, cypher.ApproversThere, nil)
	return slices.ContainsFunc(there, func(t struct{ Name string }) bool { return other(t.Name) }), err
}

package graph

import (
	"context"
	"maps"

	"nomograph/cypher"
	"nomograph/internal/caller"
)

// applyVisibility returns the text of a statement for the caller in ctx, and its parameters. For a caller who may see
// only some projects it adds the visibility filter and the parameter $caller. Every statement passes through here, so
// no package can forget the filter.
func applyVisibility(ctx context.Context, s cypher.Statement, p Params) (string, Params) {
	c := caller.From(ctx)
	if !c.Limited() {
		return s.Text(), p
	}
	restricted, ok := s.Restricted()
	if !ok {
		return s.Text(), p
	}
	all := maps.Clone(p)
	if all == nil {
		all = Params{}
	}
	all["caller"] = c.Visibility()
	return restricted, all
}

package graph

import (
	"context"
	"maps"

	"nomograph/access"
	"nomograph/cypher"
)

// sighted adds to the parameters of a statement what its caller may see, where it asks: no room below the doors has to pass it on, and
// none can forget to.
func sighted(ctx context.Context, s cypher.Statement, p Params) Params {
	if !s.Sight {
		return p
	}
	all := maps.Clone(p)
	if all == nil {
		all = Params{}
	}
	all["sight"] = access.From(ctx).Sight()
	return all
}

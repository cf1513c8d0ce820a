package links

import (
	"cmp"
	"context"
	"fmt"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/render"
)

// NeighborsQuery selects the linked decisions of one decision.
type NeighborsQuery struct {
	NodeID           string `json:"node_id" jsonschema:"a decision, policy:NAME or threshold:NAME" rule:"minLength=1,maxLength=200"`
	Direction        string `json:"direction,omitempty" jsonschema:"direction of the links" rule:"enum=outgoing|incoming|both,default=\"both\""`
	EdgeType         string `json:"edge_type,omitempty" jsonschema:"link type (default all)" rule:"enum=relates_to|supersedes|depends_on|contradicts|blocks"`
	Limit            int    `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=100,default=20"`
	IncludeAutomatic bool   `json:"include_automatic,omitempty" jsonschema:"include links that a search made"`
	decisions.Caller
}

// Neighbor is a linked decision with the link.
type Neighbor struct {
	Node Node `json:"node"`
	Edge Edge `json:"edge"`
}

// Neighbors are the linked decisions, strongest link first, then newest.
type Neighbors struct {
	NodeID    string     `json:"node_id"`
	Neighbors []Neighbor `json:"neighbors"`
	Total     int64      `json:"total" jsonschema:"number of links"`
	Notes     []string   `json:"notes,omitempty"`
}

const (
	defaultNeighbors = 20
	maxLinksScanned  = 10_000 // maximum links of each kind that are read, so that the cost stays bounded
)

// Neighbors returns the strongest links of a decision, and records a lookup in the session. It returns the errors of
// Resolve.
func (s *Store) Neighbors(ctx context.Context, q NeighborsQuery) (Neighbors, error) {
	var names []string
	if q.EdgeType != "" {
		names = []string{q.EdgeType}
	}
	types, err := typesOf(names)
	if err != nil {
		return Neighbors{}, err
	}
	outgoing, incoming, err := ways(types, q.Direction)
	if err != nil {
		return Neighbors{}, err
	}
	center, err := s.decisions.Resolve(ctx, q.NodeID)
	if err != nil {
		return Neighbors{}, err
	}
	read, err := graph.One[struct {
		Found []struct{ Node, Edge map[string]any }
		Total int64
	}](ctx, s.graph, cypher.LinksOfDecision, graph.Params{"uid": center.UID, "outgoing": outgoing, "incoming": incoming,
		"scan": maxLinksScanned, "automatic": q.IncludeAutomatic,
		"limit": cmp.Or(q.Limit, defaultNeighbors)})
	if err != nil {
		return Neighbors{}, err
	}
	out := Neighbors{NodeID: center.ID, Total: read.Total}
	for _, found := range read.Found {
		node, l := nodeOf(found.Node), linkOf(found.Edge)
		node.Distance = 1
		l.SourceID, l.TargetID = node.ID, center.ID
		if l.Source == center.UID {
			l.SourceID, l.TargetID = center.ID, node.ID
		}
		out.Neighbors = append(out.Neighbors, Neighbor{node, l.Edge})
	}
	if read.Total > maxLinksScanned {
		out.Notes = append(out.Notes, fmt.Sprintf("The decision has too many links: of each kind, only the newest %d were compared", maxLinksScanned))
	}
	s.decisions.Note(ctx, q.Caller, "lookup", map[string]any{"id": center.ID, "uid": center.UID,
		"decision":  render.Title(center.Decision),
		"neighbors": int64(len(out.Neighbors))})
	return out, nil
}

package links

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"nomograph/decisions"
	"nomograph/internal/apperr"
)

// GraphQuery selects the neighborhood of a decision, a policy or a threshold.
type GraphQuery struct {
	NodeID           string   `json:"node_id" jsonschema:"decision id, policy:NAME or threshold:NAME" rule:"minLength=1,maxLength=300"`
	Depth            int      `json:"depth,omitempty" jsonschema:"maximum steps" rule:"minimum=1,maximum=5,default=1"`
	EdgeTypes        []string `json:"edge_types,omitempty" jsonschema:"relates_to, supersedes, depends_on, contradicts, blocks (default all)" rule:"maxItems=5"`
	Direction        string   `json:"direction,omitempty" jsonschema:"direction of the links" rule:"enum=outgoing|incoming|both,default=\"both\""`
	Limit            int      `json:"limit,omitempty" jsonschema:"maximum nodes" rule:"minimum=1,maximum=10000,default=200"`
	Format           string   `json:"format,omitempty" jsonschema:"format; all but json are diagrams" rule:"enum=json|mermaid|dot|svg,default=\"json\""`
	IncludeAutomatic bool     `json:"include_automatic,omitempty" jsonschema:"include links that a search made"`
	decisions.Caller
}

// Graph is a neighborhood: nodes nearest first, or a diagram of them.
type Graph struct {
	CenterID  string     `json:"center_id"`
	Depth     int        `json:"depth"`
	Nodes     []Node     `json:"nodes,omitzero"`
	Edges     []Edge     `json:"edges,omitzero" jsonschema:"links on the way to the nodes"`
	Diagram   string     `json:"diagram,omitempty"`
	NodeCount int        `json:"node_count"`
	EdgeCount int        `json:"edge_count"`
	Truncated bool       `json:"truncated" jsonschema:"true if the limit left out results"`
	Cycles    [][]string `json:"cycles,omitempty" jsonschema:"ids of cycles of depends_on, blocks or supersedes"`
	Notes     []string   `json:"notes,omitempty"`
}

const (
	deepest       = 5 // steps
	defaultNodes  = 200
	maxNodes      = 10_000
	policyKind    = "policy"
	thresholdKind = "threshold"
)

// Graph traverses from a node breadth first, and records a lookup in the session. The limit bounds its cost, even near
// nodes with many links. It returns a validation_error for a depth outside of 1 to 5, and the errors of Resolve.
func (s *Store) Graph(ctx context.Context, q GraphQuery) (Graph, error) {
	types, err := typesOf(q.EdgeTypes)
	if err != nil {
		return Graph{}, err
	}
	w := traversal{depth: cmp.Or(q.Depth, 1), limit: cmp.Or(q.Limit, defaultNodes), automatic: q.IncludeAutomatic}
	if w.depth < 1 || w.depth > deepest || w.limit < 1 || w.limit > maxNodes {
		return Graph{}, apperr.Newf(apperr.Validation, "Invalid `depth` %d or `limit` %d", w.depth, w.limit).
			WithHint("Use a depth from 1 to %d and a limit from 1 to %d nodes", deepest, maxNodes)
	}
	if w.outgoing, w.incoming, err = ways(types, q.Direction); err != nil {
		return Graph{}, err
	}
	var g Graph
	kind, name, _ := strings.Cut(q.NodeID, ":")
	if kind == policyKind || kind == thresholdKind {
		g, err = s.graphOfRule(ctx, kind, name, w)
	} else {
		g, err = s.graphOfDecision(ctx, q.NodeID, w)
	}
	if err != nil {
		return Graph{}, err
	}
	g.Depth, g.NodeCount, g.EdgeCount, g.Cycles = w.depth, len(g.Nodes), len(g.Edges), cycles(g.Edges)
	s.decisions.Note(ctx, q.Caller, "lookup", map[string]any{"id": g.CenterID, "graph": int64(g.NodeCount),
		"decision": g.Nodes[0].Title})
	if g.Diagram = g.Render(q.Format); g.Diagram != "" {
		g.Nodes, g.Edges = nil, nil
	}
	return g, nil
}

func (s *Store) graphOfDecision(ctx context.Context, ref string, w traversal) (Graph, error) {
	a, err := s.neighborhood(ctx, ref, w)
	if err != nil {
		return Graph{}, err
	}
	g := Graph{Nodes: a.nodes(0), Edges: a.edges(), Truncated: a.cut}
	g.CenterID = g.Nodes[0].ID
	return g, nil
}

// neighborhood traverses from a decision.
func (s *Store) neighborhood(ctx context.Context, ref string, w traversal) (*traversalState, error) {
	resolved, err := s.decisions.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	a, err := s.traverse(ctx, []string{resolved.UID}, w)
	if err == nil && len(a.centers) == 0 { // the decision was deleted between the two reads
		return nil, s.decisions.NotFound(ctx, ref)
	}
	return a, err
}

const maxCycles = 10

// cycles finds cycles of links whose types must not form cycles. It returns each cycle once, as the ids of its
// decisions.
func cycles(edges []Edge) [][]string {
	var found [][]string
	for _, kind := range []string{"supersedes", "depends_on", "blocks"} {
		next := map[string][]string{}
		for _, e := range edges {
			if e.EdgeType == kind {
				next[e.SourceID] = append(next[e.SourceID], e.TargetID)
			}
		}
		done := map[string]bool{}
		var path []string
		var visit func(id string)
		visit = func(id string) {
			if begin := slices.Index(path, id); begin >= 0 && len(found) < maxCycles {
				found = append(found, append(slices.Clone(path[begin:]), id))
			}
			if done[id] {
				return
			}
			done[id] = true
			path = append(path, id)
			for _, other := range next[id] {
				visit(other)
			}
			path = path[:len(path)-1]
		}
		for _, e := range edges {
			visit(e.SourceID)
		}
	}
	return found
}

package links

import (
	"cmp"
	"context"
	"strconv"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
)

// PathQuery asks for a path between two decisions.
type PathQuery struct {
	From             string   `json:"from" jsonschema:"decision id" rule:"minLength=1,maxLength=200"`
	To               string   `json:"to" jsonschema:"decision id" rule:"minLength=1,maxLength=200"`
	EdgeTypes        []string `json:"edge_types,omitempty" jsonschema:"link types (default all)" rule:"maxItems=5"`
	MaxLength        int      `json:"max_length,omitempty" jsonschema:"maximum steps" rule:"minimum=1,maximum=15,default=6"`
	IncludeAutomatic bool     `json:"include_automatic,omitempty" jsonschema:"include links that a search made"`
	decisions.Caller
}

// PathStep is a link on a path, and whether the path follows its direction.
type PathStep struct {
	Edge
	Direction string `json:"direction" jsonschema:"outgoing: along the link; incoming: against it"`
}

// Path is a shortest path between two decisions. It is empty if there is none.
type Path struct {
	Found  bool       `json:"found"`
	Length int        `json:"length"`
	Nodes  []Node     `json:"nodes"`
	Edges  []PathStep `json:"edges"`
}

const (
	maxPathLength = 15
	defaultPath   = 6
)

// Path finds a shortest path of links in any direction, and records a lookup in the session. It returns the errors of
// Resolve for either end.
func (s *Store) Path(ctx context.Context, q PathQuery) (Path, error) {
	types, err := typesOf(q.EdgeTypes)
	if err != nil {
		return Path{}, err
	}
	maxLength := cmp.Or(q.MaxLength, defaultPath)
	if maxLength < 1 || maxLength > maxPathLength {
		return Path{}, apperr.Newf(apperr.Validation, "Invalid `max_length` %d", maxLength).
			WithHint("Use 1 to %d", maxPathLength)
	}
	from, err := s.decisions.Resolve(ctx, q.From)
	if err != nil {
		return Path{}, err
	}
	to, err := s.decisions.Resolve(ctx, q.To)
	if err != nil {
		return Path{}, err
	}
	p, err := s.shortest(ctx, from, to, types, maxLength, q.IncludeAutomatic)
	if err != nil {
		return Path{}, err
	}
	s.decisions.Note(ctx, q.Caller, "lookup", map[string]any{"id": from.ID, "uid": from.UID,
		"decision": render.Title(from.Decision),
		"path_to":  to.ID, "found": p.Found})
	return p, nil
}

func (s *Store) shortest(ctx context.Context, from, to decisions.Ref, types []string, maxLength int,
	automatic bool) (Path, error) {
	if from.UID == to.UID { // the server finds no path from a node to itself
		a, err := s.traverse(ctx, []string{from.UID}, traversal{outgoing: []string{}, incoming: []string{}, limit: 1})
		if err != nil {
			return Path{}, err
		}
		return Path{Found: true, Nodes: a.nodes(0)}, nil
	}
	// A bound cannot be a parameter, so it is part of the text: a validated integer.
	statement := cypher.PathBetween.With("*.."+strconv.Itoa(maxPathLength)+"]", "*.."+strconv.Itoa(maxLength)+"]")
	found, err := graph.All[struct{ Nodes, Edges []any }](ctx, s.graph, statement,
		graph.Params{"source": from.UID, "target": to.UID, "types": types, "automatic": automatic})
	if err != nil || len(found) == 0 {
		return Path{}, err
	}
	p := Path{Found: true, Length: len(found[0].Edges)}
	uids := []string{}
	for i, raw := range found[0].Nodes {
		properties, _ := raw.(map[string]any) // the statement returns maps
		node := nodeOf(properties)
		node.Distance = i
		p.Nodes, uids = append(p.Nodes, node), append(uids, graph.Text(properties, "uid"))
	}
	for i, raw := range found[0].Edges {
		l := linkOf(raw)
		step := PathStep{l.Edge, "outgoing"}
		step.SourceID, step.TargetID = p.Nodes[i].ID, p.Nodes[i+1].ID
		if l.Source != uids[i] {
			step.Direction, step.SourceID, step.TargetID = "incoming", step.TargetID, step.SourceID
		}
		p.Edges = append(p.Edges, step)
	}
	return p, nil
}

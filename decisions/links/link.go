package links

import (
	"context"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/redact"
	"nomograph/internal/uid"
)

// LinkRequest asks for a link between two decisions.
type LinkRequest struct {
	SourceID string   `json:"source_id" jsonschema:"source decision" rule:"minLength=1,maxLength=200"`
	TargetID string   `json:"target_id" jsonschema:"target decision" rule:"minLength=1,maxLength=200"`
	EdgeType string   `json:"edge_type" jsonschema:"link type, as in: source depends_on target" rule:"enum=relates_to|supersedes|depends_on|contradicts|blocks"`
	Weight   *float64 `json:"weight,omitempty" jsonschema:"above 0, at most 1" rule:"minimum=0,maximum=1,default=1"`
	Context  string   `json:"context,omitempty" jsonschema:"reason for the link" rule:"maxLength=10000"`
	decisions.Caller
}

// LinkResult is the stored link.
type LinkResult struct {
	Success bool     `json:"success"`
	Created bool     `json:"created" jsonschema:"false if the link existed; weight and context were updated"`
	Edge    Edge     `json:"edge"`
	Cycle   []string `json:"cycle,omitempty" jsonschema:"ids of a cycle that this link closes"`
}

// Link links two decisions. A repeated link preserves its time and author; weight and context are updated. It returns
// the errors of Resolve for either id, a validation_error for a decision linked to itself, and a conflict with the path
// if a decision would supersede itself indirectly. Cycles of depends_on and blocks are allowed and reported.
func (s *Store) Link(ctx context.Context, r LinkRequest) (LinkResult, error) {
	types, err := typesOf([]string{r.EdgeType})
	if err != nil {
		return LinkResult{}, err
	}
	if r.Weight != nil && (*r.Weight <= 0 || *r.Weight > 1) {
		return LinkResult{}, apperr.Newf(apperr.Validation, "Invalid `weight` %v", *r.Weight).
			WithHint("Use a number above 0 and at most 1")
	}
	source, target, err := s.ends(ctx, r.SourceID, r.TargetID)
	if err != nil {
		return LinkResult{}, err
	}
	by := r.Actor()
	stated := redact.Mask(strings.TrimSpace(r.Context))
	made, err := graph.Append[struct {
		Edge    map[string]any
		Created bool
		Cycle   []string
	}](ctx, s.graph, cypher.LinkCreate, graph.Params{"source": source.UID, "target": target.UID,
		"ends":   slices.Sorted(slices.Values([]string{source.UID, target.UID})), // as all writers, against deadlocks
		"type":   types[0],
		"weight": r.Weight, "context": graph.NullIfEmpty(stated), "by": by, "uid": uid.New()})
	if err != nil {
		return LinkResult{}, err
	}
	circle := made.Cycle
	if len(circle) > 0 {
		circle = append([]string{source.ID}, circle...)
	}
	switch {
	case made.Edge == nil && len(circle) > 0:
		return LinkResult{}, apperr.Newf(apperr.Conflict, "%s would supersede itself: %s", source.ID,
			strings.Join(circle, " supersedes ")).
			WithHint("Remove a wrong link with `unlink_decisions`, or use relates_to").With("cycle", circle)
	case made.Edge == nil: // one of the decisions was deleted meanwhile
		_, _, err := s.ends(ctx, source.UID, target.UID)
		return LinkResult{}, apperr.From(err)
	}
	out := LinkResult{Success: true, Created: made.Created, Edge: linkOf(made.Edge).Edge, Cycle: circle}
	out.Edge.SourceID, out.Edge.TargetID, out.Edge.EdgeType = source.ID, target.ID, r.EdgeType
	s.decisions.Note(ctx, r.Caller, "link", map[string]any{"source_id": source.ID, "target_id": target.ID,
		"edge_type": r.EdgeType,
		"weight":    out.Edge.Weight, "context": out.Edge.Context, "created": made.Created})
	return out, nil
}

// UnlinkRequest asks to remove a link.
type UnlinkRequest struct {
	SourceID string `json:"source_id" jsonschema:"source decision" rule:"minLength=1,maxLength=200"`
	TargetID string `json:"target_id" jsonschema:"target decision" rule:"minLength=1,maxLength=200"`
	EdgeType string `json:"edge_type" rule:"enum=relates_to|supersedes|depends_on|contradicts|blocks"`
	Why      string `json:"reason" jsonschema:"reason; stored in the session" rule:"minLength=1,maxLength=2000"`
	decisions.Caller
}

// UnlinkResult is the removed link.
type UnlinkResult struct {
	Success bool `json:"success"`
	Edge    Edge `json:"edge"`
}

// Unlink removes a link and records it with the reason in the session. It returns not_found.
func (s *Store) Unlink(ctx context.Context, r UnlinkRequest) (UnlinkResult, error) {
	types, err := typesOf([]string{r.EdgeType})
	if err != nil {
		return UnlinkResult{}, err
	}
	source, target, err := s.ends(ctx, r.SourceID, r.TargetID)
	if err != nil {
		return UnlinkResult{}, err
	}
	removed, err := graph.Append[struct{ Edge map[string]any }](ctx, s.graph, cypher.LinkRemove,
		graph.Params{"source": source.UID, "target": target.UID, "type": types[0], "by": r.Actor(),
			"why": redact.Mask(r.Why), "uid": uid.New()})
	if err != nil {
		return UnlinkResult{}, err
	}
	if removed.Edge == nil {
		return UnlinkResult{}, apperr.Newf(apperr.NotFound, "%s has no link '%s' to %s", source.ID, r.EdgeType,
			target.ID).
			WithHint("List the links of a decision and their direction with `get_neighbors`")
	}
	edge := linkOf(removed.Edge).Edge
	edge.SourceID, edge.TargetID, edge.EdgeType = source.ID, target.ID, r.EdgeType
	s.decisions.Note(ctx, r.Caller, "link", map[string]any{"source_id": source.ID, "target_id": target.ID,
		"edge_type": r.EdgeType,
		"weight":    edge.Weight, "context": edge.Context, "removed": true, "why": redact.Mask(r.Why)})
	return UnlinkResult{true, edge}, nil
}

func (s *Store) ends(ctx context.Context, sourceID, targetID string) (source, target decisions.Ref, err error) {
	if source, err = s.decisions.Resolve(ctx, sourceID); err != nil {
		return
	}
	if target, err = s.decisions.Resolve(ctx, targetID); err != nil {
		return
	}
	if source.UID == target.UID {
		err = apperr.Newf(apperr.Validation, "%s cannot be linked to itself", source.ID).
			WithHint("Pass two different decisions as `source_id` and `target_id`")
	}
	return
}

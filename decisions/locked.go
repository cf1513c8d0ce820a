package decisions

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
)

// locked is a decision that is locked until the transaction ends.
type locked struct {
	Decision    map[string]any
	Now         time.Time // by the database's clock
	Reasons     []Reason
	Reviews     []map[string]any // the newest one
	Deliberated []string         // types of events
}

// lock locks a decision by its uid. It returns not_found.
func lock(ctx context.Context, tx *graph.Tx, ref Ref) (locked, error) {
	found, err := graph.All[locked](ctx, tx, cypher.DecisionLock, graph.Params{"uid": ref.UID})
	if err != nil {
		return locked{}, err
	}
	if len(found) == 0 {
		return locked{}, apperr.Newf(apperr.NotFound, "Decision '%s' no longer exists", ref.ID).
			WithHint("List decisions with `list_decisions`")
	}
	return found[0], nil
}

// review returns the text of the newest review for search.
func (l locked) review() string {
	if len(l.Reviews) == 0 {
		return ""
	}
	return ReviewOf(l.Reviews[0]).Words()
}

// SearchText sets the properties that search uses.
func SearchText(p map[string]any, reasons []Reason, review string, now time.Time) {
	stated := lists.Map(reasons, func(r Reason) string { return r.Text })
	p["terms"], p["facets"] = Terms(p, stated, review), Facets(p, now)
}

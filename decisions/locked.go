package decisions

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph"
)

// locked is a decision that nobody else writes until the transaction ends.
type locked struct {
	Decision    map[string]any
	Now         time.Time // by the database's clock
	Reasons     []Reason
	Reviews     []map[string]any // the newest
	Deliberated []string         // types of events
}

func lock(ctx context.Context, tx *graph.Tx, meant Ref) (locked, error) {
	now, err := graph.One[locked](ctx, tx, cypher.DecisionLock, graph.Params{"uid": meant.UID})
	if err == nil && now.Decision == nil {
		return locked{}, fault.Newf(fault.NotFound, "Decision '%s' is gone", meant.ID).WithHint("`nomograph decision list` shows what there is")
	}
	return now, err
}

// review is what the newest review says in words, for search.
func (l locked) review() string {
	if len(l.Reviews) == 0 {
		return ""
	}
	return reviewOf(l.Reviews[0]).words()
}

// searchable makes anew what search finds a decision by.
func searchable(p map[string]any, reasons []Reason, review string, now time.Time) {
	said := make([]string, len(reasons))
	for i, r := range reasons {
		said[i] = r.Text
	}
	p["terms"], p["facets"] = Terms(p, said, review), Facets(p, now)
}

package decisions

import (
	"context"
	"strings"
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
	now, err := graph.One[locked](ctx, tx, cypher.DecisionLock, graph.Params{"uid": meant.UID, "id": nil})
	if err == nil && now.Decision == nil {
		return locked{}, fault.Newf(fault.NotFound, "Decision '%s' is gone", meant.ID).WithHint("`list_decisions` shows what there is")
	}
	return now, err
}

// lockMeant locks the decision that ref means. An id is locked at once; what else may be meant is looked up first. It returns
// not_found, or a conflict for an ambiguous ref.
func (s *Store) lockMeant(ctx context.Context, tx *graph.Tx, ref string) (Ref, locked, error) {
	if id := strings.ToLower(strings.TrimSpace(strings.TrimPrefix(ref, URI("")))); len(id) == IDLength {
		now, err := graph.One[locked](ctx, tx, cypher.DecisionLock, graph.Params{"uid": nil, "id": id})
		if err != nil || now.Decision != nil {
			return Ref{graph.Text(now.Decision, "uid"), graph.Text(now.Decision, "id"), graph.Text(now.Decision, "decision")}, now, err
		}
	}
	meant, err := s.Resolve(ctx, ref)
	if err != nil {
		return Ref{}, locked{}, err
	}
	now, err := lock(ctx, tx, meant)
	return meant, now, err
}

// review is what the newest review says in words, for search.
func (l locked) review() string {
	if len(l.Reviews) == 0 {
		return ""
	}
	return ReviewOf(l.Reviews[0]).Words()
}

// Searchable makes anew what search finds a decision by.
func Searchable(p map[string]any, reasons []Reason, review string, now time.Time) {
	said := make([]string, len(reasons))
	for i, r := range reasons {
		said[i] = r.Text
	}
	p["terms"], p["facets"] = Terms(p, said, review), Facets(p, now)
}

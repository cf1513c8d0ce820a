package decisions

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

// locked is a decision that nobody else writes until the transaction ends.
type locked struct {
	Places      []int // of the list that it was called in
	Decision    map[string]any
	Now         time.Time // by the database's clock
	Reasons     []Reason
	Reviews     []map[string]any // the newest
	Deliberated []string         // types of events
}

func lock(ctx context.Context, tx *graph.Tx, meant Ref) (locked, error) {
	now, err := lockAll(ctx, tx, []any{map[string]any{"uid": meant.UID}})
	if err == nil && now[0] == nil {
		err = gone(meant)
	}
	if err != nil {
		return locked{}, err
	}
	return *now[0], nil
}

func gone(meant Ref) error {
	return apperr.Newf(apperr.NotFound, "Decision '%s' is gone", meant.ID).WithHint("`list_decisions` shows what there is")
}

// lockAll locks the decisions that are called {uid} or {id}, in one order for all. What is not there is nil, and what is called twice
// is the same one.
func lockAll(ctx context.Context, tx *graph.Tx, called []any) ([]*locked, error) {
	rows, err := graph.All[locked](ctx, tx, cypher.DecisionsLock, graph.Params{"called": called})
	if err != nil {
		return nil, err
	}
	now := make([]*locked, len(called))
	for i, row := range rows {
		for _, place := range row.Places {
			now[place] = &rows[i]
		}
	}
	return now, nil
}

// review is what the newest review says in words, for search.
func (l locked) review() string {
	if len(l.Reviews) == 0 {
		return ""
	}
	return ReviewOf(l.Reviews[0]).Words()
}

// SearchText sets the properties in which search looks for a decision.
func SearchText(p map[string]any, reasons []Reason, review string, now time.Time) {
	said := make([]string, len(reasons))
	for i, r := range reasons {
		said[i] = r.Text
	}
	p["terms"], p["facets"] = Terms(p, said, review), Facets(p, now)
}

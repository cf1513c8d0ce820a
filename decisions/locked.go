package decisions

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

// locked is a decision that is locked until the transaction ends.
type locked struct {
	Places      []int // positions in the given list
	Decision    map[string]any
	Now         time.Time // by the database's clock
	Reasons     []Reason
	Reviews     []map[string]any // the newest one
	Deliberated []string         // types of events
}

func lock(ctx context.Context, tx *graph.Tx, ref Ref) (locked, error) {
	now, err := lockAll(ctx, tx, []any{map[string]any{"uid": ref.UID}})
	if err == nil && now[0] == nil {
		err = noLongerExists(ref)
	}
	if err != nil {
		return locked{}, err
	}
	return *now[0], nil
}

func noLongerExists(ref Ref) error {
	return apperr.Newf(apperr.NotFound, "Decision '%s' no longer exists", ref.ID).
		WithHint("List decisions with `list_decisions`")
}

// lockAll locks the decisions {uid} or {id} in one order for all writers. Missing ones are nil, and duplicates are the
// same value.
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

// review returns the text of the newest review for search.
func (l locked) review() string {
	if len(l.Reviews) == 0 {
		return ""
	}
	return ReviewOf(l.Reviews[0]).Words()
}

// SearchText sets the properties that search uses.
func SearchText(p map[string]any, reasons []Reason, review string, now time.Time) {
	stated := make([]string, len(reasons))
	for i, r := range reasons {
		stated[i] = r.Text
	}
	p["terms"], p["facets"] = Terms(p, stated, review), Facets(p, now)
}

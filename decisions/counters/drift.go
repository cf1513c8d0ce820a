package counters

import (
	"context"

	"nomograph/cypher"
	"nomograph/decisions/calibration"
	"nomograph/graph"
)

// DriftQuery asks for drift.
type DriftQuery struct {
	calibration.DriftRules
	Project string `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
}

// Drift compares the last 30 days with all time before.
type Drift struct {
	calibration.Drifted
	Period
	Notes []string `json:"notes,omitempty"`
}

const recently = "30d"

// sides holds recent and earlier reviews, which do not overlap.
type sides struct{ recent, before calibration.Cell }

// Drift compares the reviews of the last 30 days with earlier ones. It counts marked decisions first. The cost does
// not depend on the number of decisions.
func (s *Store) Drift(ctx context.Context, q DriftQuery) (Drift, error) {
	sc := scope{"category": q.Category, "project": q.Project}
	var both sides
	var out Drift
	var err error
	out.Notes, err = s.upToDate(ctx, func() (pending int64, err error) {
		both, out.Period, pending, err = s.sides(ctx, sc)
		return pending, err
	})
	if err != nil {
		return Drift{}, err
	}
	out.Drifted = calibration.Drift(both.recent, both.before, q.DriftRules)
	return out, nil
}

// sides reads both in one query: 'all' sorts after every day.
func (s *Store) sides(ctx context.Context, sc scope) (sides, Period, int64, error) {
	row, err := s.readCells(ctx, sc, span{windows[recently].from, nil}, false)
	if err != nil {
		return sides{}, Period{}, 0, err
	}
	first, last := windows[recently].days(row.Today)
	both, err := row.sides()
	return both, Period{recently, first, last}, row.Pending, err
}

// sides subtracts the recent days from all time. Later days, which an import can have, count in neither.
func (r cellsRow) sides() (sides, error) {
	cells, err := r.byPeriod()
	both := sides{before: cells[allTime]}
	delete(cells, allTime)
	for day, cell := range cells {
		both.before.Merge(cell, -1)
		if day <= r.Today {
			both.recent.Merge(cell, 1)
		}
	}
	return both, err
}

// maxDriftCategories is the number of categories checked for drift: those with the most reviews.
const maxDriftCategories = 50

// DriftAlerts returns the alerts of all categories with the default thresholds. It does not count marked decisions
// first, so the latest reviews can be missing.
func (s *Store) DriftAlerts(ctx context.Context) ([]calibration.DriftAlert, error) {
	rows, err := graph.All[cellsRow](ctx, s.graph, cypher.CellsRecent,
		graph.Params{"kind": "category", "limit": maxDriftCategories, "days": windows[recently].from})
	var alerts []calibration.DriftAlert
	for _, row := range rows {
		both, err := row.sides()
		if err != nil {
			return nil, err
		}
		alerts = append(alerts, calibration.Drift(both.recent, both.before,
			calibration.DriftRules{Category: row.Category}).Alerts...)
	}
	return alerts, err
}

package counters

import (
	"context"
	"testing"

	"nomograph/decisions/calibration"
)

// Scope says which decisions are counted together.
type Scope = scope

// Count counts what waits, now.
func Count(ctx context.Context, s *Store) error { return s.counter.Drain(ctx) }

// Cells gives the sums of a scope in a window, as they are counted.
func Cells(ctx context.Context, s *Store, sc Scope, window string) (calibration.Cell, error) {
	return s.cells(ctx, sc, window)
}

// AddedUp gives the same from the decisions themselves.
func AddedUp(ctx context.Context, s *Store, sc Scope, window string) (calibration.Cell, error) {
	read, err := s.reading(ctx, scope{}, windows[window], withReasons)
	if err != nil {
		return calibration.Cell{}, err
	}
	return s.addedUp(ctx, sc, read.first, read.last)
}

// HoldCells has rebuilds hold no more than n cells at once, until the test ends.
func HoldCells(t testing.TB, n int) {
	before := heldCells
	heldCells = n
	t.Cleanup(func() { heldCells = before })
}

// DriftAlerts gives the alerts of all categories.
func DriftAlerts(ctx context.Context, s *Store) ([]calibration.DriftAlert, error) {
	return s.DriftAlerts(ctx)
}

// PatternsOf gives the numbers of patterns.
func PatternsOf(ctx context.Context, s *Store, names ...string) ([]ConfirmedPattern, error) {
	return s.PatternsOf(ctx, names)
}

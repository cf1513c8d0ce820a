package counters

import (
	"context"
	"testing"

	"nomograph/decisions/calibration"
)

// Scope selects decisions that are counted together.
type Scope = scope

// Count updates the counters now.
func Count(ctx context.Context, s *Store) error { return s.counter.Drain(ctx) }

// Cells returns the counted sums of a scope in a window.
func Cells(ctx context.Context, s *Store, sc Scope, window string) (calibration.Cell, error) {
	read, err := s.readSpan(ctx, sc, windows[window], true)
	return read.cell, err
}

// AddedUp returns the same sums computed from the decisions.
func AddedUp(ctx context.Context, s *Store, sc Scope, window string) (calibration.Cell, error) {
	read, err := s.readSpan(ctx, scope{}, windows[window], true)
	if err != nil {
		return calibration.Cell{}, err
	}
	sums, err := s.computeSums(ctx, sc, "", read.first, read.last)
	return sums[""], err
}

// HoldCells limits rebuilds to n cells in memory until the test ends.
func HoldCells(t testing.TB, n int) {
	before := maxHeldCells
	maxHeldCells = n
	t.Cleanup(func() { maxHeldCells = before })
}

// DriftAlerts returns the alerts of all categories.
func DriftAlerts(ctx context.Context, s *Store) ([]calibration.DriftAlert, error) {
	return s.DriftAlerts(ctx)
}

// PatternsOf returns the statistics of patterns.
func PatternsOf(ctx context.Context, s *Store, names ...string) ([]ConfirmedPattern, error) {
	return s.PatternsOf(ctx, names)
}

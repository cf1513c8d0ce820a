package counters

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

// span is a time with figures: whole UTC days before today, or all time if nil.
type span struct{ from, to any }

var everything = span{}

// windows are the selectable spans. The first day is complete, so that nothing of the last 30 days is missing.
var windows = map[string]span{"": everything, "all": everything, "30d": {30, 0}, "60d": {60, 0}, "90d": {90, 0}}

func spanOf(window string) (span, error) {
	found, known := windows[window]
	if !known {
		return span{}, apperr.Newf(apperr.Validation, "Unknown window '%s'", window).WithHint("Use 30d, 60d, 90d or all")
	}
	return found, nil
}

// days returns the first and the last day of a span; empty for all time.
func (s span) days(today string) (first, last string) {
	day, err := time.Parse(time.DateOnly, today)
	if s == everything || err != nil {
		return "", ""
	}
	return day.AddDate(0, 0, -s.from.(int)).Format(time.DateOnly), today
}

// reading is a cell with its time.
type reading struct {
	cell        calibration.Cell
	first, last string // UTC days; empty for all time
	pending     int64  // marked decisions
}

// cells returns the sums of a scope in a window, without counting marked decisions first. It returns a validation_error
// for an unknown window. A counted scope costs one read, however many decisions there are; any other is computed.
func (s *Store) cells(ctx context.Context, sc scope, window string) (calibration.Cell, error) {
	of, err := spanOf(window)
	if err != nil {
		return calibration.Cell{}, err
	}
	read, err := s.reading(ctx, sc, of, withReasons)
	return read.cell, err
}

// OfCategory returns the all-time sums of a category, or of all categories if it is empty, without counting marked
// decisions first.
func (s *Store) OfCategory(ctx context.Context, category string) (calibration.Cell, error) {
	return s.cells(ctx, scope{Category: category}, allTime)
}

// measures select parts of a cell: a window adds up to 91 cells, and half of a cell is about reasons.
type measures bool

const (
	withoutReasons measures = false
	withReasons    measures = true
)

type cellsRow struct {
	Pending int64
	Today   string
	Cells   []any // maps
}

// between reads the cells of a scope in a span.
func (s *Store) between(ctx context.Context, sc scope, of span, m measures) (cellsRow, error) {
	return graph.One[cellsRow](ctx, s.graph, cypher.CellsBetween, graph.Params{"scope": sc.String(), "from": of.from, "to": of.to, "reasons": bool(m)})
}

func (s *Store) reading(ctx context.Context, sc scope, of span, m measures) (reading, error) {
	row, err := s.between(ctx, sc, of, m)
	if err != nil {
		return reading{}, err
	}
	read := reading{pending: row.Pending}
	read.first, read.last = of.days(row.Today)
	if !slices.Contains(keptKinds, sc.kind()) {
		read.cell, err = s.addedUp(ctx, sc, read.first, read.last)
		read.pending = 0 // the decisions themselves were read
		return read, err
	}
	for _, item := range row.Cells {
		cell, err := cellOf(sc.String(), item)
		if err != nil {
			return reading{}, err
		}
		read.cell.Merge(cell, 1)
	}
	return read, nil
}

func cellOf(scope string, item any) (calibration.Cell, error) {
	properties, _ := item.(map[string]any)
	cell, err := calibration.CellOf(properties)
	if err != nil {
		return cell, apperr.Newf(apperr.Conflict, "Cannot read the counters of %s: %v", scope, err).WithHint("Count again with `rebuild_stats`")
	}
	return cell, nil
}

// addedUp computes the sums of a scope from the decisions; without days, of all time.
func (s *Store) addedUp(ctx context.Context, sc scope, first, last string) (calibration.Cell, error) {
	var sum calibration.Cell
	err := graph.Each(ctx, s.graph, cypher.DecisionsCounted, decisionsOf(sc), func(row countedRow) error {
		switch c := row.contribution(); {
		case !sc.has(c.scope()):
		case first == "":
			sum.Add(c.Sample, 1)
		default:
			if c.RecordedOn >= first && c.RecordedOn <= last {
				sum.AddRecorded(c.Sample, 1)
			}
			if c.Outcome != "" && c.ReviewedOn >= first && c.ReviewedOn <= last {
				sum.AddReviewed(c.Sample, 1)
			}
		}
		return nil
	})
	return sum, err
}

func decisionsOf(sc scope) graph.Params {
	p := graph.Params{}
	for _, name := range scopeParts {
		if p[name] = nil; decisions.NameKey(sc.part(name)) != "" {
			p[name] = decisions.NameKey(sc.part(name))
		}
	}
	return p
}

// scopedCell is a cell with its scope.
type scopedCell struct {
	scope
	calibration.Cell
}

// cellsOfKind returns the all-time cells of a counted kind, most reviewed first, without sums about reasons.
func (s *Store) cellsOfKind(ctx context.Context, kind string, limit int) ([]scopedCell, error) {
	row, err := graph.One[cellsRow](ctx, s.graph, cypher.CellsOfKind, graph.Params{"kind": kind, "limit": limit})
	if err != nil {
		return nil, err
	}
	cells := make([]scopedCell, len(row.Cells))
	for i, item := range row.Cells {
		p, _ := item.(map[string]any)
		cells[i].scope = scope{graph.Text(p, "category"), graph.Text(p, "stakes"), graph.Text(p, "project"), graph.Text(p, "agent"), graph.Text(p, "pattern")}
		if cells[i].Cell, err = cellOf(cells[i].String(), item); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

const (
	maxCountedFirst = 5000 // marked decisions that an answer waits for
	countTimeout    = 3 * time.Second
)

// upToDate reads; if decisions are marked, it counts them and reads again. If there are too many or it takes too long,
// the answer uses the current counters, and the note says so.
func (s *Store) upToDate(ctx context.Context, read func() (pending int64, err error)) (notes []string, err error) {
	pending, err := read()
	if err != nil || pending == 0 {
		return nil, err
	}
	if pending <= maxCountedFirst {
		within, cancel := context.WithTimeout(ctx, countTimeout)
		defer cancel()
		if s.counter.Drain(within) == nil {
			_, err = read()
			return nil, err
		}
	}
	s.counter.Wake()
	return []string{fmt.Sprintf("%d decisions that were recorded or changed are not counted yet; ask again in a while", pending)}, graph.AsError(ctx.Err())
}

package counters

import (
	"context"

	"nomograph/decisions/calibration"
)

// PlotQuery selects decisions for a calibration plot.
type PlotQuery struct{ Selection }

// Plot is the calibration plot.
type Plot struct {
	SVG       string `json:"svg"`
	Title     string `json:"title"`
	Decisions int64  `json:"decisions" jsonschema:"decisions in the plot: those with a current review"`
	Period
	Notes []string `json:"notes,omitempty"`
}

// Image returns the plot for clients that show images.
func (p Plot) Image() (mimeType string, data []byte) { return "image/svg+xml", []byte(p.SVG) }

// Plot draws mean outcomes by confidence. It counts the same reviews as Stats, at the same cost and with the same
// errors.
func (s *Store) Plot(ctx context.Context, q PlotQuery) (Plot, error) {
	sc := q.scope()
	read, err := s.readCurrent(ctx, sc, q.Window, false)
	if err != nil {
		return Plot{}, err
	}
	out := Plot{Notes: read.notes}
	out.Title, out.Decisions, out.Period = "Calibration of "+sc.words(), read.cell.Reviewed(), read.period(q.Window)
	if out.PeriodStart != "" {
		out.Title += ", " + out.PeriodStart + " to " + out.PeriodEnd
	}
	out.SVG = string(calibration.Plot(read.cell, out.Title))
	return out, nil
}

package counters

import (
	"context"

	"nomograph/decisions/calibration"
)

// PlotQuery asks for a drawing of how well confidence was earned.
type PlotQuery struct {
	Category string `json:"category,omitempty" jsonschema:"such as architecture" rule:"maxLength=200"`
	Project  string `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
	Stakes   string `json:"stakes,omitempty" jsonschema:"low, medium, high or critical" rule:"maxLength=200"`
	AgentID  string `json:"agent_id,omitempty" jsonschema:"who decided" rule:"maxLength=200"`
	Window   string `json:"window,omitempty" jsonschema:"30d, 60d, 90d or all: by the day of the review" rule:"maxLength=20,default=\"all\""`
}

// Plot is the drawing.
type Plot struct {
	SVG       string `json:"svg"`
	Title     string `json:"title"`
	Decisions int64  `json:"decisions" jsonschema:"with a review in force: those that it shows"`
	Period
	Notes []string `json:"notes,omitempty"`
}

// Image is the drawing for a client that shows pictures.
func (p Plot) Image() (mimeType string, data []byte) { return "image/svg+xml", []byte(p.SVG) }

// Plot draws mean outcomes by confidence. It counts and costs as Stats does, with the same errors.
func (s *Store) Plot(ctx context.Context, q PlotQuery) (Plot, error) {
	of, err := spanOf(q.Window)
	if err != nil {
		return Plot{}, err
	}
	sc := scope{Category: q.Category, Stakes: q.Stakes, Project: q.Project, Agent: q.AgentID}
	var read reading
	var out Plot
	out.Notes, err = s.upToDate(ctx, func() (int64, error) {
		read, err = s.reading(ctx, sc, of, withoutReasons)
		return read.pending, err
	})
	if err != nil {
		return Plot{}, err
	}
	out.Title, out.Decisions, out.Period = "Calibration of "+sc.words(), read.cell.Reviewed(), read.period(q.Window)
	if out.PeriodStart != "" {
		out.Title += ", " + out.PeriodStart + " to " + out.PeriodEnd
	}
	out.SVG = string(calibration.Plot(read.cell, out.Title))
	return out, nil
}

package counters

import (
	"context"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/internal/progress"
)

// ReasonStatsQuery asks for outcomes by reasons.
type ReasonStatsQuery struct {
	Filters     *ReasonFilters `json:"filters,omitempty" jsonschema:"filters"`
	MinReviewed int            `json:"min_reviewed,omitempty" jsonschema:"minimum reviews for a rate" rule:"minimum=1,maximum=50,default=3"`
	Window      string         `json:"window,omitempty" jsonschema:"30d, 60d, 90d or all, by review date" rule:"maxLength=20,default=\"all\""`
	decisions.Session
}

// ReasonFilters select decisions by all fields that are set.
type ReasonFilters struct {
	Category string `json:"category,omitempty" rule:"maxLength=200"`
	Stakes   string `json:"stakes,omitempty" rule:"maxLength=200"`
	Project  string `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
}

// ReasonStats is the result of Store.ReasonStats.
type ReasonStats struct {
	calibration.ReasonReport
	Period
	Note        string   `json:"note,omitempty" jsonschema:"reason for an empty result"`
	QueryTimeMS float64  `json:"query_time_ms"`
	Notes       []string `json:"notes,omitempty"`
}

// ReasonStats returns outcomes by reasons, as Stats does, with the same cost and errors.
func (s *Store) ReasonStats(ctx context.Context, q ReasonStatsQuery) (ReasonStats, error) {
	started := time.Now()
	sc := scope{}
	if f := q.Filters; f != nil {
		sc = scope{"category": f.Category, "stakes": f.Stakes, "project": f.Project}
	}
	read, err := s.readCurrent(ctx, sc, q.Window, true)
	if err != nil {
		return ReasonStats{}, err
	}
	out := ReasonStats{Notes: read.notes}
	out.ReasonReport, out.Period = calibration.ReasonStatistics(read.cell, q.MinReviewed), read.period(q.Window)
	if read.cell.Empty() {
		out.Note = noFiguresNote(sc, read.of)
	}
	s.noteStats(ctx, decisions.Caller{Session: q.Session}, "Outcomes by reason type of "+sc.words(), out.Window,
		out.ReviewedDecisions, out.TotalDecisions)
	out.QueryTimeMS = progress.Milliseconds(started)
	return out, nil
}

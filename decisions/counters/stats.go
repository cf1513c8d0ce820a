package counters

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/internal/progress"
)

// StatsQuery selects statistics. Absent fields select all.
type StatsQuery struct {
	Selection
	GroupBy string `json:"group_by,omitempty" jsonschema:"group by this; weeks cover the last 90 days" rule:"enum=category|stakes|project|agent|week"`
	decisions.Session
}

// Stats is the answer. A window counts the decisions recorded in it and the reviews given in it.
type Stats struct {
	calibration.Statistics
	Period
	GroupBy     string   `json:"group_by,omitempty"`
	Groups      []Group  `json:"groups,omitempty" jsonschema:"most reviewed first; of projects and agents the 20 with the most reviews; weeks in order, by their Monday"`
	QueryTimeMS float64  `json:"query_time_ms"`
	Notes       []string `json:"notes,omitempty"`
}

// Period is the time of an answer.
type Period struct {
	Window      string `json:"window" jsonschema:"30d, 60d, 90d or all"`
	PeriodStart string `json:"period_start,omitempty" jsonschema:"the first day, in UTC"`
	PeriodEnd   string `json:"period_end,omitempty" jsonschema:"today"`
}

// Group holds the figures of one category, project, agent, level of stakes or week.
type Group struct {
	Value             string                    `json:"value"`
	Overall           *calibration.Calibration  `json:"overall" jsonschema:"null where fewer than 5 were reviewed that had a confidence"`
	Note              string                    `json:"note,omitempty" jsonschema:"why overall is null"`
	Outcomes          calibration.OutcomeCounts `json:"outcomes"`
	TotalDecisions    int64                     `json:"total_decisions"`
	ReviewedDecisions int64                     `json:"reviewed_decisions"`
}

// Stats returns calibration figures and records the query in the session. Marked decisions are counted first. The cost
// does not depend on the number of decisions, unless it selects by an agent together with a project or stakes: then
// those decisions are read. It returns a validation_error for an unknown window or group, and a conflict if a counter
// was edited and cannot be read.
func (s *Store) Stats(ctx context.Context, q StatsQuery) (Stats, error) {
	started := time.Now()
	of, err := spanOf(q.Window)
	if err != nil {
		return Stats{}, err
	}
	sc := q.scope()
	if err := groupable(sc, q.GroupBy); err != nil {
		return Stats{}, err
	}
	var read reading
	out := Stats{GroupBy: q.GroupBy}
	out.Notes, err = s.upToDate(ctx, func() (int64, error) {
		read, err = s.reading(ctx, sc, of, withoutReasons)
		return read.pending, err
	})
	if err != nil {
		return Stats{}, err
	}
	out.Statistics, out.Period = calibration.Stats(read.cell), read.period(q.Window)
	if read.cell.Empty() {
		out.Note = nothingOf(sc, of)
	}
	switch q.GroupBy {
	case "":
	case byWeek:
		out.Groups, err = s.weeks(ctx, sc, of)
	default:
		out.Groups, err = s.grouped(ctx, sc, q.GroupBy, of)
	}
	if err != nil {
		return Stats{}, err
	}
	s.noteStats(ctx, decisions.Caller{Session: q.Session}, "How "+sc.words()+" turned out", out.Window, out.ReviewedDecisions, out.TotalDecisions)
	out.QueryTimeMS = progress.Milliseconds(started)
	return out, nil
}

// noteStats records in the session which figures were read.
func (s *Store) noteStats(ctx context.Context, c decisions.Caller, of, window string, reviewed, total int64) {
	s.decisions.Note(ctx, c, "stats", map[string]any{"text": fmt.Sprintf("%s: %d of %d reviewed, window %s", of, reviewed, total, window), "window": window,
		"reviewed_decisions": reviewed, "total_decisions": total})
}

func (r reading) period(window string) Period {
	if window == "" {
		window = allTime
	}
	return Period{window, r.first, r.last}
}

// nothingOf says why there are no figures.
func nothingOf(sc scope, of span) string {
	text := "no decision was recorded yet"
	if sc.kind() != allTime {
		text = "there is no decision with " + sc.words()
	}
	if of != everything {
		text += ", or none was recorded or reviewed in the window"
	}
	return text
}

// words describes a scope for a person.
func (s scope) words() string {
	if s.kind() == allTime {
		return "all decisions"
	}
	var words []string
	for _, name := range scopeParts {
		if value := strings.TrimSpace(s.part(name)); value != "" {
			words = append(words, name+" '"+value+"'")
		}
	}
	return strings.Join(words, " and ")
}

package counters

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/progress"
	"nomograph/internal/render"
)

// StatsQuery selects statistics. Absent fields select all.
type StatsQuery struct {
	Selection
	GroupBy string `json:"group_by,omitempty" jsonschema:"grouping; weeks cover the last 90 days" rule:"enum=category|stakes|project|agent|week"`
	decisions.Session
}

// Stats is the result of Store.Stats. A window counts the decisions recorded in it and the reviews given in it.
type Stats struct {
	calibration.Statistics
	Period
	GroupBy     string   `json:"group_by,omitempty"`
	Groups      []Group  `json:"groups,omitempty" jsonschema:"most reviewed first; of projects and agents the 20 with the most reviews; weeks in order, by their Monday"`
	QueryTimeMS float64  `json:"query_time_ms"`
	Notes       []string `json:"notes,omitempty"`
}

// Period is the period that an answer covers.
type Period struct {
	Window      string `json:"window" jsonschema:"30d, 60d, 90d or all"`
	PeriodStart string `json:"period_start,omitempty" jsonschema:"the first day, in UTC"`
	PeriodEnd   string `json:"period_end,omitempty" jsonschema:"today"`
}

// Group holds the figures of one category, project, agent, level of stakes or week.
type Group struct {
	Value             string                    `json:"value"`
	Overall           *calibration.Calibration  `json:"overall" jsonschema:"null below 5 reviewed decisions with a confidence"`
	Note              string                    `json:"note,omitempty" jsonschema:"reason why overall is null"`
	Outcomes          calibration.OutcomeCounts `json:"outcomes"`
	TotalDecisions    int64                     `json:"total_decisions"`
	ReviewedDecisions int64                     `json:"reviewed_decisions"`
}

// Stats returns calibration figures and records the query in the session. Marked decisions are counted first. The cost
// does not depend on the number of decisions, unless it selects by an agent together with a project or stakes, or
// groups those of an agent by one of these: then the decisions are read. It returns a validation_error for an unknown
// window or group, and a conflict if a counter was edited and cannot be read.
func (s *Store) Stats(ctx context.Context, q StatsQuery) (Stats, error) {
	started := time.Now()
	sc := q.scope()
	if err := checkGroupable(sc, q.GroupBy); err != nil {
		return Stats{}, err
	}
	read, err := s.readCurrent(ctx, sc, q.Window, false)
	if err != nil {
		return Stats{}, err
	}
	out := Stats{GroupBy: q.GroupBy, Notes: read.notes}
	out.Statistics, out.Period = calibration.Stats(read.cell), read.period(q.Window)
	if read.cell.Empty() {
		out.Note = noFiguresNote(sc, read.of)
	}
	switch q.GroupBy {
	case "":
	case byWeek:
		out.Groups, err = s.weeks(ctx, sc, read.of)
	default:
		out.Groups, err = s.groups(ctx, sc, q.GroupBy, read)
	}
	if err != nil {
		return Stats{}, err
	}
	s.noteStats(ctx, decisions.Caller{Session: q.Session}, "Outcomes of "+sc.words(), out.Window, out.ReviewedDecisions,
		out.TotalDecisions)
	out.QueryTimeMS = progress.Milliseconds(started)
	return out, nil
}

// noteStats records in the session which figures were read.
func (s *Store) noteStats(ctx context.Context, c decisions.Caller, of, window string, reviewed, total int64) {
	s.decisions.Note(ctx, c, "stats", map[string]any{"text": fmt.Sprintf("%s: %d of %d reviewed, window %s", of,
		reviewed, total, window), "window": window,
		"reviewed_decisions": reviewed, "total_decisions": total})
}

func (r reading) period(window string) Period {
	return Period{cmp.Or(window, allTime), r.first, r.last}
}

// noFiguresNote says why there are no figures.
func noFiguresNote(sc scope, of span) string {
	text := "no decision was recorded yet"
	if sc.kind() != allTime {
		text = "there is no decision with " + sc.words()
	}
	if of != everything {
		text += ", or none was recorded or reviewed in the window"
	}
	return text
}

// span is a range of whole UTC days before today; nil means unbounded.
type span struct{ from, to any }

var everything = span{}

// windows are the selectable spans. The first day is complete, so that nothing of the last 30 days is missing.
var windows = map[string]span{"": everything, "all": everything, "30d": {30, 0}, "60d": {60, 0}, "90d": {90, 0}}

func spanOf(window string) (span, error) {
	found, ok := windows[window]
	if !ok {
		return span{}, apperr.Newf(apperr.Validation, "Unknown window '%s'", window).
			WithHint("Use 30d, 60d, 90d or all")
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

// reading is a cell with its period.
type reading struct {
	cell        calibration.Cell
	first, last string // UTC days; empty for all time
	pending     int64  // marked decisions
	of          span
	notes       []string
}

// readCurrent reads a scope in a window after it counted marked decisions. It returns a validation_error for an unknown
// window.
func (s *Store) readCurrent(ctx context.Context, sc scope, window string, reasons bool) (read reading, err error) {
	of, err := spanOf(window)
	if err != nil {
		return reading{}, err
	}
	notes, err := s.upToDate(ctx, func() (int64, error) {
		read, err = s.readSpan(ctx, sc, of, reasons)
		return read.pending, err
	})
	read.of, read.notes = of, notes
	return read, err
}

// OfCategory returns the all-time sums of a category, or of all categories if it is empty, without counting marked
// decisions first. The cost does not depend on the number of decisions.
func (s *Store) OfCategory(ctx context.Context, category string) (calibration.Cell, error) {
	read, err := s.readSpan(ctx, scope{"category": category}, everything, true)
	return read.cell, err
}

// cellsRow holds the cells of a scope. Today is by the database's clock, and Pending the number of marked decisions.
type cellsRow struct {
	Scope, Category, Today string
	Pending                int64
	Cells                  []map[string]any
}

// byPeriod decodes the cells.
func (r cellsRow) byPeriod() (map[string]calibration.Cell, error) {
	cells := make(map[string]calibration.Cell, len(r.Cells))
	for _, properties := range r.Cells {
		cell, err := cellOf(r.Scope, properties)
		if err != nil {
			return nil, err
		}
		cells[graph.Text(properties, "period")] = cell
	}
	return cells, nil
}

func (r cellsRow) sum() (sum calibration.Cell, err error) {
	cells, err := r.byPeriod()
	for _, cell := range cells {
		sum.Merge(cell, 1)
	}
	return sum, err
}

func cellOf(scope string, properties map[string]any) (calibration.Cell, error) {
	cell, err := calibration.CellOf(properties)
	if err != nil {
		return cell, apperr.Newf(apperr.Conflict, "Cannot read the counters of %s: %v", scope, err).
			WithHint("Count again with `rebuild_stats`")
	}
	return cell, nil
}

// cellsParams selects the cells of scopes in a span. Half of a cell is about reasons, and a window has up to 91 cells.
func cellsParams(of span, reasons bool, scopes ...string) graph.Params {
	return graph.Params{"scopes": scopes, "from": of.from, "to": of.to, "reasons": reasons}
}

// readCells reads the cells of a scope in a span.
func (s *Store) readCells(ctx context.Context, sc scope, of span, reasons bool) (cellsRow, error) {
	return graph.One[cellsRow](ctx, s.graph, cypher.CellsOfScopes, cellsParams(of, reasons, sc.String()))
}

// sumsOf returns the sums of each scope in a span, without those about reasons.
func (s *Store) sumsOf(ctx context.Context, scopes []string, of span) (map[string]calibration.Cell, error) {
	rows, err := graph.All[cellsRow](ctx, s.graph, cypher.CellsOfScopes, cellsParams(of, false, scopes...))
	sums := make(map[string]calibration.Cell, len(rows))
	for _, row := range rows {
		if sums[row.Scope], err = row.sum(); err != nil {
			return nil, err
		}
	}
	return sums, err
}

func (s *Store) readSpan(ctx context.Context, sc scope, of span, reasons bool) (reading, error) {
	row, err := s.readCells(ctx, sc, of, reasons)
	if err != nil {
		return reading{}, err
	}
	read := reading{pending: row.Pending}
	read.first, read.last = of.days(row.Today)
	if !slices.Contains(countedKinds, sc.kind()) {
		sums, err := s.computeSums(ctx, sc, "", read.first, read.last)
		read.cell, read.pending = sums[""], 0 // the decisions themselves were read
		return read, err
	}
	read.cell, err = row.sum()
	return read, err
}

// computeSums computes the sums of a scope from the decisions, by a part of their scope or together; without days, over
// all time.
func (s *Store) computeSums(ctx context.Context, sc scope, by, first, last string) (map[string]calibration.Cell,
	error) {
	sums := map[string]calibration.Cell{}
	err := graph.Each(ctx, s.graph, cypher.DecisionsCounted, decisionsOf(sc), func(row countedRow) error {
		c := row.contribution()
		if !sc.includes(c.scope()) {
			return nil
		}
		value := decisions.NameKey(c.scope()[by])
		sum := sums[value]
		if first == "" {
			sum.Add(c.Sample, 1)
		} else {
			if c.RecordedOn >= first && c.RecordedOn <= last {
				sum.AddRecorded(c.Sample, 1)
			}
			if c.Outcome != "" && c.ReviewedOn >= first && c.ReviewedOn <= last {
				sum.AddReviewed(c.Sample, 1)
			}
		}
		sums[value] = sum
		return nil
	})
	return sums, err
}

func decisionsOf(sc scope) graph.Params {
	p := graph.Params{}
	for _, name := range scopeParts {
		p[name] = graph.NullIfEmpty(decisions.NameKey(sc[name]))
	}
	return p
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
	return []string{render.Plural(pending, "new or changed decision") + " not counted yet; call again later"},
		graph.AsError(ctx.Err())
}

// checkGroupable returns a validation_error if a scope has no counted groups.
func checkGroupable(sc scope, by string) error {
	if by == "" {
		return nil
	}
	if by == byWeek {
		if !slices.Contains(countedKinds, sc.kind()) {
			return apperr.New(apperr.Validation, "Weekly counts of an agent cannot be filtered by project or stakes").
				WithHint("Leave one of these filters out")
		}
		return nil
	}
	if decisions.NameKey(sc[by]) != "" {
		return apperr.Newf(apperr.Validation, "`group_by` and a filter are both %s", by).
			WithHint("Leave one of them out")
	}
	if sc["agent"] == "" && !slices.Contains(countedKinds, sc.with(by, "any").kind()) {
		return apperr.Newf(apperr.Validation, "Cannot group by %s with these filters", by).
			WithHint("Group by any of category, stakes and project, or by agent, alone or with category")
	}
	return nil
}

const maxGroups = 20

// groups returns the figures of the groups with the most reviews.
func (s *Store) groups(ctx context.Context, sc scope, by string, read reading) ([]Group, error) {
	var sums map[string]calibration.Cell
	var err error
	if slices.Contains(countedKinds, sc.with(by, "any").kind()) {
		sums, err = s.countedGroups(ctx, sc, by, read.of)
	} else {
		sums, err = s.computeSums(ctx, sc, by, read.first, read.last)
	}
	if err != nil {
		return nil, err
	}
	groups := make([]Group, 0, len(sums))
	for value, sum := range sums {
		if value != "" && !sum.Empty() {
			groups = append(groups, groupOf(value, sum))
		}
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.ReviewedDecisions, a.ReviewedDecisions),
			cmp.Compare(b.TotalDecisions, a.TotalDecisions), cmp.Compare(a.Value, b.Value))
	})
	return groups[:min(len(groups), maxGroups)], nil
}

// countedGroups returns the counted sums of the groups with the most reviews of all time, regardless of the other
// conditions.
func (s *Store) countedGroups(ctx context.Context, sc scope, by string, of span) (map[string]calibration.Cell, error) {
	found, err := graph.All[struct{ Value string }](ctx, s.graph, cypher.GroupsOfKind,
		graph.Params{"kind": by, "limit": maxGroups})
	if err != nil {
		return nil, err
	}
	scopes := make([]string, len(found))
	for i, f := range found {
		scopes[i] = sc.with(by, f.Value).String()
	}
	cells, err := s.sumsOf(ctx, scopes, of)
	sums := map[string]calibration.Cell{}
	for i, f := range found {
		if cell, ok := cells[scopes[i]]; ok {
			sums[f.Value] = cell
		}
	}
	return sums, err
}

func groupOf(value string, cell calibration.Cell) Group {
	overall, why := calibration.Overall(cell)
	return Group{value, overall, why, calibration.Stats(cell).Outcomes, cell.Recorded, cell.Reviewed()}
}

const byWeek = "week"

// weeks returns the figures of each week of a span, in order, as far back as there are daily cells. Weeks begin on
// Monday, in UTC.
func (s *Store) weeks(ctx context.Context, sc scope, of span) ([]Group, error) {
	if of == everything {
		of = windows["90d"]
	}
	row, err := s.readCells(ctx, sc, of, false)
	if err != nil {
		return nil, err
	}
	cells, err := row.byPeriod()
	if err != nil {
		return nil, err
	}
	sums := map[string]calibration.Cell{}
	for period, cell := range cells {
		day, err := time.Parse(time.DateOnly, period)
		if err != nil { // 'all' sorts after every day
			continue
		}
		monday := day.AddDate(0, 0, -int(day.Weekday()+6)%7).Format(time.DateOnly)
		sum := sums[monday]
		sum.Merge(cell, 1)
		sums[monday] = sum
	}
	groups := make([]Group, 0, len(sums))
	for _, monday := range slices.Sorted(maps.Keys(sums)) {
		groups = append(groups, groupOf(monday, sums[monday]))
	}
	return groups, nil
}

package counters

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

// groupable returns a validation_error if a scope has no counted groups.
func groupable(sc scope, by string) error {
	if by == "" {
		return nil
	}
	if by == byWeek {
		if !slices.Contains(keptKinds, sc.kind()) {
			return apperr.New(apperr.Validation, "Weekly counts of an agent cannot be filtered by project or stakes").WithHint("Leave one of these filters out")
		}
		return nil
	}
	if decisions.NameKey(sc.part(by)) != "" {
		return apperr.Newf(apperr.Validation, "`group_by` and a filter are both %s", by).WithHint("Leave one of them out")
	}
	if !slices.Contains(keptKinds, sc.with(by, "any").kind()) {
		return apperr.Newf(apperr.Validation, "Cannot group by %s with these filters", by).
			WithHint("Group by any of category, stakes and project, or by agent, alone or with category")
	}
	return nil
}

const (
	maxGroups   = 20
	groupsAsked = 100 // before conditions are applied
)

// grouped returns the figures of the groups with the most reviews of all time, whatever else is selected.
func (s *Store) grouped(ctx context.Context, sc scope, by string, of span) ([]Group, error) {
	limit := maxGroups
	if of == everything {
		limit = groupsAsked
	}
	found, err := s.cellsOfKind(ctx, by, limit)
	if err != nil {
		return nil, err
	}
	values, scopes := map[string]string{}, make([]string, len(found))
	for i, f := range found {
		scopes[i] = sc.with(by, f.part(by)).String()
		values[scopes[i]] = f.part(by)
	}
	cells, err := s.cellsOf(ctx, scopes, of)
	if err != nil {
		return nil, err
	}
	groups := make([]Group, 0, len(cells))
	for name, cell := range cells {
		if cell.Empty() {
			continue
		}
		groups = append(groups, groupOf(values[name], cell))
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(b.ReviewedDecisions, a.ReviewedDecisions), cmp.Compare(b.TotalDecisions, a.TotalDecisions), cmp.Compare(a.Value, b.Value))
	})
	return groups[:min(len(groups), maxGroups)], nil
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
	row, err := s.between(ctx, sc, of, withoutReasons)
	if err != nil {
		return nil, err
	}
	sums := map[string]calibration.Cell{}
	for _, item := range row.Cells {
		cell, err := cellOf(sc.String(), item)
		if err != nil {
			return nil, err
		}
		properties, _ := item.(map[string]any)
		day, err := time.Parse(time.DateOnly, graph.Text(properties, "period"))
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

// scopeRow holds the cells of one scope; Today is by the database's clock.
type scopeRow struct {
	Scope, Today string
	Cells        []any
}

// cellsOf returns the sums of each scope in a span, without those about reasons.
func (s *Store) cellsOf(ctx context.Context, scopes []string, of span) (map[string]calibration.Cell, error) {
	rows, err := graph.All[scopeRow](ctx, s.graph, cypher.CellsOfScopes, graph.Params{"scopes": scopes, "from": of.from, "to": of.to})
	if err != nil {
		return nil, err
	}
	sums := make(map[string]calibration.Cell, len(rows))
	for _, row := range rows {
		var sum calibration.Cell
		for _, item := range row.Cells {
			cell, err := cellOf(row.Scope, item)
			if err != nil {
				return nil, err
			}
			sum.Merge(cell, 1)
		}
		sums[row.Scope] = sum
	}
	return sums, nil
}

package counters

import (
	"context"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/graph"
	"nomograph/internal/lists"
)

// ConfirmedPattern is a pattern with the outcomes of its decisions. It is confirmed by at least two reviewed decisions
// with a mean outcome of at least 0.6; frequent use does not confirm it.
type ConfirmedPattern struct {
	Pattern     string                    `json:"pattern"`
	Confirmed   bool                      `json:"confirmed"`
	Reviewed    int64                     `json:"reviewed"`
	Recorded    int64                     `json:"recorded" jsonschema:"number of decisions that follow it"`
	MeanOutcome *float64                  `json:"mean_outcome" jsonschema:"success 1, partial 0.5, failure and abandoned 0; null without reviews"`
	Outcomes    calibration.OutcomeCounts `json:"outcomes"`
	Categories  []string                  `json:"categories" jsonschema:"categories of the first 50 decisions that follow the pattern"`
	ExampleIDs  []string                  `json:"example_ids" jsonschema:"at most 5"`
}

type patternRow struct {
	Pattern              string
	Confirmed            bool
	Cell                 map[string]any
	Examples, Categories []any // texts
}

// ConfirmedPatterns returns the patterns that outcomes confirm, most reviewed first. Marked decisions are not counted
// first.
func (s *Store) ConfirmedPatterns(ctx context.Context, limit int) ([]ConfirmedPattern, error) {
	rows, err := graph.All[patternRow](ctx, s.graph, cypher.PatternsConfirmed, graph.Params{"limit": limit})
	if err != nil {
		return nil, err
	}
	return patternsIn(rows)
}

// PatternsOf returns the patterns with these names in their order, confirmed or not. Marked decisions are not counted
// first.
func (s *Store) PatternsOf(ctx context.Context, names []string) ([]ConfirmedPattern, error) {
	names = decisions.UniqueTexts(names)
	if len(names) == 0 {
		return nil, nil
	}
	scopes := lists.Map(names, func(name string) string { return scope{"pattern": name}.String() })
	rows, err := graph.All[patternRow](ctx, s.graph, cypher.PatternsOfScopes, graph.Params{"scopes": scopes})
	if err != nil {
		return nil, err
	}
	return patternsIn(rows)
}

func patternsIn(rows []patternRow) ([]ConfirmedPattern, error) {
	patterns := make([]ConfirmedPattern, len(rows))
	for i, row := range rows {
		cell, err := cellOf(scope{"pattern": row.Pattern}.String(), row.Cell)
		if err != nil {
			return nil, err
		}
		patterns[i] = ConfirmedPattern{Pattern: row.Pattern, Confirmed: row.Confirmed, Reviewed: cell.Reviewed(),
			Recorded: cell.Recorded,
			Outcomes: calibration.Stats(cell).Outcomes, Categories: graph.Texts(row.Categories),
			ExampleIDs: graph.Texts(row.Examples)}
		if mean, ok := cell.MeanOutcome(); ok {
			patterns[i].MeanOutcome = &mean
		}
	}
	return patterns, nil
}

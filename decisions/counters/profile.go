package counters

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/graph"
)

// AgentProfile summarizes the outcomes of an agent's decisions. Unknown figures are absent, and Why gives the reason.
type AgentProfile struct {
	Agent             string    `json:"agent"`
	TotalDecisions    int64     `json:"total_decisions"`
	Reviewed          int64     `json:"reviewed"`
	OverallAccuracy   *float64  `json:"overall_accuracy,omitempty" jsonschema:"mean outcome: success 1, partial 0.5, failure and abandoned 0"`
	BrierScore        *float64  `json:"brier_score,omitempty" jsonschema:"0 is perfect; a constant 0.5 gets 0.25"`
	MeanConfidence    *float64  `json:"mean_confidence,omitempty" jsonschema:"mean confidence of the reviewed decisions"`
	Tendency          string    `json:"tendency,omitempty" jsonschema:"well_calibrated, slightly_overconfident, overconfident, slightly_underconfident, underconfident or inconclusive"`
	StrongestCategory string    `json:"strongest_category,omitempty" jsonschema:"by mean outcome"`
	WeakestCategory   string    `json:"weakest_category,omitempty"`
	ActiveSince       time.Time `json:"active_since,omitzero" jsonschema:"time of the first decision"`
	Why               string    `json:"reason,omitempty" jsonschema:"reason for absent numbers"`
}

// CategoryCalibration summarizes a category: over all agents, and in Own for the agent of the profile.
type CategoryCalibration struct {
	Decisions      int64           `json:"decisions"`
	Reviewed       int64           `json:"reviewed"`
	Accuracy       *float64        `json:"accuracy,omitempty"`
	BrierScore     *float64        `json:"brier_score,omitempty"`
	MeanConfidence *float64        `json:"mean_confidence,omitempty"`
	CalibrationGap *float64        `json:"calibration_gap,omitempty" jsonschema:"accuracy - mean_confidence"`
	Interpretation string          `json:"interpretation,omitempty"`
	SmallSample    bool            `json:"small_sample,omitempty" jsonschema:"true if there are fewer than 30 reviews"`
	Why            string          `json:"reason,omitempty" jsonschema:"reason for absent numbers"`
	Own            *OwnCalibration `json:"own,omitempty" jsonschema:"figures of the asking agent"`
}

// OwnCalibration summarizes an agent's decisions of a category.
type OwnCalibration struct {
	Decisions      int64    `json:"decisions"`
	Reviewed       int64    `json:"reviewed"`
	Accuracy       *float64 `json:"accuracy,omitempty"`
	BrierScore     *float64 `json:"brier_score,omitempty"`
	Interpretation string   `json:"interpretation,omitempty"`
}

// minCompared is the number of reviewed decisions that a category needs to be the strongest or weakest.
const minCompared = 3

// Profile returns the profile of an agent, and the figures of each category with decisions.
func (s *Store) Profile(ctx context.Context, agent string) (AgentProfile, map[string]CategoryCalibration, error) {
	places := placesOf(agent)
	keys := make([]any, 0, len(places))
	for scope := range places {
		keys = append(keys, map[string]any{"scope": scope, "period": allTime})
	}
	cells, err := graph.All[cellRow](ctx, s.graph, cypher.CellsOfKeys, graph.Params{"keys": keys})
	if err != nil {
		return AgentProfile{}, nil, err
	}
	t, err := decodeTallies(cells, places)
	if err != nil {
		return AgentProfile{}, nil, err
	}
	since, err := s.precedents.FirstDecisionAt(ctx, agent)
	return t.profile(agent, since), t.categories(), err
}

// tallies are the all-time counters of an agent and of the categories.
type tallies struct {
	agent    calibration.Cell
	category map[string]calibration.Cell // cells of all agents, by category
	own      map[string]calibration.Cell // cells of the agent, by category
}

// place says which of the tallies a cell is.
type place struct {
	category string // empty: all categories
	own      bool
}

// placesOf returns the scopes of an agent's tallies.
func placesOf(agent string) map[string]place {
	places := map[string]place{scope{Agent: agent}.String(): {own: true}}
	for _, category := range decisions.CategoryValues {
		places[scope{Category: category}.String()] = place{category: category}
		places[scope{Category: category, Agent: agent}.String()] = place{category, true}
	}
	return places
}

type cellRow struct {
	Scope string
	Cell  map[string]any
}

func decodeTallies(rows []cellRow, places map[string]place) (tallies, error) {
	t := tallies{category: map[string]calibration.Cell{}, own: map[string]calibration.Cell{}}
	for _, row := range rows {
		cell, err := calibration.CellOf(row.Cell)
		if err != nil {
			return t, fmt.Errorf("counters of %s: %w", row.Scope, err)
		}
		switch at := places[row.Scope]; {
		case at.category == "":
			t.agent = cell
		case at.own:
			t.own[at.category] = cell
		default:
			t.category[at.category] = cell
		}
	}
	return t, nil
}

// profile returns the figures of an agent.
func (t tallies) profile(agent string, since time.Time) AgentProfile {
	p := AgentProfile{Agent: agent, TotalDecisions: t.agent.Recorded, Reviewed: t.agent.Reviewed(),
		ActiveSince: since.UTC()}
	if since.IsZero() {
		p.ActiveSince = since
	}
	overall, why := calibration.Overall(t.agent)
	p.Why = why
	if overall != nil {
		p.OverallAccuracy, p.BrierScore, p.MeanConfidence, p.Tendency = new(overall.Accuracy), new(overall.BrierScore),
			new(overall.MeanConfidence), overall.Interpretation
	}
	p.StrongestCategory, p.WeakestCategory = t.extremes()
	return p
}

// extremes returns the agent's categories with the best and the worst mean outcome; none without a comparison.
func (t tallies) extremes() (strongest, weakest string) {
	var known []string
	mean := map[string]float64{}
	for _, category := range decisions.CategoryValues {
		if cell := t.own[category]; cell.Reviewed() >= minCompared {
			mean[category], _ = cell.MeanOutcome()
			known = append(known, category)
		}
	}
	if len(known) < 2 {
		return "", ""
	}
	slices.SortStableFunc(known, func(a, b string) int {
		return cmp.Or(cmp.Compare(mean[b], mean[a]), strings.Compare(a, b))
	})
	best, worst := known[0], known[len(known)-1]
	if mean[best] == mean[worst] {
		return "", ""
	}
	return best, worst
}

// categories returns the figures of each category with decisions.
func (t tallies) categories() map[string]CategoryCalibration {
	all := map[string]CategoryCalibration{}
	for category, cell := range t.category {
		if cell.Recorded == 0 && cell.Reviewed() == 0 {
			continue
		}
		c := categoryOf(cell)
		if own := t.own[category]; own.Recorded > 0 {
			mine := categoryOf(own)
			c.Own = &OwnCalibration{mine.Decisions, mine.Reviewed, mine.Accuracy, mine.BrierScore, mine.Interpretation}
		}
		all[category] = c
	}
	return all
}

func categoryOf(cell calibration.Cell) CategoryCalibration {
	c := CategoryCalibration{Decisions: cell.Recorded, Reviewed: cell.Reviewed()}
	overall, why := calibration.Overall(cell)
	c.Why = why
	if overall != nil {
		c.Accuracy, c.BrierScore, c.MeanConfidence, c.CalibrationGap = new(overall.Accuracy), new(overall.BrierScore),
			new(overall.MeanConfidence), new(overall.CalibrationGap)
		c.Interpretation, c.SmallSample = overall.Interpretation, overall.SmallSample
	}
	return c
}

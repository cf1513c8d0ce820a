package counters

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"nomograph/decisions"
	"nomograph/decisions/calibration"
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
	OwnCalibration
	MeanConfidence *float64        `json:"mean_confidence,omitempty"`
	CalibrationGap *float64        `json:"calibration_gap,omitempty" jsonschema:"accuracy - mean_confidence"`
	SmallSample    bool            `json:"small_sample,omitempty" jsonschema:"true if there are fewer than 30 reviews"`
	Why            string          `json:"reason,omitempty" jsonschema:"reason for absent numbers"`
	Own            *OwnCalibration `json:"own,omitempty" jsonschema:"figures of the asking agent"`
}

// OwnCalibration has the figures of a category that are also shown for one agent.
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
	scopes := []string{scope{"agent": agent}.String()}
	for _, category := range decisions.CategoryValues {
		scopes = append(scopes, scope{"category": category}.String(),
			scope{"category": category, "agent": agent}.String())
	}
	sums, err := s.sumsOf(ctx, scopes, everything)
	if err != nil {
		return AgentProfile{}, nil, err
	}
	own, categories := map[string]calibration.Cell{}, map[string]CategoryCalibration{}
	for _, category := range decisions.CategoryValues {
		own[category] = sums[scope{"category": category, "agent": agent}.String()]
		all := sums[scope{"category": category}.String()]
		if all.Recorded == 0 && all.Reviewed() == 0 {
			continue
		}
		c := categoryOf(all)
		if mine := categoryOf(own[category]); mine.Decisions > 0 {
			c.Own = &mine.OwnCalibration
		}
		categories[category] = c
	}
	since, err := s.precedents.FirstDecisionAt(ctx, agent)
	p := profileOf(sums[scopes[0]])
	p.Agent, p.ActiveSince = agent, since.UTC()
	p.StrongestCategory, p.WeakestCategory = extremes(own)
	return p, categories, err
}

// profileOf returns the figures of an agent.
func profileOf(cell calibration.Cell) AgentProfile {
	p := AgentProfile{TotalDecisions: cell.Recorded, Reviewed: cell.Reviewed()}
	overall, why := calibration.Overall(cell)
	p.Why = why
	if overall != nil {
		p.OverallAccuracy, p.BrierScore, p.MeanConfidence, p.Tendency = &overall.Accuracy, &overall.BrierScore,
			&overall.MeanConfidence, overall.Interpretation
	}
	return p
}

// extremes returns the categories with the best and the worst mean outcome; none without a comparison.
func extremes(own map[string]calibration.Cell) (strongest, weakest string) {
	var known []string
	mean := map[string]float64{}
	for _, category := range decisions.CategoryValues {
		if cell := own[category]; cell.Reviewed() >= minCompared {
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

func categoryOf(cell calibration.Cell) CategoryCalibration {
	c := CategoryCalibration{OwnCalibration: OwnCalibration{Decisions: cell.Recorded, Reviewed: cell.Reviewed()}}
	overall, why := calibration.Overall(cell)
	c.Why = why
	if overall != nil {
		c.Accuracy, c.BrierScore, c.MeanConfidence, c.CalibrationGap = &overall.Accuracy, &overall.BrierScore,
			&overall.MeanConfidence, &overall.CalibrationGap
		c.Interpretation, c.SmallSample = overall.Interpretation, overall.SmallSample
	}
	return c
}

package preparation

import (
	"context"
	"sync"

	"nomograph/decisions"
	"nomograph/decisions/calibration"
	"nomograph/decisions/precedents"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
)

// CalibrationContext summarizes the outcomes of a category.
type CalibrationContext struct {
	Category          string   `json:"category,omitempty" jsonschema:"empty: all categories"`
	ReviewedDecisions int64    `json:"reviewed_decisions"`
	BrierScore        *float64 `json:"brier_score" jsonschema:"0 is perfect; null: too few reviews"`
	Accuracy          *float64 `json:"accuracy" jsonschema:"mean outcome"`
	MeanConfidence    *float64 `json:"mean_confidence"`
	CalibrationGap    *float64 `json:"calibration_gap" jsonschema:"below 0 is overconfident"`
	Interpretation    string   `json:"interpretation,omitempty"`
	Note              string   `json:"note,omitempty"`
}

// readPrecedents reads precedents, patterns and calibration. Calibration comes from counters: a review of the last
// second may be missing.
func (a *preparing) readPrecedents(ctx context.Context) {
	options := a.asks.Options
	if options == nil {
		options = &Options{}
	}
	limited := caller.From(ctx).Limited() // counters include what the caller may not see
	calibrated := sync.OnceValues(func() (*CalibrationContext, string) {
		if limited {
			return nil, "Calibration and patterns are counted over all projects, and left out: the caller may see only some"
		}
		return a.readCalibration(ctx)
	})
	go calibrated()
	found, query, err := a.precedents.Find(ctx, precedents.Query{Query: a.asks.Action.Description,
		Limit: options.QueryLimit, NoLinks: true, AgentID: a.asks.AgentID, Session: decisions.Session{By: a.asks.By}})
	if err == nil {
		a.out.RelevantDecisions, a.out.RetrievalMode, a.query = found.Decisions, found.RetrievalMode, query
		a.notes = append(a.notes, found.Notes...)
		if !limited && (options.IncludePatterns == nil || *options.IncludePatterns) {
			a.patterns(ctx)
		}
	} else {
		a.notes = append(a.notes, "Precedents could not be read: "+apperr.From(err).Message)
	}
	known, unread := calibrated()
	if a.out.Calibration = known; unread != "" {
		a.notes = append(a.notes, unread)
	}
}

// patterns adds the outcomes of the precedents' patterns.
func (a *preparing) patterns(ctx context.Context) {
	var names []string
	for _, d := range a.out.RelevantDecisions {
		if d.Pattern != "" {
			names = append(names, d.Pattern)
		}
	}
	if names = decisions.UniqueTexts(names); len(names) == 0 {
		return
	}
	patterns, err := a.counters.PatternsOf(ctx, names)
	if err != nil {
		a.notes = append(a.notes, "Patterns could not be read: "+apperr.From(err).Message)
		return
	}
	a.out.Patterns = patterns
}

// readCalibration reads the counters of the action's category, or returns why it cannot.
func (a *preparing) readCalibration(ctx context.Context) (*CalibrationContext, string) {
	c := &CalibrationContext{Category: a.asks.Action.Category}
	cell, err := a.counters.OfCategory(ctx, c.Category)
	if err != nil {
		return nil, "Calibration could not be read: " + apperr.From(err).Message
	}
	c.ReviewedDecisions = cell.Reviewed()
	overall, why := calibration.Overall(cell)
	if overall == nil {
		c.Note = why
		return c, ""
	}
	c.BrierScore, c.Accuracy, c.MeanConfidence, c.CalibrationGap, c.Interpretation = &overall.BrierScore,
		&overall.Accuracy, &overall.MeanConfidence,
		&overall.CalibrationGap, overall.Interpretation
	return c, ""
}

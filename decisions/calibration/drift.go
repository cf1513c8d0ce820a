package calibration

import (
	"cmp"
	"fmt"
	"math"
)

// DriftRules are the thresholds of drift. Zero means the default.
type DriftRules struct {
	ThresholdBrier    float64 `json:"threshold_brier,omitempty" jsonschema:"relative rise of the Brier score that raises an alert" rule:"minimum=0.01,maximum=10,default=0.2"`
	ThresholdAccuracy float64 `json:"threshold_accuracy,omitempty" jsonschema:"relative fall of the mean outcome that raises an alert" rule:"minimum=0.01,maximum=1,default=0.15"`
	Category          string  `json:"category,omitempty" jsonschema:"category, such as architecture" rule:"maxLength=200"`
	MinDecisions      int     `json:"min_decisions,omitempty" jsonschema:"minimum number of reviews with a confidence in each period" rule:"minimum=1,maximum=1000,default=5"`
}

const (
	driftBrier    = 0.20
	driftAccuracy = 0.15

	minBrier      = 0.03 // smaller absolute differences are never an alert
	minAccuracy   = 0.05
	grossBrier    = 0.50 // relative; larger changes are errors
	grossAccuracy = 0.25
)

// Drifted is the comparison of recent and earlier decisions.
type Drifted struct {
	DriftDetected   bool             `json:"drift_detected"`
	Recent          DriftSide        `json:"recent"`
	Historical      DriftSide        `json:"historical"`
	Alerts          []DriftAlert     `json:"alerts"`
	Recommendations []Recommendation `json:"recommendations"`
	Note            string           `json:"note,omitempty" jsonschema:"reason for a missing comparison"`
}

// DriftSide holds the figures of one period.
type DriftSide struct {
	BrierScore *float64 `json:"brier_score" jsonschema:"null without decisions"`
	Accuracy   *float64 `json:"accuracy" jsonschema:"mean outcome"`
	Decisions  int64    `json:"decisions" jsonschema:"reviewed, with a confidence"`
}

// DriftAlert is one significant decline.
type DriftAlert struct {
	Type            string   `json:"type" jsonschema:"brier_degradation or accuracy_drop"`
	Category        string   `json:"category,omitempty"`
	RecentValue     float64  `json:"recent_value"`
	HistoricalValue float64  `json:"historical_value"`
	ChangePct       *float64 `json:"change_pct" jsonschema:"change in percent of the historical value; null if that value is 0"`
	Severity        string   `json:"severity" jsonschema:"warning or error"`
	Message         string   `json:"message"`
}

// Drift compares recent reviews with earlier ones. No review may be in both.
func Drift(recent, before Cell, rules DriftRules) Drifted {
	rules.ThresholdBrier, rules.ThresholdAccuracy = cmp.Or(max(0, rules.ThresholdBrier), driftBrier),
		cmp.Or(max(0, rules.ThresholdAccuracy), driftAccuracy)
	minDecisions := cmp.Or(max(0, int64(rules.MinDecisions)), minReviews)
	d := Drifted{Recent: sideOf(&recent), Historical: sideOf(&before)}
	if d.Recent.Decisions < minDecisions || d.Historical.Decisions < minDecisions {
		d.Note = fmt.Sprintf("%d recent and %d earlier decisions were reviewed with a confidence; a comparison needs %d of each", d.Recent.Decisions, d.Historical.Decisions, minDecisions)
		return d
	}
	now, then := recent.figures(), before.figures()
	if worse := withoutNoise(now.BrierScore - then.BrierScore); worse >= minBrier {
		d.alert("brier_degradation", "Brier score", rules.Category, now.BrierScore, then.BrierScore,
			rules.ThresholdBrier, grossBrier)
	}
	if worse := withoutNoise(then.Accuracy - now.Accuracy); worse >= minAccuracy {
		d.alert("accuracy_drop", "mean outcome", rules.Category, now.Accuracy, then.Accuracy, rules.ThresholdAccuracy,
			grossAccuracy)
	}
	d.DriftDetected = len(d.Alerts) > 0
	return d
}

// alert adds a relative change above the threshold.
func (d *Drifted) alert(kind, words, category string, now, then, threshold, gross float64) {
	change := math.Inf(1) // the earlier value is zero
	var percent *float64
	if then > 0 {
		change = (now - then) / then
		percent = new(round(100 * change))
	}
	if withoutNoise(math.Abs(change)) <= threshold {
		return
	}
	a := DriftAlert{Type: kind, Category: category, RecentValue: round(now), HistoricalValue: round(then),
		ChangePct: percent, Severity: Warning}
	if withoutNoise(math.Abs(change)) > gross {
		a.Severity = Error
	}
	of := ""
	if category != "" {
		of = " of " + category
	}
	a.Message = fmt.Sprintf("The %s%s went from %.3f to %.3f", words, of, then, now)
	if percent != nil {
		a.Message += fmt.Sprintf(" (%+.0f %%)", *percent)
	}
	a.Message += "."
	d.Alerts = append(d.Alerts, a)
	d.Recommendations = append(d.Recommendations,
		Recommendation{Type: kind, Severity: a.Severity, Message: driftAdvice[kind]})
}

// driftAdvice has the recommendations by type of alert.
var driftAdvice = map[string]string{
	"brier_degradation": "Look at the recent decisions that missed their confidence the most, and at what they have in common.",
	"accuracy_drop":     "Read the lessons of the recent failures before the next decision, and lower confidences until outcomes recover.",
}

func sideOf(c *Cell) DriftSide {
	s := DriftSide{Decisions: c.scoredReviews()}
	if s.Decisions > 0 {
		f := c.figures()
		s.BrierScore, s.Accuracy = new(round(f.BrierScore)), new(round(f.Accuracy))
	}
	return s
}

package calibration

import (
	"fmt"

	"nomograph/internal/render"
)

const (
	minReviews  = 5  // with fewer reviewed decisions that have a confidence, there is no score
	smallSample = 30 // with fewer reviewed decisions, a score is uncertain
	maxECE      = 0.10
)

// Calibration compares confidence with outcomes. All figures but total_decisions are of reviewed decisions with a
// confidence at that time, rounded to six decimals.
type Calibration struct {
	BrierScore        float64  `json:"brier_score" jsonschema:"mean of (confidence - outcome)²: 0 is perfect; a constant 0.5 gets 0.25"`
	Accuracy          float64  `json:"accuracy" jsonschema:"mean outcome: success 1, partial 0.5, failure and abandoned 0"`
	AccuracyInterval  Interval `json:"accuracy_interval" jsonschema:"95 %, by Wilson"`
	BrierInterval     Interval `json:"brier_interval" jsonschema:"95 %, of brier_score"`
	MeanConfidence    float64  `json:"mean_confidence"`
	CalibrationGap    float64  `json:"calibration_gap" jsonschema:"accuracy - mean_confidence: below 0 is overconfident"`
	Interpretation    string   `json:"interpretation" jsonschema:"well_calibrated, slightly_overconfident, overconfident, slightly_underconfident, underconfident, or inconclusive: accuracy_interval contains mean_confidence, or the mean fits but ece is above 0.10 and skill below 0"`
	TotalDecisions    int64    `json:"total_decisions" jsonschema:"recorded, with or without a review"`
	ReviewedDecisions int64    `json:"reviewed_decisions" jsonschema:"decisions with a review and a confidence, which these numbers describe"`
	Reliability       float64  `json:"reliability" jsonschema:"mean squared gap between confidence and outcome over ten bins; 0 is best"`
	Resolution        float64  `json:"resolution" jsonschema:"variance of outcomes between bins; higher is better"`
	Uncertainty       float64  `json:"uncertainty" jsonschema:"accuracy * (1 - accuracy): depends on the outcomes, not on the forecaster"`
	WithinBin         float64  `json:"within_bin" jsonschema:"brier_score - (reliability - resolution + uncertainty): variance within bins"`
	ECE               float64  `json:"ece" jsonschema:"expected calibration error over ten bins"`
	Skill             *float64 `json:"skill" jsonschema:"1 - brier_score / uncertainty: above 0 is better than a constant confidence equal to the mean outcome; null if uncertainty is 0"`
	SmallSample       bool     `json:"small_sample" jsonschema:"true below 30 decisions; use the intervals"`
}

// Overall returns nil and a reason if fewer than 5 reviewed decisions have a confidence.
func Overall(c Cell) (*Calibration, string) {
	if c.scoredReviews() < minReviews {
		return nil, tooFew(&c)
	}
	o := c.figures()
	o.Interpretation = interpretGap(o.CalibrationGap, o.MeanConfidence, o.AccuracyInterval, interpretation)
	if o.Interpretation == WellCalibrated && o.ECE > maxECE && o.Skill != nil &&
		*o.Skill < 0 { // the mean fits, and single confidences do not
		o.Interpretation = Inconclusive
	}
	for _, figure := range []*float64{&o.BrierScore, &o.Accuracy, &o.MeanConfidence, &o.CalibrationGap, &o.Reliability,
		&o.Resolution, &o.Uncertainty, &o.WithinBin, &o.ECE} {
		*figure = round(*figure)
	}
	o.AccuracyInterval, o.BrierInterval = o.AccuracyInterval.round(), o.BrierInterval.round()
	if o.Skill != nil {
		o.Skill = new(round(*o.Skill))
	}
	return &o, ""
}

func tooFew(c *Cell) string {
	reviewed, scored := c.Reviewed(), c.scoredReviews()
	switch {
	case c.Recorded == 0 && reviewed == 0:
		return "no decisions yet"
	case reviewed == 0:
		return render.PluralOf(c.Recorded, "decision, not reviewed yet", "decisions, none reviewed yet")
	case scored == reviewed:
		return fmt.Sprintf("%s so far; a score needs %d", render.PluralOf(reviewed, "review", "reviews"), minReviews)
	}
	return fmt.Sprintf("%s so far, %d with a confidence to judge; a score needs %d of those",
		render.PluralOf(reviewed, "review", "reviews"), scored, minReviews)
}

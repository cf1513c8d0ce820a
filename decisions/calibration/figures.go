package calibration

import "math"

// scoredReviews is the number of reviewed decisions with a confidence.
func (c *Cell) scoredReviews() int64 { return total(c.BinReviewed[:]) }

// figures returns the unrounded figures of decisions that were reviewed and have a confidence, at least one.
func (c *Cell) figures() Calibration {
	n := c.scoredReviews()
	outcomes, confidences := total(c.BinOutcome[:]), total(c.BinConfidence[:])
	f := Calibration{
		BrierScore:        float64(c.Brier) / Micro / Micro / float64(n),
		Accuracy:          ratio(outcomes, n*Micro),
		MeanConfidence:    ratio(confidences, n*Micro),
		CalibrationGap:    ratio(outcomes-confidences, n*Micro),
		TotalDecisions:    c.Recorded,
		ReviewedDecisions: n,
		SmallSample:       n < smallSample,
	}
	f.Uncertainty = f.Accuracy * (1 - f.Accuracy)
	for bin := range c.BinReviewed {
		if c.BinReviewed[bin] == 0 {
			continue
		}
		weight := ratio(c.BinReviewed[bin], n)
		miss := ratio(c.BinConfidence[bin]-c.BinOutcome[bin], c.BinReviewed[bin]*Micro)
		lift := ratio(c.BinOutcome[bin], c.BinReviewed[bin]*Micro) - f.Accuracy
		f.Reliability += weight * miss * miss
		f.Resolution += weight * lift * lift
		f.ECE += weight * math.Abs(miss)
	}
	f.WithinBin = f.BrierScore - (f.Reliability - f.Resolution + f.Uncertainty)
	f.AccuracyInterval, f.BrierInterval = wilson(f.Accuracy, n), c.brierInterval(f.BrierScore)
	if f.Uncertainty != 0 {
		f.Skill = new(1 - f.BrierScore/f.Uncertainty)
	}
	return f
}

// brierInterval uses the variance of the decisions' scores. For too few or equal scores it returns Wilson's interval,
// which is wider: no scores from 0 to 1 with that mean can vary more.
func (c *Cell) brierInterval(score float64) Interval {
	// The squares are of scores rounded to Micro, their sum is not: a deviation below a thousandth may be a rounding
	// error.
	n, sum := c.scoredReviews(), int64(math.Round(float64(c.Brier)/Micro))
	deviation := math.Sqrt(deviations(n, sum, c.BrierSquares)/float64(n)/float64(max(n-1, 1))) / Micro
	if n < smallSample || deviation < 1e-3 {
		return wilson(score, n)
	}
	return normal(score, deviation, n)
}

// interpretGap describes the gap between the mean outcome and the expected value in a word. If word reports a
// deviation but the interval of the outcome contains the expected value, the gap may be chance, and the result is
// Inconclusive.
func interpretGap(gap, expected float64, outcome Interval, word func(gap float64) string) string {
	if found := word(gap); found == WellCalibrated || !outcome.contains(expected) {
		return found
	}
	return Inconclusive
}

// interpretation describes the gap between mean outcome and mean confidence, with the bounds of CSTP's reference
// server.
func interpretation(gap float64) string {
	word := bucketWord(gap)
	switch size := math.Abs(gap); {
	case size < 0.05:
		return WellCalibrated
	case size > 0.10:
		return word
	case gap < 0:
		return SlightlyOverconfident
	}
	return SlightlyUnderconfident
}

// Interpretations of confidence.
const (
	WellCalibrated         = "well_calibrated"
	SlightlyOverconfident  = "slightly_overconfident"
	Overconfident          = "overconfident"
	SlightlyUnderconfident = "slightly_underconfident"
	Underconfident         = "underconfident"
	Inconclusive           = "inconclusive" // the interval of the outcomes contains the confidence
	TooFew                 = "too_few"
)

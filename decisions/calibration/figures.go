package calibration

import "math"

// figures are unrounded figures of decisions that were reviewed and have a confidence, at least one.
type figures struct {
	n           int64
	brier       float64 // 0 to 1
	accuracy    float64 // mean outcome
	confidence  float64 // mean confidence
	gap         float64 // accuracy - confidence
	reliability float64 // this field and the next are computed over ten bins
	resolution  float64
	uncertainty float64
	within      float64 // brier - (reliability - resolution + uncertainty)
	ece         float64
}

// scoredReviews is the number of reviewed decisions with a confidence.
func (c *Cell) scoredReviews() int64 { return total(c.BinReviewed[:]) }

func (c *Cell) figures() figures {
	n := c.scoredReviews()
	outcomes, confidences := total(c.BinOutcome[:]), total(c.BinConfidence[:])
	f := figures{
		n:          n,
		brier:      float64(c.Brier) / Micro / Micro / float64(n),
		accuracy:   ratio(outcomes, n*Micro),
		confidence: ratio(confidences, n*Micro),
		gap:        ratio(outcomes-confidences, n*Micro),
	}
	f.uncertainty = f.accuracy * (1 - f.accuracy)
	for bin := range c.BinReviewed {
		if c.BinReviewed[bin] == 0 {
			continue
		}
		weight := ratio(c.BinReviewed[bin], n)
		miss := ratio(c.BinConfidence[bin]-c.BinOutcome[bin], c.BinReviewed[bin]*Micro)
		lift := ratio(c.BinOutcome[bin], c.BinReviewed[bin]*Micro) - f.accuracy
		f.reliability += weight * miss * miss
		f.resolution += weight * lift * lift
		f.ece += weight * math.Abs(miss)
	}
	f.within = f.brier - (f.reliability - f.resolution + f.uncertainty)
	return f
}

// skill is the improvement over always stating the mean outcome; false if that would be a perfect score.
func (f figures) skill() (float64, bool) {
	if f.uncertainty == 0 {
		return 0, false
	}
	return 1 - f.brier/f.uncertainty, true
}

// brierInterval uses the variance of the decisions' scores. For too few or equal scores it returns Wilson's interval,
// which is wider: no scores from 0 to 1 with that mean can vary more.
func (c *Cell) brierInterval(f figures) Interval {
	// The squares are of scores rounded to Micro, their sum is not: a deviation below a thousandth may be a rounding
	// error.
	sum := int64(math.Round(float64(c.Brier) / Micro))
	spread := deviations(f.n, sum, c.BrierSquares) / float64(f.n) / float64(max(f.n-1, 1))
	deviation := math.Sqrt(spread) / Micro
	if f.n < smallSample || deviation < 1e-3 {
		return wilson(f.brier, f.n)
	}
	return normal(f.brier, deviation, f.n)
}

// interpretGap describes the gap between the mean outcome and the expected value in a word. If word reports a deviation but
// the interval of the outcome contains the expected value, the gap may be chance, and the result is Inconclusive.
func interpretGap(gap, expected float64, outcome Interval, word func(gap float64) string) string {
	if found := word(gap); found == WellCalibrated || !outcome.contains(expected) {
		return found
	}
	return Inconclusive
}

// interpretation describes the gap between mean outcome and mean confidence, with the bounds of CSTP's reference server.
func interpretation(gap float64) string {
	switch {
	case math.Abs(gap) < 0.05:
		return WellCalibrated
	case gap < -0.10:
		return Overconfident
	case gap < 0:
		return SlightlyOverconfident
	case gap > 0.10:
		return Underconfident
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

package calibration

import "math"

// figures are the numbers of decisions that were reviewed with a confidence, not rounded. There must be at least one.
type figures struct {
	n           int64
	brier       float64 // 0 to 1
	accuracy    float64 // mean outcome
	confidence  float64 // mean
	gap         float64 // accuracy - confidence
	reliability float64 // these over ten bins
	resolution  float64
	uncertainty float64
	within      float64 // brier - (reliability - resolution + uncertainty)
	ece         float64
}

// judged is the number of decisions that were reviewed with a confidence.
func (c *Cell) judged() int64 { return total(c.BinReviewed[:]) }

func (c *Cell) figures() figures {
	n := c.judged()
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

// skill says how much better the score is than that of always giving the mean outcome; false where that is perfect.
func (f figures) skill() (float64, bool) {
	if f.uncertainty == 0 {
		return 0, false
	}
	return 1 - f.brier/f.uncertainty, true
}

// brierInterval goes by the spread of the decisions' own scores. Where there are too few for that, or all are the same, it is
// Wilson's, which is wider: no scores from 0 to 1 with that mean can spread more.
func (c *Cell) brierInterval(f figures) Interval {
	// The squares are of scores rounded to Micro, their sum is not: a deviation below a thousandth may be nothing but that.
	sum := int64(math.Round(float64(c.Brier) / Micro))
	spread := deviations(f.n, sum, c.BrierSquares) / float64(f.n) / float64(max(f.n-1, 1))
	deviation := math.Sqrt(spread) / Micro
	if f.n < smallSample || deviation < 1e-3 {
		return wilson(f.brier, f.n)
	}
	return normal(f.brier, deviation, f.n)
}

// judgment puts the gap between a mean outcome and what was expected of it into a word. A gap that chance explains, since the outcome's
// interval contains what was expected, is Inconclusive where by the bounds of word it would be a fault.
func judgment(gap, expected float64, outcome Interval, word func(gap float64) string) string {
	if found := word(gap); found == WellCalibrated || !outcome.contains(expected) {
		return found
	}
	return Inconclusive
}

// interpretation puts the gap between mean outcome and mean confidence into a word, by the reference's bounds.
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

// What confidence turns out to be.
const (
	WellCalibrated         = "well_calibrated"
	SlightlyOverconfident  = "slightly_overconfident"
	Overconfident          = "overconfident"
	SlightlyUnderconfident = "slightly_underconfident"
	Underconfident         = "underconfident"
	Inconclusive           = "inconclusive" // the interval of the outcomes contains the confidence
	TooFew                 = "too_few"
)

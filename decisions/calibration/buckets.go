package calibration

import "math"

const minBucketReviews = 3 // fewer reviews give no interpretation

// Bucket is one of CSTP's four ranges of confidence.
type Bucket struct {
	Bucket         string    `json:"bucket" jsonschema:"range of confidence; the upper end belongs to the next, 1.0 to the last"`
	Decisions      int64     `json:"decisions" jsonschema:"reviewed, with a confidence in the range"`
	SuccessRate    *float64  `json:"success_rate" jsonschema:"mean outcome; null without decisions"`
	ExpectedRate   float64   `json:"expected_rate" jsonschema:"the range's fixed midpoint"`
	MeanConfidence *float64  `json:"mean_confidence"`
	Gap            *float64  `json:"gap" jsonschema:"success_rate - expected_rate"`
	GapToMean      *float64  `json:"gap_to_mean" jsonschema:"success_rate - mean_confidence"`
	Interpretation string    `json:"interpretation" jsonschema:"by gap: well_calibrated within 0.10, overconfident, underconfident; inconclusive if interval contains expected_rate; too_few below 3 decisions"`
	Interval       *Interval `json:"interval" jsonschema:"95 %, of success_rate"`
}

// bucketEdges are the ends, in tenths, of the four ranges.
var bucketEdges = []int{10, 9, 7, 5, 0}

func bucketsOf(c *Cell) []Bucket {
	all := make([]Bucket, 0, len(bucketEdges))
	for i, from := range bucketEdges[1:] {
		to := bucketEdges[i]
		b := Bucket{Bucket: rangeName(10*from, 10*to), ExpectedRate: float64(from+to) / 2 / Bins,
			Interpretation: TooFew, Decisions: total(c.BinReviewed[from:to])}
		if b.Decisions > 0 {
			whole := b.Decisions * Micro
			outcomes, confidences := total(c.BinOutcome[from:to]), total(c.BinConfidence[from:to])
			rate := ratio(outcomes, whole)
			b.SuccessRate = new(round(rate))
			b.MeanConfidence = new(round(ratio(confidences, whole)))
			b.Gap = new(round(rate - b.ExpectedRate))
			b.GapToMean = new(round(ratio(outcomes-confidences, whole)))
			b.Interval = new(wilson(rate, b.Decisions).round())
		}
		if b.Decisions >= minBucketReviews {
			b.Interpretation = interpretGap(*b.Gap, b.ExpectedRate, *b.Interval, bucketWord)
		}
		all = append(all, b)
	}
	return all
}

// bucketWord is interpretation with CSTP's bounds for buckets.
func bucketWord(gap float64) string {
	switch {
	case math.Abs(gap) < 0.10:
		return WellCalibrated
	case gap < 0:
		return Overconfident
	}
	return Underconfident
}

// Point is one of ten equal ranges of confidence with its outcomes.
type Point struct {
	Low            float64  `json:"low" jsonschema:"lower end of the range; its upper end belongs to the next range, 1.0 to the last"`
	High           float64  `json:"high"`
	Decisions      int64    `json:"decisions" jsonschema:"reviewed, with a confidence in the range"`
	MeanConfidence float64  `json:"mean_confidence"`
	MeanOutcome    float64  `json:"mean_outcome"`
	Interval       Interval `json:"interval" jsonschema:"95 %, of mean_outcome"`
}

// curve omits empty bins.
func curve(c *Cell) (points []Point) {
	for bin, n := range c.BinReviewed {
		if n == 0 {
			continue
		}
		outcome := ratio(c.BinOutcome[bin], n*Micro)
		points = append(points, Point{
			Low: round(float64(bin) / Bins), High: round(float64(bin+1) / Bins),
			Decisions:      n,
			MeanConfidence: round(ratio(c.BinConfidence[bin], n*Micro)),
			MeanOutcome:    round(outcome),
			Interval:       wilson(outcome, n).round(),
		})
	}
	return points
}

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

var buckets = []struct {
	name     string
	from, to int // bins
	expected float64
}{
	{"0.9-1.0", 9, 10, 0.95},
	{"0.7-0.9", 7, 9, 0.80},
	{"0.5-0.7", 5, 7, 0.60},
	{"0.0-0.5", 0, 5, 0.25},
}

func bucketsOf(c *Cell) []Bucket {
	all := make([]Bucket, 0, len(buckets))
	for _, of := range buckets {
		b := Bucket{Bucket: of.name, ExpectedRate: of.expected, Interpretation: TooFew,
			Decisions: total(c.BinReviewed[of.from:of.to])}
		if b.Decisions > 0 {
			whole := b.Decisions * Micro
			outcomes, confidences := total(c.BinOutcome[of.from:of.to]), total(c.BinConfidence[of.from:of.to])
			rate := ratio(outcomes, whole)
			b.SuccessRate = roundedPointer(rate)
			b.MeanConfidence = roundedPointer(ratio(confidences, whole))
			b.Gap = roundedPointer(rate - of.expected)
			b.GapToMean = roundedPointer(ratio(outcomes-confidences, whole))
			interval := wilson(rate, b.Decisions).round()
			b.Interval = &interval
		}
		if b.Decisions >= minBucketReviews {
			b.Interpretation = interpretGap(*b.Gap, of.expected, *b.Interval, bucketWord)
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

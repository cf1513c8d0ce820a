package calibration

import (
	"fmt"
	"math"
)

// Confidences is the distribution of confidence over all decisions that have one, reviewed or not.
type Confidences struct {
	Mean         float64          `json:"mean"`
	StdDev       float64          `json:"std_dev" jsonschema:"population standard deviation"`
	Min          float64          `json:"min" jsonschema:"rounded down to hundredths"`
	Max          float64          `json:"max" jsonschema:"rounded down to hundredths"`
	Count        int64            `json:"count" jsonschema:"decisions with a confidence"`
	BucketCounts map[string]int64 `json:"bucket_counts" jsonschema:"decisions by range of confidence"`
}

// confidenceEdges are the ends, in hundredths, of CSTP's five ranges and of a range below them.
var confidenceEdges = []int{0, 50, 60, 70, 80, 90, Hundredths}

// rangeName returns the name of a range in hundredths.
func rangeName(from, to int) string {
	return fmt.Sprintf("%.1f-%.1f", float64(from)/100, float64(to)/100)
}

// confidencesOf returns nil if no decision has a confidence.
func confidencesOf(c *Cell) *Confidences {
	n := total(c.Confidences[:])
	if n <= 0 {
		return nil
	}
	s := &Confidences{
		Mean:         round(ratio(c.ConfidenceSum, n*Micro)),
		StdDev:       round(math.Sqrt(deviations(n, c.ConfidenceSum, c.ConfidenceSquares)) / float64(n) / Micro),
		Count:        n,
		BucketCounts: map[string]int64{},
	}
	first := true
	for slot, count := range c.Confidences {
		if count == 0 {
			continue
		}
		s.Max = float64(slot) / 100
		if first {
			s.Min, first = s.Max, false
		}
	}
	for i, to := range confidenceEdges[1:] {
		from := confidenceEdges[i]
		s.BucketCounts[rangeName(from, to)] = total(c.Confidences[from:to])
	}
	return s
}

const minHabitDecisions = 10 // with fewer decisions that have a confidence, habits are not visible

// Bounds for detecting habitual confidences.
const (
	LowVariance         = "low_variance"
	OverconfidentHabit  = "overconfident_habit"
	UnderconfidentHabit = "underconfident_habit"
)

// habits analyzes the distribution of confidences, independent of outcomes.
func habits(s *Confidences) (found []string) {
	if s == nil || s.Count < minHabitDecisions {
		return nil
	}
	if s.StdDev < 0.05 {
		for _, count := range s.BucketCounts {
			if 10*count > 7*s.Count {
				found = append(found, LowVariance)
			}
		}
	}
	if s.Mean > 0.85 && s.Min > 0.75 {
		found = append(found, OverconfidentHabit)
	}
	if s.Mean < 0.65 && s.Max < 0.75 {
		found = append(found, UnderconfidentHabit)
	}
	return found
}

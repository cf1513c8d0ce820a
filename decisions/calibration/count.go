package calibration

import (
	"math"
	"slices"
)

// Add counts a decision: its recording and its current review, if any. The sign is 1, or -1 to remove the same sample.
func (c *Cell) Add(s Sample, sign int64) {
	c.AddRecorded(s, sign)
	c.AddReviewed(s, sign)
}

// AddRecorded counts only the recording, with confidence and reasons. The sign is 1 or -1.
func (c *Cell) AddRecorded(s Sample, sign int64) {
	c.Recorded += sign
	confidence, confident := micro(s.Confidence)
	if confident {
		c.Confidences[confidence/(Micro/100)] += sign
		c.ConfidenceSum += sign * confidence
		c.ConfidenceSquares += sign * confidence * confidence
	}
	c.ReasonsRecorded += sign * int64(len(s.Reasons))
	distinct := 0
	for kind, uses := range s.byType() {
		if uses.count == 0 {
			continue
		}
		distinct++
		c.TypeRecorded[kind] += sign
		c.TypeStrength[kind] += sign * (uses.strength / uses.count)
		if confident {
			c.TypeConfident[kind] += sign
			c.TypeConfidence[kind] += sign * confidence
		}
	}
	c.TypesRecorded += sign * int64(distinct)
	c.DiversityRecorded[distinct] += sign
	if confident {
		c.DiversityConfident[distinct] += sign
		c.DiversitySum[distinct] += sign * confidence
	}
}

// AddReviewed counts only the current review, if any. The sign is 1 or -1.
func (c *Cell) AddReviewed(s Sample, sign int64) {
	ending := slices.Index(Outcomes, s.Outcome)
	if ending < 0 {
		return
	}
	c.Outcomes[ending] += sign
	reviewed, confident := micro(s.ReviewedConfidence)
	miss := reviewed - outcomeMicro[ending]
	brier := miss * miss
	if confident {
		bin := min(reviewed/(Micro/Bins), Bins-1)
		c.BinReviewed[bin] += sign
		c.BinConfidence[bin] += sign * reviewed
		c.BinOutcome[bin] += sign * outcomeMicro[ending]
		c.Brier += sign * brier
		score := (brier + Micro/2) / Micro
		c.BrierSquares += sign * score * score
	}
	distinct := 0
	for kind, uses := range s.byType() {
		if uses.count == 0 {
			continue
		}
		distinct++
		c.TypeOutcomes[kind*Endings+ending] += sign
		if confident {
			c.TypeReviewed[kind] += sign
			c.TypeBrier[kind] += sign * brier
		}
	}
	c.DiversityOutcomes[distinct*Endings+ending] += sign
	if confident {
		c.DiversityReviewed[distinct] += sign
		c.DiversityBrier[distinct] += sign * brier
	}
}

// Merge adds the sums of another cell, or subtracts them with a sign of -1.
func (c *Cell) Merge(o Cell, sign int64) {
	from := o.fields()
	for i, to := range c.fields() {
		if to.number != nil {
			*to.number += sign * *from[i].number
		}
		for j := range to.list {
			to.list[j] += sign * from[i].list[j]
		}
	}
}

type uses struct{ count, strength int64 } // strength in Micro

func (s Sample) byType() (of [Types]uses) {
	for _, reason := range s.Reasons {
		if kind := slices.Index(ReasonTypes, reason.Type); kind >= 0 {
			strength, _ := micro(&reason.Strength)
			of[kind].count++
			of[kind].strength += strength
		}
	}
	return of
}

// micro rounds to whole millionths. It clamps to 0 to 1 and reports false for NaN.
func micro(x *float64) (int64, bool) {
	if x == nil || math.IsNaN(*x) {
		return 0, false
	}
	return int64(math.Round(min(max(*x, 0), 1) * Micro)), true
}

package calibration

// OutcomeCounts counts current reviews.
type OutcomeCounts struct {
	Success   int64 `json:"success"`
	Partial   int64 `json:"partial"`
	Failure   int64 `json:"failure"`
	Abandoned int64 `json:"abandoned"`
}

// outcomesOf reads the first four counts, in the order of Outcomes.
func outcomesOf(counts []int64) OutcomeCounts {
	return OutcomeCounts{Success: counts[0], Partial: counts[1], Failure: counts[2], Abandoned: counts[3]}
}

func (o OutcomeCounts) reviewed() int64 { return o.Success + o.Partial + o.Failure + o.Abandoned }

// mean is the mean outcome, 0 to 1, and 0 without reviews.
func (o OutcomeCounts) mean() float64 { return ratio(2*o.Success+o.Partial, 2*o.reviewed()) }

// rate returns the mean outcome and its interval, nil with fewer reviews.
func (o OutcomeCounts) rate(minReviews int64) (*float64, *Interval) {
	if o.reviewed() < minReviews {
		return nil, nil
	}
	return new(round(o.mean())), new(wilson(o.mean(), o.reviewed()).round())
}

// ratio returns 0 for a division by zero.
func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

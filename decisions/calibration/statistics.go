package calibration

// Statistics are the figures about confidence. Unknown values are null, never NaN.
type Statistics struct {
	Overall            *Calibration      `json:"overall" jsonschema:"null below 5 reviewed decisions with a confidence; note says so"`
	Note               string            `json:"note,omitempty" jsonschema:"reason why overall is null"`
	ByConfidenceBucket []Bucket          `json:"by_confidence_bucket"`
	Curve              []Point           `json:"curve" jsonschema:"non-empty bins of confidence, out of ten equal ones"`
	ConfidenceStats    *Confidences      `json:"confidence_stats" jsonschema:"statistics of all decisions with a confidence, reviewed or not; null without such decisions"`
	Habituation        []string          `json:"habituation" jsonschema:"low_variance, overconfident_habit, underconfident_habit; needs 10 decisions with a confidence"`
	Outcomes           OutcomeCounts     `json:"outcomes" jsonschema:"outcomes of all reviewed decisions"`
	TotalDecisions     int64             `json:"total_decisions" jsonschema:"recorded"`
	ReviewedDecisions  int64             `json:"reviewed_decisions" jsonschema:"decisions with a current review, with or without a confidence"`
	WithoutConfidence  WithoutConfidence `json:"without_confidence"`
	Recommendations    []Recommendation  `json:"recommendations"`
}

// WithoutConfidence counts decisions that have no score.
type WithoutConfidence struct {
	Decisions int64 `json:"decisions" jsonschema:"recorded without a confidence"`
	Reviewed  int64 `json:"reviewed" jsonschema:"reviewed decisions that had no confidence at the time of review"`
}

// Stats always returns an answer: figures without enough data are null, and the recommendations say what to do.
func Stats(c Cell) Statistics {
	overall, note := Overall(c)
	s := Statistics{
		Overall:            overall,
		Note:               note,
		ByConfidenceBucket: bucketsOf(&c),
		Curve:              curve(&c),
		ConfidenceStats:    confidencesOf(&c),
		Outcomes:           outcomesOf(c.Outcomes[:]),
		TotalDecisions:     c.Recorded,
		ReviewedDecisions:  c.Reviewed(),
		WithoutConfidence: WithoutConfidence{Decisions: c.Recorded - total(c.Confidences[:]),
			Reviewed: c.Reviewed() - c.scoredReviews()},
	}
	s.Habituation = habits(s.ConfidenceStats)
	s.Recommendations = s.recommend()
	return s
}

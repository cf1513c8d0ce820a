package calibration

// Statistics are the figures about confidence. Unknown values are null, never NaN.
type Statistics struct {
	Overall            *Calibration      `json:"overall" jsonschema:"null where fewer than 5 decisions were reviewed that had a confidence; note says so"`
	Note               string            `json:"note,omitempty" jsonschema:"why overall is null"`
	ByConfidenceBucket []Bucket          `json:"by_confidence_bucket"`
	Curve              []Point           `json:"curve" jsonschema:"ten equal bins of confidence, without the empty ones"`
	ConfidenceStats    *Confidences      `json:"confidence_stats" jsonschema:"of all decisions with a confidence, reviewed or not; null where there is none"`
	Habituation        []string          `json:"habituation" jsonschema:"low_variance, overconfident_habit, underconfident_habit; looked for from 10 decisions with a confidence on"`
	Outcomes           OutcomeCounts     `json:"outcomes" jsonschema:"of all reviewed decisions"`
	TotalDecisions     int64             `json:"total_decisions" jsonschema:"recorded"`
	ReviewedDecisions  int64             `json:"reviewed_decisions" jsonschema:"with a review in force, with or without a confidence"`
	WithoutConfidence  WithoutConfidence `json:"without_confidence"`
	Recommendations    []Recommendation  `json:"recommendations"`
}

// WithoutConfidence counts decisions that have no score.
type WithoutConfidence struct {
	Decisions int64 `json:"decisions" jsonschema:"recorded without a confidence"`
	Reviewed  int64 `json:"reviewed" jsonschema:"without a confidence when they were reviewed"`
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
		WithoutConfidence:  WithoutConfidence{Decisions: c.Recorded - total(c.Confidences[:]), Reviewed: c.Reviewed() - c.judged()},
	}
	s.Habituation = habits(s.ConfidenceStats)
	s.Recommendations = s.recommend()
	return s
}

package calibration

import "fmt"

// Recommendation is a suggested action or a remark.
type Recommendation struct {
	Type     string `json:"type"`
	Message  string `json:"message"`
	Severity string `json:"severity" jsonschema:"info, warning or error"`
}

// Severities.
const (
	Info    = "info"
	Warning = "warning"
	Error   = "error"
)

func (s Statistics) recommend() []Recommendation {
	all := []Recommendation{}
	say := func(severity, kind, format string, a ...any) {
		all = append(all, Recommendation{Type: kind, Severity: severity, Message: fmt.Sprintf(format, a...)})
	}
	switch o := s.Overall; {
	case o == nil && s.TotalDecisions == 0 && s.ReviewedDecisions == 0:
		say(Info, "no_decisions", "Nothing is recorded here yet. Record decisions with a confidence, and review them when their outcome is known.")
	case o == nil && s.ReviewedDecisions == 0:
		say(Info, "nothing_reviewed", "None of the decisions has been reviewed. Say how they turned out: %d of decisions with a confidence give a score.", fewest)
	case o == nil:
		say(Info, "too_few_reviews", "%s of decisions with a confidence, and there is a score.", plural(fewest-s.ReviewedDecisions+s.WithoutConfidence.Reviewed, "more review", "more reviews"))
	default:
		o.recommend(say)
	}
	for _, b := range s.ByConfidenceBucket {
		if b.Interpretation == Overconfident && *b.Gap < -0.15 {
			say(Warning, "overconfident_bucket", "Of %d decisions with a confidence of %s (%.2f on average), %.0f %% came out well; %.0f %% would be expected.",
				b.Decisions, b.Bucket, *b.MeanConfidence, 100**b.SuccessRate, 100*b.ExpectedRate)
		}
	}
	for _, habit := range s.Habituation {
		switch habit {
		case LowVariance:
			say(Info, habit, "Confidences hardly differ (%.2f, give or take %.2f). Ask of each decision what could make it fail.", s.ConfidenceStats.Mean, s.ConfidenceStats.StdDev)
		case OverconfidentHabit:
			say(Warning, habit, "Confidence is always high (%.2f on average, never below %.2f). Say so when a decision is a guess.", s.ConfidenceStats.Mean, s.ConfidenceStats.Min)
		case UnderconfidentHabit:
			say(Info, habit, "Confidence is always low (%.2f on average, never above %.2f). Say so when a decision is safe.", s.ConfidenceStats.Mean, s.ConfidenceStats.Max)
		}
	}
	if n := s.WithoutConfidence.Reviewed; n > 0 {
		say(Info, "without_confidence", "%s no confidence to judge.", plural(n, "reviewed decision has", "reviewed decisions have"))
	}
	return all
}

func (o *Calibration) recommend(say func(severity, kind, format string, a ...any)) {
	switch {
	case o.BrierScore < 0.10:
		say(Info, "excellent_calibration", "A Brier score of %.3f is excellent.", o.BrierScore)
	case o.BrierScore > 0.25:
		say(Warning, "poor_calibration", "A Brier score of %.3f is worse than always saying 0.5.", o.BrierScore)
	}
	switch o.Interpretation {
	case Overconfident:
		say(Warning, o.Interpretation, "Confidence is %.2f on average, the mean outcome %.2f. Lower confidences, or look at what was overlooked.", o.MeanConfidence, o.Accuracy)
	case SlightlyOverconfident:
		say(Info, o.Interpretation, "Confidence is %.2f on average, the mean outcome %.2f.", o.MeanConfidence, o.Accuracy)
	case Underconfident:
		say(Info, o.Interpretation, "Confidence is %.2f on average, the mean outcome %.2f. Decisions turn out better than they are thought to.", o.MeanConfidence, o.Accuracy)
	}
	if o.SmallSample {
		say(Info, "small_sample", "These are %d reviews: the mean outcome may be %.2f or %.2f.", o.ReviewedDecisions, o.AccuracyInterval.Low, o.AccuracyInterval.High)
	}
}

package calibration

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"nomograph/internal/render"
)

// Recommendation is a suggested action or a remark.
type Recommendation struct {
	Type     string `json:"type"`
	Message  string `json:"message"`
	Severity string `json:"severity" jsonschema:"info, warning or error"`
}

// advice is a list of recommendations.
type advice []Recommendation

func (a *advice) add(severity, kind, format string, values ...any) {
	*a = append(*a, Recommendation{Type: kind, Severity: severity, Message: fmt.Sprintf(format, values...)})
}

// SmallSample is the type of the remark that reviews are few.
const SmallSample = "small_sample"

// Severities.
const (
	Info    = "info"
	Warning = "warning"
	Error   = "error"
)

func (s Statistics) recommend() (all advice) {
	switch o := s.Overall; {
	case o == nil && s.TotalDecisions == 0 && s.ReviewedDecisions == 0:
		all.add(Info, "no_decisions", "No decisions are recorded yet. Record decisions with a confidence, and review them when their outcome is known.")
	case o == nil && s.ReviewedDecisions == 0:
		all.add(Info, "nothing_reviewed", "No decision has been reviewed. A score needs %d reviewed decisions with a confidence.", minReviews)
	case o == nil:
		all.add(Info, "too_few_reviews", "A score needs %s of decisions with a confidence.",
			render.PluralOf(minReviews-s.ReviewedDecisions+s.WithoutConfidence.Reviewed, "more review", "more reviews"))
	default:
		o.recommend(&all)
	}
	for _, b := range s.ByConfidenceBucket {
		if b.Interpretation == Overconfident && *b.Gap < -0.15 {
			all.add(Warning, "overconfident_bucket", "Of %d decisions with a confidence of %s (%.2f on average), only %.0f %% succeeded.",
				b.Decisions, b.Bucket, *b.MeanConfidence, 100**b.SuccessRate)
		}
	}
	for _, habit := range s.Habituation {
		switch habit {
		case LowVariance:
			all.add(Info, habit, "Confidences hardly differ (%.2f, give or take %.2f). Ask for each decision what could make it fail.", s.ConfidenceStats.Mean, s.ConfidenceStats.StdDev)
		case OverconfidentHabit:
			all.add(Warning, habit, "Confidence is always high (%.2f on average, never below %.2f). State a lower confidence when a decision is a guess.", s.ConfidenceStats.Mean, s.ConfidenceStats.Min)
		case UnderconfidentHabit:
			all.add(Info, habit, "Confidence is always low (%.2f on average, never above %.2f). State a higher confidence when a decision is safe.", s.ConfidenceStats.Mean, s.ConfidenceStats.Max)
		}
	}
	if n := s.WithoutConfidence.Reviewed; n > 0 {
		all.add(Info, "without_confidence", "%s no confidence, so no score.",
			render.PluralOf(n, "reviewed decision has", "reviewed decisions have"))
	}
	return all
}

func (o *Calibration) recommend(all *advice) {
	switch {
	case o.BrierScore < 0.10:
		all.add(Info, "excellent_calibration", "A Brier score of %.3f is excellent.", o.BrierScore)
	case o.BrierScore > 0.25:
		all.add(Warning, "poor_calibration", "A Brier score of %.3f is worse than always saying 0.5.", o.BrierScore)
	}
	switch o.Interpretation {
	case Overconfident:
		all.add(Warning, o.Interpretation, "Confidence is %.2f on average, the mean outcome %.2f. State lower confidences, or find out what the decisions overlooked.", o.MeanConfidence, o.Accuracy)
	case SlightlyOverconfident:
		all.add(Info, o.Interpretation, "Confidence is %.2f on average, the mean outcome %.2f.", o.MeanConfidence,
			o.Accuracy)
	case Underconfident:
		all.add(Info, o.Interpretation, "Confidence is %.2f on average, the mean outcome %.2f. Outcomes are better than expected.", o.MeanConfidence, o.Accuracy)
	}
	if o.SmallSample {
		all.add(Info, SmallSample, "With %d reviews, the mean outcome may lie between %.2f and %.2f.",
			o.ReviewedDecisions, o.AccuracyInterval.Low, o.AccuracyInterval.High)
	}
}

func (r ReasonReport) recommend(c *Cell) (all advice) {
	if r.TotalDecisions == 0 && r.ReviewedDecisions == 0 {
		all.add(Info, "no_decisions", "No decisions are recorded yet.")
		return all
	}
	if r.ReviewedDecisions == 0 {
		all.add(Info, "nothing_reviewed", "None of the decisions has been reviewed. Review their outcomes: a rate needs %d reviews of a reason type.", r.MinReviewed)
	}
	if best, worst := r.extremes(); best != nil && withoutNoise(*best.SuccessRate-*worst.SuccessRate) > 0.15 {
		all.add(Info, "best_reason_type", "Decisions with reasons of type %s succeeded in %.0f %% of %d cases, those of type %s in %.0f %% of %d cases%s.",
			best.ReasonType, 100**best.SuccessRate, best.ReviewedUses, worst.ReasonType, 100**worst.SuccessRate,
			worst.ReviewedUses, chanceWarning(*best.Interval, *worst.Interval))
	}
	for _, t := range r.ByReasonType {
		if t.SuccessRate != nil && t.AvgConfidence != nil && *t.AvgConfidence > 0.8 && *t.SuccessRate < 0.6 &&
			!t.Interval.contains(*t.AvgConfidence) {
			all.add(Warning, "overconfident_type", "Decisions with reasons of type %s have a confidence of %.2f on average, and %.0f %% of %d succeeded.",
				t.ReasonType, *t.AvgConfidence, 100**t.SuccessRate, t.ReviewedUses)
		}
	}
	if avg := r.Diversity.AvgTypesPerDecision; avg != nil && *avg < 1.5 {
		all.add(Info, "low_diversity", "Decisions have reasons of %.1f types on average. Give reasons of a second type.", *avg)
	}
	r.recommendDiversity(c, &all)
	var unused []string
	for kind, name := range ReasonTypes {
		if c.TypeRecorded[kind] == 0 && r.TotalDecisions > 0 {
			unused = append(unused, name)
		}
	}
	if len(unused) > 0 {
		all.add(Info, "unused_types", "No reason has the type %s.", strings.Join(unused, ", "))
	}
	return all
}

// extremes returns nil unless two types have a rate.
func (r ReasonReport) extremes() (best, worst *ReasonType) {
	var rated []ReasonType
	for _, t := range r.ByReasonType {
		if t.SuccessRate != nil {
			rated = append(rated, t)
		}
	}
	if len(rated) < 2 {
		return nil, nil
	}
	slices.SortStableFunc(rated, func(a, b ReasonType) int { return cmp.Compare(*b.SuccessRate, *a.SuccessRate) })
	return &rated[0], &rated[len(rated)-1]
}

func (r ReasonReport) recommendDiversity(c *Cell, all *advice) {
	var several [Endings]int64
	for i, n := range c.DiversityOutcomes[2*Endings:] {
		several[i%Endings] += n
	}
	one, many := outcomesOf(c.DiversityOutcomes[Endings:]), outcomesOf(several[:])
	if one.reviewed() < r.MinReviewed || many.reviewed() < r.MinReviewed {
		return
	}
	difference := withoutNoise(many.mean() - one.mean())
	if math.Abs(difference) <= 0.1 {
		return
	}
	kind := "diversity_helps"
	if difference < 0 {
		kind = "diversity_does_not_help"
	}
	all.add(Info, kind, "Decisions with several types of reasons succeeded in %.0f %% of %d cases, those with one in %.0f %% of %d cases%s.",
		100*many.mean(), many.reviewed(), 100*one.mean(), one.reviewed(),
		chanceWarning(wilson(many.mean(), many.reviewed()), wilson(one.mean(), one.reviewed())))
}

// chanceWarning warns if two rates may differ by chance.
func chanceWarning(a, b Interval) string {
	if a.overlaps(b) {
		return "; the difference may be due to chance"
	}
	return ""
}

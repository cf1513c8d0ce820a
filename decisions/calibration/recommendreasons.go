package calibration

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

func (r ReasonReport) recommend(c *Cell) []Recommendation {
	all := []Recommendation{}
	say := func(severity, kind, format string, a ...any) {
		all = append(all, Recommendation{Type: kind, Severity: severity, Message: fmt.Sprintf(format, a...)})
	}
	if r.TotalDecisions == 0 && r.ReviewedDecisions == 0 {
		say(Info, "no_decisions", "Nothing is recorded here yet.")
		return all
	}
	if r.ReviewedDecisions == 0 {
		say(Info, "nothing_reviewed", "None of the decisions has been reviewed. Say how they turned out: %d for a type of reason give a rate.", r.MinReviewed)
	}
	if best, worst := r.extremes(); best != nil && settled(*best.SuccessRate-*worst.SuccessRate) > 0.15 {
		say(Info, "best_reason_type", "Decisions with reasons of type %s came out well in %.0f %% of %d, those of type %s in %.0f %% of %d%s.",
			best.ReasonType, 100**best.SuccessRate, best.ReviewedUses, worst.ReasonType, 100**worst.SuccessRate, worst.ReviewedUses, chance(*best.Interval, *worst.Interval))
	}
	for _, t := range r.ByReasonType {
		if t.SuccessRate != nil && t.AvgConfidence != nil && *t.AvgConfidence > 0.8 && *t.SuccessRate < 0.6 && !t.Interval.contains(*t.AvgConfidence) {
			say(Warning, "overconfident_type", "Decisions with reasons of type %s have a confidence of %.2f on average, and %.0f %% of %d came out well.",
				t.ReasonType, *t.AvgConfidence, 100**t.SuccessRate, t.ReviewedUses)
		}
	}
	if avg := r.Diversity.AvgTypesPerDecision; avg != nil && *avg < 1.5 {
		say(Info, "low_diversity", "Decisions have reasons of %.1f types on average. A second type is a second look.", *avg)
	}
	r.recommendDiversity(c, say)
	var unused []string
	for kind, name := range ReasonTypes {
		if c.TypeRecorded[kind] == 0 && r.TotalDecisions > 0 {
			unused = append(unused, name)
		}
	}
	if len(unused) > 0 {
		say(Info, "unused_types", "No reason has the type %s.", strings.Join(unused, ", "))
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
	slices.SortStableFunc(rated, func(a, b ReasonType) int {
		switch {
		case *a.SuccessRate > *b.SuccessRate:
			return -1
		case *a.SuccessRate < *b.SuccessRate:
			return 1
		}
		return 0
	})
	return &rated[0], &rated[len(rated)-1]
}

func (r ReasonReport) recommendDiversity(c *Cell, say func(severity, kind, format string, a ...any)) {
	var several [Endings]int64
	for i, n := range c.DiversityOutcomes[2*Endings:] {
		several[i%Endings] += n
	}
	one, many := outcomesOf(c.DiversityOutcomes[Endings:]), outcomesOf(several[:])
	if one.reviewed() < r.MinReviewed || many.reviewed() < r.MinReviewed {
		return
	}
	difference := settled(many.mean() - one.mean())
	if math.Abs(difference) <= 0.1 {
		return
	}
	kind := "diversity_helps"
	if difference < 0 {
		kind = "diversity_does_not_help"
	}
	say(Info, kind, "Decisions with several types of reasons came out well in %.0f %% of %d, those with one in %.0f %% of %d%s.",
		100*many.mean(), many.reviewed(), 100*one.mean(), one.reviewed(), chance(wilson(many.mean(), many.reviewed()), wilson(one.mean(), one.reviewed())))
}

// chance warns if two rates may differ by chance.
func chance(a, b Interval) string {
	if a.overlaps(b) {
		return "; that may be chance"
	}
	return ""
}

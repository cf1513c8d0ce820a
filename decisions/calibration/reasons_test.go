package calibration

import (
	"slices"
	"strings"
	"testing"
)

func TestReasons_Statistics_CompareWithAndWithoutTheReason(t *testing.T) {
	analysis, intuition := Reason{"analysis", 0.9}, Reason{"intuition", 0.5}
	c := merged(
		repeated(3, 0.9, "success", analysis),
		repeated(1, 0.9, "partial", analysis, analysis),
		repeated(2, 0.9, "failure", intuition),
		repeated(1, 0.7, "abandoned", intuition),
		repeated(3, 0.8, "success", analysis, Reason{"empirical", 1}),
		repeated(1, 0.8, "", Reason{"pattern", 1}),
	)
	r := ReasonStatistics(c, 0)
	if r.TotalDecisions != 11 || r.ReviewedDecisions != 10 || r.MinReviewed != 3 {
		t.Errorf("%d, %d reviewed, at least %d", r.TotalDecisions, r.ReviewedDecisions, r.MinReviewed)
	}
	var names []string
	byName := map[string]ReasonType{}
	for _, of := range r.ByReasonType {
		names, byName[of.ReasonType] = append(names, of.ReasonType), of
	}
	if !slices.Equal(names, []string{"analysis", "intuition", "empirical", "pattern"}) {
		t.Errorf("types %v", names)
	}
	a := byName["analysis"]
	if a.TotalUses != 7 || a.ReviewedUses != 7 || a.SuccessCount != 6 || a.PartialCount != 1 ||
		*a.SuccessRate != round(6.5/7) || *a.AvgConfidence != round(6.0/7) ||
		*a.AvgStrength != 0.9 || *a.BrierScore != round((3*0.01+0.16+3*0.04)/7) || a.Interval.Low >= *a.SuccessRate {
		t.Errorf("got %+v, want TotalUses=7, ReviewedUses=7, SuccessCount=6, PartialCount=1, SuccessRate=round(6.5 / 7), AvgConfidence=round(6.0 / 7), AvgStrength=0.9, BrierScore=round((3*0.01 + 0.16 + 3*0.04) / 7), Low less than %v", a, *a.SuccessRate)
	}
	i := byName["intuition"]
	if i.FailureCount != 2 || i.AbandonedCount != 1 || *i.SuccessRate != 0 || *i.BrierScore != round((2*0.81+0.49)/3) {
		t.Errorf("got %+v, want FailureCount=2, AbandonedCount=1, SuccessRate=0, BrierScore=round((2*0.81 + 0.49) / 3)",
			i)
	}
	if p := byName["pattern"]; p.TotalUses != 1 || p.SuccessRate != nil || p.BrierScore != nil || p.Interval != nil ||
		*p.AvgConfidence != 0.8 {
		t.Errorf("got %+v, want TotalUses=1, SuccessRate=nil, BrierScore=nil, Interval=nil, AvgConfidence=0.8", p)
	}
	d := r.Diversity
	if *d.AvgTypesPerDecision != round(14.0/11) || *d.AvgReasonsPerDecision != round(15.0/11) ||
		len(d.DiversityBuckets) != 2 {
		t.Errorf("got %v, %v, %v, want AvgTypesPerDecision=round(14.0 / 11), AvgReasonsPerDecision=round(15.0 / 11), len(DiversityBuckets)=2", *d.AvgTypesPerDecision, *d.AvgReasonsPerDecision, d.DiversityBuckets)
	}
	if two := d.DiversityBuckets[1]; two.DistinctReasonTypes != 2 || two.TotalDecisions != 3 || *two.SuccessRate != 1 ||
		*two.AvgConfidence != 0.8 || *two.BrierScore != 0.04 {
		t.Errorf("got %+v, want DistinctReasonTypes=2, TotalDecisions=3, SuccessRate=1, AvgConfidence=0.8, BrierScore=0.04", two)
	}
	if one := d.DiversityBuckets[0]; one.ReviewedDecisions != 7 || *one.SuccessRate != 0.5 {
		t.Errorf("got %+v, want ReviewedDecisions=7, SuccessRate=0.5", one)
	}
	kinds := kindsOf(r.Recommendations)
	if want := []string{"best_reason_type", "overconfident_type", "low_diversity", "diversity_helps",
		"unused_types"}; !slices.Equal(kinds, want) {
		t.Errorf("%v, want %v", kinds, want)
	}

	for i, may := range []bool{true, false, false, true, false} {
		if message := r.Recommendations[i].Message; strings.HasSuffix(message,
			"; the difference may be due to chance.") != may {
			t.Error(message)
		}
	}

	far := ReasonStatistics(merged(repeated(30, 0.9, "success", analysis), repeated(30, 0.9, "failure", intuition)), 3)
	if message := far.Recommendations[0].Message; !strings.HasSuffix(message, "in 0 % of 30 cases.") {
		t.Error(message)
	}

	strict := ReasonStatistics(c, 4)
	for _, of := range strict.ByReasonType {
		if (of.SuccessRate != nil) != (of.ReasonType == "analysis") {
			t.Errorf("got %+v, want (of.SuccessRate != nil)=%v", of, (of.ReasonType == "analysis"))
		}
	}
	if kinds := kindsOf(strict.Recommendations); slices.Contains(kinds, "best_reason_type") ||
		slices.Contains(kinds, "diversity_helps") {
		t.Errorf("got %v, want kinds without best_reason_type, kinds without diversity_helps", kinds)
	}

	empty := ReasonStatistics(Cell{}, 3)
	if empty.Diversity.AvgTypesPerDecision != nil || len(empty.ByReasonType) != 0 ||
		!slices.Equal(kindsOf(empty.Recommendations), []string{"no_decisions"}) {
		t.Errorf("got %+v, want AvgTypesPerDecision=nil, len(ByReasonType)=0, kindsOf(empty.Recommendations)=%v", empty,
			[]string{"no_decisions"})
	}
}

// TestReasons_NoConfidence_HaveNoScore: reasons of decisions without a confidence have a success rate but no score.
func TestReasons_NoConfidence_HaveNoScore(t *testing.T) {
	s := Sample{Outcome: "success", Reasons: []Reason{{"analogy", 0.8}}}
	of := ReasonStatistics(cellOf(s, s, s), 3).ByReasonType[0]
	sure := 0.9
	if few := ReasonStatistics(cellOf(s, s, Sample{ReviewedConfidence: &sure, Outcome: s.Outcome, Reasons: s.Reasons}),
		3).ByReasonType[0]; few.BrierScore != nil {
		t.Errorf("a score of one: %v", *few.BrierScore)
	}
	if *of.SuccessRate != 1 || of.BrierScore != nil || of.AvgConfidence != nil || *of.AvgStrength != 0.8 {
		t.Errorf("got %+v, want SuccessRate=1, BrierScore=nil, AvgConfidence=nil, AvgStrength=0.8", of)
	}
}

package calibration

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// repeated returns n reviewed decisions with the same confidence.
func repeated(n int, confidence float64, outcome string, reasons ...Reason) (c Cell) {
	for range n {
		c.Add(Sample{Confidence: &confidence, ReviewedConfidence: &confidence, Outcome: outcome, Reasons: reasons}, 1)
	}
	return c
}

func merged(cells ...Cell) (c Cell) {
	for _, other := range cells {
		c.Merge(other, 1)
	}
	return c
}

// TestDecomposition_Counters_MatchSingleDecisions computes Stephenson's within-bin variance and covariance, and the
// effect of partial outcomes, from the single decisions. It compares them with the result of the counters.
func TestDecomposition_Counters_MatchSingleDecisions(t *testing.T) {
	worth := map[string]float64{"success": 1, "partial": 0.5}
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(samples, 1, 40).Draw(t, "samples")
		type pair struct{ f, o float64 }
		var bins [Bins][]pair
		var n, partial, direct float64
		for _, s := range all {
			micros, confident := micro(s.ReviewedConfidence)
			if s.Outcome == "" || !confident {
				continue
			}
			p := pair{f: float64(micros) / Micro, o: worth[s.Outcome]}
			bins[min(micros/100_000, 9)] = append(bins[min(micros/100_000, 9)], p)
			n++
			direct += (p.f - p.o) * (p.f - p.o)
			if s.Outcome == "partial" {
				partial++
			}
		}
		if n == 0 {
			t.Skip("nothing was reviewed")
		}
		within := -partial / n / 4
		for _, bin := range bins {
			var f, o float64
			for _, p := range bin {
				f, o = f+p.f/float64(len(bin)), o+p.o/float64(len(bin))
			}
			for _, p := range bin {
				within += ((p.f-f)*(p.f-f) - 2*(p.f-f)*(p.o-o)) / n
			}
		}
		c := cellOf(all...)
		got := c.figures()
		if math.Abs(got.WithinBin-within) > 1e-9 || math.Abs(got.BrierScore-direct/n) > 1e-12 {
			t.Fatalf("within %v, want %v; brier %v, want %v", got.WithinBin, within, got.BrierScore, direct/n)
		}
		if sum := got.Reliability - got.Resolution + got.Uncertainty + got.WithinBin; math.Abs(got.BrierScore-sum) > 1e-12 {
			t.Fatalf("brier %v, parts %v", got.BrierScore, sum)
		}
		if got.Reliability < 0 || got.Resolution < 0 || got.Resolution > got.Uncertainty+1e-12 ||
			got.ECE < math.Abs(got.CalibrationGap)-1e-12 {
			t.Fatalf("got %+v, want reliability at least 0, resolution at least 0, resolution at most %v, ece at least math.Abs(got.CalibrationGap) - 1e-12", got, got.Uncertainty+1e-12)
		}
	})
}

// TestStatistics_AnyCell_GivesNoNaN computes all statistics for all kinds of cells, including differences of two cells.
func TestStatistics_AnyCell_GivesNoNaN(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := cellOf(rapid.SliceOfN(samples, 0, 40).Draw(t, "samples")...)
		other := cellOf(rapid.SliceOfN(samples, 0, 40).Draw(t, "others")...)
		// A window may contain reviews of older decisions.
		for _, s := range rapid.SliceOfN(samples, 0, 5).Draw(t, "older") {
			c.AddReviewed(s, 1)
		}
		s := Stats(c)
		for _, answer := range []any{s, ReasonStatistics(c, rapid.IntRange(-1, 6).Draw(t, "min")),
			Drift(c, other, DriftRules{}), Drift(other, c, DriftRules{MinDecisions: 1})} {
			if _, err := json.Marshal(answer); err != nil {
				t.Fatal(err) // JSON has no NaN and no infinity
			}
		}
		drawn(t, Plot(c, "all"))
		if (s.Overall == nil) != (c.scoredReviews() < 5) || (s.Overall == nil) != (s.Note != "") {
			t.Fatalf("%d judged: %+v, %q", c.scoredReviews(), s.Overall, s.Note)
		}
		if s.Overall == nil {
			return
		}
		for _, i := range []struct {
			value float64
			in    Interval
		}{{s.Overall.Accuracy, s.Overall.AccuracyInterval}, {s.Overall.BrierScore, s.Overall.BrierInterval}} {
			if i.in.Low < 0 || i.in.High > 1 || i.in.Low > i.value || i.in.High < i.value || i.in.Low == i.in.High {
				t.Fatalf("%v is not in %v", i.value, i.in)
			}
		}
		var decisions int64
		for _, b := range s.ByConfidenceBucket {
			decisions += b.Decisions
		}
		if decisions != s.Overall.ReviewedDecisions || len(s.ByConfidenceBucket) != 4 {
			t.Fatalf("%d in buckets, %d reviewed", decisions, s.Overall.ReviewedDecisions)
		}
	})
}

func TestOverall_TooFewReviews_HasNoScore(t *testing.T) {
	unsure := cellOf(Sample{Outcome: "success"}, Sample{Outcome: "failure"}, Sample{})
	for _, test := range []struct {
		name string
		cell Cell
		note string
		kind string
	}{
		{"none", Cell{}, "no decisions yet", "no_decisions"},
		{"none reviewed", cellOf(Sample{}, Sample{}), "2 decisions, none reviewed yet", "nothing_reviewed"},
		{"one recorded", cellOf(Sample{}), "1 decision, not reviewed yet", "nothing_reviewed"},
		{"one review", repeated(1, 0.7, "success"), "1 review so far; a score needs 5", "too_few_reviews"},
		{"four", repeated(4, 0.7, "success"), "4 reviews so far; a score needs 5", "too_few_reviews"},
		{"no confidence", merged(unsure, repeated(1, 0.7, "success")),
			"3 reviews so far, 1 with a confidence to judge; a score needs 5 of those", "too_few_reviews"},
	} {
		s := Stats(test.cell)
		if s.Overall != nil || s.Note != test.note {
			t.Errorf("%s: %+v, %q, want %q", test.name, s.Overall, s.Note, test.note)
		}
		if kinds := kindsOf(s.Recommendations); !slices.Contains(kinds, test.kind) {
			t.Errorf("%s: recommendations %v, want %s", test.name, kinds, test.kind)
		}
	}
	s := Stats(merged(unsure, repeated(1, 0.7, "success")))
	if s.ReviewedDecisions != 3 || s.WithoutConfidence != (WithoutConfidence{Decisions: 3, Reviewed: 2}) ||
		s.Outcomes != (OutcomeCounts{Success: 2, Failure: 1}) {
		t.Errorf("got %+v, want ReviewedDecisions=3, WithoutConfidence=%v, Outcomes=%v", s,
			(WithoutConfidence{Decisions: 3, Reviewed: 2}), (OutcomeCounts{Success: 2, Failure: 1}))
	}
	if !strings.Contains(s.Recommendations[0].Message, "4 more reviews") {
		t.Error(s.Recommendations[0].Message)
	}
}

// TestOverall_EqualConfidences_AreScored uses equal confidences, and then also equal outcomes.
func TestOverall_EqualConfidences_AreScored(t *testing.T) {
	o, _ := Overall(merged(repeated(6, 0.8, "success"), repeated(4, 0.8, "failure")))
	if o.BrierScore != 0.28 || o.Accuracy != 0.6 || o.CalibrationGap != -0.2 || o.Reliability != 0.04 ||
		o.Resolution != 0 || o.Uncertainty != 0.24 ||
		o.WithinBin != 0 || o.ECE != 0.2 || *o.Skill != round(1-0.28/0.24) || o.Interpretation != Inconclusive {
		t.Errorf("got %+v, want BrierScore=0.28, Accuracy=0.6, CalibrationGap=-0.2, Reliability=0.04, Resolution=0, Uncertainty=0.24, WithinBin=0, ECE=0.2, Skill=round(1 - 0.28/0.24), Interpretation=%v", o, Inconclusive)
	}
	for _, n := range []int{5, 40} {
		o, _ = Overall(repeated(n, 0.9, "success"))
		if o.Skill != nil || o.BrierScore != 0.01 || o.Uncertainty != 0 || o.AccuracyInterval.High != 1 ||
			o.BrierInterval.High < 0.1 {
			t.Errorf("%d: got %+v, want Skill=nil, BrierScore=0.01, Uncertainty=0, o.AccuracyInterval.High=1, o.BrierInterval.High at least 0.1", n, o)
		}
	}
	spread := Stats(repeated(12, 0.9, "success")).ConfidenceStats
	if spread.StdDev != 0 || spread.Mean != 0.9 || spread.Min != 0.9 || spread.Max != 0.9 ||
		spread.BucketCounts["0.9-1.0"] != 12 {
		t.Errorf("got %+v, want StdDev=0, Mean=0.9, Min=0.9, Max=0.9, 0.9-1.0=12", spread)
	}
}

// TestWilson_PublishedIntervals_Match compares with published intervals: Newcombe 1998, table I, method 3.
func TestWilson_PublishedIntervals_Match(t *testing.T) {
	for _, test := range []struct{ successes, n, low, high float64 }{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
	} {
		i := wilson(test.successes/test.n, int64(test.n))
		if math.Abs(i.Low-test.low) > 6e-5 || math.Abs(i.High-test.high) > 6e-5 {
			t.Errorf("%v of %v: %v, want %v to %v", test.successes, test.n, i, test.low, test.high)
		}
	}
}

func TestOverall_Interpretation_NamesOverOrUnderconfidence(t *testing.T) {
	for gap, want := range map[float64]string{
		0: WellCalibrated, 0.049: WellCalibrated, -0.049: WellCalibrated, -0.05: SlightlyOverconfident,
		-0.10:  SlightlyOverconfident,
		-0.101: Overconfident, 0.05: SlightlyUnderconfident, 0.10: SlightlyUnderconfident, 0.101: Underconfident,
	} {
		if got := interpretation(gap); got != want {
			t.Errorf("%v: %s, want %s", gap, got, want)
		}
	}
	// In floating point, 0.7 - 0.8 is less than -0.1.
	o, _ := Overall(merged(repeated(700, 0.8, "success"), repeated(300, 0.8, "failure")))
	if o.CalibrationGap != -0.1 || o.Interpretation != SlightlyOverconfident {
		t.Errorf("got %+v, want CalibrationGap=-0.1, Interpretation=%v", o, SlightlyOverconfident)
	}
}

// TestInterpretation_IntervalContainsConfidence_IsInconclusive also checks buckets and recommendations, which use the
// same terms.
// TestOverall_MeanFitsButConfidencesDoNot_IsNotWellCalibrated: sure decisions fail as often as unsure ones.
func TestOverall_MeanFitsButConfidencesDoNot_IsNotWellCalibrated(t *testing.T) {
	o, _ := Overall(merged(repeated(100, 0.9, "success"), repeated(100, 0.9, "failure"), repeated(100, 0.1, "success"),
		repeated(100, 0.1, "failure")))
	if math.Abs(o.CalibrationGap) > 0.01 || o.ECE < 0.17 || *o.Skill >= 0 || o.Interpretation != Inconclusive {
		t.Errorf("got %+v, want no gap, ECE at least 0.17, a skill below 0, and Interpretation=%s", o, Inconclusive)
	}
}

func TestInterpretation_IntervalContainsConfidence_IsInconclusive(t *testing.T) {
	for _, tt := range []struct {
		name string
		cell Cell
		want string
	}{
		{"3 of 5 at 0.8", merged(repeated(3, 0.8, "success"), repeated(2, 0.8, "failure")), Inconclusive},
		{"4 of 5 at 0.6", merged(repeated(4, 0.6, "success"), repeated(1, 0.6, "failure")), Inconclusive},
		{"4 of 5 at 0.8", merged(repeated(4, 0.8, "success"), repeated(1, 0.8, "failure")), WellCalibrated},
		{"0 of 5 at 0.9", repeated(5, 0.9, "failure"), Overconfident},
		{"300 of 500 at 0.8", merged(repeated(300, 0.8, "success"), repeated(200, 0.8, "failure")), Overconfident},
	} {
		o, _ := Overall(tt.cell)
		if o.Interpretation != tt.want {
			t.Errorf("%s: got %s, want %s: %+v", tt.name, o.Interpretation, tt.want, o)
		}
		inside := o.AccuracyInterval.Low <= o.MeanConfidence && o.MeanConfidence <= o.AccuracyInterval.High
		if o.Interpretation != WellCalibrated && inside != (o.Interpretation == Inconclusive) {
			t.Errorf("%s: %s beside an interval of %+v and a confidence of %v", tt.name, o.Interpretation,
				o.AccuracyInterval, o.MeanConfidence)
		}
		if tt.want != Inconclusive {
			continue
		}
		s := Stats(tt.cell)
		for _, b := range s.ByConfidenceBucket {
			if b.Interpretation == Overconfident || b.Interpretation == Underconfident {
				t.Errorf("%s: bucket %s is %s with an interval of %+v", tt.name, b.Bucket, b.Interpretation,
					*b.Interval)
			}
		}
		for _, kind := range kindsOf(s.Recommendations) {
			if strings.Contains(kind, "overconfident") || strings.Contains(kind, "underconfident") {
				t.Errorf("%s: recommends by %s", tt.name, kind)
			}
		}
	}
	analysis := Reason{"analysis", 0.9}
	r := ReasonStatistics(merged(repeated(2, 0.82, "success", analysis), repeated(2, 0.82, "failure", analysis)), 3)
	a := r.ByReasonType[0]
	if a.Interval.High <= *a.AvgConfidence {
		t.Fatalf("the interval %+v does not contain the confidence %v", *a.Interval, *a.AvgConfidence)
	}
	if kinds := kindsOf(r.Recommendations); slices.Contains(kinds, "overconfident_type") {
		t.Errorf("a type is called overconfident with an interval of %+v and a confidence of %v", *a.Interval,
			*a.AvgConfidence)
	}
}

func TestOverall_Buckets_CountTheirDecisions(t *testing.T) {
	s := Stats(merged(repeated(2, 0.95, "success"), repeated(1, 0.9, "failure"), repeated(4, 0.72, "partial"),
		repeated(3, 0.5, "success"), repeated(2, 0.2, "failure")))
	want := []struct {
		n                    int64
		rate, mean, gap, own float64
		word                 string
	}{
		{3, 0.666667, 0.933333, -0.283333, -0.266667, Overconfident},
		{4, 0.5, 0.72, -0.3, -0.22, Inconclusive},
		{3, 1, 0.5, 0.4, 0.5, Inconclusive},
		{2, 0, 0.2, -0.25, -0.2, TooFew},
	}
	for i, b := range s.ByConfidenceBucket {
		if b.Decisions != want[i].n || *b.SuccessRate != want[i].rate || *b.MeanConfidence != want[i].mean ||
			*b.Gap != want[i].gap || *b.GapToMean != want[i].own || b.Interpretation != want[i].word {
			t.Errorf("%s: %d %v %v %v %v %s, want %v", b.Bucket, b.Decisions, *b.SuccessRate, *b.MeanConfidence, *b.Gap,
				*b.GapToMean, b.Interpretation, want[i])
		}
	}
	if n := len(slices.DeleteFunc(kindsOf(s.Recommendations),
		func(kind string) bool { return kind != "overconfident_bucket" })); n != 1 {
		t.Errorf("%d overconfident buckets in %v", n, s.Recommendations)
	}
	empty := Stats(Cell{})
	for _, b := range empty.ByConfidenceBucket {
		if b.SuccessRate != nil || b.Gap != nil || b.Interval != nil || b.Interpretation != TooFew {
			t.Errorf("got %+v, want SuccessRate=nil, Gap=nil, Interval=nil, Interpretation=%v", b, TooFew)
		}
	}
	if empty.ConfidenceStats != nil || len(empty.Curve) != 0 {
		t.Errorf("got %+v, want ConfidenceStats=nil, no Curve", empty)
	}
}

func TestOverall_Habits_AreNamed(t *testing.T) {
	of := func(confidences ...float64) Cell {
		var c Cell
		for _, confidence := range confidences {
			c.Add(Sample{Confidence: &confidence}, 1)
		}
		return c
	}
	for _, test := range []struct {
		name string
		cell Cell
		want []string
	}{
		{"nine", of(0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8), nil},
		{"the same", of(0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8), []string{LowVariance}},
		{"seven of ten", of(0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.79, 0.79, 0.79), nil},
		{"high", of(0.8, 0.9, 1, 0.8, 0.9, 1, 0.8, 0.9, 1, 0.95), []string{OverconfidentHabit}},
		{"high but one", of(0.75, 0.9, 1, 0.9, 0.9, 1, 0.9, 0.9, 1, 0.95), nil},
		{"low", of(0.3, 0.4, 0.5, 0.6, 0.7, 0.3, 0.4, 0.5, 0.6, 0.7), []string{UnderconfidentHabit}},
		{"low but one", of(0.3, 0.4, 0.5, 0.6, 0.75, 0.3, 0.4, 0.5, 0.6, 0.7), nil},
		{"high and the same", of(0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9),
			[]string{LowVariance, OverconfidentHabit}},
	} {
		s := Stats(test.cell)
		if !slices.Equal(s.Habituation, test.want) {
			t.Errorf("%s: %v, want %v", test.name, s.Habituation, test.want)
		}
		for _, habit := range test.want {
			if !slices.Contains(kindsOf(s.Recommendations), habit) {
				t.Errorf("%s: %v has no %s", test.name, s.Recommendations, habit)
			}
		}
	}
	spread := Stats(of(0.2, 0.4, 0.4, 0.4, 0.5, 0.5, 0.7, 0.9)).ConfidenceStats
	if spread.StdDev != 0.2 || spread.Mean != 0.5 || spread.Min != 0.2 || spread.Max != 0.9 ||
		spread.BucketCounts["0.0-0.5"] != 4 || spread.BucketCounts["0.5-0.6"] != 2 {
		t.Errorf("got %+v, want StdDev=0.2, Mean=0.5, Min=0.2, Max=0.9, 0.0-0.5=4, 0.5-0.6=2", spread)
	}
}

func TestOverall_Recommendations_FollowTheFigures(t *testing.T) {
	for _, test := range []struct {
		cell   Cell
		want   []string
		absent []string
	}{
		{repeated(30, 0.9, "success"), []string{"excellent_calibration"}, []string{"small_sample", "poor_calibration"}},
		{repeated(29, 0.9, "success"), []string{"excellent_calibration", "small_sample"}, nil},
		{repeated(6, 0.9, "failure"), []string{"poor_calibration", Overconfident, "overconfident_bucket"},
			[]string{"excellent_calibration"}},
		{repeated(6, 0.3, "success"), []string{"poor_calibration", Underconfident}, []string{"overconfident_bucket"}},
	} {
		kinds := kindsOf(Stats(test.cell).Recommendations)
		for _, kind := range test.want {
			if !slices.Contains(kinds, kind) {
				t.Errorf("%v has no %s", kinds, kind)
			}
		}
		for _, kind := range test.absent {
			if slices.Contains(kinds, kind) {
				t.Errorf("%v has %s", kinds, kind)
			}
		}
	}
}

func kindsOf(all []Recommendation) []string {
	kinds := []string{}
	for _, r := range all {
		kinds = append(kinds, r.Type)
	}
	return kinds
}

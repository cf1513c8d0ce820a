package calibration

import (
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// confidences draws values that are often round, often missing, and sometimes at the edge of two bins.
var confidences = rapid.Custom(func(t *rapid.T) *float64 {
	var c float64
	switch rapid.IntRange(0, 4).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		c = float64(rapid.IntRange(0, 10).Draw(t, "tenths")) / 10
	case 2:
		c = float64(rapid.IntRange(0, 100).Draw(t, "hundredths")) / 100
	default:
		c = rapid.Float64Range(0, 1).Draw(t, "confidence")
	}
	return &c
})

var samples = rapid.Custom(func(t *rapid.T) Sample {
	s := Sample{
		Confidence: confidences.Draw(t, "confidence"),
		Outcome:    rapid.SampledFrom(append([]string{""}, Outcomes...)).Draw(t, "outcome"),
	}
	if s.Outcome != "" {
		s.ReviewedConfidence = confidences.Draw(t, "judged")
	}
	s.Reasons = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Reason {
		return Reason{
			Type:     rapid.SampledFrom(ReasonTypes).Draw(t, "type"),
			Strength: rapid.Float64Range(0, 1).Draw(t, "strength"),
		}
	}), 0, 5).Draw(t, "reasons")
	return s
})

func cellOf(samples ...Sample) (c Cell) {
	for _, s := range samples {
		c.Add(s, 1)
	}
	return c
}

// TestCell_SubtractedSamples_LeaveTheOthersSum adds in one order and subtracts in another: the remainder equals the
// sum of the others.
func TestCell_SubtractedSamples_LeaveTheOthersSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stored := rapid.SliceOfN(samples, 0, 10).Draw(t, "kept")
		gone := rapid.SliceOfN(samples, 0, 10).Draw(t, "gone")
		c := cellOf(append(slices.Clone(gone), stored...)...)
		for i := len(gone) - 1; i >= 0; i-- {
			c.AddReviewed(gone[i], -1)
		}
		for _, s := range gone {
			c.AddRecorded(s, -1)
		}
		want := cellOf(stored...)
		if c != want {
			t.Fatalf("%+v\nwant %+v", c, want)
		}
		for _, s := range stored {
			c.Add(s, -1)
		}
		if !c.Empty() || c != (Cell{}) {
			t.Fatalf("%+v is left", c)
		}
	})
}

// TestCell_OrderOfSamples_DoesNotMatter adds in any order, in parts and cell by cell.
func TestCell_OrderOfSamples_DoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(samples, 0, 12).Draw(t, "samples")
		want := cellOf(all...)
		if c := cellOf(rapid.Permutation(all).Draw(t, "order")...); c != want {
			t.Fatalf("%+v\nwant %+v", c, want)
		}
		var recorded, reviewed Cell
		for _, s := range all {
			recorded.AddRecorded(s, 1)
			reviewed.AddReviewed(s, 1)
		}
		if recorded.Reviewed() != 0 || reviewed.Recorded != 0 {
			t.Fatalf("%d reviewed, %d recorded", recorded.Reviewed(), reviewed.Recorded)
		}
		part := reviewed
		part.Merge(recorded, 1)
		if part != want {
			t.Fatalf("%+v\nwant %+v", part, want)
		}
		part.Merge(reviewed, -1)
		if part != recorded {
			t.Fatalf("%+v\nwant %+v", part, recorded)
		}
	})
}

// TestCell_Properties_AreReadBack reads written properties back, directly and as the driver returns them.
func TestCell_Properties_AreReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := cellOf(rapid.SliceOfN(samples, 0, 6).Draw(t, "samples")...)
		properties := c.Properties()
		if got, err := CellOf(properties); err != nil || got != c {
			t.Fatalf("%+v, %v\nwant %+v", got, err, c)
		}
		values := map[string]any{"scope": "all", "period": "all", "kind": "all", "reviewed": c.Reviewed(),
			"confirmed": true}
		for name, value := range properties {
			stored, _ := value.([]int64)
			if stored == nil {
				continue
			}
			var list []any
			for _, n := range stored {
				list = append(list, n)
			}
			values[name] = list
		}
		if got, err := CellOf(values); err != nil || got != c {
			t.Fatalf("%+v, %v\nwant %+v", got, err, c)
		}
		whole := map[string]any{} // format before cells were packed
		for _, f := range c.fields() {
			list, _ := whole[f.property].([]int64)
			if f.number != nil {
				list = append(list, *f.number)
			}
			whole[f.property] = append(list, f.list...)
		}
		if got, err := CellOf(whole); err != nil || got != c {
			t.Fatalf("%+v, %v\nwant %+v", got, err, c)
		}
	})
	if c, err := CellOf(map[string]any{"scope": "all"}); err != nil || !c.Empty() {
		t.Errorf("a node without numbers is %+v, %v", c, err)
	}
	numbers := 0
	for _, length := range lengths {
		numbers += length
	}
	if want := int(reflect.TypeFor[Cell]().Size() / 8); numbers != want {
		t.Errorf("got %d stored numbers, want %d", numbers, want)
	}
	whole := make([]int64, lengths["counts"])
	for name, value := range map[string]any{
		"too few": whole[1:], "two too few": whole[2:], "too many": append([]int64{1}, whole...),
		"two too many": append([]int64{1, 2}, whole...), "text": "much", "one number": int64(3),
		"a fraction": []any{1.5}, "a place beyond": []int64{1, int64(lengths["counts"]), 1},
		"a place before": []int64{1, -1, 1}, "half a pair": []int64{2, 0, 1},
	} {
		if c, err := CellOf(map[string]any{"counts": value}); err == nil {
			t.Errorf("%s is read as %+v", name, c)
		}
	}
}

// TestSample_AsJSON_SubtractsExactly encodes a sample as JSON, as the counters store it, and subtracts it exactly.
func TestSample_AsJSON_SubtractsExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := samples.Draw(t, "sample")
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		var stored Sample
		if err := json.Unmarshal(text, &stored); err != nil {
			t.Fatal(err)
		}
		c := cellOf(s)
		if c.Add(stored, -1); !c.Empty() {
			t.Fatalf("got %+v after the removal of %s, want an empty cell", c, text)
		}
	})
}

func TestCell_Sample_CountsInItsBin(t *testing.T) {
	at := func(confidence float64) Sample {
		return Sample{Confidence: &confidence, ReviewedConfidence: &confidence, Outcome: "partial"}
	}
	for confidence, want := range map[float64][2]int{0: {0, 0}, 0.1: {10, 1}, 0.29: {29, 2}, 0.299999: {29, 2},
		0.3: {30, 3}, 0.57: {57, 5}, 0.9: {90, 9}, 1: {100, 9}, -3: {0, 0}, 7: {100, 9}} {
		c := cellOf(at(confidence))
		if c.Confidences[want[0]] != 1 || c.BinReviewed[want[1]] != 1 {
			t.Errorf("%v: hundredths %v, bins %v", confidence, slices.Index(c.Confidences[:], 1),
				slices.Index(c.BinReviewed[:], 1))
		}
	}
	c := cellOf(at(math.NaN()))
	if c.Reviewed() != 1 || c.scoredReviews() != 0 || c.ConfidenceSum != 0 {
		t.Errorf("not a number: %+v", c)
	}
	c = cellOf(Sample{Outcome: "splendid"})
	if c.Recorded != 1 || c.Reviewed() != 0 {
		t.Errorf("unknown outcome: got %+v, want 1 recorded and 0 reviewed", c)
	}
	// Two reasons of one type count once, with their mean strength; an unknown type counts only as a reason.
	sure := 0.8
	c = cellOf(Sample{Confidence: &sure, Reasons: []Reason{{"analysis", 0.5}, {"analysis", 1}, {"empirical", 0.9},
		{"hearsay", 1}}})
	if c.ReasonsRecorded != 4 || c.TypesRecorded != 2 || c.DiversityRecorded[2] != 1 || c.TypeRecorded[2] != 1 ||
		c.TypeStrength[2] != 750_000 || c.TypeStrength[5] != 900_000 {
		t.Errorf("got %+v, want ReasonsRecorded=4, TypesRecorded=2, DiversityRecorded[2]=1, TypeRecorded[2]=1, TypeStrength[2]=750_000, TypeStrength[5]=900_000", c)
	}
	if outcome, reviewed := cellOf(at(0.5), at(0.7), Sample{Outcome: "success"}).MeanOutcome(); !reviewed ||
		math.Abs(outcome-2.0/3) > 1e-12 {
		t.Errorf("mean outcome %v", outcome)
	}
	if outcome, reviewed := cellOf(Sample{}).MeanOutcome(); reviewed || outcome != 0 {
		t.Errorf("mean outcome %v of none", outcome)
	}
}

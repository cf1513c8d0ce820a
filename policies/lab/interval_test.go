package lab

import (
	"fmt"
	"math"
	"testing"
)

// TestWilson_PublishedExamples_Match: Newcombe, Two-sided confidence intervals for the single proportion, Statistics in
// Medicine 17 (1998), table I, method 3.
func TestWilson_PublishedExamples_Match(t *testing.T) {
	for _, c := range []struct {
		hits, of  int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		low, high := Wilson(c.hits, c.of)
		if math.Abs(low-c.low) > 0.00005 || math.Abs(high-c.high) > 0.00005 {
			t.Errorf("%d of %d: got %.4f to %.4f, want %.4f to %.4f", c.hits, c.of, low, high, c.low, c.high)
		}
	}
	if low, high := Wilson(0, 0); low != 0 || high != 1 {
		t.Errorf("got %v to %v without cases, want 0 to 1", low, high)
	}
}

func TestShareOf_IndependentCases_IsWilson(t *testing.T) {
	var trials []shareCase
	for i := range 29 {
		trials = append(trials, shareCase{fmt.Sprint(i), i == 0})
	}
	s := shareOf(trials)
	low, high := Wilson(1, 29)
	if s.Method != "wilson" || s.Low != low || s.High != high || s.Hits != 1 || s.Of != 29 {
		t.Errorf("got %+v, want Method=wilson, Low=%v, High=%v, Hits=1, Of=29", s, low, high)
	}
	if shareOf(nil) != nil {
		t.Error("got a share without cases")
	}
}

// TestShareOf_CasesOfOneSession_AreNotIndependent: copies within a session must not narrow the interval.
func TestShareOf_CasesOfOneSession_AreNotIndependent(t *testing.T) {
	var single, copied, certain []shareCase
	for i := range 40 {
		single = append(single, shareCase{fmt.Sprint(i), i%4 == 0})
		for range 5 {
			copied = append(copied, shareCase{fmt.Sprint(i), i%4 == 0})
		}
	}
	for i := range 50 {
		certain = append(certain, shareCase{fmt.Sprint(i % 5), true})
	}
	one, five := shareOf(single), shareOf(copied)
	if width := (five.High - five.Low) / (one.High - one.Low); five.Method != "sessions" || width < 0.85 || width > 1.15 {
		t.Errorf("got an interval %.2f times as wide, want about the same: %+v, %+v", width, one, five)
	}
	if again := shareOf(copied); *again != *five {
		t.Errorf("got %+v and %+v for the same cases, want again=%v", again, five, *five)
	}
	if s := shareOf(certain); s.Low > 0.6 || s.High != 1 {
		t.Errorf("got %+v for 5 sessions, want the interval of 5 of 5", s)
	}
}

// TestReviewsNeeded_Counts_GiveTheMinimum: Wilson's lower bound exceeds one half at 4 of 4.
func TestReviewsNeeded_Counts_GiveTheMinimum(t *testing.T) {
	for _, c := range []struct{ hits, of, most, want int }{{0, 0, 10, 4}, {0, 0, 3, -1}, {4, 4, 10, 0}, {4, 9, 51, -1}, {7, 10, 51, 11}, {9, 10, 51, 0}} {
		if got := reviewsNeeded(c.hits, c.of, c.most); got != c.want {
			t.Errorf("%d of %d with %d more: got %d, want %d", c.hits, c.of, c.most, got, c.want)
		}
	}
}

func TestReplacedConditions_InvalidForm_IsRefused(t *testing.T) {
	for _, text := range []string{"", "blocked", "nothing > 2", "blocked > x", "blocked >> 2", "blocked > -1"} {
		if _, err := conditionsOf([]string{text}); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
	found, err := conditionsOf([]string{"blocked_successes > 2", " blocked>=1 "})
	r := &Replay{Blocked: Flips{Acts: 1, Outcomes: Outcomes{Success: 2}}}
	if checks := checkConditions(found, r); err != nil || len(checks) != 2 || checks[0].Holds || !checks[1].Holds {
		t.Errorf("got %+v, %v, want len(checks)=2, Holds=false, Holds=true", checks, err)
	}
}

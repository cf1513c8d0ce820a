package lab

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// of returns acts of sessions with this number of acts each; the first act of each session has the outcome failure or
// success.
func of(name string, sessions, failing, acts int) sessionOutcomes {
	c := sessionOutcomes{}
	for i := range sessions {
		for n := range acts {
			outcome := "success"
			if i < failing && n == 0 {
				outcome = "failure"
			}
			c.add(&reportedAct{record: record{Session: fmt.Sprint(name, i), Decision: "d", Allowed: true}}, outcome)
		}
	}
	return c
}

func TestShadowTrial_FailedSessions_DecideTheAnswer(t *testing.T) {
	passing := of("p", 200, 20, 3)
	for _, test := range []struct {
		sessions, failing int
		answer            string
	}{{2, 2, "open"}, {12, 10, "finds_failures"}, {300, 0, "finds_none"}, {10, 1, "open"}} {
		got := testShadowRule(of("v", test.sessions, test.failing, 2), passing)
		if got.Answer != test.answer || got.Sessions != test.sessions || got.Failed != test.failing || got.OtherwiseFailed != 20 || got.Low > got.High {
			t.Errorf("%d of %d sessions fail: got %+v, want %s", test.failing, test.sessions, got, test.answer)
		}
	}
	if testShadowRule(sessionOutcomes{}, passing) != nil || testShadowRule(passing, sessionOutcomes{}) != nil {
		t.Error("a rule without reviewed acts on one side has a trial")
	}
	large := of("v", 10, 0, 1)
	for range 100 { // further acts of a session, denied acts and acts without a record do not count as cases
		large.add(&reportedAct{record: record{Session: "v0", Decision: "d", Allowed: true}}, "failure")
		large.add(&reportedAct{record: record{Session: "forced", Decision: "d", OverriddenBy: "force"}}, "failure")
		large.add(&reportedAct{record: record{Session: "checked", Allowed: true}}, "failure")
	}
	if got := testShadowRule(large, passing); got.Sessions != 10 || got.Failed != 0 || got.Answer != "open" {
		t.Errorf("a session with 100 failed acts: got %+v, want ten cases without a failure", got)
	}
}

// TestShadowTrial_CheckedAfterEachReview_RarelyErrs: at most 5 % of rules without an effect are ever reported to
// find failures. Acts of a session fail together, and sessions differ in size.
func TestShadowTrial_CheckedAfterEachReview_RarelyErrs(t *testing.T) {
	const runs = 200
	rng, wrong := rand.New(rand.NewPCG(9, 9)), 0
	for range runs {
		violating, passing := sessionOutcomes{}, sessionOutcomes{}
		for i := range 300 {
			outcome, side := "success", passing
			if rng.Float64() < 0.2 {
				outcome = "failure"
			}
			if rng.Float64() < 0.3 {
				side = violating
			}
			for range 1 + rng.IntN(20) {
				side.add(&reportedAct{record: record{Session: fmt.Sprint(i), Decision: "d", Allowed: true}}, outcome)
			}
			if trial := testShadowRule(violating, passing); trial != nil && trial.Answer == "finds_failures" {
				wrong++
				break
			}
		}
	}
	if wrong > runs*5/100 {
		t.Errorf("%d of %d useless rules are said to find failures, want at most 5 %%", wrong, runs)
	}
}

func TestRounded_Numbers_LoseOnlyFloatNoise(t *testing.T) {
	for number, want := range map[float64]float64{0.6000000000000001: 0.6, 0.1 + 0.2: 0.3, 1764171967123: 1764171967123, 1764171967123.25: 1764171967123.25, 0.123456789012345: 0.123456789012345, -3: -3} {
		if got := dropBinaryDigits(number); got != want {
			t.Errorf("%v: got %v, want %v", number, got, want)
		}
	}
}

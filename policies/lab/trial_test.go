package lab

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// reviewedActs are acts of sessions of two, of which a share fails.
func reviewedActs(name string, sessions, failing int) (trials []trial) {
	for i := range sessions {
		for range 2 {
			trials = append(trials, trial{fmt.Sprint(name, i), i < failing})
		}
	}
	return trials
}

func TestShadowTrial_Sessions_AreCasesAndDecide(t *testing.T) {
	passing := reviewedActs("p", 100, 10)
	for _, test := range []struct {
		sessions, failing int
		answer            string
	}{{2, 2, "open"}, {12, 10, "finds_failures"}, {300, 0, "finds_none"}, {10, 1, "open"}} {
		got := trialOf(reviewedActs("v", test.sessions, test.failing), passing)
		if got.Answer != test.answer || got.Sessions != test.sessions || got.Failed != test.failing || got.Otherwise != 0.1 || got.Low > got.High {
			t.Errorf("%d of %d sessions fail: got %+v, want %s", test.failing, test.sessions, got, test.answer)
		}
	}
	if trialOf(nil, passing) != nil || trialOf(passing, nil) != nil {
		t.Error("a rule without reviewed acts on one side has a trial")
	}
}

// TestShadowTrial_LookedAtAfterEachReview_RarelyErrs: of rules whose acts fail like all others, at most 5 % are ever said to
// find failures.
func TestShadowTrial_LookedAtAfterEachReview_RarelyErrs(t *testing.T) {
	const runs = 400
	chance, passing, wrong := rand.New(rand.NewPCG(9, 9)), reviewedActs("p", 100, 20), 0
	for range runs {
		var violating []trial
		for i := range 150 {
			violating = append(violating, trial{fmt.Sprint("v", i), chance.Float64() < 0.2})
			if trialOf(violating, passing).Answer == "finds_failures" {
				wrong++
				break
			}
		}
	}
	if wrong > runs*5/100 {
		t.Errorf("%d of %d useless rules are said to find failures, want at most 5 %%", wrong, runs)
	}
}

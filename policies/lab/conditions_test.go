package lab

import "testing"

func TestReplacedConditions_InvalidForm_IsRefused(t *testing.T) {
	for _, text := range []string{"", "blocked", "nothing > 2", "blocked > x", "blocked >> 2", "blocked > -1"} {
		if _, err := conditionsOf([]string{text}); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
	found, err := conditionsOf([]string{"blocked_successes > 2", " blocked>=1 "})
	r := &Replay{ImpactFlips: ImpactFlips{Blocked: Flips{Acts: 1, Outcomes: Outcomes{Success: 2}}}}
	if checks := checkConditions(found, r); err != nil || len(checks) != 2 || checks[0].Holds || !checks[1].Holds {
		t.Errorf("got %+v, %v, want len(checks)=2, Holds=false, Holds=true", checks, err)
	}
}

package autonomy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

var bars = Bars{Trusted: 0.8, Autonomous: 0.9, TrustedFloor: 0.65, AutonomousFloor: 0.75}

// reviews makes alternating reviews by two people: s for success, f for failure, a for abandoned, d for denied.
func reviews(text string) []Review {
	var all []Review
	for i, c := range text {
		all = append(all, Review{Outcome: map[rune]string{'s': "success", 'f': "failure", 'a': "abandoned", 'd': "denied", 'p': "partial"}[c], By: []string{"mia", "ada"}[i%2]})
	}
	return all
}

// TestEvaluate_TrueShareAtTheBar_IsRarelyPromoted: simulated agents of true quality 0.8, reviewed one by one, are promoted
// over a bar of 0.8 in at most 5 % of runs. A fixed-sample bound that is computed after each review would be far above.
func TestEvaluate_TrueShareAtTheBar_IsRarelyPromoted(t *testing.T) {
	const runs, length = 1000, 3000
	random := rand.New(rand.NewPCG(1, 2))
	promoted, naive := 0, 0
	for range runs {
		q := newSequence(bars)
		s, n, fixed := 0, 0, false
		for i := range length {
			r := Review{Outcome: "failure", By: []string{"mia", "ada", "eve"}[i%3]}
			if random.Float64() < 0.8 {
				r.Outcome = "success"
				s++
			}
			n++
			if mean := float64(s) / float64(n); n >= 20 && mean-1.645*math.Sqrt(mean*(1-mean)/float64(n)) > 0.8 {
				fixed = true
			}
			if q.add(r); q.level > 0 {
				break
			}
		}
		if q.level > 0 {
			promoted++
		}
		if fixed {
			naive++
		}
	}
	t.Logf("%d of %d runs promoted, %d by a fixed-sample bound", promoted, runs, naive)
	if promoted > runs*5/100 {
		t.Errorf("%d of %d runs are promoted, want at most 5 %%", promoted, runs)
	}
	if naive <= runs*5/100 {
		t.Errorf("got %d runs promoted by the fixed-sample bound, want over 5 %% (or simulate longer)", naive)
	}
}

func TestEvaluate_GoodAgent_IsPromotedAndBadOneDemoted(t *testing.T) {
	for _, test := range []struct {
		name, text, stakes, level string
		sufficient                bool
	}{
		{"nothing known", "", "medium", Supervised, false},
		{"low stakes need nothing", "", "low", Supervised, true},
		{"28 successes", strings.Repeat("s", 28), "medium", Supervised, false},
		{"29 successes", strings.Repeat("s", 30), "medium", Trusted, true},
		{"trusted is too little", strings.Repeat("s", 30), "high", Trusted, false},
		{"long record", strings.Repeat("s", 100), "high", Autonomous, true},
		{"critical never", strings.Repeat("s", 100), "critical", Autonomous, false},
		{"abandoned counts", strings.Repeat("sa", 100), "medium", Supervised, false},
		{"denied counts", strings.Repeat("ssd", 100), "medium", Supervised, false},
		{"demoted once", strings.Repeat("s", 100) + strings.Repeat("f", 6), "high", Trusted, false},
		{"demoted twice", strings.Repeat("s", 100) + strings.Repeat("f", 30), "medium", Supervised, false},
		{"partial is left out", strings.Repeat("sp", 30), "medium", Trusted, true},
	} {
		got := Evaluate(reviews(test.text), bars, test.stakes, "", "")
		if test.name == "partial is left out" { // all reviews are by one reviewer
			all := reviews(test.text)
			for i := range all {
				all[i].By = []string{"mia", "ada"}[i/2%2]
			}
			got = Evaluate(all, bars, test.stakes, "", "")
		}
		if got.Level != test.level || got.Sufficient != test.sufficient || got.Why == "" || got.Missing == "" {
			t.Errorf("%s: got %+v, want %s", test.name, got, test.level)
		}
	}
	if got := Evaluate(reviews(strings.Repeat("s", 20)), bars, "medium", "", ""); !strings.HasPrefix(got.Missing, "trusted: 9 more successes in a row") {
		t.Errorf("got missing %q, want 9 more successes", got.Missing)
	}
}

// TestEvaluate_Attacks_RaiseNoLevel tries what an agent or its friends can do.
func TestEvaluate_Attacks_RaiseNoLevel(t *testing.T) {
	change := func(all []Review, with func(i int, r *Review)) []Review {
		for i := range all {
			with(i, &all[i])
		}
		return all
	}
	good := strings.Repeat("s", 300)
	for name, all := range map[string][]Review{
		"one reviewer":                   change(reviews(good), func(_ int, r *Review) { r.By = "friend" }),
		"a friend and few others":        change(reviews(good), func(i int, r *Review) { r.By = map[bool]string{true: "mia", false: "friend"}[i < 10] }),
		"approved by a person":           change(reviews(good), func(_ int, r *Review) { r.Approved = true }),
		"forced":                         change(reviews(good), func(_ int, r *Review) { r.Forced = true }),
		"forced failures count":          append(reviews(strings.Repeat("s", 20)), change(reviews(strings.Repeat("f", 20)), func(_ int, r *Review) { r.Forced = true })...),
		"failures in renamed categories": change(reviews(strings.Repeat("sf", 150)), func(i int, r *Review) { r.Category = fmt.Sprint("c", i) }),
	} {
		if got := Evaluate(all, bars, "medium", "", ""); got.Level != Supervised {
			t.Errorf("%s: got %+v, want Level=%v", name, got, Supervised)
		}
	}
	half := Evaluate(change(reviews(good), func(i int, r *Review) { r.By = map[bool]string{true: "friend", false: fmt.Sprint("p", i%7)}[i%3 > 0] }), bars, "medium", "", "")
	if half.LeftOut != 100 || half.Successes != 200 {
		t.Errorf("got %+v, want 100 successes of the friend left out", half)
	}
	changed := Evaluate(change(reviews(good), func(_ int, r *Review) { r.Model = "old" }), bars, "high", "", "new")
	if changed.Level != Trusted || !strings.Contains(changed.Why, "model has changed") || !strings.Contains(changed.Missing, "reviews of this model") {
		t.Errorf(`a changed model: got %+v, want Level=%v, Why with "model has changed", Missing with "reviews of this model"`, changed, Trusted)
	}
	if same := Evaluate(change(reviews(good), func(_ int, r *Review) { r.Model = "old" }), bars, "high", "", "OLD"); same.Level != Autonomous {
		t.Errorf("the same model: got %+v, want Level=%v", same, Autonomous)
	}
	mixed := change(reviews(strings.Repeat("s", 200)+"ffff"), func(i int, r *Review) { r.Category = map[bool]string{true: "deploy", false: "docs"}[i >= 200] })
	if veto := Evaluate(mixed, bars, "medium", "Deploy", ""); veto.Level != Supervised || veto.Veto != "Deploy" {
		t.Errorf("a bad category: got %+v, want Level=%v, Veto=Deploy", veto, Supervised)
	}
	if other := Evaluate(mixed, bars, "medium", "docs", ""); other.Level == Supervised {
		t.Errorf("another category: got %+v, want Level other than %v", other, Supervised)
	}
}

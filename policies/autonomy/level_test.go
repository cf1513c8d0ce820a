package autonomy

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"nomograph/internal/golden"
	"nomograph/policies/labtest"
)

var bars = Bars{Trusted: 0.8, Autonomous: 0.9, TrustedFloor: 0.65, AutonomousFloor: 0.75}

// reviews makes acts of one session each, reviewed by two people in turn: s for success, f for failure, a for
// abandoned, d for denied, u for unreviewed.
func reviews(text string) []Act {
	var all []Act
	for i, c := range text {
		all = append(all, Act{Session: fmt.Sprint(i),
			Outcome: map[rune]string{'s': "success", 'f': "failure", 'a': "abandoned", 'd': "denied",
				'p': "partial"}[c], By: []string{"mia", "ada"}[i%2]})
	}
	return all
}

// TestEvaluate_TrueShareAtTheBar_IsRarelyPromoted: simulated agents of true quality 0.8, reviewed one by one, are
// promoted over a bar of 0.8 in at most 5 % of runs. A fixed-sample bound that is computed after each review would be
// far above.
func TestEvaluate_TrueShareAtTheBar_IsRarelyPromoted(t *testing.T) {
	const runs, length = 1000, 3000
	random := rand.New(rand.NewPCG(1, 2))
	promoted, naive := 0, 0
	for range runs {
		q := newSequence(bars)
		s, n, fixed := 0, 0, false
		for i := range length {
			r := Act{Session: fmt.Sprint(i), Outcome: "failure", By: []string{"mia", "ada", "eve"}[i%3]}
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
	for _, row := range golden.Rows(t, "testdata/levels.txt") {
		text := ""
		for _, part := range strings.Fields(row[1]) {
			outcomes := strings.TrimLeft(part, "0123456789")
			times, _ := strconv.Atoi(strings.TrimSuffix(part, outcomes))
			text += strings.Repeat(outcomes, times)
		}
		all := reviews(text)
		if row[0] == "partial is left out" { // otherwise all reviews are by one reviewer
			for i := range all {
				all[i].By = []string{"mia", "ada"}[i/2%2]
			}
		}
		level, suffices, _ := strings.Cut(row[3], " ")
		if got := Evaluate(all, bars, row[2], "", ""); got.Level != level || got.Sufficient != (suffices != "") ||
			got.Why == "" || got.Missing == "" {
			t.Errorf("%s: got %+v, want %s", row[0], got, row[3])
		}
	}
	if got := Evaluate(reviews(strings.Repeat("s", 20)), bars, "medium", "", ""); !strings.HasPrefix(got.Missing,
		"trusted: 9 more successful sessions in a row") {
		t.Errorf("got missing %q, want 9 more successful sessions", got.Missing)
	}
}

// TestEvaluate_SimulatedWorlds_PromoteRarely: agents whose true share of successes is the bar, and one with 0.75 whose
// successes are reviewed at 80 % and failures at 30 %, are promoted in at most 5 % of worlds, also if acts of a
// session share their outcome.
func TestEvaluate_SimulatedWorlds_PromoteRarely(t *testing.T) {
	const runs = 200
	type rates struct{ success, failure float64 }
	for _, test := range []struct {
		name     string
		world    labtest.World
		reviewed rates
	}{
		{"single acts", labtest.World{Base: 0.2}, rates{1, 1}},
		{"sessions of 5, correlation 0.3", labtest.World{Sizes: [2]int{5, 5}, Correlation: 0.3, Base: 0.2},
			rates{1, 1}},
		{"sessions of 5, correlation 0.6", labtest.World{Sizes: [2]int{5, 5}, Correlation: 0.6, Base: 0.2},
			rates{1, 1}},
		{"sessions of 5, correlation 1", labtest.World{Sizes: [2]int{5, 5}, Correlation: 1, Base: 0.2}, rates{1, 1}},
		{"sizes 1 to 9, failing ones last longer", labtest.World{Sizes: [2]int{1, 9}, Correlation: 0.6, Base: 0.2,
			Longer: true}, rates{1, 1}},
		{"0.75, reviews of successes", labtest.World{Base: 0.25}, rates{0.8, 0.3}},
		{"0.75, reviews of successes in sessions", labtest.World{Sizes: [2]int{5, 5}, Correlation: 0.6, Base: 0.25},
			rates{0.8, 0.3}},
	} {
		promoted, naive := 0, 0
		for run := range uint64(runs) {
			test.world.Acts, test.world.Facts = 600, 1
			rng := rand.New(rand.NewPCG(run, 3))
			q, single := newSequence(bars), newSequence(bars)
			once, everOnce := false, false
			for i, a := range test.world.Make(run) {
				act := Act{Session: a.Session, Drawn: rng.Float64() < 0.1, By: []string{"mia", "ada", "eve"}[i%3],
					Outcome: map[bool]string{true: "failure", false: "success"}[a.Failed]}
				if rng.Float64() >= map[bool]float64{true: test.reviewed.failure,
					false: test.reviewed.success}[a.Failed] {
					act.Outcome = ""
				}
				q.add(act)
				once = once || q.level > 0
				if act.Outcome != "" { // what was counted before: each review
					act.Session = a.ID
					single.add(act)
					everOnce = everOnce || single.level > 0
				}
			}
			if once {
				promoted++
			}
			if everOnce {
				naive++
			}
		}
		if t.Logf("%s: %.1f %% of %d worlds promoted; %.1f %% by reviews", test.name, 100*float64(promoted)/runs, runs,
			100*float64(naive)/runs); promoted > runs*5/100 {
			t.Errorf("%s: %d of %d worlds are promoted, want at most 5 %%", test.name, promoted, runs)
		}
	}
}

// TestEvaluate_StatedCounts_AreTheFirstThatPromote: the pack and the guide state how many sessions a bar takes.
func TestEvaluate_StatedCounts_AreTheFirstThatPromote(t *testing.T) {
	for bar, want := range map[int]int{1: 29, 2: 69} {
		n := 1
		for q := newSequence(bars); ; n++ {
			if q.add(reviews(strings.Repeat("s", n))[n-1]); q.level >= bar {
				break
			}
		}
		if n > want+1 || n < want { // one more, because no reviewer may give more than half
			t.Errorf("level %d takes %d sessions, want %d", bar, n, want)
		}
		for _, file := range []string{"../autonomy.yaml", "../../docs/guides/changing-rules.md"} {
			if text, err := os.ReadFile(file); err != nil ||
				!strings.Contains(string(text), fmt.Sprintf("at least %d", want)) &&
					!strings.Contains(string(text), fmt.Sprintf("At least %d", want)) {
				t.Errorf("%s does not state %d sessions: %v", file, want, err)
			}
		}
	}
}

// TestEvaluate_Attacks_RaiseNoLevel tries what an agent or its friends can do.
func TestEvaluate_Attacks_RaiseNoLevel(t *testing.T) {
	change := func(all []Act, with func(i int, r *Act)) []Act {
		for i := range all {
			with(i, &all[i])
		}
		return all
	}
	good := strings.Repeat("s", 300)
	for name, all := range map[string][]Act{
		"one reviewer": change(reviews(good), func(_ int, r *Act) { r.By = "friend" }),
		"a friend and few others": change(reviews(good),
			func(i int, r *Act) { r.By = map[bool]string{true: "mia", false: "friend"}[i < 10] }),
		"approved by a person": change(reviews(good), func(_ int, r *Act) { r.Approved = true }),
		"forced":               change(reviews(good), func(_ int, r *Act) { r.Forced = true }),
		"forced failures count": append(reviews(strings.Repeat("s", 20)),
			change(reviews(strings.Repeat("f", 20)), func(_ int, r *Act) { r.Forced = true })...),
		"failures of one session": change(reviews(strings.Repeat("s", 25)+strings.Repeat("f", 300)),
			func(i int, r *Act) { r.Session = fmt.Sprint(min(i, 25)) }),
		"successes of one session": change(reviews(good), func(_ int, r *Act) { r.Session = "one" }),
		"failures after a first success": change(reviews(strings.Repeat("sf", 150)),
			func(i int, r *Act) { r.Session = fmt.Sprint(i / 2) }),
		"unreviewed first acts": change(reviews(strings.Repeat("us", 150)),
			func(i int, r *Act) { r.Session = fmt.Sprint(i / 2) }),
		"unreviewed drawn acts": change(reviews(strings.Repeat("su", 150)),
			func(i int, r *Act) { r.Session, r.Drawn = fmt.Sprint(i/2), i%2 == 1 }),
		"unreviewed sessions": reviews(strings.Repeat("sssu", 100)),
		"failures in renamed categories": change(reviews(strings.Repeat("sf", 150)),
			func(i int, r *Act) { r.Category = fmt.Sprint("c", i) }),
	} {
		golden.Equal(t, name, Evaluate(all, bars, "medium", "", "").Level, Supervised)
	}
	half := Evaluate(change(reviews(good), func(i int,
		r *Act) {
		r.By = map[bool]string{true: "friend", false: fmt.Sprint("p", i%7)}[i%3 > 0]
	}), bars, "medium", "", "")
	if half.LeftOut != 100 || half.Successes != 200 {
		t.Errorf("got %+v, want 100 successes of the friend left out", half)
	}
	changed := Evaluate(change(reviews(good), func(_ int, r *Act) { r.Model = "old" }), bars, "high", "", "new")
	if changed.Level != Trusted || !strings.Contains(changed.Why, "model has changed") ||
		!strings.Contains(changed.Missing, "reviews of this model") {
		t.Errorf(`a changed model: got %+v, want Level=%v, Why with "model has changed", Missing with "reviews of this model"`, changed, Trusted)
	}
	golden.Equal(t, "the same model", Evaluate(change(reviews(good), func(_ int, r *Act) { r.Model = "old" }), bars,
		"high", "",
		"OLD").Level, Autonomous)
	mixed := change(reviews(strings.Repeat("s", 200)+"ffff"),
		func(i int, r *Act) { r.Category = map[bool]string{true: "deploy", false: "docs"}[i >= 200] })
	if veto := Evaluate(mixed, bars, "medium", "Deploy", ""); veto.Level != Supervised || veto.Veto != "Deploy" {
		t.Errorf("a bad category: got %+v, want Level=%v, Veto=Deploy", veto, Supervised)
	}
	if other := Evaluate(mixed, bars, "medium", "docs", ""); other.Level == Supervised {
		t.Errorf("another category: got %+v, want Level other than %v", other, Supervised)
	}
}

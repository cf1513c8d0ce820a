package labtest_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/internal/statistics"
	"nomograph/policies/autonomy"
	"nomograph/policies/labtest"
	"nomograph/policies/learning"
)

var fives = labtest.World{Sizes: [2]int{5, 5}, Correlation: 0.6, Facts: 1}

// promoted returns the share of worlds in which an agent with this failure rate is ever trusted, if successes and
// failures are reviewed at these rates.
func promoted(w labtest.World, base, successes, failures float64) float64 {
	const runs = 100
	w.Base, w.Acts, w.Facts = base, 600, 1
	wrong := 0
	for run := range uint64(runs) {
		rng := rand.New(rand.NewPCG(run, 3))
		var acts []autonomy.Act
		for i, a := range w.Make(run) {
			act := autonomy.Act{Session: a.Session, Drawn: rng.Float64() < 0.1, By: []string{"mia", "ada", "eve"}[i%3],
				Outcome: map[bool]string{true: "failure", false: "success"}[a.Failed]}
			if rng.Float64() >= map[bool]float64{true: failures, false: successes}[a.Failed] {
				act.Outcome = ""
			}
			if acts = append(acts, act); len(acts)%60 == 0 &&
				autonomy.Evaluate(acts, autonomy.Bars{Trusted: 0.8, Autonomous: 0.9, TrustedFloor: 0.65,
					AutonomousFloor: 0.75}, "medium", "", "").Level != autonomy.Supervised {
				wrong++
				break
			}
		}
	}
	return float64(wrong) / runs
}

// covered returns the share of intervals over 30 sessions of 1 to 9 acts that contain a share of 0.2.
func covered() float64 {
	const runs = 200
	inside := 0
	for run := range uint64(runs) {
		var cases []statistics.Case
		for _, a := range (labtest.World{Acts: 150, Sizes: [2]int{1, 9}, Correlation: 0.6, Base: 0.2, Facts: 1}).
			Make(run) {
			cases = append(cases, statistics.Case{Group: a.Session, Hit: a.Failed})
		}
		if s := statistics.ShareOf(cases); s.Low <= 0.2 && 0.2 <= s.High {
			inside++
		}
	}
	return float64(inside) / runs
}

// settled returns the share of worlds in which reviews, looked at after each session, settle that failures cost more
// than blocks.
func settled(base float64) float64 {
	const runs = 100
	wrong := 0
	for run := range uint64(runs) {
		w := fives
		w.Base, w.Acts = base, 300
		var cases []statistics.Case
		for _, a := range w.Make(run) {
			if cases = append(cases, statistics.Case{Group: a.Session, Hit: a.Failed, Cost: 3}); len(cases)%5 > 0 {
				continue
			}
			if side, _ := statistics.Settle(cases, nil); side > 0 {
				wrong++
				break
			}
		}
	}
	return float64(wrong) / runs
}

// cheaper returns the share of worlds in which one of 20 values of equal cost is shown to differ.
func cheaper() float64 {
	const runs = 100
	wrong := 0
	for run := range uint64(runs) {
		rng := rand.New(rand.NewPCG(run, 5))
		values := make([][]float64, 20)
		for range 60 {
			draw := rng.NormFloat64()
			for v := range values {
				values[v] = append(values[v], draw+rng.NormFloat64())
			}
		}
		low, high := statistics.Sums(values)
		for v := range values {
			if low[v] > 0 || high[v] < 0 {
				wrong++
				break
			}
		}
	}
	return float64(wrong) / runs
}

// found returns the share of worlds in which the search reports a pattern.
func found(t *testing.T, w labtest.World) float64 {
	const runs = 40
	reported := 0
	for run := range uint64(runs) {
		var cases []learning.Case
		for _, a := range w.Make(run) {
			cases = append(cases, learning.Case{ID: a.ID, Agent: a.Agent, Month: a.Month, Session: a.Session,
				Failed: a.Failed, Facts: a.Facts})
		}
		result := graphtest.Must(learning.Search(t.Context(), cases, 400))(t)
		if len(result.Findings) > 0 {
			reported++
		}
	}
	return float64(reported) / runs
}

// TestRates_SimulatedWorlds_MatchThePage measures the promises of the policy lab in worlds whose truth is known.
func TestRates_SimulatedWorlds_MatchThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes over five seconds")
	}
	noise, planted := labtest.Noise["sessions of 5, correlation 0.6"],
		labtest.World{Acts: 600, Sizes: [2]int{5, 5}, Correlation: 0.6, Shared: 0.5, Base: 0.1, Planted: 0.7}
	single, longer := labtest.World{}, labtest.World{Sizes: [2]int{1, 9}, Correlation: 0.6, Longer: true}
	var b strings.Builder
	b.WriteString("| answer | world | promise | measured |\n|---|---|--:|--:|\n")
	for _, row := range []struct {
		answer, world, promise string
		measured               float64
		least, most            float64
	}{
		{"an interval contains the true share", "share 0.2, about 30 sessions of 1 to 9", "95 %", covered(), 0.88, 1},
		{"failures cost more than blocks", "they cost the same, looked at after each session of 5", "at most 5 %",
			settled(0.25), 0, 0.05},
		{"failures cost more than blocks", "failure rate 0.6", "", settled(0.6), 0.8, 1},
		{"a value differs from today's", "20 values that cost the same", "about 5 %", cheaper(), 0, 0.1},
		{"a pattern of failures", "no pattern, sessions of 5", "at most 5 %", found(t, noise), 0, 0.1},
		{"a pattern of failures", "a tenth of 600 acts fails at 0.7, others at 0.1", "", found(t, planted), 0.8, 1},
		{"an agent is trusted", "share 0.8, single acts", "at most 5 %", promoted(single, 0.2, 1, 1), 0, 0.05},
		{"an agent is trusted", "share 0.8, sessions of 5", "at most 5 %", promoted(fives, 0.2, 1, 1), 0, 0.05},
		{"an agent is trusted", "share 0.8, failing sessions last longer", "at most 5 %", promoted(longer, 0.2, 1, 1),
			0, 0.05},
		{"an agent is trusted", "share 0.75, 80 % of successes and 30 % of failures reviewed", "at most 5 %",
			promoted(single, 0.25, 0.8, 0.3), 0, 0.05},
		{"an agent is trusted", "share 0.98, sessions of 5", "", promoted(fives, 0.02, 1, 1), 0.5, 1},
	} {
		if row.measured < row.least || row.measured > row.most {
			t.Errorf("%s in %s: got %.2f, want %g to %g", row.answer, row.world, row.measured, row.least, row.most)
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %.0f %% |\n", row.answer, row.world, row.promise, 100*row.measured)
	}
	golden.Section(t, "../../docs/concepts/calibration.md", "<!-- made from policies/labtest/rates_test.go -->",
		b.String())
}

package learning_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/labtest"
	"nomograph/policies/learning"
)

func search(t *testing.T, cases []learning.Case) learning.Result {
	t.Helper()
	out := graphtest.Must(learning.Search(t.Context(), cases, 199))(t)
	return out
}

// cases converts acts of a world.
func cases(acts []labtest.Act) []learning.Case {
	all := make([]learning.Case, len(acts))
	for i, a := range acts {
		all[i] = learning.Case{ID: a.ID, Agent: a.Agent, Month: a.Month, Session: a.Session, Failed: a.Failed,
			Facts: a.Facts}
	}
	return all
}

// findings returns how many of the searches with the first seeds find anything, and how many find the planted fact
// first.
func findings(t *testing.T, w labtest.World, seeds uint64) (reported, planted int) {
	t.Helper()
	for seed := range seeds {
		found := search(t, cases(w.Make(seed))).Findings
		if len(found) > 0 {
			reported++
			if c := found[0].Conditions; len(c) == 1 && c[0].Path == "action.params.hurried" {
				planted++
			}
		}
	}
	return reported, planted
}

// TestSearch_NoisyWorlds_FindNothing: at most 7 % of searches may report anything. With this rate, 4 or more of 12 do
// so in one of 150 worlds. bench measures the rates with more seeds.
func TestSearch_NoisyWorlds_FindNothing(t *testing.T) {
	const seeds, most = 12, 3
	for name, world := range labtest.Noise {
		if testing.Short() && world.Acts > 300 {
			continue
		}
		if reported, _ := findings(t, world, seeds); reported > most {
			t.Errorf("%s: got findings with %d of %d seeds, want at most %d", name, reported, seeds, most)
		}
	}
}

// TestSearch_PlantedFact_IsFound: a fact of a tenth of the acts, with failures of 70 % against 10 %.
func TestSearch_PlantedFact_IsFound(t *testing.T) {
	for _, c := range []struct {
		acts, sizes, least int
	}{{300, 1, 11}, {300, 5, 5}, {600, 5, 11}} {
		w := labtest.World{Acts: c.acts, Sizes: [2]int{c.sizes, c.sizes}, Correlation: 0.1, Shared: 0.5, Base: 0.1,
			Planted: 0.7}
		if _, planted := findings(t, w, 12); planted < c.least {
			t.Errorf("%d acts in sessions of %d: found with %d of 12 seeds, want at least %d", c.acts, c.sizes, planted,
				c.least)
		}
	}
}

func TestSearch_AgentThatFailsMore_IsNotReported(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	var cases []learning.Case
	for i := range 600 {
		agent, rate := "careful", 0.05
		tool := "editor"
		if i%3 == 0 {
			agent, rate, tool = "hasty", 0.6, "shell"
		}
		cases = append(cases, learning.Case{ID: fmt.Sprint(i), Agent: agent, Month: "2026-01", Session: fmt.Sprint(i),
			Failed: rng.Float64() < rate, Facts: map[string]any{"action.params.tool": tool}})
	}
	if out := search(t, cases); len(out.Findings) > 0 {
		t.Errorf("got %v, want nothing: only agents differ", out.Findings)
	}
}

func TestSearch_Pair_IsFoundAsPair(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	var cases []learning.Case
	for i := range 2000 {
		friday, deploy := rng.Float64() < 0.3, rng.Float64() < 0.3
		rate := 0.08
		if friday && deploy {
			rate = 0.7
		}
		facts := map[string]any{"action.params.friday": friday, "action.category": "review",
			"action.confidence": rng.Float64()}
		if deploy {
			facts["action.category"] = "deploy"
		}
		cases = append(cases, learning.Case{ID: fmt.Sprint(i), Agent: "a", Month: "2026-01", Session: fmt.Sprint(i),
			Failed: rng.Float64() < rate, Facts: facts})
	}
	out := search(t, cases)
	if len(out.Findings) != 1 {
		t.Fatalf("got %d findings, want 1: %+v", len(out.Findings), out.Findings)
	}
	const want = `action.category == "deploy" && has(action.params.friday) && action.params.friday == true`
	golden.Equal(t, "expression", learning.Expression(out.Findings[0].Conditions), want)
	f := out.Findings[0]
	if f.Acts < 100 || f.Elsewhere > 0.12 || f.Shrunken > float64(f.Failures)/float64(f.Acts) || f.P > 0.05 ||
		len(f.Cases) != f.Acts {
		t.Errorf("got %+v, want Acts at least 100, Elsewhere at most 0.12, Shrunken at most %v, P at most 0.05, len(Cases)=%v", f, float64(f.Failures)/float64(f.Acts), f.Acts)
	}
}

func TestSearch_FewReviews_NameDetectableEffect(t *testing.T) {
	out := search(t, cases(labtest.World{Acts: 210, Sizes: [2]int{5, 5}, Correlation: 0.3, Shared: 0.5, Base: 0.2,
		Planted: 0.3}.Make(1)))
	if out.Combined != 1 {
		t.Errorf("got combinations of %d conditions with %d failures, want single facts", out.Combined, out.Failures)
	}
	if len(out.Detectable) != 3 {
		t.Fatalf("got %+v, want a rate for three shares", out.Detectable)
	}
	for i, d := range out.Detectable {
		if d.Rate != nil && *d.Rate <= 0.2 || i > 0 &&
			(d.Rate == nil || out.Detectable[i-1].Rate != nil && *d.Rate > *out.Detectable[i-1].Rate) {
			t.Errorf("got %+v, want rates that fall as the share grows", out.Detectable)
		}
	}
}

func TestSearch_NoFailuresOrCases_FindsNothing(t *testing.T) {
	for name, cases := range map[string][]learning.Case{"no cases": nil,
		"no failures": cases(labtest.World{Acts: 100}.Make(1)),
		"one case":    cases(labtest.World{Acts: 1, Base: 1}.Make(1))} {
		if out := search(t, cases); len(out.Findings) > 0 || out.Acts != len(cases) {
			t.Errorf("%s: got %+v, want len(Findings) at most 0, Acts=%v", name, out, len(cases))
		}
	}
}

func TestSearch_FewSessions_PromisesNothing(t *testing.T) {
	w := labtest.World{Acts: 120, Sizes: [2]int{40, 40}, Base: 0.3, Agents: 1}
	if out := search(t, cases(w.Make(1))); len(out.Findings)+len(out.Detectable) > 0 || out.Failures == 0 {
		t.Errorf("got %+v for three sessions, want no finding and no detectable rate", out)
	}
}

func TestSearch_Cancelled_ReturnsItsError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := learning.Search(ctx, cases(labtest.World{Acts: 500, Base: 0.2}.Make(1)),
		learning.Flips); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

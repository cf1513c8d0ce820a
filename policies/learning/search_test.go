package learning_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"nomograph/policies/learning"
	"nomograph/policies/learning/learningtest"
)

func search(t *testing.T, cases []learning.Case) learning.Result {
	t.Helper()
	out, err := learning.Search(t.Context(), cases, learning.Options{Permutations: 100})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSearch_PlantedRule_IsFound(t *testing.T) {
	const seeds = 4
	found := 0
	for seed := range uint64(seeds) {
		out := search(t, learningtest.Acts(seed, 2000, 0.7, 0.1))
		if len(out.Findings) == 0 {
			continue
		}
		first := out.Findings[0]
		if len(first.Conditions) == 1 && first.Conditions[0].Path == "action.params.hurried" {
			found++
		}
		if len(out.Findings) > 3 {
			t.Errorf("seed %d: got %d findings, want the planted one and at most chance", seed, len(out.Findings))
		}
	}
	if found < seeds-1 {
		t.Errorf("the planted rule was found with %d of %d seeds, want %d", found, seeds, seeds-1)
	}
}

func TestSearch_ShuffledOutcomes_FindsNothing(t *testing.T) {
	const seeds = 12
	reported := 0
	for seed := range uint64(seeds) {
		cases := learningtest.Acts(seed, 600, 0.7, 0.1)
		learningtest.Shuffle(seed, cases)
		if len(search(t, cases).Findings) > 0 {
			reported++
		}
	}
	if reported > 3 { // 5 % of 12 searches are less than one report
		t.Errorf("%d of %d seeds report something, want at most 3", reported, seeds)
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
		cases = append(cases, learning.Case{ID: fmt.Sprint(i), Agent: agent, Month: "2026-01", Failed: rng.Float64() < rate, Facts: map[string]any{"action.params.tool": tool}})
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
		facts := map[string]any{"action.params.friday": friday, "action.category": "review", "action.confidence": rng.Float64()}
		if deploy {
			facts["action.category"] = "deploy"
		}
		cases = append(cases, learning.Case{ID: fmt.Sprint(i), Agent: "a", Month: "2026-01", Failed: rng.Float64() < rate, Facts: facts})
	}
	out := search(t, cases)
	if len(out.Findings) != 1 {
		t.Fatalf("got %d findings, want 1: %+v", len(out.Findings), out.Findings)
	}
	const want = `action.category == "deploy" && has(action.params.friday) && action.params.friday == true`
	if got := learning.Expression(out.Findings[0].Conditions); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f := out.Findings[0]
	if f.Acts < 100 || f.Elsewhere > 0.12 || f.Shrunken > float64(f.Failures)/float64(f.Acts) || f.P > 0.05 || len(f.Cases) != f.Acts {
		t.Errorf("got %+v, want Acts at least 100, Elsewhere at most 0.12, Shrunken at most %v, P at most 0.05, len(Cases)=%v", f, float64(f.Failures)/float64(f.Acts), f.Acts)
	}
}

func TestSearch_FewReviews_NameDetectableEffect(t *testing.T) {
	out := search(t, learningtest.Acts(1, 210, 0.3, 0.2))
	if out.Conditions != 1 {
		t.Errorf("got combinations of %d conditions with %d failures, want single facts", out.Conditions, out.Failures)
	}
	if len(out.Detectable) != 3 {
		t.Fatalf("got %+v, want a rate for three shares", out.Detectable)
	}
	for i, d := range out.Detectable {
		if d.Rate != nil && *d.Rate <= 0.2 || i > 0 && (d.Rate == nil || out.Detectable[i-1].Rate != nil && *d.Rate > *out.Detectable[i-1].Rate) {
			t.Errorf("got %+v, want rates that fall as the share grows", out.Detectable)
		}
	}
}

func TestSearch_NoFailuresOrCases_FindsNothing(t *testing.T) {
	for name, cases := range map[string][]learning.Case{"no cases": nil, "no failures": learningtest.Acts(1, 100, 0, 0), "one case": learningtest.Acts(1, 5, 1, 1)[:1]} {
		if out := search(t, cases); len(out.Findings) > 0 || out.Acts != len(cases) {
			t.Errorf("%s: got %+v, want len(Findings) at most 0, Acts=%v", name, out, len(cases))
		}
	}
}

func TestSearch_Cancelled_ReturnsItsError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := learning.Search(ctx, learningtest.Acts(1, 500, 0.7, 0.1), learning.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

package learning

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// history makes acts in sessions of five by five agents over six months, with 40 facts. Acts with two of the facts fail
// with a chance of planted, others of base; acts of one session resemble each other in their facts and outcomes.
func history(seed uint64, n int, planted, base float64) []Case {
	chance := rand.New(rand.NewPCG(seed, 1))
	cases := make([]Case, 0, n)
	for len(cases) < n {
		session := fmt.Sprintf("s%d", len(cases)/5)
		agent, month := fmt.Sprintf("agent-%d", chance.IntN(5)), fmt.Sprintf("2026-%02d", 1+chance.IntN(6))
		usual := make([]int, 38)
		for i := range usual {
			usual[i] = chance.IntN(3)
		}
		luck, hasRule := chance.Float64(), chance.Float64() < 0.1
		for range 5 {
			facts := map[string]any{"action.category": "process"}
			for i := range usual {
				value := usual[i]
				if chance.Float64() < 0.5 {
					value = chance.IntN(3)
				}
				facts[fmt.Sprintf("action.params.fact_%d", i)] = fmt.Sprintf("value-%d", value)
			}
			facts["action.confidence"] = math.Round(chance.Float64()*100) / 100
			has := hasRule
			if chance.Float64() < 0.2 {
				has = chance.Float64() < 0.1
			}
			if has {
				facts["action.params.hurried"] = true
			}
			rate := base
			if has {
				rate = planted
			}
			draw := luck
			if chance.Float64() < 0.7 {
				draw = chance.Float64()
			}
			cases = append(cases, Case{ID: fmt.Sprint(len(cases)), Agent: agent, Month: month, Session: session, Failed: draw < rate, Facts: facts})
		}
	}
	return cases
}

func search(t *testing.T, cases []Case) Result {
	t.Helper()
	out, err := Search(t.Context(), cases, Options{Permutations: 100})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestSearch_PlantedRule_IsFound(t *testing.T) {
	const seeds = 6
	found := 0
	for seed := range uint64(seeds) {
		out := search(t, history(seed, 2000, 0.7, 0.1))
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
		cases := history(seed, 600, 0.7, 0.1)
		chance := rand.New(rand.NewPCG(seed, 2))
		byAgent := map[string][]int{}
		for i, c := range cases {
			byAgent[c.Agent] = append(byAgent[c.Agent], i)
		}
		for _, agent := range slices.Sorted(maps.Keys(byAgent)) {
			indices := byAgent[agent]
			chance.Shuffle(len(indices), func(i, j int) {
				a, b := indices[i], indices[j]
				cases[a].Failed, cases[b].Failed = cases[b].Failed, cases[a].Failed
			})
		}
		if len(search(t, cases).Findings) > 0 {
			reported++
		}
	}
	if reported > 3 { // 5 % of 12 are less than 1
		t.Errorf("%d of %d seeds report something, want at most 3", reported, seeds)
	}
}

func TestSearch_AgentThatFailsMore_IsNoFinding(t *testing.T) {
	chance := rand.New(rand.NewPCG(7, 7))
	var cases []Case
	for i := range 600 {
		agent, rate := "careful", 0.05
		tool := "editor"
		if i%3 == 0 {
			agent, rate, tool = "hasty", 0.6, "shell"
		}
		cases = append(cases, Case{ID: fmt.Sprint(i), Agent: agent, Month: "2026-01", Failed: chance.Float64() < rate, Facts: map[string]any{"action.params.tool": tool}})
	}
	if out := search(t, cases); len(out.Findings) > 0 {
		t.Errorf("got %v, want nothing: only agents differ", out.Findings)
	}
}

func TestSearch_Pair_IsFoundAsPair(t *testing.T) {
	chance := rand.New(rand.NewPCG(3, 3))
	var cases []Case
	for i := range 2000 {
		friday, deploy := chance.Float64() < 0.3, chance.Float64() < 0.3
		rate := 0.08
		if friday && deploy {
			rate = 0.7
		}
		facts := map[string]any{"action.params.friday": friday, "action.category": "review", "action.confidence": chance.Float64()}
		if deploy {
			facts["action.category"] = "deploy"
		}
		cases = append(cases, Case{ID: fmt.Sprint(i), Agent: "a", Month: "2026-01", Failed: chance.Float64() < rate, Facts: facts})
	}
	out := search(t, cases)
	if len(out.Findings) != 1 {
		t.Fatalf("got %d findings, want 1: %+v", len(out.Findings), out.Findings)
	}
	const want = `action.category == "deploy" && has(action.params.friday) && action.params.friday == true`
	if got := Expression(out.Findings[0].Conditions); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	f := out.Findings[0]
	if f.Acts < 100 || f.Elsewhere > 0.12 || f.Shrunken > float64(f.Failures)/float64(f.Acts) || f.P > 0.05 || len(f.Cases) != f.Acts {
		t.Errorf("got %+v", f)
	}
}

func TestSearch_FewReviews_NameDetectableEffect(t *testing.T) {
	out := search(t, history(1, 210, 0.3, 0.2))
	if out.Conditions != 1 {
		t.Errorf("got combinations of %d conditions with %d failures, want single facts", out.Conditions, out.Failures)
	}
	if len(out.Detectable) != len(shares) {
		t.Fatalf("got %+v, want a rate for %d shares", out.Detectable, len(shares))
	}
	for i, d := range out.Detectable {
		if d.Rate != nil && *d.Rate <= 0.2 || i > 0 && (d.Rate == nil || out.Detectable[i-1].Rate != nil && *d.Rate > *out.Detectable[i-1].Rate) {
			t.Errorf("got %+v, want rates that fall as the share grows", out.Detectable)
		}
	}
}

func TestSearch_NoFailuresOrCases_FindsNothing(t *testing.T) {
	for name, cases := range map[string][]Case{"no cases": nil, "no failures": history(1, 100, 0, 0), "one case": history(1, 5, 1, 1)[:1]} {
		if out := search(t, cases); len(out.Findings) > 0 || out.Acts != len(cases) {
			t.Errorf("%s: got %+v", name, out)
		}
	}
}

func TestSearch_Cancelled_ReturnsItsError(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Search(ctx, history(1, 500, 0.7, 0.1), Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// TestAtLeast_Binomial compares with tables of the binomial distribution.
func TestAtLeast_Binomial(t *testing.T) {
	for _, test := range []struct {
		k, n    int
		p, want float64
	}{{0, 5, 0.3, 1}, {3, 5, 0.5, 0.5}, {8, 10, 0.5, 0.0547}, {2, 20, 0.05, 0.2642}, {10, 10, 0.8, 0.1074}, {3, 3, 1, 1}} {
		if got := atLeast(test.k, test.n, test.p); math.Abs(got-test.want) > 5e-5 {
			t.Errorf("%d or more of %d with %g: got %.4f, want %.4f", test.k, test.n, test.p, got, test.want)
		}
	}
}

func TestCEL_EveryOperator_GuardsAbsentFacts(t *testing.T) {
	for want, c := range map[string]Condition{
		`action.category == "deploy"`:                                     {"action.category", Equals, "deploy"},
		`action.stakes == high`:                                           {"action.stakes", Equals, "high"},
		`"auth" in action.tags`:                                           {"action.tags", Contains, "auth"},
		`has(action.params.branch)`:                                       {"action.params.branch", Has, nil},
		`has(action.params.force) && action.params.force == true`:         {"action.params.force", Equals, true},
		`has(action.confidence) && action.confidence <= 0.75`:             {"action.confidence", AtMost, 0.75},
		`has(action.params.replicas) && action.params.replicas > 3.0`:     {"action.params.replicas", Above, 3.0},
		`has(action.params.title) && action.params.title == "a \"b\" \n"`: {"action.params.title", Equals, "a \"b\" \n"},
	} {
		if got := c.CEL(); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"nomograph/policies/learning"
)

const (
	learnedActs  = 20_000
	learnedFacts = 40
	seeds        = 100
)

// learning measures the search for what failures have in common: its time for a large history, in how many seeds it finds
// a planted rule, and in how many it reports something where outcomes have no pattern. It needs no database.
func (b *bench) learning(ctx context.Context) error {
	began := time.Now()
	large, err := learning.Search(ctx, reviewedActs(1, learnedActs, 0.7, 0.1), learning.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintf(&b.report, "\n## Learning\n\n%d acts with %d facts and %d failures: %d conditions and their combinations were searched in %.1f s, with 1,000 permutations; %d findings.\n",
		large.Acts, learnedFacts, large.Failures, large.Facts, time.Since(began).Seconds(), len(large.Findings))
	found, others, reported := 0, 0, 0
	for seed := range uint64(seeds) {
		planted := reviewedActs(seed, 2000, 0.7, 0.1)
		out, err := learning.Search(ctx, planted, learning.Options{Permutations: 200})
		if err != nil {
			return err
		}
		for i, f := range out.Findings {
			if len(f.Conditions) == 1 && f.Conditions[0].Path == "action.params.hurried" {
				found++
			} else if i > 0 {
				others++
			}
		}
		shuffle(seed, planted)
		if out, err = learning.Search(ctx, planted, learning.Options{Permutations: 200}); err != nil {
			return err
		}
		if len(out.Findings) > 0 {
			reported++
		}
	}
	fmt.Fprintf(&b.report, "With 2,000 acts in sessions of five, a fact of a tenth of them and failures of 70 %% against 10 %%, it is found in %d of %d seeds, beside %d other findings. With outcomes shuffled within agents, %d of %d seeds report anything.\n",
		found, seeds, others, reported, seeds)
	few, err := learning.Search(ctx, reviewedActs(1, 210, 0.7, 0.1), learning.Options{})
	if err != nil {
		return err
	}
	fmt.Fprintf(&b.report, "With %d acts and %d failures: %d findings", few.Acts, few.Failures, len(few.Findings))
	for _, d := range few.Detectable {
		if d.Rate == nil {
			fmt.Fprintf(&b.report, "; a fact of %.0f %% is never found", 100*d.Share)
			continue
		}
		fmt.Fprintf(&b.report, "; a fact of %.0f %% is found from %.0f %% failures on", 100*d.Share, 100**d.Rate)
	}
	fmt.Fprintln(&b.report, ".")
	return nil
}

// reviewedActs makes acts in sessions of five by five agents over six months. Acts that are hurried fail with a chance of
// planted, others of base. Acts of one session resemble each other in their facts and outcomes.
func reviewedActs(seed uint64, n int, planted, base float64) []learning.Case {
	chance := rand.New(rand.NewPCG(seed, 1))
	cases := make([]learning.Case, 0, n)
	for len(cases) < n {
		session := fmt.Sprintf("s%d", len(cases)/5)
		agent, month := fmt.Sprintf("agent-%d", chance.IntN(5)), fmt.Sprintf("2026-%02d", 1+chance.IntN(6))
		usual := make([]int, learnedFacts-2)
		for i := range usual {
			usual[i] = chance.IntN(3)
		}
		luck, mostlyHurried := chance.Float64(), chance.Float64() < 0.1
		for range 5 {
			facts := map[string]any{"action.confidence": math.Round(100*chance.Float64()) / 100}
			for i, value := range usual {
				if chance.Float64() < 0.5 {
					value = chance.IntN(3)
				}
				facts[fmt.Sprintf("action.params.fact_%d", i)] = fmt.Sprintf("value-%d", value)
			}
			hurried, rate, draw := mostlyHurried, base, luck
			if chance.Float64() < 0.2 {
				hurried = chance.Float64() < 0.1
			}
			if hurried {
				facts["action.params.hurried"], rate = true, planted
			}
			if chance.Float64() < 0.7 {
				draw = chance.Float64()
			}
			cases = append(cases, learning.Case{ID: fmt.Sprint(len(cases)), Agent: agent, Month: month, Session: session, Failed: draw < rate, Facts: facts})
		}
	}
	return cases
}

// shuffle exchanges outcomes among the acts of each agent.
func shuffle(seed uint64, cases []learning.Case) {
	chance := rand.New(rand.NewPCG(seed, 2))
	for agent := range 5 {
		var of []int
		for i, c := range cases {
			if c.Agent == fmt.Sprintf("agent-%d", agent) {
				of = append(of, i)
			}
		}
		chance.Shuffle(len(of), func(i, j int) {
			a, b := of[i], of[j]
			cases[a].Failed, cases[b].Failed = cases[b].Failed, cases[a].Failed
		})
	}
}

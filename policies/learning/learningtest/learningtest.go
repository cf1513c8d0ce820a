// Package learningtest makes reviewed acts for tests and benchmarks of learning.
package learningtest

import (
	"fmt"
	"math"
	"math/rand/v2"

	"nomograph/policies/learning"
)

// Facts is the number of facts per act of Acts; one of them is a number.
const Facts = 40

// Acts makes n acts in sessions of five, by five agents over six months. Hurried acts fail with the probability
// planted, others with base. Acts of one session resemble each other in their facts and outcomes.
func Acts(seed uint64, n int, planted, base float64) []learning.Case {
	rng := rand.New(rand.NewPCG(seed, 1))
	cases := make([]learning.Case, 0, n)
	for len(cases) < n {
		session := fmt.Sprintf("s%d", len(cases)/5)
		agent, month := fmt.Sprintf("agent-%d", rng.IntN(5)), fmt.Sprintf("2026-%02d", 1+rng.IntN(6))
		sessionFacts := make([]int, Facts-2)
		for i := range sessionFacts {
			sessionFacts[i] = rng.IntN(3)
		}
		sessionDraw, sessionHurried := rng.Float64(), rng.Float64() < 0.1
		for range 5 {
			facts := map[string]any{"action.confidence": math.Round(100*rng.Float64()) / 100}
			for i, value := range sessionFacts {
				if rng.Float64() < 0.5 {
					value = rng.IntN(3)
				}
				facts[fmt.Sprintf("action.params.fact_%d", i)] = fmt.Sprintf("value-%d", value)
			}
			hurried, rate, draw := sessionHurried, base, sessionDraw
			if rng.Float64() < 0.2 {
				hurried = rng.Float64() < 0.1
			}
			if hurried {
				facts["action.params.hurried"], rate = true, planted
			}
			if rng.Float64() < 0.7 {
				draw = rng.Float64()
			}
			cases = append(cases, learning.Case{ID: fmt.Sprint(len(cases)), Agent: agent, Month: month, Session: session, Failed: draw < rate, Facts: facts})
		}
	}
	return cases
}

// Shuffle exchanges outcomes among the acts of each agent.
func Shuffle(seed uint64, cases []learning.Case) {
	rng := rand.New(rand.NewPCG(seed, 2))
	for agent := range 5 {
		var of []int
		for i, c := range cases {
			if c.Agent == fmt.Sprintf("agent-%d", agent) {
				of = append(of, i)
			}
		}
		rng.Shuffle(len(of), func(i, j int) {
			a, b := of[i], of[j]
			cases[a].Failed, cases[b].Failed = cases[b].Failed, cases[a].Failed
		})
	}
}

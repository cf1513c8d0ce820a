// Package labtest makes reviewed acts of worlds whose truth is known, for tests and benchmarks of the policy lab.
package labtest

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// World describes acts whose outcomes are known. Zero values are its defaults.
type World struct {
	Acts        int
	Sizes       [2]int  // least and greatest number of acts of a session, equally likely; default 1
	Correlation float64 // correlation of the outcomes of two acts of a session
	Shared      float64 // share of facts that an act has from its session
	Base        float64 // failure rate
	Planted     float64 // failure rate of acts with the planted fact; default Base
	Support     float64 // share of acts with the planted fact; default 0.1
	Longer      bool    // failing sessions have twice as many acts
	Facts       int     // default 30
	Agents      int     // default 5
}

// Noise are worlds in which no fact makes a difference.
var Noise = map[string]World{
	"single acts": {Acts: 300, Base: 0.2},
	"sessions of 5, correlation 0.6": {Acts: 300, Sizes: [2]int{5, 5}, Correlation: 0.6, Shared: 0.5,
		Base: 0.2},
	"sessions of 5, correlation 1": {Acts: 300, Sizes: [2]int{5, 5}, Correlation: 1, Shared: 0.5,
		Base: 0.2},
	"sizes 1 to 9, correlation 0.3": {Acts: 300, Sizes: [2]int{1, 9}, Correlation: 0.3, Shared: 0.7,
		Base: 0.2},
	"1,000 acts, sizes 1 to 9": {Acts: 1000, Sizes: [2]int{1, 9}, Correlation: 0.3, Shared: 0.7,
		Base: 0.2},
	"facts fixed in sessions": {Acts: 300, Sizes: [2]int{1, 9}, Correlation: 0.5, Shared: 1,
		Base: 0.2},
	"facts mostly shared": {Acts: 300, Sizes: [2]int{1, 9}, Correlation: 0.6, Shared: 0.9,
		Base: 0.2},
	"sizes 1 to 9, correlation 1": {Acts: 300, Sizes: [2]int{1, 9}, Correlation: 1, Shared: 0.7,
		Base: 0.2},
	"failing sessions last longer": {Acts: 300, Sizes: [2]int{1, 9}, Correlation: 0.6, Shared: 0.7,
		Base: 0.2, Longer: true},
	"1,000 acts, facts fixed, correlation 0.8": {Acts: 1000, Sizes: [2]int{1, 9}, Correlation: 0.8, Shared: 1,
		Base: 0.2},
}

// Act is an act of a world.
type Act struct {
	ID, Agent, Month, Session string
	Failed                    bool
	Facts                     map[string]any
}

// Make makes the acts of a world. The same seed makes the same acts.
func (w World) Make(seed uint64) []Act {
	rng := rand.New(rand.NewPCG(seed, 7))
	or := func(value, otherwise float64) float64 {
		if value == 0 {
			return otherwise
		}
		return value
	}
	facts, agents, support, planted := int(or(float64(w.Facts), 30)), int(or(float64(w.Agents), 5)), or(w.Support, 0.1),
		or(w.Planted, w.Base)
	fromSession := math.Sqrt(w.Correlation) // two acts that both have their session's outcome agree
	var acts []Act
	for session := 0; len(acts) < w.Acts; session++ {
		draw := rng.Float64()
		size := max(1, w.Sizes[0]) + rng.IntN(max(1, w.Sizes[1]-w.Sizes[0]+1))
		if w.Longer && draw < w.Base {
			size *= 2
		}
		agent, month := fmt.Sprintf("agent-%d", rng.IntN(agents)), fmt.Sprintf("2026-%02d", 1+rng.IntN(6))
		values := make([]int, facts)
		for i := range values {
			values[i] = rng.IntN(3)
		}
		sessionHurried := rng.Float64() < support
		for range size {
			a := Act{ID: fmt.Sprint(len(acts)), Agent: agent, Month: month, Session: fmt.Sprintf("session-%d", session),
				Facts: map[string]any{"action.confidence": math.Round(100*rng.Float64()) / 100}}
			for i, value := range values {
				if rng.Float64() >= w.Shared {
					value = rng.IntN(3)
				}
				a.Facts[fmt.Sprintf("action.params.fact_%d", i)] = fmt.Sprintf("value-%d", value)
			}
			hurried := sessionHurried
			if rng.Float64() >= w.Shared {
				hurried = rng.Float64() < support
			}
			rate := w.Base
			if hurried {
				a.Facts["action.params.hurried"], rate = true, planted
			}
			own := rng.Float64()
			if rng.Float64() < fromSession {
				own = draw
			}
			a.Failed = own < rate
			if acts = append(acts, a); len(acts) == w.Acts {
				break
			}
		}
	}
	return acts
}

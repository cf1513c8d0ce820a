package statistics

import (
	"math"
	"math/rand/v2"
	"slices"
)

const (
	flips = 2000
	seed  = 20260225 // fixed, so that every interval is reproducible
)

// MinGroups is the minimum number of groups that must differ for an interval of a sum.
const MinGroups = 10

// Sums returns the 95 % intervals of several sums over the same groups, which hold at the same time: values[v][g] is
// the part of group g in sum v. Their common quantile is that of the greatest sum over random signs of the parts,
// divided by the root of the sum of their squares (the multiplier bootstrap of V. Chernozhukov, D. Chetverikov, K.
// Kato, Ann. Statist. 41 (2013) 2786-2819). The parts are not centered, so the intervals of sums far from 0 are wider
// than necessary. A sum to which fewer than MinGroups groups contribute has no interval: low is negative infinity and
// high is positive infinity.
func Sums(values [][]float64) (low, high []float64) {
	low, high = make([]float64, len(values)), make([]float64, len(values))
	sums, spreads := make([]float64, len(values)), make([]float64, len(values))
	for v, parts := range values {
		count, squares := 0, 0.0
		for _, part := range parts {
			sums[v] += part
			squares += part * part
			if part != 0 {
				count++
			}
		}
		if count >= MinGroups {
			spreads[v] = math.Sqrt(squares)
		}
	}
	highest := make([]float64, flips)
	rng := rand.New(rand.NewPCG(seed, uint64(len(values))))
	for i := range highest {
		flipped := make([]float64, len(values))
		for g := range values[0] {
			sign := float64(rng.IntN(2)*2 - 1)
			for v := range values {
				flipped[v] += sign * values[v][g]
			}
		}
		for v, spread := range spreads {
			if spread > 0 {
				highest[i] = max(highest[i], math.Abs(flipped[v])/spread)
			}
		}
	}
	slices.Sort(highest)
	quantile := highest[flips*95/100]
	for v, spread := range spreads {
		if low[v], high[v] = math.Inf(-1), math.Inf(1); spread > 0 {
			low[v], high[v] = sums[v]-quantile*spread, sums[v]+quantile*spread
		}
	}
	return low, high
}

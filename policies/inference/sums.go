package inference

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

// Sums returns the 95 % intervals of several sums over the same groups, which hold at the same time: values[v][g] is the part of group g
// in sum v. Their common quantile is that of the greatest studentized sum over random signs of the groups' deviations from the mean (the
// multiplier bootstrap of V. Chernozhukov, D. Chetverikov, K. Kato, Ann. Statist. 41 (2013) 2786-2819). A sum to which fewer than
// MinGroups groups contribute has no interval: low is negative infinity and high is positive infinity.
func Sums(values [][]float64) (low, high []float64) {
	low, high = make([]float64, len(values)), make([]float64, len(values))
	var examined []int
	deviations, spreads := make([][]float64, len(values)), make([]float64, len(values))
	for v, groups := range values {
		low[v], high[v] = math.Inf(-1), math.Inf(1)
		count, sum := 0, 0.0
		for _, value := range groups {
			if sum += value; value != 0 {
				count++
			}
		}
		if count < MinGroups {
			continue
		}
		n := float64(len(groups))
		deviations[v] = make([]float64, len(groups))
		for g, value := range groups {
			deviations[v][g] = value - sum/n
			spreads[v] += deviations[v][g] * deviations[v][g] * n / (n - 1)
		}
		if spreads[v] = math.Sqrt(spreads[v]); spreads[v] > 0 {
			examined = append(examined, v)
		}
	}
	if len(examined) == 0 {
		return low, high
	}
	highest, signs := make([]float64, flips), make([]float64, len(values[0]))
	rng := rand.New(rand.NewPCG(seed, uint64(len(signs))))
	for i := range highest {
		for g := range signs {
			signs[g] = float64(rng.IntN(2)*2 - 1)
		}
		for _, v := range examined {
			sum := 0.0
			for g, deviation := range deviations[v] {
				sum += signs[g] * deviation
			}
			highest[i] = max(highest[i], math.Abs(sum)/spreads[v])
		}
	}
	slices.Sort(highest)
	quantile := highest[flips*95/100]
	for _, v := range examined {
		sum := 0.0
		for _, value := range values[v] {
			sum += value
		}
		low[v], high[v] = sum-quantile*spreads[v], sum+quantile*spreads[v]
	}
	return low, high
}

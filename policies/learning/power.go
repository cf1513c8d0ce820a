package learning

import "math"

// detectableShares are the shares of acts for which detectable rates are reported.
var detectableShares = [...]float64{0.03, 0.1, 0.25}

const power = 0.8

// detectableRates returns the failure rates that a search with this critical score finds in four of five cases. It assumes
// independent acts; acts of one session that resemble each other need higher rates.
func detectableRates(acts, failures int, critical float64) []Detectable {
	base := float64(failures) / float64(acts)
	out := make([]Detectable, 0, len(detectableShares))
	for _, share := range detectableShares {
		d := Detectable{Share: share, Acts: int(math.Round(share * float64(acts)))}
		if rate := rateFor(d.Acts, acts, base, critical); rate <= 1 {
			d.Rate = &rate
		}
		if d.Acts >= minActs {
			out = append(out, d)
		}
	}
	return out
}

// rateFor returns the lowest rate at which n of all acts exceed the critical score with the power; above 1 if none
// does.
func rateFor(n, all int, base, critical float64) float64 {
	size, total := float64(n), float64(all)
	expected := size * base
	variance := expected * (1 - base) * (total - size) / (total - 1)
	needed := 0
	for needed <= n && deviance(float64(needed), expected, variance) <= critical {
		needed++
	}
	if needed > n {
		return 2
	}
	low, high := base, 1.0
	for range 50 {
		if middle := (low + high) / 2; atLeast(needed, n, middle) < power {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}

// atLeast returns the probability of k or more successes in n tries with probability p.
func atLeast(k, n int, p float64) float64 {
	if p >= 1 {
		return 1
	}
	logN, _ := math.Lgamma(float64(n + 1))
	sum := 0.0
	for i := k; i <= n; i++ {
		a, _ := math.Lgamma(float64(i + 1))
		b, _ := math.Lgamma(float64(n - i + 1))
		sum += math.Exp(logN - a - b + float64(i)*math.Log(p) + float64(n-i)*math.Log1p(-p))
	}
	return sum
}

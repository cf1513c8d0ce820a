package inference

import "math"

// Alpha is the probability that a bound of Lower or Upper, or a decision of Above, is wrong. It holds however often it is computed.
const Alpha = 0.05

// evidence is the logarithm of the mixture likelihood ratio of s successes and f failures against the share p, with the
// uniform distribution as mixture: 1/((n+1) b(n, p, s)), where b is the binomial probability. By Ville's inequality its
// supremum over all n exceeds 1/alpha with a probability of at most alpha, if p is the true share. Counts may be fractions.
//
// Source: H. Robbins, Statistical methods related to the law of the iterated logarithm, Ann. Math. Statist. 41 (1970)
// 1397-1409; a beta-binomial mixture in the sense of S. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, Time-uniform,
// nonparametric, nonasymptotic confidence sequences, Ann. Statist. 49 (2021) 1055-1080. For values from 0 to 1 with the mean p, the
// product is at most that of a betting martingale (I. Waudby-Smith, A. Ramdas, J. R. Stat. Soc. B 86 (2024) 1-27).
func evidence(s, f, p float64) float64 {
	lnGamma := func(n float64) float64 {
		value, _ := math.Lgamma(n)
		return value
	}
	sum := lnGamma(s+1) + lnGamma(f+1) - lnGamma(s+f+2)
	if s > 0 {
		sum -= s * math.Log(p)
	}
	if f > 0 {
		sum -= f * math.Log(1-p)
	}
	return sum
}

// Above reports whether the share of successes is above a bar, with a probability of at most Alpha that it ever reports so wrongly. The
// posterior mean must lie above it, too: a further success then only adds evidence, so leaving out successes never helps.
func Above(s, f, bar float64) bool {
	return s+1 > bar*(s+f+2) && evidence(s, f, bar) >= math.Log(1/Alpha)
}

// Lower is the lower end of the anytime-valid confidence sequence for the share of successes: the smallest share that the
// evidence does not exclude. It returns 0 without successes.
func Lower(s, f float64) float64 {
	if s == 0 {
		return 0
	}
	low, high := 0.0, s/(s+f)
	for range 50 { // the evidence falls from infinity at 0 to its minimum at the mean
		middle := (low + high) / 2
		if middle > 0 && evidence(s, f, middle) >= math.Log(1/Alpha) {
			low = middle
		} else if middle == 0 {
			break
		} else {
			high = middle
		}
	}
	return low
}

// Upper is the upper end of the sequence of Lower.
func Upper(s, f float64) float64 { return 1 - Lower(f, s) }

// Sessions returns the number of hits and misses with one case per group: a group counts as the mean of its cases.
func Sessions(cases []Case) (hits, misses float64) {
	groups := map[string][2]float64{} // hits and cases
	for _, c := range cases {
		g := groups[c.Group]
		if g[1]++; c.Hit {
			g[0]++
		}
		groups[c.Group] = g
	}
	for _, g := range groups {
		hits += g[0] / g[1]
	}
	return hits, float64(len(groups)) - hits
}

// Needed returns how many more reviews, each of another group without a review, would put the sequence on one side of half, at the same
// share. open has the groups of the acts that wait for a review. It returns 0 if the sequence is there already, and -1 if all reviews
// would not do. Without a review it assumes equal outcomes, which need the fewest.
func Needed(reviewed []Case, open []string) int {
	groups := map[string]bool{}
	for _, group := range open {
		groups[group] = true
	}
	for _, c := range reviewed {
		delete(groups, c.Group)
	}
	hits, misses := Sessions(reviewed)
	share := 1.0
	if hits+misses > 0 {
		share = max(hits, misses) / (hits + misses)
	}
	for more := range len(groups) + 1 {
		if n := hits + misses + float64(more); Above(share*n, (1-share)*n, 0.5) {
			return more
		}
	}
	return -1
}

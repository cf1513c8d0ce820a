package statistics

import "math"

// Alpha is the probability that a bound of Lower or Sequence, or a decision of Above, is wrong. It holds however often
// it is computed.
const Alpha = 0.05

// evidence is the logarithm of the mixture likelihood ratio of s successes and f failures against the share p, with the
// uniform distribution as mixture: 1/((n+1) b(n, p, s)), where b is the binomial probability. By Ville's inequality its
// supremum over all n exceeds 1/alpha with a probability of at most alpha, if p is the true share. Counts may be
// fractions.
//
// Source: H. Robbins, Statistical methods related to the law of the iterated logarithm, Ann. Math. Statist. 41 (1970)
// 1397-1409; a beta-binomial mixture in the sense of S. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, Time-uniform,
// nonparametric, nonasymptotic confidence sequences, Ann. Statist. 49 (2021) 1055-1080. For values from 0 to 1 with
// the mean p, the product is at most that of a betting martingale (I. Waudby-Smith, A. Ramdas, J. R. Stat. Soc. B 86
// (2024) 1-27).
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

// Above reports whether the share of successes is above a bar, with a probability of at most Alpha that it ever
// reports so wrongly. The posterior mean must lie above it, too: a further success then only adds evidence, so leaving
// out successes never helps.
func Above(s, f, bar float64) bool {
	return s+1 > bar*(s+f+2) && evidence(s, f, bar) >= math.Log(1/Alpha)
}

// Lower is the lower end of the anytime-valid confidence sequence for the share of successes: the smallest share that
// the evidence does not exclude. It returns 0 without successes.
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

// Sequence returns both ends of the anytime-valid 95 % confidence sequence for the share of hits among cases of
// different groups.
func Sequence(hits, of int) (low, high float64) {
	s, f := float64(hits), float64(of-hits)
	return Lower(s, f), 1 - Lower(f, s)
}

// Settle says whether hits cost more than misses (1), less (-1), or whether that is open (0), and how many more
// reviews, each of another group without a review, would settle it at the same share. more is 0 if it is settled, and
// -1 if all reviews would not do. Without a review it assumes equal outcomes, which need the fewest. The answer may be
// computed after each review.
//
// A case is worth its cost if it is a hit, and -1 otherwise. A group counts as the mean of its cases, mapped from the
// range of -1 to the greatest cost to 0 to 1. Hits cost more if the mean of these values is above that of a worth of 0.
func Settle(reviewed, open []Case) (side, more int) {
	most, waiting := 1.0, map[string]bool{}
	for _, c := range open {
		most, waiting[c.Group] = max(most, c.Cost), true
	}
	for _, c := range reviewed {
		most = max(most, c.Cost)
		delete(waiting, c.Group)
	}
	groups := map[string][2]float64{} // sum of the values, and cases
	for _, c := range reviewed {
		g := groups[c.Group]
		if g[1]++; c.Hit {
			g[0] += (max(1, c.Cost) + 1) / (most + 1)
		}
		groups[c.Group] = g
	}
	sum, n := 0.0, float64(len(groups))
	for _, g := range groups {
		sum += g[0] / g[1]
	}
	bar := 1 / (most + 1)
	at := func(sum, n float64) int {
		switch {
		case Above(sum, n-sum, bar):
			return 1
		case Above(n-sum, sum, 1-bar):
			return -1
		}
		return 0
	}
	if side = at(sum, n); side != 0 {
		return side, 0
	}
	shares := []float64{0, 1}
	if n > 0 {
		shares = []float64{sum / n}
	}
	for more := range len(waiting) {
		for _, share := range shares {
			if total := n + float64(more+1); at(share*total, total) != 0 {
				return 0, more + 1
			}
		}
	}
	return 0, -1
}

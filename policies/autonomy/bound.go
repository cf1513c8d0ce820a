package autonomy

import "math"

// Alpha is the maximum probability that an agent is promoted over a bar although its true share of successes is not above
// it. The bound holds however often it is computed.
const Alpha = 0.05

// evidence is the logarithm of the mixture likelihood ratio of s successes and f failures against the share p, with the
// uniform distribution as mixture: 1/((n+1) b(n, p, s)), where b is the binomial probability. By Ville's inequality its
// supremum over all n exceeds 1/alpha with a probability of at most alpha, if p is the true share.
//
// Source: H. Robbins, Statistical methods related to the law of the iterated logarithm, Ann. Math. Statist. 41 (1970)
// 1397-1409; a beta-binomial mixture in the sense of S. Howard, A. Ramdas, J. McAuliffe, J. Sekhon, Time-uniform,
// nonparametric, nonasymptotic confidence sequences, Ann. Statist. 49 (2021) 1055-1080.
func evidence(s, f int, p float64) float64 {
	lnGamma := func(n int) float64 {
		value, _ := math.Lgamma(float64(n))
		return value
	}
	sum := lnGamma(s+1) + lnGamma(f+1) - lnGamma(s+f+2)
	if s > 0 {
		sum -= float64(s) * math.Log(p)
	}
	if f > 0 {
		sum -= float64(f) * math.Log(1-p)
	}
	return sum
}

// exceedsBar reports whether the lower bound lies above the bar. The posterior mean must lie above it, too: a further
// success then only adds evidence, so that leaving out successes never promotes an agent.
func exceedsBar(s, f int, bar float64) bool {
	return float64(s+1) > bar*float64(s+f+2) && evidence(s, f, bar) >= math.Log(1/Alpha)
}

// LowerBound is the lower end of the anytime-valid confidence sequence for the share of successes: the smallest share
// that the evidence does not exclude. It returns 0 without reviews.
func LowerBound(s, f int) float64 {
	if s == 0 {
		return 0
	}
	low, high := 0.0, float64(s)/float64(s+f)
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

// successesFor returns how many consecutive successes would raise the lower bound above the bar. ok is false if that takes
// more than maximum.
func successesFor(s, f int, bar float64, maximum int) (n int, ok bool) {
	for n = range maximum + 1 {
		if exceedsBar(s+n, f, bar) {
			return n, true
		}
	}
	return maximum, false
}

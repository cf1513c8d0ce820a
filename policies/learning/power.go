package learning

import "math"

// detectableShares are the shares of acts for which detectable rates are reported.
var detectableShares = [...]float64{0.03, 0.1, 0.25}

// powerQuantile is the quantile of the normal distribution for a probability of 80 %.
const powerQuantile = 0.8416212335729143

// detectable returns the failure rates that a search with this critical score finds in four of five cases.
func (t *table) detectable(failures int, critical float64) []Detectable {
	acts, squares := float64(len(t.cases)), 0.0
	sizes := make([]float64, t.sessions)
	for _, session := range t.session {
		sizes[session]++
	}
	for _, size := range sizes {
		squares += size * size
	}
	out := make([]Detectable, 0, len(detectableShares))
	for _, share := range detectableShares {
		d := Detectable{Share: share, Acts: int(math.Round(share * acts))}
		if d.Acts >= minActs {
			base := float64(failures) / acts
			d.Rate, d.RateOfSessions = rateFor(acts, share, base, critical),
				rateFor(acts*acts/squares, share, base, critical)
			out = append(out, d)
		}
	}
	return out
}

// rateFor returns the lowest failure rate of a share of n independent acts whose expected score exceeds the critical
// score by the quantile of the power; nil if none does. The score is the mean of (y - ȳ)(x - x̄), over the root of the
// mean of its square, times √n.
func rateFor(n, share, base, critical float64) *float64 {
	score := func(rate float64) float64 {
		other := (base - share*rate) / (1 - share)
		square := func(rate float64) float64 { return rate*(1-2*base) + base*base } // mean of (y - ȳ)²
		return math.Sqrt(n*share*(1-share)) * (rate - other) / math.Sqrt((1-share)*square(rate)+share*square(other))
	}
	low, high := base, min(1, base/share)
	if score(high) < critical+powerQuantile {
		return nil
	}
	for range 50 {
		if middle := (low + high) / 2; score(middle) < critical+powerQuantile {
			low = middle
		} else {
			high = middle
		}
	}
	return &high
}

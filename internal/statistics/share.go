package statistics

import "math"

// Share is a part of a whole with its 95 % interval.
type Share struct {
	Of    int     `json:"of" jsonschema:"number of cases"`
	Hits  int     `json:"hits"`
	Share float64 `json:"share" jsonschema:"hits / of"`
	Low   float64 `json:"low" jsonschema:"lower end of the 95 % interval"`
	High  float64 `json:"high" jsonschema:"upper end of the 95 % interval"`
	// Method is wilson if all cases are independent, else sessions.
	Method string `json:"method" jsonschema:"wilson, or sessions (wider, because acts of one session are similar)"`
	// Drawn is set by callers that estimate from the random tenth.
	Drawn bool `json:"drawn,omitempty" jsonschema:"true if only acts drawn at random for review count, so that it does not matter what people chose to review"`
}

// z is the quantile of the normal distribution for a 95 % interval.
const z = 1.959963984540054

// Wilson returns the 95 % score interval of a share of n independent cases (E. B. Wilson 1927; method 3 of R. G.
// Newcombe, Stat. Med.
// 17 (1998) 857-872). n may be an effective number. It is [0, 1] without cases, and always contains the share.
func Wilson(share, n float64) (low, high float64) { return score(share, n, z) }

func score(share, n, quantile float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	square := quantile * quantile
	center, spread := share+square/(2*n), quantile*math.Sqrt(share*(1-share)/n+square/(4*n*n))
	return max(0, min(share, (center-spread)/(1+square/n))), min(1, max(share, (center+spread)/(1+square/n)))
}

// Normal returns the 95 % interval of a mean by the normal approximation, from its standard error.
func Normal(mean, deviation float64) (low, high float64) {
	return mean - z*deviation, mean + z*deviation
}

// Case is one case of a share, and its group of similar cases.
type Case struct {
	Group string
	Hit   bool
	Cost  float64 // cost of a hit in misses, at least 1; 0 means 1
}

// ShareOf returns the share of hits, nil without cases. If groups have several cases, n is the effective number of
// cases: share (1 - share) divided by the variance of the share between groups, at most the number of cases. The
// quantile is that of Student's t with one degree of freedom fewer than groups.
// TestShareOf_CorrelatedSessions_CoverTheTruth measures how often it contains the true share.
//
// Source: E. L. Korn, B. I. Graubard, Surv. Methodol. 24 (1998) 193-201, with the score interval in place of the exact
// one.
func ShareOf(cases []Case) *Share {
	if len(cases) == 0 {
		return nil
	}
	type group struct{ hits, of float64 }
	groups := map[string]group{}
	s := &Share{Of: len(cases), Method: "wilson"}
	for _, c := range cases {
		g := groups[c.Group]
		if g.of++; c.Hit {
			g.hits++
			s.Hits++
		}
		groups[c.Group] = g
	}
	n, many := float64(s.Of), float64(len(groups))
	s.Share = float64(s.Hits) / n
	if len(groups) == s.Of {
		s.Low, s.High = Wilson(s.Share, n)
		return s
	}
	s.Method = "sessions"
	deviations, squares := 0.0, 0.0
	for _, g := range groups {
		deviations += (g.hits - s.Share*g.of) * (g.hits - s.Share*g.of)
		squares += g.of * g.of
	}
	effective := n * n / squares // if all cases are equal: that of groups whose cases are always equal
	if deviations > 0 && many > 1 {
		effective = min(n, s.Share*(1-s.Share)*n*n*(many-1)/(many*deviations))
	}
	s.Low, s.High = score(s.Share, effective, student(many-1))
	return s
}

// student returns the quantile of Student's t for a 95 % interval, or that of the normal distribution without degrees
// of freedom (M. Abramowitz, I. A. Stegun, Handbook of Mathematical Functions (1964), 26.7.5; 3 % too low for two
// degrees, and 24 % for one).
func student(degrees float64) float64 {
	if degrees < 1 {
		return z
	}
	const z3, z5, z7 = z * z * z, z * z * z * z * z, z * z * z * z * z * z * z
	return z + (z3+z)/(4*degrees) + (5*z5+16*z3+3*z)/(96*degrees*degrees) + (3*z7+19*z5+17*z3-15*z)/(384*degrees*degrees*degrees)
}

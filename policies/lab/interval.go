package lab

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Share is a part of a whole with its 95 % interval.
type Share struct {
	Of    int     `json:"of" jsonschema:"number of cases"`
	Hits  int     `json:"hits"`
	Share float64 `json:"share" jsonschema:"hits / of"`
	Low   float64 `json:"low" jsonschema:"lower end of the 95 % interval"`
	High  float64 `json:"high" jsonschema:"upper end of the 95 % interval"`
	// Method is wilson if all cases are independent, else sessions.
	Method string `json:"method" jsonschema:"wilson, or sessions (sessions were resampled, because acts of one session are similar)"`
}

// z is the quantile of the normal distribution for a 95 % interval.
const z = 1.959963984540054

// Wilson returns the 95 % score interval of a share of independent cases (Wilson 1927; method 3 of Newcombe 1998). It is [0, 1]
// without cases.
func Wilson(hits, of int) (low, high float64) {
	if of <= 0 {
		return 0, 1
	}
	n, p := float64(of), float64(hits)/float64(of)
	center, spread := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	low, high = (center-spread)/(1+z*z/n), (center+spread)/(1+z*z/n)
	if hits == 0 {
		low = 0
	}
	if hits == of {
		high = 1
	}
	return low, high
}

const (
	resamples = 1000
	seed      = 20260225 // fixed, so that every interval is reproducible
)

// shareCase is one case of a share, and its group of similar cases.
type shareCase struct {
	group string
	hit   bool
}

// shareOf returns the share of hits, nil without cases. Groups of more than one case are resampled (the cluster bootstrap, percentiles of
// 1,000 resamples).
func shareOf(trials []shareCase) *Share {
	if len(trials) == 0 {
		return nil
	}
	type group struct{ hits, of float64 }
	byName, groups := map[string]int{}, []group{}
	s := &Share{Of: len(trials), Method: "wilson"}
	for _, t := range trials {
		at, ok := byName[t.group]
		if !ok {
			at = len(groups)
			byName[t.group] = at
			groups = append(groups, group{})
		}
		groups[at].of++
		if t.hit {
			groups[at].hits++
			s.Hits++
		}
	}
	s.Share = float64(s.Hits) / float64(s.Of)
	s.Low, s.High = Wilson(s.Hits, s.Of)
	if len(groups) == s.Of {
		return s
	}
	s.Method = "sessions"
	// Resampling equal groups always gives the same share. The number of groups then bounds the precision, as it does
	// for few groups.
	effective := len(groups)
	s.Low, s.High = Wilson(int(math.Floor(s.Share*float64(effective))), effective)
	_, s.High = Wilson(int(math.Ceil(s.Share*float64(effective))), effective)
	if s.Hits == 0 || s.Hits == s.Of || len(groups) < minGroups {
		return s
	}
	rng := rand.New(rand.NewPCG(seed, uint64(len(trials))))
	shares := make([]float64, resamples)
	for i := range shares {
		var hits, of float64
		for range groups {
			g := groups[rng.IntN(len(groups))]
			hits, of = hits+g.hits, of+g.of
		}
		shares[i] = hits / of
	}
	slices.Sort(shares)
	s.Low, s.High = shares[resamples*25/1000], shares[resamples*975/1000-1]
	return s
}

// minGroups is the minimum number of sessions for resampling. With fewer, intervals are too short (Cameron, Gelbach,
// Miller 2008).
const minGroups = 10

// reviewsNeeded returns how many more cases with the same share would move the 95 % interval to one side of half. It
// returns 0 if the interval is there already, and -1 if more than maximum cases would be needed.
func reviewsNeeded(hits, total, maximum int) int {
	share := 1.0 // without a case, assume equal outcomes, which need the fewest
	if total > 0 {
		share = float64(hits) / float64(total)
	}
	for more := 0; more <= maximum; more++ {
		n := total + more
		h := int(math.Round(share * float64(n)))
		if low, high := Wilson(h, n); low > 0.5 || high < 0.5 {
			return more
		}
	}
	return -1
}

package learning

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"nomograph/internal/progress"
)

// Flips is the number of random assignments of signs in a search, unless a test needs fewer.
const Flips = 1000

const (
	seed             = 20260225
	level            = 0.05 // probability of a finding if outcomes have no pattern
	failuresForPairs = 100  // fewer failures cannot tell conjunctions from chance
	maxConditions    = 2
	maxTerms         = 4_000_000 // terms of all examined combinations; bounds memory and time
	sameActs         = 0.7       // Jaccard index above which two findings count as one
	priorActs        = 10        // weight of the base rate in a shrunken rate
	maxFindings      = 10
	// minimum sessions per agent and month, and with a fact; a month with fewer is joined with the next one
	minSessions = 5
)

// Finding is a combination of facts whose acts fail more often than others of the same agents and months.
type Finding struct {
	Conditions []Condition `json:"-"`
	Acts       int         `json:"acts"`
	Failures   int         `json:"failures"`
	Expected   float64     `json:"expected" jsonschema:"expected failures if the facts made no difference, given these agents and months"`
	Elsewhere  float64     `json:"elsewhere" jsonschema:"failure rate of the other acts"`
	Shrunken   float64     `json:"shrunken" jsonschema:"failure rate drawn toward that of all acts: (failures + 10 base) / (acts + 10)"`
	P          float64     `json:"p" jsonschema:"probability that the search finds an equally extreme rule in outcomes without a pattern"`
	Cases      []int       `json:"-"` // indices of all its acts
}

// Detectable is the minimum failure rate at which acts that share a fact are found in four of five cases.
type Detectable struct {
	Share          float64  `json:"share" jsonschema:"share of all acts"`
	Acts           int      `json:"acts" jsonschema:"number of acts with the fact"`
	Rate           *float64 `json:"rate,omitempty" jsonschema:"if acts of a session do not resemble each other; absent if even a failure rate of 1 would not be detected"`
	RateOfSessions *float64 `json:"rate_of_sessions,omitempty" jsonschema:"if whole sessions share the fact and the outcome; absent as above"`
}

// Result holds the findings of a search, and what it could have found.
type Result struct {
	Acts       int          `json:"acts" jsonschema:"decisions with success or failure whose facts were stored"`
	Failures   int          `json:"failures"`
	Facts      int          `json:"facts" jsonschema:"number of single conditions that were examined"`
	Combined   int          `json:"combined" jsonschema:"maximum number of combined conditions: 1 below 100 failures, else 2"`
	Tested     int          `json:"tested" jsonschema:"acts of agents with several sessions; others cannot be compared"`
	Findings   []Finding    `json:"-"`
	Detectable []Detectable `json:"detectable" jsonschema:"failure rate that such a search detects with 80 % probability"`
}

// stratum is a range of cases that are compared with each other: the acts of one agent in one month.
type stratum struct {
	from, to int
	failures int
	sessions int
	rate     float64 // failure rate
	unequal  float64 // s / (s - 1), where s is the effective number of sessions
}

// table holds the cases in the order of their strata and sessions.
type table struct {
	cases    []Case
	original []int // index in the caller's order
	session  []int // by case
	of       []int // stratum by case
	sessions int
	strata   []stratum
	failed   bitset
	residual []float64 // of a case: its failure (0 or 1) minus the failure rate of its stratum
}

// term is a part of a sum over sessions or strata.
type term struct {
	of    int32
	value float32
}

// candidate is a scored combination of features.
type candidate struct {
	of       [maxConditions]int // ascending, -1 for unused positions
	n        int                // acts
	score    float64
	scale    float64 // root of the sum of squares of the sessions' sums
	sessions []term  // sums of residuals of the acts
	shares   []term  // shares of acts by stratum
}

// Search finds combinations of facts that correlate with failure. Below 100 failures it examines single facts,
// otherwise also pairs. The sum of a session is Σ (y - ȳ)(x - x̄) over its acts, where y is 1 for a failure, x is 1
// for an act with the facts, and ȳ and x̄ are the means of the acts of the same agent and month. If the facts make no
// difference, each session's sum is as likely to have the opposite sign. The score is the sum over sessions divided by
// the root of the sum of their squares. A finding counts if its score exceeds the highest score of all combinations in
// 95 % of random assignments of signs to sessions. Sessions may thus have different sizes, their acts may share
// outcomes, and many facts create no false findings. It returns the error of ctx.
//
// Source: the wild cluster bootstrap of A. C. Cameron, J. B. Gelbach, D. L. Miller, Rev. Econ. Stat. 90 (2008)
// 414-427, as a score test, with the maximum statistic of P. H. Westfall, S. S. Young, Resampling-Based Multiple
// Testing (1993).
func Search(ctx context.Context, cases []Case, flips int) (Result, error) {
	t := newTable(cases)
	features := features(t.cases)
	out := Result{Acts: len(cases), Facts: len(features), Combined: 1}
	for _, s := range t.strata {
		out.Failures += s.failures
		if s.sessions > 1 {
			out.Tested += s.to - s.from
		}
	}
	if out.Failures >= failuresForPairs {
		out.Combined = maxConditions
	}
	if out.Failures == 0 || len(features) == 0 {
		return out, ctx.Err()
	}
	examined := t.combinations(features, out.Combined)
	if len(examined) == 0 { // too few sessions, so there is no bound that a rate could exceed
		return out, ctx.Err()
	}
	highest := make([]float64, flips)
	err := progress.Each(ctx, "Searching with random signs", flips, func(i int) error {
		highest[i] = t.flipped(examined, rand.New(rand.NewPCG(seed, uint64(i))))
		return nil
	})
	if err != nil {
		return Result{}, err
	}
	slices.Sort(highest)
	critical := highest[min(flips-1, int(math.Ceil((1-level)*float64(flips))))]
	out.Findings = t.choose(examined, features, highest, critical)
	out.Detectable = t.detectable(out.Failures, critical)
	return out, nil
}

// newTable sorts the cases by agent, month and session.
func newTable(cases []Case) *table {
	t := &table{original: make([]int, len(cases)), failed: newBitset(len(cases)), residual: make([]float64, len(cases)),
		of: make([]int, len(cases))}
	for i := range t.original {
		t.original[i] = i
	}
	slices.SortStableFunc(t.original, func(a, b int) int {
		x, y := cases[a], cases[b]
		return cmp.Or(cmp.Compare(x.Agent, y.Agent), cmp.Compare(x.Month, y.Month), cmp.Compare(x.Session, y.Session))
	})
	known := map[string]int{}
	var sizes [][]float64 // of sessions, by stratum
	for i, from := range t.original {
		c := cases[from]
		t.cases = append(t.cases, c)
		at, ok := known[c.Session]
		if !ok {
			at = len(known)
			known[c.Session] = at
		}
		t.session = append(t.session, at)
		newAgent := i == 0 || t.cases[i-1].Agent != c.Agent
		if newAgent || t.cases[i-1].Month != c.Month && len(sizes[len(sizes)-1]) >= minSessions {
			t.strata, sizes = append(t.strata, stratum{from: i}), append(sizes, nil)
		}
		last := len(t.strata) - 1
		if s := &t.strata[last]; i == s.from || t.session[i-1] != at {
			sizes[last] = append(sizes[last], 0)
		}
		sizes[last][len(sizes[last])-1]++
		if t.strata[last].to = i + 1; c.Failed {
			t.failed.set(i)
			t.strata[last].failures++
		}
	}
	// The last months of an agent may be too few for a stratum of their own.
	for i := len(t.strata) - 1; i > 0; i-- {
		s, before := t.strata[i], &t.strata[i-1]
		if len(sizes[i]) < minSessions && t.cases[s.from].Agent == t.cases[before.from].Agent {
			before.to, before.failures, sizes[i-1] = s.to, before.failures+s.failures, append(sizes[i-1], sizes[i]...)
			t.strata, sizes = slices.Delete(t.strata, i, i+1), slices.Delete(sizes, i, i+1)
		}
	}
	t.sessions = len(known)
	for at := range t.strata {
		s := &t.strata[at]
		s.sessions, s.rate = len(sizes[at]), float64(s.failures)/float64(s.to-s.from)
		squares := 0.0
		for _, size := range sizes[at] {
			squares += size * size
		}
		if n := float64(s.to - s.from); s.sessions > 1 {
			s.unequal = n * n / (n*n - squares) // the means are of the same acts, so the sums of few sessions vary less
		}
		for i := s.from; i < s.to; i++ {
			if t.of[i] = at; s.sessions > 1 {
				t.residual[i] = indicator(t.failed, i) - s.rate
			}
		}
	}
	return t
}

// combinations scores the features and, for two conditions, their pairs, most frequent first. It leaves out
// combinations of few acts or sessions.
func (t *table) combinations(features []feature, conditions int) []candidate {
	var all []candidate
	terms := 0
	take := func(c candidate, acts bitset) {
		if c.n < minActs || terms > maxTerms {
			return
		}
		t.measure(&c, acts, nil)
		if len(c.sessions) >= minSessions && c.scale > 0 {
			terms += len(c.sessions)
			all = append(all, c)
		}
	}
	for i, f := range features {
		take(candidate{of: [maxConditions]int{i, -1}, n: f.n}, f.acts)
	}
	both := newBitset(len(t.cases))
	for i := 0; i < len(features) && conditions > 1; i++ {
		for j := range i {
			a, b := &features[j], &features[i]
			if n := both.intersect(a.acts, b.acts); a.Path != b.Path && n < a.n && n < b.n {
				take(candidate{of: [maxConditions]int{j, i}, n: n}, both)
			}
		}
	}
	return all
}

// measure sets the score of a combination, which holds for acts. Acts in without are left out.
func (t *table) measure(c *candidate, acts, without bitset) {
	type counts struct{ all, with, failures float64 }
	strata := make([]counts, len(t.strata))
	left := func(i int) bool { return t.strata[t.of[i]].sessions > 1 && (without == nil || !without.has(i)) }
	for i := range t.cases {
		if s := &strata[t.of[i]]; left(i) {
			s.all++
			s.with += indicator(acts, i)
			s.failures += indicator(t.failed, i)
		}
	}
	c.sessions, c.shares = nil, nil
	for at, s := range strata {
		if s.with > 0 {
			c.shares = append(c.shares, term{int32(at), float32(s.with / s.all)})
		}
	}
	sum, squares, spread := 0.0, 0.0, 0.0
	for from := 0; from < len(t.cases); {
		to := from + 1
		for to < len(t.cases) && t.session[to] == t.session[from] && t.of[to] == t.of[from] {
			to++
		}
		whole, part, has := 0.0, 0.0, false
		s := strata[t.of[from]]
		for i := from; i < to; i++ {
			if x := indicator(acts, i); left(i) {
				residual := indicator(t.failed, i) - s.failures/s.all
				whole += residual * (x - s.with/s.all)
				part += residual * x
				has = has || x > 0
			}
		}
		if has {
			c.sessions = append(c.sessions, term{int32(t.session[from]), float32(part)})
		}
		sum += whole
		squares += whole * whole
		spread += whole * whole * t.strata[t.of[from]].unequal
		from = to
	}
	c.scale, c.score = math.Sqrt(squares), 0
	if spread > 1e-12 {
		c.score = sum / math.Sqrt(spread)
	}
}

func indicator(set bitset, i int) float64 {
	if set.has(i) {
		return 1
	}
	return 0
}

// flipped returns the highest score of the combinations after a random sign is given to each session.
func (t *table) flipped(examined []candidate, rng *rand.Rand) float64 {
	signs := make([]float64, t.sessions)
	for i := range signs {
		signs[i] = float64(rng.IntN(2)*2 - 1)
	}
	strata := make([]float64, len(t.strata))
	for i, residual := range t.residual {
		strata[t.of[i]] += signs[t.session[i]] * residual
	}
	highest := 0.0
	for i := range examined {
		c, sum := &examined[i], 0.0
		for _, s := range c.sessions {
			sum += signs[s.of] * float64(s.value)
		}
		for _, s := range c.shares {
			sum -= strata[s.of] * float64(s.value)
		}
		highest = max(highest, sum/c.scale)
	}
	return highest
}

// choose selects the findings from the combinations that exceed the critical score, strongest first. From combinations
// with nearly the same acts it selects the simplest. A finding must also exceed the score without the acts of earlier
// findings, so that a part of a finding is not reported again.
func (t *table) choose(examined []candidate, features []feature, highest []float64, critical float64) []Finding {
	examined = slices.DeleteFunc(examined, func(c candidate) bool { return c.score <= critical })
	slices.SortFunc(examined, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.conditions(), b.conditions()),
			slices.Compare(a.of[:], b.of[:]))
	})
	actsOf := func(c candidate) bitset {
		acts := slices.Clone(features[c.of[0]].acts)
		if c.of[1] >= 0 {
			acts.intersect(acts, features[c.of[1]].acts)
		}
		return acts
	}
	covered := newBitset(len(t.cases))
	var findings []Finding
	for _, c := range examined {
		acts := actsOf(c)
		rest := c
		if t.measure(&rest, acts, covered); rest.score <= critical {
			continue
		}
		for _, simpler := range examined {
			if simpler.conditions() >= c.conditions() {
				continue
			}
			other := actsOf(simpler)
			if both := newBitset(len(t.cases)).intersect(acts,
				other); float64(both) > sameActs*float64(c.n+simpler.n-both) {
				c, acts = simpler, other
			}
		}
		findings = append(findings, t.finding(c, features, acts, highest))
		for i := range covered {
			covered[i] |= acts[i]
		}
		if len(findings) == maxFindings {
			break
		}
	}
	return findings
}

func (c candidate) conditions() int {
	if c.of[1] < 0 {
		return 1
	}
	return 2
}

func (t *table) finding(c candidate, features []feature, acts bitset, highest []float64) Finding {
	f := Finding{Acts: c.n}
	for _, i := range c.of[:c.conditions()] {
		f.Conditions = append(f.Conditions, features[i].Condition)
	}
	slices.SortFunc(f.Conditions, func(a, b Condition) int { return cmp.Compare(a.Path, b.Path) })
	failures := 0.0
	for i, original := range t.original {
		failures += indicator(t.failed, i)
		if acts.has(i) {
			f.Cases = append(f.Cases, original)
			f.Expected += t.strata[t.of[i]].rate
			f.Failures += int(indicator(t.failed, i))
		}
	}
	f.Shrunken = (float64(f.Failures) + priorActs*failures/float64(len(t.cases))) / float64(f.Acts+priorActs)
	f.Elsewhere = (failures - float64(f.Failures)) / float64(len(t.cases)-f.Acts)
	atLeast, _ := slices.BinarySearch(highest, c.score)
	f.P = float64(1+len(highest)-atLeast) / float64(1+len(highest))
	return f
}

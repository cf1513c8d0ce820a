package learning

import (
	"cmp"
	"context"
	"math"
	"math/bits"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Options of a search; zero values are the defaults.
type Options struct {
	Permutations int                   // default 1,000
	Seed         uint64                // seed of the permutations
	Progress     func(done, total int) // called repeatedly; may be nil
}

const (
	defaultPermutations = 1000
	defaultSeed         = 20260225
	level               = 0.05 // probability of a finding if outcomes have no pattern
	failuresForPairs    = 100  // fewer failures cannot tell conjunctions from chance
	maxConditions       = 3
	beamWidth           = 30
	sameActs            = 0.7 // Jaccard index above which two findings count as one
	priorActs           = 10  // weight of the base rate in a shrunken rate
	maxFindings         = 10
	minSessions         = 5 // minimum sessions per agent and month; a month with fewer is joined with the next one
)

// Finding is a combination of facts whose acts fail more often than others of the same agents and months.
type Finding struct {
	Conditions []Condition
	Acts       int
	Failures   int
	Expected   float64 // failures if the facts made no difference
	Elsewhere  float64 // failure rate of the other acts
	Shrunken   float64 // failure rate drawn toward the base rate: (failures + 10 base) / (acts + 10)
	P          float64 // probability that a search finds anything as extreme if outcomes have no pattern
	Cases      []int   // indices of all its acts
}

// Detectable is the minimum failure rate at which acts that share a fact are found in four of five cases.
type Detectable struct {
	Share float64  // share of all acts
	Acts  int      // acts that share the fact
	Rate  *float64 // nil if even a rate of 1 would not be found
}

// Result holds the findings of a search, and what it could have found.
type Result struct {
	Acts       int
	Failures   int
	Facts      int // single conditions that were examined
	Conditions int // maximum number of conditions that were combined
	Tested     int // acts whose outcome could be exchanged with the outcome of another act
	Findings   []Finding
	Detectable []Detectable
}

// stratum is a range of cases whose outcomes are exchanged with each other: the acts of one agent in one month.
type stratum struct {
	from, to int
	failures int
	blocks   [][2]int // sessions, as ranges
}

// table holds the cases in the order of their strata and sessions.
type table struct {
	cases    []Case
	original []int // index in the caller's order
	strata   []stratum
	failed   bitset
	features []feature
}

// Search finds combinations of facts that correlate with failure. Below 100 failures it examines single facts, otherwise
// also pairs and triples. Its statistic compares failures with those expected from the agent and month of each act. A
// finding counts if it is more extreme than the most extreme one in 95 % of searches over exchanged outcomes. Outcomes are
// exchanged between sessions of the same agent and month (the permutation test of Westfall and Young 1993 with the maximum
// statistic). So neither many facts nor similar acts create false findings. It returns the error of ctx.
func Search(ctx context.Context, cases []Case, o Options) (Result, error) {
	permutations, seed := cmp.Or(o.Permutations, defaultPermutations), cmp.Or(o.Seed, defaultSeed)
	t := newTable(cases)
	out := Result{Acts: len(cases), Facts: len(t.features), Conditions: 1}
	for _, s := range t.strata {
		out.Failures += s.failures
		if len(s.blocks) > 1 {
			out.Tested += s.to - s.from
		}
	}
	if out.Failures >= failuresForPairs {
		out.Conditions = maxConditions
	}
	if out.Failures == 0 || len(t.features) == 0 {
		return out, ctx.Err()
	}
	observed := newSearcher(t, out.Conditions)
	found := observed.run(t.failed, true)
	highest := make([]float64, permutations)
	var next, done atomic.Int64
	var working sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), permutations) {
		working.Go(func() {
			s := newSearcher(t, out.Conditions)
			for i := next.Add(1) - 1; i < int64(permutations) && ctx.Err() == nil; i = next.Add(1) - 1 {
				s.run(t.exchange(rand.New(rand.NewPCG(seed, uint64(i))), s.outcomes), false)
				highest[i] = s.highest
				if n := done.Add(1); o.Progress != nil && n%10 == 0 {
					o.Progress(int(n), permutations)
				}
			}
		})
	}
	working.Wait()
	if err := ctx.Err(); err != nil {
		return Result{}, err
	}
	slices.Sort(highest)
	critical := highest[min(permutations-1, int(math.Ceil((1-level)*float64(permutations))))]
	out.Findings = t.choose(found, highest, critical)
	out.Detectable = detectableRates(len(cases), out.Failures, critical)
	return out, nil
}

// newTable sorts the cases by agent, month and session.
func newTable(cases []Case) *table {
	t := &table{original: make([]int, len(cases))}
	for i := range t.original {
		t.original[i] = i
	}
	session := func(c Case) string { return cmp.Or(c.Session, "\x00"+c.ID) }
	slices.SortStableFunc(t.original, func(a, b int) int {
		x, y := cases[a], cases[b]
		return cmp.Or(cmp.Compare(x.Agent, y.Agent), cmp.Compare(x.Month, y.Month), cmp.Compare(session(x), session(y)))
	})
	t.failed = newBitset(len(cases))
	for i, from := range t.original {
		c := cases[from]
		t.cases = append(t.cases, c)
		if c.Failed {
			t.failed.set(i)
		}
		newAgent := i == 0 || t.cases[i-1].Agent != c.Agent
		if newAgent || t.cases[i-1].Month != c.Month && len(t.strata[len(t.strata)-1].blocks) >= minSessions {
			t.strata = append(t.strata, stratum{from: i})
		}
		s := &t.strata[len(t.strata)-1]
		if len(s.blocks) == 0 || session(t.cases[i-1]) != session(c) {
			s.blocks = append(s.blocks, [2]int{i, i})
		}
		s.blocks[len(s.blocks)-1][1], s.to = i+1, i+1
		if c.Failed {
			s.failures++
		}
	}
	// The last months of an agent may be too few for a stratum of their own.
	for i := len(t.strata) - 1; i > 0; i-- {
		s, before := t.strata[i], &t.strata[i-1]
		if len(s.blocks) < minSessions && t.cases[s.from].Agent == t.cases[before.from].Agent {
			before.to, before.failures, before.blocks = s.to, before.failures+s.failures, append(before.blocks, s.blocks...)
			t.strata = slices.Delete(t.strata, i, i+1)
		}
	}
	t.features = features(t.cases)
	return t
}

// exchange returns outcomes in which the sessions of each stratum changed places. Outcomes of a session stay
// adjacent.
func (t *table) exchange(rng *rand.Rand, outcomes bitset) bitset {
	clear(outcomes)
	for _, s := range t.strata {
		at := s.from
		for _, b := range rng.Perm(len(s.blocks)) {
			for i := s.blocks[b][0]; i < s.blocks[b][1]; i++ {
				if t.failed.has(i) {
					outcomes.set(at)
				}
				at++
			}
		}
	}
	return outcomes
}

// candidate is a scored combination: ascending indexes of features, -1 for unused positions.
type candidate struct {
	of    [maxConditions]int
	score float64
	n     int
}

func (c candidate) conditions() int {
	n := 0
	for _, f := range c.of {
		if f >= 0 {
			n++
		}
	}
	return n
}

// searcher holds the buffers of a search.
type searcher struct {
	t             *table
	maxConditions int
	outcomes      bitset
	acts          bitset
	parent        bitset
	highest       float64
	found         []candidate
}

func newSearcher(t *table, conditions int) *searcher {
	n := len(t.cases)
	return &searcher{t: t, maxConditions: conditions, outcomes: newBitset(n), acts: newBitset(n), parent: newBitset(n)}
}

// run searches the outcomes and returns the highest score; if store is true, it stores the scored combinations.
func (s *searcher) run(failed bitset, store bool) []candidate {
	s.highest, s.found = 0, nil
	beam := make([]candidate, 0, 2*beamWidth)
	take := func(c candidate) {
		if c.score <= 0 {
			return
		}
		s.highest = max(s.highest, c.score)
		if store {
			s.found = append(s.found, c)
		}
		beam = append(beam, c)
		if len(beam) == cap(beam) {
			beam = highestScores(beam)
		}
	}
	for i, f := range s.t.features {
		take(candidate{of: [maxConditions]int{i, -1, -1}, score: s.t.score(f.acts, failed, nil), n: f.n})
	}
	for depth := 1; depth < s.maxConditions; depth++ {
		parents := slices.Clone(highestScores(beam))
		beam = beam[:0]
		for i := range parents {
			s.extend(parents[:i+1], depth, failed, take)
		}
	}
	return s.found
}

// extend scores the last of the parents with each further condition, unless an earlier parent gave the same
// combination.
func (s *searcher) extend(parents []candidate, depth int, failed bitset, take func(candidate)) {
	p, earlier := parents[len(parents)-1], parents[:len(parents)-1]
	s.t.intersection(p, s.parent)
	for i := range s.t.features {
		f := &s.t.features[i]
		if slices.ContainsFunc(p.of[:depth], func(of int) bool { return s.t.features[of].Path == f.Path }) {
			continue
		}
		c := candidate{of: p.of}
		c.of[depth] = i
		slices.Sort(c.of[:depth+1])
		if slices.ContainsFunc(earlier, func(e candidate) bool { return contains(c.of[:depth+1], e.of[:depth]) }) {
			continue
		}
		if c.n = s.acts.intersect(s.parent, f.acts); c.n < minActs || c.n == p.n {
			continue
		}
		c.score = s.t.score(s.acts, failed, nil)
		take(c)
	}
}

// contains reports whether an ascending list has all members of another.
func contains(all, subset []int) bool {
	for _, i := range all {
		if len(subset) > 0 && subset[0] == i {
			subset = subset[1:]
		}
	}
	return len(subset) == 0
}

// highestScores returns the combinations with the highest scores.
func highestScores(beam []candidate) []candidate {
	slices.SortFunc(beam, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), slices.Compare(a.of[:], b.of[:]))
	})
	return beam[:min(len(beam), beamWidth)]
}

// intersection stores the acts of a combination.
func (t *table) intersection(c candidate, acts bitset) {
	copy(acts, t.features[c.of[0]].acts)
	for _, f := range c.of[1:] {
		if f >= 0 {
			acts.intersect(acts, t.features[f].acts)
		}
	}
}

// score compares the failures of acts with those expected if, within each stratum, outcomes did not depend on the
// acts: the signed root of the deviance of a Poisson count, scaled by the variance of the hypergeometric distribution
// (as in the test of Mantel and Haenszel 1959). It is 0 unless there are more failures than expected. Unlike a z
// value it stays bounded if few failures are expected. Acts in without are left out.
func (t *table) score(acts, failed, without bitset) float64 {
	observed := 0
	expected, variance := 0.0, 0.0
	for i := range t.strata {
		s := &t.strata[i]
		n, all, failures := count(acts, nil, without, s.from, s.to), s.to-s.from, s.failures
		if n == 0 {
			continue
		}
		if without != nil {
			all, failures = count(nil, nil, without, s.from, s.to), count(failed, nil, without, s.from, s.to)
		}
		observed += count(acts, failed, without, s.from, s.to)
		share, size := float64(failures)/float64(all), float64(all)
		expected += float64(n) * share
		if all > 1 {
			variance += float64(n) * share * (1 - share) * (size - float64(n)) / (size - 1)
		}
	}
	return deviance(float64(observed), expected, variance)
}

func deviance(observed, expected, variance float64) float64 {
	if observed <= expected || variance <= 1e-9 {
		return 0
	}
	return math.Sqrt(2 * (observed*math.Log(observed/expected) - (observed - expected)) * expected / variance)
}

// count returns the number of cases of a range that are in both sets and not in without. A nil set contains all
// cases, and a nil without none.
func count(a, b, without bitset, from, to int) int {
	n := 0
	for w := from / 64; w <= (to-1)/64; w++ {
		word := ^uint64(0)
		if a != nil {
			word = a[w]
		}
		if b != nil {
			word &= b[w]
		}
		if without != nil {
			word &^= without[w]
		}
		if w == from/64 {
			word &= ^uint64(0) << (from % 64)
		}
		if rest := to - 64*w; rest < 64 {
			word &= 1<<rest - 1
		}
		n += bits.OnesCount64(word)
	}
	return n
}

// choose selects the findings from the combinations that exceed the critical score, strongest first. From combinations with
// nearly the same acts it selects the simplest. A finding must also exceed the score without the acts of earlier findings,
// so that a part of a finding is not reported again.
func (t *table) choose(found []candidate, highest []float64, critical float64) []Finding {
	found = slices.DeleteFunc(found, func(c candidate) bool { return c.score <= critical })
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.conditions(), b.conditions()), slices.Compare(a.of[:], b.of[:]))
	})
	covered := newBitset(len(t.cases))
	acts, other := newBitset(len(t.cases)), newBitset(len(t.cases))
	var findings []Finding
	for _, c := range found {
		t.intersection(c, acts)
		if len(findings) > 0 && t.score(acts, t.failed, covered) <= critical {
			continue
		}
		for _, simpler := range found {
			if simpler.conditions() >= c.conditions() {
				continue
			}
			t.intersection(simpler, other)
			both := count(acts, other, nil, 0, len(t.cases))
			if float64(both) > sameActs*float64(c.n+simpler.n-both) {
				c = simpler
				t.intersection(c, acts)
			}
		}
		findings = append(findings, t.finding(c, acts, highest))
		for i := range covered {
			covered[i] |= acts[i]
		}
		if len(findings) == maxFindings {
			break
		}
	}
	return findings
}

func (t *table) finding(c candidate, acts bitset, highest []float64) Finding {
	f := Finding{Acts: c.n}
	for _, i := range c.of {
		if i >= 0 {
			f.Conditions = append(f.Conditions, t.features[i].Condition)
		}
	}
	slices.SortFunc(f.Conditions, func(a, b Condition) int { return cmp.Compare(a.Path, b.Path) })
	failures := 0
	for _, s := range t.strata {
		n := count(acts, nil, nil, s.from, s.to)
		f.Expected += float64(n) * float64(s.failures) / float64(s.to-s.from)
		f.Failures += count(acts, t.failed, nil, s.from, s.to)
		failures += s.failures
	}
	base := float64(failures) / float64(len(t.cases))
	f.Shrunken = (float64(f.Failures) + priorActs*base) / float64(f.Acts+priorActs)
	f.Elsewhere = float64(failures-f.Failures) / float64(len(t.cases)-f.Acts)
	atLeast, _ := slices.BinarySearch(highest, c.score)
	f.P = float64(1+len(highest)-atLeast) / float64(1+len(highest))
	for i, original := range t.original {
		if acts.has(i) {
			f.Cases = append(f.Cases, original)
		}
	}
	return f
}

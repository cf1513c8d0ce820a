package statistics

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// TestEvidence_SmallCounts_AgreesWithRobbins computes the condition of Robbins (1970), b(n, p, s) <= alpha/(n+1), in
// exact rational numbers, independently of logarithms.
func TestEvidence_SmallCounts_AgreesWithRobbins(t *testing.T) {
	for n := range 60 {
		for s := range n + 1 {
			for _, tenths := range []int64{1, 5, 8, 9} {
				p, q := big.NewRat(tenths, 10), big.NewRat(10-tenths, 10)
				b := new(big.Rat).SetInt(new(big.Int).Binomial(int64(n), int64(s)))
				for range s {
					b.Mul(b, p)
				}
				for range n - s {
					b.Mul(b, q)
				}
				excluded := b.Cmp(big.NewRat(1, 20*int64(n+1))) <= 0
				if got := evidence(float64(s), float64(n-s), float64(tenths)/10) >= math.Log(1/Alpha); got != excluded {
					t.Fatalf("%d of %d against %d/10: got %v, want %v", s, n, tenths, got, excluded)
				}
			}
		}
	}
}

func TestLower_AllSuccesses_ReachesTheLimitAtThePublishedCount(t *testing.T) {
	for _, test := range []struct {
		bar float64
		n   int
	}{{0.8, 29}, {0.9, 69}, {0.5, 8}} { // the first n with p^n (n+1) <= 0.05
		first := 0
		for n := 1; first == 0; n++ {
			if math.Pow(test.bar, float64(n))*float64(n+1) <= Alpha {
				first = n
			}
		}
		graphtest.Equal(t, first, test.n, "the formula crosses", test.bar, "at")
		if Above(float64(first-1), 0, test.bar) || !Above(float64(first), 0, test.bar) ||
			Lower(float64(first-1), 0) >= test.bar || Lower(float64(first), 0) < test.bar-1e-9 {
			t.Errorf("%g: got bounds %g and %g around %d successes", test.bar, Lower(float64(first-1), 0),
				Lower(float64(first), 0), first)
		}
	}
	graphtest.Equal(t, Lower(0, 0), 0, "without reviews")
}

// TestEvidence_FewerSuccesses_NeverPromotes: leaving out successes, as for a reviewer who gave more than half of the
// reviews, only lowers the evidence.
func TestEvidence_FewerSuccesses_NeverPromotes(t *testing.T) {
	for f := range 40 {
		before := false
		for s := range 400 {
			now := Above(float64(s), float64(f), 0.8)
			if before && !now {
				t.Fatalf("%d successes and %d failures: a further success takes the level away", s, f)
			}
			before = now
		}
	}
}

// TestWilson_PublishedExamples_Match: Newcombe, Two-sided confidence intervals for the single proportion, Statistics in
// Medicine 17 (1998), table I, method 3.
func TestWilson_PublishedExamples_Match(t *testing.T) {
	for _, c := range []struct {
		hits, of  int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		low, high := Wilson(float64(c.hits)/float64(c.of), float64(c.of))
		if math.Abs(low-c.low) > 0.00005 || math.Abs(high-c.high) > 0.00005 {
			t.Errorf("%d of %d: got %.4f to %.4f, want %.4f to %.4f", c.hits, c.of, low, high, c.low, c.high)
		}
	}
	low, high := Wilson(0, 0)
	graphtest.Values(t, "without cases, 0 to 1", low, 0, high, 1)
}

func TestShareOf_IndependentCases_IsWilson(t *testing.T) {
	var trials []Case
	for i := range 29 {
		trials = append(trials, Case{Group: fmt.Sprint(i), Hit: i == 0})
	}
	s := ShareOf(trials)
	low, high := Wilson(1.0/29, 29)
	graphtest.Values(t, "High", s.Method, "wilson", s.Low, low, s.High, high, s.Hits, 1, s.Of, 29)
	if ShareOf(nil) != nil {
		t.Error("got a share without cases")
	}
}

// TestShareOf_CasesOfOneSession_AreNotIndependent: copies within a session must not narrow the interval.
func TestShareOf_CasesOfOneSession_AreNotIndependent(t *testing.T) {
	var single, copied, certain []Case
	for i := range 40 {
		single = append(single, Case{Group: fmt.Sprint(i), Hit: i%4 == 0})
		for range 5 {
			copied = append(copied, Case{Group: fmt.Sprint(i), Hit: i%4 == 0})
		}
	}
	for i := range 50 {
		certain = append(certain, Case{Group: fmt.Sprint(i % 5), Hit: true})
	}
	one, five := ShareOf(single), ShareOf(copied)
	if width := (five.High - five.Low) / (one.High - one.Low); five.Method != "sessions" || width < 0.85 ||
		width > 1.15 {
		t.Errorf("got an interval %.2f times as wide, want about the same: %+v, %+v", width, one, five)
	}
	graphtest.Equal(t, *ShareOf(copied), *five, five, "for the same cases, again")
	if s := ShareOf(certain); s.Low > 0.6 || s.High != 1 {
		t.Errorf("got %+v for 5 sessions, want an interval at least as wide as that of 5 of 5", s)
	}
}

func TestSettle_Sessions_CountOnce(t *testing.T) {
	of := func(outcomes string, sessions int, cost float64) (all []Case) {
		for i, c := range outcomes {
			all = append(all, Case{Group: fmt.Sprint(i % sessions), Hit: c == 'f', Cost: cost})
		}
		return all
	}
	open := make([]Case, 100) // acts of sessions without a review
	for i := range open {
		open[i] = Case{Group: fmt.Sprint("open ", i)}
	}
	for _, c := range []struct {
		name       string
		cases      []Case
		most       int
		side, more int
	}{
		{"no review", nil, 10, 0, 8}, // the first n with (n + 1) / 2^n at most 0.05
		{"too few", nil, 7, 0, -1},
		{"settled", of("ffffffff", 8, 1), 10, 1, 0},
		{"settled the other way", of("ssssssss", 8, 1), 10, -1, 0},
		{"one session", of("ffffffff", 1, 1), 10, 0, 7},
		{"even", of("fsfsfs", 6, 1), 50, 0, -1},
		{"even, at high stakes", of("fsfsfs", 6, 10), 50, 0, 1}, // a failure costs ten blocks
		{"one of eleven, at high stakes", of("fssssssssss", 11, 10), 50, 0, -1},
		{"rare, at medium stakes", of(strings.Repeat("fsssssssss", 10), 100, 3), 0, -1, 0},
	} {
		side, more := Settle(c.cases, open[:c.most])
		graphtest.Values(t, c.name, side, c.side, more, c.more)
	}
	if _, more := Settle(of("ff", 1, 1), slices.Repeat([]Case{{Group: "0"}, {Group: "open"}}, 10)); more != -1 {
		t.Errorf("one session is reviewed and one is open: got %d, want -1", more)
	}
}

// TestSettle_MixedStakes_IsRarelyWrong: failures and blocks cost equally much on average, but stakes differ by act.
func TestSettle_MixedStakes_IsRarelyWrong(t *testing.T) {
	const runs = 200
	wrong := 0
	rng := rand.New(rand.NewPCG(11, 12))
	for range runs {
		var cases []Case
		for session := range 100 {
			for range 1 + rng.IntN(3) {
				cost := []float64{1, 3, 10, 30}[rng.IntN(4)]
				cases = append(cases, Case{Group: fmt.Sprint(session), Hit: rng.Float64() < 1/(1+cost), Cost: cost})
			}
			if side, _ := Settle(cases, nil); side != 0 {
				wrong++
				break
			}
		}
	}
	if wrong > runs*10/100 { // 5 % on each side
		t.Errorf("%d of %d worlds are settled wrongly, want at most 10 %%", wrong, runs)
	}
}

// TestSequence_LookedAtAfterEachSession_IsRarelyWrong: sessions of unequal size with a true share of one half are
// settled in at most 5 % of worlds, although the bounds are read after each of 100 sessions.
func TestSequence_LookedAtAfterEachSession_IsRarelyWrong(t *testing.T) {
	const runs = 400
	wrong := 0
	rng := rand.New(rand.NewPCG(3, 4))
	for range runs {
		hits, misses := 0.0, 0.0
		for range 100 {
			size, failed, draw := 1+rng.IntN(9), 0.0, rng.Float64()
			for range size {
				own := rng.Float64()
				if rng.Float64() < 0.8 {
					own = draw
				}
				if own < 0.5 {
					failed++
				}
			}
			hits, misses = hits+failed/float64(size), misses+1-failed/float64(size)
			if Above(hits, misses, 0.5) || Above(misses, hits, 0.5) {
				wrong++
				break
			}
		}
	}
	if wrong > runs*5/100 {
		t.Errorf("%d of %d worlds are settled wrongly, want at most 5 %%", wrong, runs)
	}
}

// TestShareOf_CorrelatedSessions_CoverTheTruth: 30 sessions of 1 to 9 acts. Most of 400 intervals contain the true
// share.
func TestShareOf_CorrelatedSessions_CoverTheTruth(t *testing.T) {
	const runs = 400
	for share, least := range map[float64]float64{0.05: 0.80, 0.2: 0.88, 0.5: 0.88} {
		for _, same := range []float64{0, 0.55, 0.8, 1} { // probability that an act has its session's outcome
			rng := rand.New(rand.NewPCG(5, 6))
			covered := 0
			for range runs {
				var cases []Case
				for session := range 30 {
					draw := rng.Float64()
					for range 1 + rng.IntN(9) {
						own := rng.Float64()
						if rng.Float64() < same {
							own = draw
						}
						cases = append(cases, Case{Group: fmt.Sprint(session), Hit: own < share})
					}
				}
				if s := ShareOf(cases); s.Low <= share && share <= s.High {
					covered++
				}
			}
			if t.Logf("share %g, same outcome %g: %d of %d intervals contain it", share, same, covered,
				runs); float64(covered) < least*runs {
				t.Errorf("got %d of %d, want at least %g", covered, runs, least)
			}
		}
	}
}

// TestSums_EqualValues_AreRarelyShownToDiffer: of 20 sums without a true difference, one is shown to differ in about 5
// % of worlds.
func TestSums_EqualValues_AreRarelyShownToDiffer(t *testing.T) {
	const runs = 200
	wrong := 0
	rng := rand.New(rand.NewPCG(7, 8))
	for range runs {
		values := make([][]float64, 20)
		for v := range values {
			values[v] = make([]float64, 60)
		}
		for g := range 60 {
			draw := rng.NormFloat64()
			for v := range values {
				values[v][g] = draw + rng.NormFloat64()
			}
		}
		low, high := Sums(values)
		for v := range values {
			if low[v] > 0 || high[v] < 0 {
				wrong++
				break
			}
		}
	}
	if wrong > 19 { // 5 % are 10; 20 or more would happen in one of 300 runs
		t.Errorf("%d of %d worlds show a difference, want about 5 %%", wrong, runs)
	}
	equal := slices.Repeat([]float64{-3}, 40)
	if low, high := Sums([][]float64{equal}); low[0] >= -120 || high[0] <= -120 || high[0] >= 0 {
		t.Errorf("got %g to %g for 40 groups of -3, want an interval around -120 below 0", low[0], high[0])
	}
	if low, high := Sums([][]float64{{1, 0, 0}}); !math.IsInf(low[0], -1) || !math.IsInf(high[0], 1) {
		t.Errorf("got %g to %g for one group that differs, want no interval", low[0], high[0])
	}
}

package learning

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Case is an act with a known outcome.
type Case struct {
	ID      string
	Agent   string
	Month   string // such as 2026-11
	Session string // group of acts that resemble each other, such as a session
	Failed  bool
	Facts   map[string]any // path to text, number (float64), bool or list of text ([]string)
}

// minActs is the minimum number of acts that must share a fact, and that must lack it, for the fact to be examined.
const minActs = 5

// maxFeatures is the maximum number of examined single conditions. Conditions that more acts satisfy come first.
const maxFeatures = 2000

// feature is a condition with the acts that satisfy it.
type feature struct {
	Condition
	acts bitset
	n    int
}

// features returns the conditions to examine: equality with a value that at least five acts share, membership in a
// list, presence of a fact, and for numbers the quartiles. It does not look at outcomes.
func features(cases []Case) []feature {
	counts := map[Condition]int{}
	visitConditions(cases, func(_ int, c Condition) { counts[c]++ })
	made := map[Condition]*feature{}
	visitConditions(cases, func(at int, c Condition) {
		n := counts[c]
		if n < minActs || n > len(cases)-minActs {
			return
		}
		f, ok := made[c]
		if !ok {
			f = &feature{Condition: c, acts: newBitset(len(cases)), n: n}
			made[c] = f
		}
		f.acts.set(at)
	})
	selected := make([]feature, 0, len(made))
	for _, f := range made {
		selected = append(selected, *f)
	}
	slices.SortFunc(selected, func(a, b feature) int {
		return cmp.Or(cmp.Compare(b.n, a.n), strings.Compare(a.Path, b.Path),
			strings.Compare(string(a.Operator), string(b.Operator)),
			strings.Compare(fmt.Sprint(a.Value), fmt.Sprint(b.Value)))
	})
	// Conditions that hold for the same acts are duplicates; a condition about a value is preferred to one about
	// presence.
	var distinct []feature
	for _, f := range selected {
		same := slices.IndexFunc(distinct, func(other feature) bool {
			return other.n == f.n && slices.Equal(other.acts, f.acts)
		})
		switch {
		case same < 0:
			distinct = append(distinct, f)
		case distinct[same].Operator == Has:
			distinct[same] = f
		}
	}
	return distinct[:min(len(distinct), maxFeatures)]
}

// visitConditions visits the conditions that each case satisfies.
func visitConditions(cases []Case, visit func(at int, c Condition)) {
	numbers := map[string][]float64{}
	for i, c := range cases {
		for path, value := range c.Facts {
			visit(i, Condition{path, Has, nil})
			switch v := value.(type) {
			case []string:
				for _, text := range slices.Compact(slices.Sorted(slices.Values(v))) {
					visit(i, Condition{path, Contains, text})
				}
			case float64:
				numbers[path] = append(numbers[path], v)
			default:
				visit(i, Condition{path, Equals, v})
			}
		}
	}
	for path, values := range numbers {
		for _, cut := range quartiles(values) {
			for i, c := range cases {
				if v, ok := c.Facts[path].(float64); ok && v <= cut {
					visit(i, Condition{path, AtMost, cut})
				} else if ok {
					visit(i, Condition{path, Above, cut})
				}
			}
		}
	}
}

// quartiles returns the quartiles of numbers, without the maximum, because no act lies above it.
func quartiles(values []float64) []float64 {
	slices.Sort(values)
	highest := values[len(values)-1]
	var out []float64
	for _, quarter := range []int{1, 2, 3} {
		if cut := values[(len(values)-1)*quarter/4]; cut < highest && !slices.Contains(out, cut) {
			out = append(out, cut)
		}
	}
	return out
}

// bitset is a set of cases by index.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bitset) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }

// intersect stores the intersection of two sets in b and returns its size.
func (b bitset) intersect(x, y bitset) int {
	n := 0
	for i := range b {
		b[i] = x[i] & y[i]
		n += bits.OnesCount64(b[i])
	}
	return n
}

package pages

import (
	"fmt"

	"nomograph/policies/inference"
)

// minReviews is the number of outcomes below which pages neither claim nor draw a rate.
const minReviews = 5

// rate counts successes and failures. Partial and abandoned decisions are neither.
type rate struct{ Succeeded, Failed int64 }

// N returns the number of outcomes.
func (r rate) N() int64 { return r.Succeeded + r.Failed }

// success returns the share of successes with its 95 % interval by Wilson.
func (r rate) success() (share, low, high float64) {
	share = float64(r.Succeeded) / float64(r.N())
	low, high = inference.Wilson(share, float64(r.N()))
	return share, low, high
}

// FailedWords says how many failed, such as "3 of 9 failed, 12 to 65 %"; without the interval below minReviews.
func (r rate) FailedWords() string {
	words := fmt.Sprintf("%d of %d failed", r.Failed, r.N())
	if r.N() < minReviews {
		return words
	}
	_, low, high := r.success()
	return fmt.Sprintf("%s, %.0f to %.0f\u00a0%%", words, 100*(1-high), 100*(1-low))
}

// foundOutcomes are the outcomes of decisions that were found.
type foundOutcomes struct {
	Found  int
	Counts []outcomeCount // pending decisions are the last
	Rate   rate
}

func outcomesFound(hits []hit) foundOutcomes {
	count := map[string]int{}
	for _, h := range hits {
		count[h.Outcome]++
	}
	out := foundOutcomes{Found: len(hits), Rate: rate{int64(count["success"]), int64(count["failure"])}}
	for _, name := range []string{"success", "partial", "failure", "abandoned", "retracted", "pending"} {
		if count[name] > 0 {
			out.Counts = append(out.Counts, outcomeCount{name, count[name]})
		}
	}
	return out
}

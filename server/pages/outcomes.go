package pages

import (
	"fmt"
	"strings"

	"nomograph/internal/render"
	"nomograph/internal/statistics"
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
	low, high = statistics.Wilson(share, float64(r.N()))
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

// Bars of the sentence of trust, for the 95 % interval of the share of successes: at least trusted, or failures in
// more than one of ten cases for certain.
const (
	trustedAbove   = 0.7
	doubtedFailing = 0.1
)

// trust says in one sentence in which categories and at which stakes outcomes support trust, and where they speak
// against it. It makes no claim from fewer than minReviews outcomes.
func trust(all rate, categories, stakes []reviewedGroup) string {
	if all.N() < minReviews {
		return fmt.Sprintf("Too few reviews to say how far to trust it: %s. %s are needed.", all.FailedWords(),
			render.PluralOf(minReviews, "success or failure", "successes or failures"))
	}
	var trusted [2][]string
	var doubted []string
	for i, groups := range [][]reviewedGroup{categories, stakes} {
		for _, g := range groups {
			if g.N() < minReviews {
				continue
			}
			if _, low, high := g.success(); low >= trustedAbove {
				trusted[i] = append(trusted[i], g.Value)
			} else if 1-high >= doubtedFailing {
				doubted = append(doubted, g.Words()+": "+g.FailedWords())
			}
		}
	}
	var claims []string
	if len(trusted[0]) > 0 {
		claims = append(claims, "with "+inWords(trusted[0])+" decisions")
	}
	if len(trusted[1]) > 0 {
		claims = append(claims, "at "+inWords(trusted[1])+" stakes")
	}
	sentence := "Reviews do not settle yet whether to trust it: " + all.FailedWords()
	if len(claims) > 0 {
		sentence = "Trust it " + strings.Join(claims, " and ")
	}
	if len(doubted) > 0 {
		against := "not with " + strings.Join(doubted, "; not with ")
		if len(claims) == 0 {
			return "Do not trust it " + strings.TrimPrefix(against, "not ") + "."
		}
		sentence += "; " + against
	}
	return sentence + "."
}

// inWords joins names, such as "a, b and c".
func inWords(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}

// bar draws a share from 0 to 1 with its interval and another share as a mark, in percent of its width. It is empty if
// too few decisions were reviewed.
type bar struct{ Share, Range, Mark string }

func barOf(share *float64, low, high float64, mark *float64) (b bar) {
	if share == nil {
		return b
	}
	b.Share, b.Range = fmt.Sprintf("%.1f", 100**share), fmt.Sprintf("M%.1f 8H%.1f", 100*low, 100*high)
	if mark != nil {
		b.Mark = fmt.Sprintf("M%.1f 1v14", 100**mark)
	}
	return b
}

// Interval returns the 95 % interval of the share of successes in words; "" below minReviews.
func (r rate) Interval() string {
	if r.N() < minReviews {
		return ""
	}
	_, low, high := r.success()
	return fmt.Sprintf("%.0f to %.0f\u00a0%%", 100*low, 100*high)
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
	return foundOutcomes{len(hits), byOutcome(count), rate{int64(count["success"]), int64(count["failure"])}}
}

// byOutcome returns the counts of outcomes that are not zero, in the order of pages.
func byOutcome(count map[string]int) (counts []outcomeCount) {
	for _, name := range []string{"success", "partial", "failure", "abandoned", "retracted", "pending"} {
		if count[name] > 0 {
			counts = append(counts, outcomeCount{name, count[name]})
		}
	}
	return counts
}

package lab

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nomograph/internal/lists"
	"nomograph/internal/reviewsample"
	"nomograph/internal/statistics"
)

// stakesCosts is the cost of a missed failure by stakes, in wrong blocks. It is the criterion of every answer about a
// rule or value.
var stakesCosts = map[string]float64{"low": 1, "medium": 3, "high": 10, "critical": 30}

// criterion names the costs by which an answer compares.
func criterion(costs map[string]float64) string {
	parts := lists.Map([]string{"low", "medium", "high", "critical"}, func(stakes string) string {
		return strconv.FormatFloat(costs[stakes], 'g', -1, 64) + " (" + stakes + ")"
	})
	return fmt.Sprintf("Criterion: a missed failure costs as much as %s wrong blocks", strings.Join(parts, ", "))
}

// answers are those of statistics.Settle about denials.
var answers = map[int]string{-1: "costs_more", 0: "open", 1: "costs_less"}

// caseOf returns an act as a case whose hit is a failure.
func (r *record) caseOf(failed bool) statistics.Case {
	return statistics.Case{Group: r.group(), Hit: failed, Cost: stakesCosts[cmp.Or(r.Stakes, "medium")]}
}

// sample collects the reviewed acts of an estimate, and those drawn at random among them.
type sample struct{ all, drawn reviewedCases }

// reviewedCases are reviewed acts, with the number of those without a review.
type reviewedCases struct {
	cases      []statistics.Case
	unreviewed int
}

// complete reports whether nine of ten acts are reviewed, so that it matters little which ones.
func (c reviewedCases) complete() bool { return 9*c.unreviewed <= len(c.cases) }

func (c reviewedCases) with(o reviewedCases) reviewedCases {
	return reviewedCases{slices.Concat(c.cases, o.cases), c.unreviewed + o.unreviewed}
}

// add counts an act with success or failure, or without a review. A partial outcome counts as a failure if
// partialFails is true, else not at all.
func (s *sample) add(act *record, outcome string, partialFails bool) {
	s.all.add(act, outcome, partialFails)
	if reviewsample.Drawn(act.DecisionUID) {
		s.drawn.add(act, outcome, partialFails)
	}
}

func (c *reviewedCases) add(act *record, outcome string, partialFails bool) {
	switch {
	case outcome == "success" || outcome == "failure" || outcome == "partial" && partialFails:
		c.cases = append(c.cases, act.caseOf(outcome != "success"))
	case outcome == "unreviewed" && act.Decision != "": // nobody can review other acts
		c.unreviewed++
	}
}

// usesDrawn reports whether only acts drawn at random count: if they are reviewed almost completely, and all acts are
// not.
func (s *sample) usesDrawn() bool {
	return !s.all.complete() && len(s.drawn.cases) >= minReviewed && s.drawn.complete()
}

// best returns the acts that count.
func (s *sample) best() reviewedCases {
	if s.usesDrawn() {
		return s.drawn
	}
	return s.all
}

// share returns the share of failures, nil with fewer than ten reviews.
func (s *sample) share() *statistics.Share {
	if len(s.best().cases) < minReviewed {
		return nil
	}
	return s.rate()
}

// rate returns the share of failures, nil without reviews.
func (s *sample) rate() *statistics.Share { return shareOf(s.best().cases, s.usesDrawn()) }

func shareOf(cases []statistics.Case, drawn bool) *statistics.Share {
	share := statistics.ShareOf(cases)
	if share != nil {
		share.Drawn = drawn
	}
	return share
}

// recall returns the acts in s among the failures in s and others, nil without failures.
func (s *sample) recall(others *sample) *statistics.Share {
	both := sample{s.all.with(others.all), s.drawn.with(others.drawn)}
	within, outside := s.all, others.all
	if both.usesDrawn() {
		within, outside = s.drawn, others.drawn
	}
	var failures []statistics.Case
	for i, c := range slices.Concat(within.cases, outside.cases) {
		if c.Hit {
			failures = append(failures, statistics.Case{Group: c.Group, Hit: i < len(within.cases)})
		}
	}
	return shareOf(failures, both.usesDrawn())
}

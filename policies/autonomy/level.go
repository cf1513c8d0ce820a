package autonomy

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/internal/render"
	"nomograph/policies/inference"
)

// Levels of autonomy, lowest first.
const (
	Supervised = "supervised"
	Trusted    = "trusted"
	Autonomous = "autonomous"
)

var levels = []string{Supervised, Trusted, Autonomous}

// requiredLevel returns the lowest level that may act with these stakes. No level suffices for critical stakes.
func requiredLevel(stakes string) int {
	switch stakes {
	case "low":
		return 0
	case "medium":
		return 1
	case "high":
		return 2
	}
	return len(levels)
}

// Review holds the facts of one review, or of one rejected request for approval, from which autonomy is computed.
type Review struct {
	At       time.Time
	Outcome  string // success, partial, failure, abandoned, or denied for a request that a person rejected
	By       string // identity of the reviewer
	Category string
	Model    string // model of the agent, as it stated; empty if unknown
	Approved bool   // a person approved the act before
	Forced   bool   // recorded despite a denial
}

// failed reports whether the review counts as failure.
func (r Review) failed() bool {
	return r.Outcome == "failure" || r.Outcome == "abandoned" || r.Outcome == "denied"
}

// succeeded reports whether the review counts as success. Approved acts do not count, because a person selected them.
// Forced acts do not count, because their check denied them.
func (r Review) succeeded() bool { return r.Outcome == "success" && !r.Approved && !r.Forced }

// Bars are the shares of successes above which an agent is promoted, and below which it is demoted.
type Bars struct{ Trusted, Autonomous, TrustedFloor, AutonomousFloor float64 }

// Standing is the level that an agent has earned for acts with given stakes, with its evidence.
type Standing struct {
	Stakes      string  `json:"stakes"`
	Level       string  `json:"level" jsonschema:"supervised, trusted or autonomous"`
	Needed      string  `json:"needed" jsonschema:"level that acts with these stakes need; approval: a person approves every one"`
	Sufficient  bool    `json:"sufficient" jsonschema:"true if the act would need no approval"`
	Why         string  `json:"why" jsonschema:"evidence for the level"`
	Missing     string  `json:"missing" jsonschema:"evidence that the next level needs"`
	Successes   int     `json:"successes" jsonschema:"counted reviews since the start or the last demotion"`
	Failures    int     `json:"failures" jsonschema:"failed and abandoned decisions, and rejected requests"`
	LowerBound  float64 `json:"lower_bound" jsonschema:"lower end of the anytime-valid 95 % confidence sequence for the share of successes"`
	LeftOut     int     `json:"left_out" jsonschema:"successes left out because one reviewer gave more than half of all reviews"`
	Approved    int     `json:"approved" jsonschema:"successes of approved acts, which do not count"`
	Forced      int     `json:"forced" jsonschema:"successes of forced acts, which do not count"`
	Partial     int     `json:"partial" jsonschema:"partial outcomes, which do not count"`
	Reviewers   int     `json:"reviewers"`
	TopReviewer string  `json:"top_reviewer,omitempty" jsonschema:"reviewer of more than half of the reviews; absent for callers who may see only some projects, and in verdicts"`
	Demotions   int     `json:"demotions"`
	Veto        string  `json:"veto,omitempty" jsonschema:"category whose reviews keep the act supervised"`
}

const (
	recentReviews = 20 // number of latest reviews that can demote an agent
	minRecent     = 10
	minVeto       = 3 // minimum number of reviews of a category that can lower the level
	maxNeeded     = 2000
)

// sequence counts reviews in chronological order.
type sequence struct {
	bars                  Bars
	level                 int
	demotions             int
	successes, failures   int
	given, praised        map[string]int // reviews and successes by reviewer
	recent                []bool         // failures among the latest reviews
	top                   string         // reviewer with most reviews
	approved, forced, mid int
}

func newSequence(bars Bars) *sequence {
	return &sequence{bars: bars, given: map[string]int{}, praised: map[string]int{}}
}

func (q *sequence) bar(level int) float64 {
	return []float64{0, q.bars.Trusted, q.bars.Autonomous}[level]
}
func (q *sequence) floor(level int) float64 {
	return []float64{0, q.bars.TrustedFloor, q.bars.AutonomousFloor}[level]
}

// leftOut returns how many successes do not count, because one reviewer gave more than half of the reviews.
func (q *sequence) leftOut() int {
	maximum := q.given[q.top]
	return min(max(0, 2*maximum-(q.successes+q.failures)), q.praised[q.top])
}

func (q *sequence) counted() (successes, failures int) { return q.successes - q.leftOut(), q.failures }

// add counts one review, and promotes or demotes the agent.
func (q *sequence) add(r Review) {
	switch {
	case r.failed():
		q.failures++
	case r.succeeded():
		q.successes++
		q.praised[r.By]++
	case r.Outcome == "partial":
		q.mid++
		return
	case r.Approved:
		q.approved++
		return
	default:
		q.forced++
		return
	}
	q.given[r.By]++
	if q.top == "" || q.given[r.By] > q.given[q.top] {
		q.top = r.By
	}
	if q.recent = append(q.recent, r.failed()); len(q.recent) > recentReviews {
		q.recent = q.recent[1:]
	}
	s, f := q.counted()
	for q.level+1 < len(levels) && inference.Above(float64(s), float64(f), q.bar(q.level+1)) {
		q.level++
	}
	if q.level > 0 && len(q.recent) >= minRecent && q.share() < q.floor(q.level) {
		q.level--
		q.demotions++
		q.successes, q.failures, q.top = 0, 0, ""
		clear(q.given)
		clear(q.praised)
		q.recent = nil
	}
}

// share returns the share of successes among the latest reviews.
func (q *sequence) share() float64 {
	failed := 0
	for _, f := range q.recent {
		if f {
			failed++
		}
	}
	return 1 - float64(failed)/float64(len(q.recent))
}

// Evaluate returns the level of an agent for acts with given stakes, from all reviews with these stakes in chronological
// order. category and model are those of the act. Reviews of a category can only lower the level, and a changed model
// lowers it by one.
func Evaluate(reviews []Review, bars Bars, stakes, category, model string) Standing {
	all, own := newSequence(bars), newSequence(bars)
	others, bad, of := 0, 0, 0
	for _, r := range reviews {
		all.add(r)
		if r.Outcome == "denied" || strings.EqualFold(r.Model, model) {
			own.add(r)
		} else {
			others++
		}
		if category != "" && strings.EqualFold(r.Category, category) && (r.failed() || r.succeeded()) {
			of++
			if r.failed() {
				bad++
			}
		}
	}
	s, f := all.counted()
	out := Standing{Stakes: stakes, Successes: s, Failures: f, LowerBound: inference.Lower(float64(s), float64(f)), LeftOut: all.leftOut(), Approved: all.approved, Forced: all.forced, Partial: all.mid,
		Reviewers: len(all.given), Demotions: all.demotions}
	level := all.level
	if s+f == 0 {
		out.Why = fmt.Sprintf("No review at %s stakes counts", stakes)
	} else {
		out.Why = fmt.Sprintf("%s at %s stakes count, of which %d failed. The share of successes is at least %.2f, at 95 %% confidence", render.Plural(s+f, "review"), stakes, f, out.LowerBound)
	}
	if out.Demotions > 0 {
		out.Why += fmt.Sprintf(" since %s", map[bool]string{true: "the demotion", false: "the last demotion"}[out.Demotions == 1])
	}
	if fallen := max(own.level, level-1); others > 0 && fallen < level {
		level = fallen
		out.Why += map[bool]string{true: "; the act states no model, other than reviewed ones", false: "; the model has changed"}[model == ""] + ", which lowers the level by one until its own reviews suffice"
	}
	if level > 0 && of >= minVeto && float64(of-bad) < all.floor(level)*float64(of) {
		level, out.Veto = 0, category
		out.Why += fmt.Sprintf("; in the category %s %d of %d failed", category, bad, of)
	}
	out.Level = levels[level]
	need := requiredLevel(stakes)
	out.Sufficient = level >= need
	out.Needed = "approval"
	if need < len(levels) {
		out.Needed = levels[need]
	}
	if 2*all.given[all.top] > s+f+out.LeftOut {
		out.TopReviewer = all.top
	}
	out.Missing = all.requirement(level, own.level, out)
	switch {
	case need >= len(levels):
		out.Missing = "nothing: a person approves every act with " + stakes + " stakes, at each level"
	case out.Sufficient && level+1 < len(levels):
		out.Missing = "nothing at " + stakes + " stakes. For " + out.Missing
	}
	return out
}

// requirement describes what the next level requires.
func (q *sequence) requirement(level, own int, now Standing) string {
	if level+1 >= len(levels) {
		return "nothing: this is the highest level"
	}
	next := levels[level+1]
	if now.Veto != "" {
		return fmt.Sprintf("%s: successes in the category %s, until %.0f %% of its reviews are successes", next, now.Veto, 100*q.floor(max(q.level, 1)))
	}
	if level < q.level {
		return fmt.Sprintf("%s: reviews of this model that suffice for it by themselves; it has earned %s so far", next, levels[own])
	}
	s, f := q.counted()
	more := 0 // successes in a row
	for more <= maxNeeded && !inference.Above(float64(s+more), float64(f), q.bar(level+1)) {
		more++
	}
	if more > maxNeeded {
		return fmt.Sprintf("%s: a share of successes above %.2f; the record is too far below it", next, q.bar(level+1))
	}
	text := fmt.Sprintf("%s: %d more successes in a row, which prove a share above %.2f", next, more, q.bar(level+1))
	if more == 0 {
		text = fmt.Sprintf("%s: one more counted review", next)
	}
	if now.LeftOut > 0 || now.Reviewers < 2 {
		text += ", and no reviewer may give more than half of the reviews"
		if q.top != "" {
			text += ": others have to review, too"
		}
	}
	return text
}

// Stakes returns the stakes in ascending order.
func Stakes() []string { return slices.Clone([]string{"low", "medium", "high", "critical"}) }

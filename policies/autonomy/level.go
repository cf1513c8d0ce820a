package autonomy

import (
	"fmt"
	"strings"
	"time"

	"nomograph/internal/render"
	"nomograph/internal/statistics"
	"nomograph/policies/condition"
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
	if level, known := condition.ParseStakes(stakes); known {
		return int(level - condition.Low)
	}
	return len(levels)
}

// Act is a recorded decision with the review that counts, or a rejected request for approval.
type Act struct {
	At       time.Time
	Session  string // acts of a session share their outcome; without a session the day
	Drawn    bool   // drawn at random for review
	Outcome  string // success, partial, failure, abandoned, denied for a rejected request, or empty without a review
	By       string // identity of the reviewer
	Category string
	Model    string // model of the agent, as it stated; empty if unknown
	Approved bool   // a person approved the act before
	Forced   bool   // recorded despite a denial
}

// failed reports whether the act counts as failure.
func (a Act) failed() bool {
	return a.Outcome == "failure" || a.Outcome == "abandoned" || a.Outcome == "denied"
}

// succeeded reports whether the act counts as success. Approved acts do not count, because a person selected them.
// Forced acts do not count, because their check denied them.
func (a Act) succeeded() bool { return a.Outcome == "success" && !a.Approved && !a.Forced }

// Bars are the shares of successful sessions above which an agent is promoted, and below which it is demoted.
type Bars struct{ Trusted, Autonomous, TrustedFloor, AutonomousFloor float64 }

// Standing is the level that an agent has earned for acts with given stakes, with its evidence.
type Standing struct {
	Stakes      string  `json:"stakes"`
	Level       string  `json:"level" jsonschema:"supervised, trusted or autonomous"`
	Needed      string  `json:"needed" jsonschema:"level that acts with these stakes need; approval: a person approves every one"`
	Sufficient  bool    `json:"sufficient" jsonschema:"true if the act would need no approval"`
	Why         string  `json:"why" jsonschema:"evidence for the level"`
	Missing     string  `json:"missing" jsonschema:"evidence that the next level needs"`
	Successes   int     `json:"successes" jsonschema:"sessions without a failure since the start or the last demotion, whose first act and acts drawn at random are reviewed"`
	Failures    int     `json:"failures" jsonschema:"sessions with a failed or abandoned decision, or a rejected request"`
	Unreviewed  int     `json:"unreviewed" jsonschema:"sessions whose first act or an act drawn at random is not reviewed; they count as failures"`
	LowerBound  float64 `json:"lower_bound" jsonschema:"lower end of the anytime-valid 95 % confidence sequence for the share of successful sessions, if all unreviewed ones failed"`
	LeftOut     int     `json:"left_out" jsonschema:"successful sessions left out because one reviewer gave more than half of all reviews"`
	Approved    int     `json:"approved" jsonschema:"successes of approved acts, which do not count"`
	Forced      int     `json:"forced" jsonschema:"successes of forced acts, which do not count"`
	Partial     int     `json:"partial" jsonschema:"partial outcomes, which do not count"`
	Reviewers   int     `json:"reviewers"`
	TopReviewer string  `json:"top_reviewer,omitempty" jsonschema:"reviewer of more than half of the sessions; absent for callers who may see only some projects, and in verdicts"`
	Demotions   int     `json:"demotions"`
	Veto        string  `json:"veto,omitempty" jsonschema:"category whose reviews keep the act supervised"`
}

const (
	recentReviews = 20 // number of latest reviews that can demote an agent
	minRecent     = 10
	minVeto       = 3 // minimum number of reviews of a category that can lower the level
	maxNeeded     = 2000
)

// sessionCase is the outcome of a session, success, failure or empty without a review, and the reviewer who gave it.
type sessionCase struct{ outcome, by string }

// sequence counts sessions in chronological order of their acts.
type sequence struct {
	bars                            Bars
	level                           int
	demotions                       int
	cases                           map[string]sessionCase
	successes, failures, unreviewed int
	given, praised                  map[string]int // sessions and successful ones by reviewer
	recent                          []bool         // failures among the latest reviews
	approved, forced, mid           int
}

func newSequence(bars Bars) *sequence {
	return &sequence{bars: bars, cases: map[string]sessionCase{}, given: map[string]int{}, praised: map[string]int{}}
}

func (q *sequence) bar(level int) float64 {
	return []float64{0, q.bars.Trusted, q.bars.Autonomous}[level]
}
func (q *sequence) floor(level int) float64 {
	return []float64{0, q.bars.TrustedFloor, q.bars.AutonomousFloor}[level]
}

// top returns the reviewer with most sessions.
func (q *sequence) top() (reviewer string) {
	for by, sessions := range q.given {
		if most := q.given[reviewer]; sessions > most || sessions == most && by < reviewer {
			reviewer = by
		}
	}
	return reviewer
}

// leftOut returns how many successes do not count, because one reviewer gave more than half of the reviews.
func (q *sequence) leftOut() int {
	top := q.top()
	return min(max(0, 2*q.given[top]-(q.successes+q.failures)), q.praised[top])
}

// above reports whether the share of successes lies above the bar of a level, with further successes.
func (q *sequence) above(level, further int) bool {
	return statistics.Above(float64(q.successes-q.leftOut()+further), float64(q.failures+q.unreviewed), q.bar(level))
}

// add counts one act, and promotes or demotes the agent.
func (q *sequence) add(a Act) {
	switch {
	case a.failed():
	case a.Outcome == "partial":
		q.mid++
		return
	case a.Outcome == "" && (a.Approved || a.Forced):
		return
	case a.Approved:
		q.approved++
		return
	case a.Forced:
		q.forced++
		return
	}
	q.count(a)
	for q.level+1 < len(levels) && q.above(q.level+1, 0) {
		q.level++
	}
	if a.Outcome == "" {
		return
	}
	if q.recent = append(q.recent, a.failed()); len(q.recent) > recentReviews {
		q.recent = q.recent[1:]
	}
	if q.level > 0 && len(q.recent) >= minRecent && q.share() < q.floor(q.level) {
		q.level--
		q.demotions++
		q.successes, q.failures, q.unreviewed = 0, 0, 0
		clear(q.cases)
		clear(q.given)
		clear(q.praised)
		q.recent = nil
	}
}

// count updates the case of the act's session, which only gets worse: it has at most as many successes as the first
// acts of sessions would have. So neither the size of a session nor the choice of reviews raises the share.
func (q *sequence) count(a Act) {
	before, known := q.cases[a.Session]
	now := sessionCase{a.Outcome, a.By}
	switch {
	case known && before.outcome == "failure":
		return
	case a.failed():
		now.outcome = "failure"
	case a.Outcome == "" && (!known || a.Drawn), !known:
	default:
		return
	}
	q.cases[a.Session] = now
	if known {
		q.tally(before, -1)
	}
	q.tally(now, 1)
}

func (q *sequence) tally(c sessionCase, by int) {
	switch c.outcome {
	case "":
		q.unreviewed += by
		return
	case "success":
		q.successes += by
		q.praised[c.by] += by
	default:
		q.failures += by
	}
	if q.given[c.by] += by; q.given[c.by] == 0 {
		delete(q.given, c.by)
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

// Evaluate returns the level of an agent for acts with given stakes, from all acts with these stakes in chronological
// order. category and model are those of the act. Reviews of a category can only lower the level, and a changed model
// lowers it by one. Acts after the latest reviewed one do not count yet.
func Evaluate(acts []Act, bars Bars, stakes, category, model string) Standing {
	for len(acts) > 0 && acts[len(acts)-1].Outcome == "" {
		acts = acts[:len(acts)-1]
	}
	all, own := newSequence(bars), newSequence(bars)
	others, bad, of := 0, 0, 0
	for _, a := range acts {
		all.add(a)
		if a.Outcome == "denied" || strings.EqualFold(a.Model, model) {
			own.add(a)
		} else if a.Outcome != "" {
			others++
		}
		if category != "" && strings.EqualFold(a.Category, category) && (a.failed() || a.succeeded()) {
			of++
			if a.failed() {
				bad++
			}
		}
	}
	out := Standing{Stakes: stakes, Successes: all.successes - all.leftOut(), Failures: all.failures,
		Unreviewed: all.unreviewed, LeftOut: all.leftOut(), Approved: all.approved, Forced: all.forced,
		Partial: all.mid, Reviewers: len(all.given), Demotions: all.demotions}
	out.LowerBound = statistics.Lower(float64(out.Successes), float64(out.Failures+out.Unreviewed))
	out.Why = out.evidence()
	level := all.level
	if fallen := max(own.level, level-1); others > 0 && fallen < level {
		level = fallen
		out.Why += map[bool]string{true: "; the act states no model, other than reviewed ones",
			false: "; the model has changed"}[model == ""] +
			", which lowers the level by one until its own reviews suffice"
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
	if top := all.top(); 2*all.given[top] > all.successes+all.failures {
		out.TopReviewer = top
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

// evidence describes the counted sessions.
func (s Standing) evidence() string {
	text := "No review at " + s.Stakes + " stakes counts"
	if sessions := s.Successes + s.Failures + s.Unreviewed; s.Successes+s.Failures > 0 {
		text = fmt.Sprintf("%s at %s stakes count, of which %d failed and %d are not reviewed. If these failed, too, the share of successes is at least %.2f, at 95 %% confidence",
			render.Plural(sessions, "session"), s.Stakes, s.Failures, s.Unreviewed, s.LowerBound)
	}
	switch s.Demotions {
	case 0:
		return text
	case 1:
		return text + " since the demotion"
	}
	return text + " since the last demotion"
}

// requirement describes what the next level requires.
func (q *sequence) requirement(level, own int, now Standing) string {
	if level+1 >= len(levels) {
		return "nothing: this is the highest level"
	}
	next := levels[level+1]
	if now.Veto != "" {
		return fmt.Sprintf("%s: successes in the category %s, until %.0f %% of its reviews are successes", next,
			now.Veto, 100*q.floor(max(q.level, 1)))
	}
	if level < q.level {
		return fmt.Sprintf("%s: reviews of this model that suffice for it by themselves; it has earned %s so far", next,
			levels[own])
	}
	more := 0 // successes in a row
	for more <= maxNeeded && !q.above(level+1, more) {
		more++
	}
	text := fmt.Sprintf("%s: %d more successful sessions in a row, which prove a share above %.2f", next, more,
		q.bar(level+1))
	switch {
	case more > maxNeeded:
		text = fmt.Sprintf("%s: a share of successes above %.2f; the record is too far below it", next, q.bar(level+1))
	case more == 0:
		text = next + ": one more counted review"
	}
	if q.unreviewed > 0 {
		text += fmt.Sprintf(", or fewer after reviews of the %s without one", render.Plural(q.unreviewed, "session"))
	}
	if more <= maxNeeded && (now.LeftOut > 0 || now.Reviewers < 2) {
		text += ", and no reviewer may give more than half of the reviews"
		if len(q.given) > 0 {
			text += ": others have to review, too"
		}
	}
	return text
}

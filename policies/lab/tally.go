package lab

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/internal/statistics"
	"nomograph/policies/check"
)

// Flips are the acts for which today's and the changed rules answer differently.
type Flips struct {
	Acts        int       `json:"acts"`
	Exact       int       `json:"exact"`
	Approximate int       `json:"approximate" jsonschema:"flips that depend on a rule that reads the graph, or on an older verdict"`
	Outcomes    Outcomes  `json:"outcomes"`
	Overridden  int       `json:"overridden" jsonschema:"acts denied at the time that went ahead by force or approval"`
	NotDone     int       `json:"not_done" jsonschema:"acts denied at the time that did not go ahead; they have no outcome"`
	ByRule      []Group   `json:"by_rule"`
	ByAgent     []Group   `json:"by_agent"`
	ByCategory  []Group   `json:"by_category"`
	ByStakes    []Group   `json:"by_stakes"`
	Examples    []Example `json:"examples" jsonschema:"at most ten, most important first"`
}

// Outcomes counts acts by the outcome of the decision that records them.
type Outcomes struct {
	Success    int `json:"success"`
	Partial    int `json:"partial"`
	Failure    int `json:"failure"`
	Abandoned  int `json:"abandoned"`
	Unreviewed int `json:"unreviewed"`
}

func (o *Outcomes) add(outcome string) {
	switch outcome {
	case "success":
		o.Success++
	case "partial":
		o.Partial++
	case "failure":
		o.Failure++
	case "abandoned":
		o.Abandoned++
	default:
		o.Unreviewed++
	}
}

// Group is a subset of the flips.
type Group struct {
	Name     string   `json:"name"`
	Acts     int      `json:"acts"`
	Outcomes Outcomes `json:"outcomes"`
}

// Example is one act that flips.
type Example struct {
	VerdictID   string          `json:"verdict_id"`
	DecisionID  string          `json:"decision_id,omitempty"`
	At          time.Time       `json:"at"`
	AgentID     string          `json:"agent_id,omitempty"`
	Category    string          `json:"category,omitempty"`
	Stakes      string          `json:"stakes,omitempty"`
	Description string          `json:"description,omitempty"`
	Rules       []string        `json:"rules" jsonschema:"rules that make the difference"`
	Outcome     string          `json:"outcome" jsonschema:"success, partial, failure, abandoned, unreviewed, or not_done (denied)"`
	Overridden  string          `json:"overridden,omitempty" jsonschema:"force or approval; unknown for older verdicts"`
	Exactness   check.Exactness `json:"exactness"`
}

// example returns the act as an example of a finding.
func (r *record) example() Example {
	return Example{VerdictID: r.UID, DecisionID: r.Decision, At: r.At, AgentID: r.Agent, Category: r.Category,
		Stakes: r.Stakes, Description: r.Description, Outcome: r.outcome(), Overridden: r.overridden()}
}

// Retry is the difference between a denied act and a later check of the same act that was allowed.
type Retry struct {
	Change string `json:"change" jsonschema:"difference, such as confidence 0.4 → 0.5"`
	Acts   int    `json:"acts"`
}

// Retries are denied acts that were retried in the same session until they were allowed.
type Retries struct {
	Acts    int     `json:"acts"`
	Changes []Retry `json:"changes" jsonschema:"differences of the retries, most frequent first"`
}

// Arm counts the answers of one set of rules.
type Arm struct {
	Allowed      int `json:"allowed"`
	Denied       int `json:"denied"`
	Overridden   int `json:"overridden,omitempty" jsonschema:"denied acts that went ahead by force or approval"`
	Undetermined int `json:"undetermined,omitempty" jsonschema:"acts with a rule that cannot be replayed"`
}

func (a *Arm) add(x state) {
	switch x {
	case unknown:
		a.Undetermined++
	case denies:
		a.Denied++
	default:
		a.Allowed++
	}
}

// answer is the result of an act under one set of rules.
type answer struct {
	denied      bool
	approximate bool
	by          []int // rules that deny
	open        []int // denying rules that cannot be replayed
}

func (a answer) known() bool { return a.denied || len(a.open) == 0 }

func answerOf(rules []check.Rule, results []check.Replayed) answer {
	var a answer
	exactDenial := false
	for i, r := range results {
		if !rules[i].Denies() {
			continue
		}
		switch {
		case r.Exactness == check.NotReplayable:
			a.open = append(a.open, i)
		case r.Violates():
			a.denied, a.by = true, append(a.by, i)
			exactDenial = exactDenial || r.Exactness == check.Exact
		}
		a.approximate = a.approximate || r.Exactness == check.Approximate
	}
	a.approximate = a.approximate && !exactDenial
	return a
}

// Directions of a flip.
const (
	same int8 = iota
	blocked
	freed
	undetermined
)

// replayedAct is an act with its answers.
type replayedAct struct {
	act
	rules          []string // rules that cause the flip
	flip           int8
	today, changed state
	approximate    bool
}

// state is the combined answer of an act.
type state int8

const (
	allows state = iota
	denies
	unknown
)

func (a answer) state() state {
	switch {
	case a.denied:
		return denies
	case len(a.open) > 0:
		return unknown
	}
	return allows
}

// take makes a verdict the latest one of the act. All acts of an open session stay in memory, so an act keeps no large
// texts, and only a flip its description.
func (a *replayedAct) take(r *record) {
	a.add(r)
	a.Inputs, a.Masked, a.Applied, a.AppliedResults = "", nil, nil, nil
	if a.flip != blocked && a.flip != freed {
		a.Description = ""
	}
}

// stated is what an agent can state differently in a retry, by name, as JSON.
type stated map[string]string

func statedIn(inputs string) stated {
	all := stated{"stakes": gjson.Get(inputs, "stakes").String()}
	if confidence := gjson.Get(inputs, "confidence"); confidence.Type != gjson.Null {
		all["confidence"] = statedValue(confidence)
	}
	gjson.Get(inputs, "context").ForEach(func(key, value gjson.Result) bool {
		all["context."+key.String()] = statedValue(value)
		return true
	})
	return all
}

// statedValue formats a number without digits that come from binary fractions.
func statedValue(value gjson.Result) string {
	if value.Type == gjson.Number {
		return strconv.FormatFloat(dropBinaryDigits(value.Num), 'f', -1, 64)
	}
	return strings.Clone(value.Raw) // the inputs need not stay in memory
}

// since returns the differences from an earlier attempt, and whether all of them are of numbers.
func (s stated) since(before stated) (changes []string, numbers bool) {
	names := maps.Clone(before)
	maps.Copy(names, s)
	numbers = true
	for _, name := range slices.Sorted(maps.Keys(names)) {
		if from, to := before[name], s[name]; from != to {
			changes = append(changes, fmt.Sprintf("%s %s → %s", name, cmp.Or(cut(from), "absent"),
				cmp.Or(cut(to), "absent")))
			numbers = numbers && gjson.Parse(from).Type == gjson.Number && gjson.Parse(to).Type == gjson.Number
		}
	}
	return changes, numbers && len(changes) > 0
}

// retry compares an act with its first denial.
type retry struct {
	denied  stated // what the first denied attempt stated
	retried bool
	numbers bool     // the first allowed attempt after a denial changed nothing but numbers
	changes []string // differences of the first allowed attempt
}

// add compares a verdict with the first denial.
func (t *retry) add(r *record) {
	switch {
	case !r.done() && t.denied == nil:
		t.denied = statedIn(r.Inputs)
	case r.Allowed && t.denied != nil && !t.retried:
		t.retried = true
		if t.changes, t.numbers = statedIn(r.Inputs).since(t.denied); len(t.changes) == 0 {
			t.changes = []string{"the same action: the rules, the graph or the time changed"}
		}
	}
}

// count counts an act if it was retried until it was allowed.
func (r *Retries) count(t retry) {
	if !t.retried {
		return
	}
	r.Acts++
	for _, change := range t.changes {
		at := slices.IndexFunc(r.Changes, func(known Retry) bool { return known.Change == change })
		if at < 0 {
			at, r.Changes = len(r.Changes), append(r.Changes, Retry{Change: change})
		}
		r.Changes[at].Acts++
	}
}

// rank puts the most frequent changes first, and leaves out the others.
func (r *Retries) rank() {
	slices.SortFunc(r.Changes, func(a, b Retry) int {
		return cmp.Or(cmp.Compare(b.Acts, a.Acts), strings.Compare(a.Change, b.Change))
	})
	r.Changes = r.Changes[:min(len(r.Changes), maxGroups)]
}

// noEvidence is the note about acts whose outcomes do not count.
func (r *Retries) noEvidence() string {
	return fmt.Sprintf("%s no evidence: after a denial the agent changed only numbers (%s)",
		render.PluralOf(r.Acts, "act is", "acts are"), escapeText(r.Changes[0].Change))
}

func cut(text string) string {
	const maximum = 40
	if runes := []rune(text); len(runes) > maximum {
		return string(runes[:maximum]) + "…"
	}
	return text
}

// overridden returns how a denied act was executed: force, approval, or unknown for an older verdict and without
// either; empty if it was not.
func (r *record) overridden() string {
	switch {
	case r.Allowed, r.Forced == "" && r.OverriddenBy == "" && !r.Executed:
		return ""
	case r.OverriddenBy == "":
		return "unknown"
	}
	return r.OverriddenBy
}

// done reports whether the act may have been executed.
func (r *record) done() bool { return r.Allowed || r.overridden() != "" }

// notDone is the outcome of a denied act that was not executed.
const notDone = "not_done"

// outcome returns the outcome of the decision; retracted decisions have none.
func (r *record) outcome() string {
	switch {
	case !r.done():
		return notDone
	case r.Outcome == "" || r.Retracted:
		return "unreviewed"
	}
	return r.Outcome
}

// actID is what verdicts on the same action share.
type actID struct{ session, actionKey string }

// group returns the group of cases that resemble an act: its session, or without a session the agent and the day.
func (r *record) group() string {
	if r.Session != "" {
		return r.Session
	}
	return r.Agent + " " + r.At.Format(time.DateOnly)
}

// tally collects acts.
type tally struct {
	out   *Replay
	rules [2][]check.Rule // today's and changed
	same  []int           // index of the equal rule of today for each changed rule, or -1
	open  openActs[replayedAct]
	// inside are the newly denied acts among executed ones that today's rules allow, and outside the others. In
	// partialInside and partialOutside a partial outcome is a failure.
	inside, outside, partialInside, partialOutside sample
	unseen                                         []statistics.Case // executed acts without a review inside the flips
	unseenOutside                                  int
}

// add counts the evaluation of one verdict.
func (t *tally) add(r *record, today, changed []check.Replayed) {
	t.out.Verdicts++
	now, then := answerOf(t.rules[0], today), answerOf(t.rules[1], changed)
	t.compareStored(r, now)
	a, ends := t.open.actOf(r)
	a.today, a.changed = now.state(), then.state()
	a.flip, a.approximate, a.rules = t.compare(r, now, then)
	a.take(r)
	if ends {
		t.close(a)
	}
}

// compareStored compares the answer with the stored one if the rules are the same.
func (t *tally) compareStored(r *record, now answer) {
	if r.Revision != t.out.Revision || r.BySession {
		return
	}
	t.out.Same.Verdicts++
	switch {
	case !now.known() || now.approximate:
		t.out.Same.NotComparable++
	case now.denied == r.Allowed:
		t.out.Same.Different++
	default:
		t.out.Same.Reproduced++
	}
}

// compare returns how an act flips, and which rules cause it.
func (t *tally) compare(r *record, now, then answer) (flip int8, approximate bool, rules []string) {
	if r.BySession { // the session denied it, so rules change nothing
		return same, false, nil
	}
	approximate = now.approximate || then.approximate
	switch {
	case now.denied && then.denied:
		return same, approximate, nil
	case now.denied && then.known():
		return freed, approximate, t.names(0, now.by)
	case then.denied && now.known():
		return blocked, approximate, t.names(1, then.by)
	case now.denied || then.denied:
		return undetermined, approximate, nil
	}
	// Neither rule set is known to deny. A rule in both sets has the same result in both.
	left := lists.Map(then.open, func(i int) int { return t.same[i] })
	if slices.Sort(left); !slices.Equal(left, now.open) {
		return undetermined, approximate, nil
	}
	return same, approximate, nil
}

func (t *tally) names(arm int, rules []int) []string {
	return lists.Map(rules, func(i int) string { return t.rules[arm][i].Name })
}

// close counts an act.
func (t *tally) close(a *replayedAct) {
	t.out.Acts++
	t.out.Retries.count(a.retry)
	if a.BySession {
		t.out.BySession++
	} else {
		t.out.Today.add(a.today)
		t.out.Changed.add(a.changed)
		switch {
		case a.Allowed && a.today == denies:
			t.out.Since.NowDenied++
		case !a.Allowed && a.today == allows:
			t.out.Since.NowAllowed++
		}
	}
	if a.Allowed {
		t.out.Given.Allowed++
	} else {
		t.out.Given.Denied++
	}
	if a.overridden() != "" {
		t.out.Given.Overridden++
	}
	switch a.flip {
	case undetermined:
		t.out.Undetermined++
	case blocked:
		t.count(&t.out.Blocked, &t.out.BlockedDecisions, a)
	case freed:
		t.count(&t.out.Freed, &t.out.FreedDecisions, a)
	}
	t.countExecuted(a)
}

// countExecuted counts an executed act that today's rules allow, for precision, recall and review rates.
func (t *tally) countExecuted(a *replayedAct) {
	outcome := a.record.outcome()
	if outcome == notDone || a.today != allows || a.flip == undetermined {
		return
	}
	inside := a.flip == blocked
	reviews := &t.out.Reviews.Outside
	if inside {
		reviews = &t.out.Reviews.Inside
	}
	reviews.Acts++
	if outcome != "unreviewed" {
		reviews.Reviewed++
	}
	outcome = a.outcome() // unreviewed if its facts are no evidence
	part, partial := &t.outside, &t.partialOutside
	if inside {
		part, partial = &t.inside, &t.partialInside
	}
	part.add(&a.record, outcome, false)
	partial.add(&a.record, outcome, true)
	switch {
	case outcome != "unreviewed":
	case inside:
		t.unseen = append(t.unseen, a.caseOf(false))
	default:
		t.unseenOutside++
	}
}

// count adds an act to the flips of its direction, and its decision to those that flip.
func (t *tally) count(f *Flips, decisions *[]string, a *replayedAct) {
	f.Acts++
	if a.Decision != "" && len(t.out.BlockedDecisions)+len(t.out.FreedDecisions) < maxFlipped {
		*decisions = append(*decisions, a.Decision)
	}
	exactness := check.Exact
	if a.approximate {
		exactness = check.Approximate
		f.Approximate++
	} else {
		f.Exact++
	}
	outcome := a.record.outcome()
	if outcome == notDone {
		f.NotDone++
	} else {
		f.Outcomes.add(outcome)
	}
	if a.overridden() != "" {
		f.Overridden++
	}
	group := func(groups *[]Group, name string) {
		at := slices.IndexFunc(*groups, func(g Group) bool { return g.Name == name })
		if at < 0 {
			at, *groups = len(*groups), append(*groups, Group{Name: name})
		}
		if (*groups)[at].Acts++; outcome != notDone {
			(*groups)[at].Outcomes.add(outcome)
		}
	}
	for _, name := range a.rules {
		group(&f.ByRule, name)
	}
	group(&f.ByAgent, cmp.Or(a.Agent, "unknown"))
	group(&f.ByCategory, cmp.Or(lower(a.Category), "none"))
	group(&f.ByStakes, cmp.Or(a.Stakes, "medium"))
	example := a.example()
	example.Rules, example.Exactness = a.rules, exactness
	f.Examples = bestExamples(append(f.Examples, example))
}

const maxExamples = 10

// bestExamples returns at most ten acts, in order: those whose outcome shows whether the change is right, or that
// somebody overrode; then those with high stakes; then the newest.
func bestExamples(examples []Example) []Example {
	weight := func(e Example) int {
		switch {
		case e.Outcome == "failure" || e.Outcome == "success":
			return 0
		case e.Overridden != "":
			return 1
		case e.Outcome == "partial" || e.Outcome == "abandoned":
			return 2
		}
		return 3
	}
	levels := []string{"critical", "high", "medium", "", "low"}
	slices.SortFunc(examples, func(a, b Example) int {
		return cmp.Or(cmp.Compare(weight(a), weight(b)),
			cmp.Compare(slices.Index(levels, a.Stakes), slices.Index(levels, b.Stakes)),
			b.At.Compare(a.At), strings.Compare(a.VerdictID, b.VerdictID))
	})
	return examples[:min(len(examples), maxExamples)]
}

const maxGroups = 20

// rank puts the largest groups first, and leaves out the others.
func (f *Flips) rank() {
	for _, groups := range []*[]Group{&f.ByRule, &f.ByAgent, &f.ByCategory, &f.ByStakes} {
		slices.SortFunc(*groups, func(a, b Group) int {
			return cmp.Or(cmp.Compare(b.Acts, a.Acts), strings.Compare(a.Name, b.Name))
		})
		*groups = (*groups)[:min(len(*groups), maxGroups)]
	}
}

// finish closes the open acts and computes the results.
func (t *tally) finish() {
	for id, a := range t.open {
		t.close(a)
		delete(t.open, id)
	}
	t.out.Blocked.rank()
	t.out.Freed.rank()
	t.out.Retries.rank()
	slices.Sort(t.out.BlockedDecisions)
	slices.Sort(t.out.FreedDecisions)
	t.out.Estimate = t.estimate()
}

// estimate estimates how many of the newly denied acts failed, and how many of the failures are newly denied.
func (t *tally) estimate() *Estimate {
	if t.out.Blocked.Acts == 0 {
		return nil
	}
	e := &Estimate{Criterion: criterion(stakesCosts), Precision: t.inside.rate(), Recall: t.inside.recall(&t.outside)}
	if t.out.Blocked.Outcomes.Partial > 0 {
		e.PrecisionPartialFails = t.partialInside.rate()
	}
	if partial := t.partialInside.recall(&t.partialOutside); partial != nil &&
		(e.Recall == nil || partial.Of > e.Recall.Of) {
		e.RecallPartialFails = partial
	}
	stopped, hurt := count(t.inside.all.cases)
	missed, _ := count(t.outside.all.cases)
	e.Unreviewed = len(t.unseen)
	if all := stopped + hurt + e.Unreviewed; all > 0 {
		e.PrecisionBounds = &Bounds{float64(stopped) / float64(all), float64(stopped+e.Unreviewed) / float64(all)}
	}
	if minimum, maximum := stopped+missed+t.unseenOutside, stopped+e.Unreviewed+missed; minimum > 0 && maximum > 0 {
		e.RecallBounds = &Bounds{float64(stopped) / float64(minimum),
			float64(stopped+e.Unreviewed) / float64(maximum)}
	}
	side, more := statistics.Settle(t.inside.best().cases, t.unseen)
	if e.Answer = answers[side]; more >= 0 {
		e.ReviewsToSettle = &more
	}
	return e
}

func count(trials []statistics.Case) (hits, misses int) {
	for _, t := range trials {
		if t.Hit {
			hits++
		} else {
			misses++
		}
	}
	return hits, misses
}

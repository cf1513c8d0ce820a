package lab

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/progress"
	"nomograph/internal/render"
	"nomograph/internal/reviewsample"
	"nomograph/internal/statistics"
	"nomograph/policies"
	"nomograph/policies/check"
)

// TuneRequest asks how other values of a threshold would have performed.
type TuneRequest struct {
	Name  string           `json:"name" jsonschema:"threshold with a number that active rules read" rule:"minLength=1,maxLength=200"`
	Costs graph.Parameters `json:"costs,omitempty" jsonschema:"number of wrong blocks that one missed failure costs, by stakes (default low 1, medium 3, high 10, critical 30)"`
	Filter
}

// Tuned compares the values of a threshold over acts with a known outcome. A wrong block costs 1; the cost of a missed
// failure depends on its stakes.
type Tuned struct {
	Threshold string   `json:"threshold"`
	Value     float64  `json:"value" jsonschema:"current value"`
	Unit      string   `json:"unit,omitempty"`
	Rules     []string `json:"rules" jsonschema:"rules that read it; they count as if in enforce mode"`
	Window
	Costs     map[string]float64 `json:"costs"`
	Failures  int                `json:"failures" jsonschema:"reviewed acts that went ahead"`
	Successes int                `json:"successes"`
	Drawn     bool               `json:"drawn,omitempty" jsonschema:"true if only reviewed acts drawn at random count, because other reviews are incomplete"`
	Restated  Retries            `json:"restated" jsonschema:"acts that were allowed after a denial although their agent changed nothing but numbers; they are left out"`
	Criterion string             `json:"criterion" jsonschema:"costs by which values compare"`
	Denied    int                `json:"denied" jsonschema:"acts without an outcome, because they did not go ahead"`
	Values    []TunedValue       `json:"values" jsonschema:"all values with different effects, at most 60, ascending"`
	// The range contains today's value and its neighbors whose cost does not clearly differ from today's.
	SameLow  float64  `json:"same_low" jsonschema:"lowest value of the range around today's whose cost does not differ from today's by more than chance"`
	SameHigh float64  `json:"same_high"`
	Later    *Later   `json:"later,omitempty" jsonschema:"cheapest value of the earlier 70 % of the reviewed acts, with its cost in the later 30 %"`
	Propose  string   `json:"propose,omitempty" jsonschema:"command that proposes the cheapest value; absent if no value is shown to be cheaper than the current one, or if reviews are selected"`
	Review   []string `json:"review" jsonschema:"decisions whose reviews would settle whether another value is cheaper, those drawn at random first, at most 20"`
	Notes    []string `json:"notes"`
	Summary  string   `json:"summary" jsonschema:"the same as Markdown"`
}

// TunedValue is one value, with the acts that it would have stopped.
type TunedValue struct {
	Value          float64  `json:"value"`
	InForce        bool     `json:"in_force,omitempty"`
	Stopped        int      `json:"stopped_failures"`
	Blocked        int      `json:"blocked_successes"`
	Unknown        int      `json:"unknown" jsonschema:"reviewed acts for which the rules cannot be replayed"`
	Freed          int      `json:"freed" jsonschema:"denied acts that would pass the rules that read it; another rule may still deny them, and nobody knows their outcome"`
	Evidence       bool     `json:"evidence" jsonschema:"false if the value allows more acts, whose outcomes are not recorded"`
	Cost           float64  `json:"cost" jsonschema:"number of wrong blocks plus the costs of missed failures"`
	More           float64  `json:"more_than_today" jsonschema:"cost minus today's cost"`
	MoreLow        *float64 `json:"more_low,omitempty" jsonschema:"lower end of the 95 % interval over sessions, which holds for all values at the same time; absent if fewer than 10 sessions differ"`
	MoreHigh       *float64 `json:"more_high,omitempty"`
	Unreviewed     int      `json:"unreviewed" jsonschema:"unreviewed acts for which it gives another answer than today's value"`
	UnreviewedMore float64  `json:"unreviewed_more" jsonschema:"cost above today's if each of them had the outcome that speaks most for today's value"`
	Same           bool     `json:"same" jsonschema:"true if the interval contains 0, or the cost of fewer than 10 sessions differs"`
	TurnsAt        *float64 `json:"turns_at,omitempty" jsonschema:"cost of a missed failure at which it costs as much as today's value; above, the stricter of the two is cheaper"`
	violating      []bool   // whether an act violates the rules, by reviewed act
	unseen         []int    // indices of the unreviewed acts
	sessions       int      // number of sessions whose cost differs from today's
}

// Later is the value that was cheapest in the earlier acts, with its cost in the later acts.
type Later struct {
	Since        time.Time `json:"since"`
	Value        float64   `json:"value" jsonschema:"cheapest value in the earlier part"`
	Cost         float64   `json:"cost" jsonschema:"cost of that value in the later part"`
	CostInForce  float64   `json:"cost_in_force" jsonschema:"cost of today's value in the later part"`
	ReviewedActs int       `json:"reviewed_acts" jsonschema:"acts reviewed in the later part"`
}

const (
	maxTuned = 60     // values
	maxActs  = 10_000 // number of latest reviewed acts
	earlier  = 0.7
)

// Tune evaluates the rules that read a threshold over recorded acts, with every value that changes a result. Nothing is
// stored. It returns not_found if no active rule reads such a threshold, a conflict for an ambiguous name, a
// validation_error for a non-numeric threshold or an invalid cost, and the errors of reading the graph.
func (s *Store) Tune(ctx context.Context, q TuneRequest) (Tuned, error) {
	now := time.Now().UTC()
	w, err := q.window(now)
	if err != nil {
		return Tuned{}, err
	}
	costs, err := costsOf(q.Costs)
	if err != nil {
		return Tuned{}, err
	}
	nodes, err := s.checks.RuleNodes(ctx, []string{q.Name})
	if err != nil {
		return Tuned{}, err
	}
	node, err := findNode(nodes.Thresholds, q.Name, "SYS_Threshold")
	if err != nil {
		return Tuned{}, err
	}
	value, ok := policies.ToFloat(node.Properties["value"])
	if !ok {
		return Tuned{}, apperr.Newf(apperr.Validation, "The value of '%s' is %s, not a number", q.Name,
			policies.ShowValue(node.Properties["value"])).
			WithHint("Replay other values one by one with `replay_policies`")
	}
	out := Tuned{Threshold: q.Name, Value: value, Unit: graph.Text(node.Properties, "unit"), Window: w, Costs: costs,
		Criterion: criterion(costs)}
	t := &tuning{name: q.Name, nodes: nodes, compiler: check.NewCompiler(nil), now: now, costs: costs}
	if err := t.readers(&out); err != nil {
		return Tuned{}, err
	}
	if err := t.read(ctx, s.source(q.Filter, w), &out); err != nil {
		return Tuned{}, err
	}
	if err := t.sweep(ctx, &out, t.candidates(node.Properties, value)); err != nil {
		return Tuned{}, err
	}
	out.compare(t)
	_, whole := node.Properties["value"].(int64)
	out.propose(t, whole)
	out.note()
	out.Summary = out.markdown()
	return out, nil
}

func costsOf(values graph.Parameters) (map[string]float64, error) {
	costs := maps.Clone(stakesCosts)
	for stakes, value := range values {
		cost, ok := policies.ToFloat(value)
		if _, known := costs[stakes]; !known || !ok || !policies.Finite(cost) || cost < 0 {
			return nil, apperr.Newf(apperr.Validation, "Invalid cost for %s stakes: %s", stakes,
				policies.ShowValue(value)).WithHint("Use numbers from 0 for low, medium, high and critical")
		}
		costs[stakes] = cost
	}
	return costs, nil
}

// tuning is the state of one call.
type tuning struct {
	name     string
	nodes    check.RuleNodes
	compiler *check.Compiler
	now      time.Time
	costs    map[string]float64
	rules    []check.Rule // rules that read the threshold
	reviewed []*record    // executed acts with success or failure
	denied   []*record    // acts that were not executed
	unseen   []*record    // executed acts without a review
	sample   sample       // of reviewed and unseen acts
}

// with compiles the rules with a different value.
func (t *tuning) with(value float64) *check.RuleSet {
	nodes := check.RuleNodes{Policies: t.nodes.Policies, Thresholds: slices.Clone(t.nodes.Thresholds)}
	for i, node := range nodes.Thresholds {
		if node.Name() == t.name {
			nodes.Thresholds[i].Properties = maps.Clone(node.Properties)
			nodes.Thresholds[i].Properties["value"] = value
		}
	}
	return t.compiler.Compile(nodes, t.now)
}

func (t *tuning) reads(r check.Rule) bool {
	return r.Mode != "off" && r.ReadsThreshold(t.name)
}

// readers returns the names of the rules that read the threshold.
func (t *tuning) readers(out *Tuned) error {
	for _, r := range t.compiler.Compile(t.nodes, t.now).Rules() {
		if !t.reads(r) {
			continue
		}
		out.Rules = append(out.Rules, r.Name)
		t.rules = append(t.rules, r)
		if r.Mode != "enforce" || !r.Denies() {
			out.Notes = append(out.Notes, "The rule '"+r.Name+
				"' denies nothing today; this comparison treats it as enforced")
		}
		if r.Pattern != "" {
			out.Notes = append(out.Notes, "The rule '"+r.Name+"' reads the current graph, so it is left out")
		}
	}
	t.nodes.Policies = lists.Filter(t.nodes.Policies,
		func(n check.RuleNode) bool { return slices.Contains(out.Rules, n.Name()) })
	if len(out.Rules) == 0 {
		return apperr.Newf(apperr.NotFound, "No active rule reads the threshold '%s'", t.name).
			WithHint("`get_policy` shows which thresholds a rule reads")
	}
	return nil
}

// read collects the acts. Of several verdicts on one action in a session, the last verdict counts.
func (t *tuning) read(ctx context.Context, acts source, out *Tuned) error {
	left := false // whether older acts are left out
	add := func(list *[]*record, r *record) {
		if *list = append(*list, r); len(*list) >= maxActs*5/4 {
			*list, left = latest(*list), true
		}
	}
	err := eachAct(ctx, acts, func(r *record) {
		r.Applied, r.AppliedResults, r.Description, r.Revision = nil, nil, "", ""
	}, func(a *act) {
		outcome := a.outcome()
		switch {
		case a.BySession:
		case a.numbers:
			out.Restated.count(a.retry)
		case outcome == notDone:
			add(&t.denied, &a.record)
		case outcome == "failure" || outcome == "success":
			t.sample.add(&a.record, outcome, false)
			add(&t.reviewed, &a.record)
		case outcome == "unreviewed":
			t.sample.add(&a.record, outcome, false)
			add(&t.unseen, &a.record)
		}
	})
	if err != nil {
		return err
	}
	if out.Restated.rank(); out.Restated.Acts > 0 {
		out.Notes = append(out.Notes, out.Restated.noEvidence())
	}
	if out.Drawn = t.sample.usesDrawn(); out.Drawn {
		undrawn := func(r *record) bool { return !reviewsample.Drawn(r.DecisionUID) }
		t.reviewed, t.unseen = slices.DeleteFunc(t.reviewed, undrawn), slices.DeleteFunc(t.unseen, undrawn)
		out.Notes = append(out.Notes,
			"Only acts drawn at random count, because they are reviewed almost completely and the others are not")
	}
	for _, list := range []*[]*record{&t.reviewed, &t.denied, &t.unseen} {
		left = left || len(*list) > maxActs
		*list = latest(*list)
	}
	if left {
		out.Notes = append(out.Notes,
			fmt.Sprintf("Only the latest %d acts of a kind are examined: reviewed, denied and unreviewed ones", maxActs))
	}
	out.Failures, out.Denied = len(lists.Filter(t.reviewed,
		func(r *record) bool { return r.outcome() == "failure" })), len(t.denied)
	out.Successes = len(t.reviewed) - out.Failures
	return nil
}

// latest returns the latest acts in order, at most maxActs.
func latest(acts []*record) []*record {
	slices.SortFunc(acts, func(a, b *record) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.UID, b.UID)) })
	if len(acts) <= maxActs {
		return acts
	}
	return slices.Clone(acts[len(acts)-maxActs:])
}

// candidates returns the values at which an answer can change: the numbers that the rules read in the acts, within the
// bounds of the threshold, and today's value. For integers it adds the neighboring integers, because rules may compare
// counts.
func (t *tuning) candidates(properties map[string]any, value float64) []float64 {
	found := map[float64]bool{value: true}
	for _, list := range [][]*record{t.reviewed, t.denied} {
		for i := range list {
			for path, fact := range list[i].facts() {
				if number, ok := fact.(float64); ok && slices.ContainsFunc(t.rules,
					func(r check.Rule) bool { return r.ReadsFact(path) }) {
					found[dropBinaryDigits(number)] = true
				}
			}
		}
	}
	if value == math.Trunc(value) {
		for integer := max(0, value-10); integer <= value+10; integer++ {
			found[integer] = true
		}
	}
	for _, bound := range []string{"min", "max"} {
		if number, ok := policies.ToFloat(properties[bound]); ok {
			found[number] = true
		}
	}
	tried := maps.Clone(properties)
	var values []float64
	for candidate := range found {
		tried["value"] = candidate
		if policies.Finite(candidate) && policies.OutOfBounds(tried) == "" {
			values = append(values, candidate)
		}
	}
	slices.Sort(values)
	if len(values) <= maxTuned {
		return values
	}
	thinned := []float64{value}
	for i := range maxTuned - 1 {
		thinned = append(thinned, values[i*(len(values)-1)/(maxTuned-2)])
	}
	slices.Sort(thinned)
	return slices.Compact(thinned)
}

// dropBinaryDigits drops digits that come from binary fractions, such as in 0.6000000000000001. The rounded value is
// evaluated.
func dropBinaryDigits(number float64) float64 {
	short, _ := strconv.ParseFloat(strconv.FormatFloat(number, 'g', 15, 64), 64) // a written number can be read
	return short
}

// actResult is the result of all rules for an act: whether one is violated, and whether the result is unknown.
type actResult struct{ violated, unknown bool }

// sweep evaluates all acts with each value. It drops values whose answers equal those of the previous value, except
// today's.
func (t *tuning) sweep(ctx context.Context, out *Tuned, values []float64) error {
	sets := lists.Map(values, t.with)
	skip := lists.Map(sets[0].Rules(), func(r check.Rule) bool { return !t.reads(r) || r.Pattern != "" })
	acts := slices.Concat(t.reviewed, t.denied, t.unseen)
	results := make([][]actResult, len(acts))
	err := progress.Each(ctx, "Evaluating acts", len(acts), func(i int) (err error) {
		results[i], err = t.actResults(ctx, acts[i], sets, skip)
		return err
	})
	if err != nil {
		return graph.AsError(err)
	}
	today := slices.Index(values, out.Value)
	for v, value := range values {
		one := TunedValue{Value: value, InForce: v == today, violating: make([]bool, len(t.reviewed))}
		for i := range acts {
			r := results[i][v]
			switch {
			case i >= len(t.reviewed)+len(t.denied):
				if now := results[i][today]; r.violated != now.violated && !r.unknown && !now.unknown {
					one.Unreviewed++
					one.unseen = append(one.unseen, i-len(t.reviewed)-len(t.denied))
					one.UnreviewedMore += max(t.costAs(acts[i], true, r.violated)-t.costAs(acts[i], true, now.violated),
						t.costAs(acts[i], false, r.violated)-t.costAs(acts[i], false, now.violated))
				}
				continue
			case i >= len(t.reviewed):
				if results[i][today].violated && !r.violated && !r.unknown {
					one.Freed++
				}
				continue
			case r.unknown:
				one.Unknown++
				continue
			}
			one.violating[i] = r.violated
			failed := acts[i].outcome() == "failure"
			if r.violated && failed {
				one.Stopped++
			} else if r.violated {
				one.Blocked++
			}
			one.Cost += t.cost(acts[i], r.violated)
		}
		one.Evidence = one.Freed == 0
		if last := len(out.Values) - 1; last >= 0 && !one.InForce && !out.Values[last].InForce &&
			one.Freed == out.Values[last].Freed && slices.Equal(one.violating, out.Values[last].violating) {
			continue
		}
		out.Values = append(out.Values, one)
	}
	return nil
}

// actResults evaluates an act with each rule set, without the rules to skip.
func (t *tuning) actResults(ctx context.Context, r *record, sets []*check.RuleSet, skip []bool) ([]actResult, error) {
	results := make([]actResult, len(sets))
	past := r.past().Read()
	for v, set := range sets {
		replayed, err := set.Replay(ctx, past, false, func(i int) (check.Replayed, bool) {
			return check.Replayed{Exactness: check.Exact}, skip[i]
		})
		if err != nil {
			return nil, err
		}
		for _, result := range replayed {
			results[v].violated = results[v].violated || result.Violates()
			results[v].unknown = results[v].unknown || result.Exactness == check.NotReplayable
		}
		results[v].unknown = results[v].unknown && !results[v].violated
	}
	return results, nil
}

// cost returns the cost of one answer to an act with a known outcome.
func (t *tuning) cost(r *record, violated bool) float64 {
	return t.costAs(r, r.outcome() == "failure", violated)
}

// costAs is the cost if the act failed, or if it succeeded.
func (t *tuning) costAs(r *record, failed, violated bool) float64 {
	switch {
	case failed && !violated:
		return t.costs[cmp.Or(r.Stakes, "medium")]
	case !failed && violated:
		return 1
	}
	return 0
}

// compare compares each value with today's, and selects the cheapest value of the earlier acts.
func (t *Tuned) compare(c *tuning) {
	at := slices.IndexFunc(t.Values, func(v TunedValue) bool { return v.InForce })
	today := &t.Values[at]
	groups := map[string]int{}
	for i := range c.reviewed {
		if group := c.reviewed[i].group(); groups[group] == 0 {
			groups[group] = len(groups) + 1
		}
	}
	more := make([][]float64, len(t.Values)) // cost above today's, by session
	for i, v := range t.Values {
		more[i] = make([]float64, len(groups))
		for n := range c.reviewed {
			r := c.reviewed[n]
			more[i][groups[r.group()]-1] += c.cost(r, v.violating[n]) - c.cost(r, today.violating[n])
		}
	}
	low, high := statistics.Sums(more)
	for i := range t.Values {
		v := &t.Values[i]
		v.More = v.Cost - today.Cost
		v.sessions = len(lists.Filter(more[i], func(sum float64) bool { return sum != 0 }))
		if v.Same = low[i] <= 0 && high[i] >= 0; !math.IsInf(low[i], 0) {
			v.MoreLow, v.MoreHigh = &low[i], &high[i]
		}
		if stopped, blocked := v.Stopped-today.Stopped, v.Blocked-today.Blocked; stopped != 0 &&
			float64(blocked)/float64(stopped) > 0 {
			ratio := float64(blocked) / float64(stopped)
			v.TurnsAt = &ratio
		}
	}
	t.SameLow, t.SameHigh = today.Value, today.Value
	same := func(v TunedValue) bool { return v.Same && v.Evidence }
	for i := at; i >= 0 && same(t.Values[i]); i-- {
		t.SameLow = t.Values[i].Value
	}
	for i := at; i < len(t.Values) && same(t.Values[i]); i++ {
		t.SameHigh = t.Values[i].Value
	}
	t.later(c, today)
}

// later selects the cheapest value of the earlier acts that has enough evidence, and compares it with today's over
// the later acts.
func (t *Tuned) later(c *tuning, today *TunedValue) {
	from := int(earlier * float64(len(c.reviewed)))
	if from == 0 || from == len(c.reviewed) {
		return
	}
	costs := func(v *TunedValue, low, high int) (sum float64) {
		for n := low; n < high; n++ {
			sum += c.cost(c.reviewed[n], v.violating[n])
		}
		return sum
	}
	best := today
	for i := range t.Values {
		if v := &t.Values[i]; v.Evidence && costs(v, 0, from) < costs(best, 0, from) {
			best = v
		}
	}
	t.Later = &Later{Since: c.reviewed[from].At, Value: best.Value, Cost: costs(best, from, len(c.reviewed)),
		CostInForce: costs(today, from, len(c.reviewed)), ReviewedActs: len(c.reviewed) - from}
}

// note adds the limitations of the answer.
func (t *Tuned) note() {
	if t.Failures+t.Successes == 0 {
		t.Notes = append(t.Notes, "No act with a known outcome uses it: review decisions first")
	}
	if slices.ContainsFunc(t.Values, func(v TunedValue) bool { return !v.Evidence }) {
		t.Notes = append(t.Notes,
			"Looser values than the current one have no record, because denied acts have no outcome. Try them in shadow mode. Other rules may still deny these acts")
	}
	if slices.ContainsFunc(t.Values, func(v TunedValue) bool { return v.Unknown > 0 }) {
		t.Notes = append(t.Notes,
			"Acts are unknown if a value that the rules read was masked, not stored (verdicts.inputs) or invalid")
	}
}

// markdown formats the answer for people.
func (t *Tuned) markdown() string {
	var b page
	b.line("## Threshold %s\n", escapeText(t.Threshold))
	b.line("Current value: %s. Read by %s. %s, %s, %s without an outcome.\n",
		strings.TrimSpace(policies.ShowValue(t.Value)+" "+t.Unit), strings.Join(t.Rules, ", "),
		render.Plural(t.Failures, "failure"), render.PluralOf(t.Successes, "success", "successes"),
		render.Plural(t.Denied, "denied act"))
	b.line("%s.\n", t.Criterion)
	writeTable(&b, "| value | failures stopped | successes blocked | cost | compared with today |\n|--:|--:|--:|--:|:--|",
		t.Values, func(v TunedValue) string {
			return fmt.Sprintf("| %s | %d | %d | %.0f | %s |", policies.ShowValue(v.Value), v.Stopped, v.Blocked,
				v.Cost,
				v.compared())
		})
	others := slices.DeleteFunc(slices.Clone(t.Values), func(v TunedValue) bool { return v.InForce || !v.Evidence })
	switch {
	case t.SameLow < t.SameHigh:
		b.line("From %s to %s the cost does not differ significantly from today's.\n", policies.ShowValue(t.SameLow),
			policies.ShowValue(t.SameHigh))
	case len(others) > 0 && !slices.ContainsFunc(others, func(v TunedValue) bool { return v.Same }):
		b.line("The cost of every other value with a record differs from today's.\n")
	}
	if l := t.Later; l != nil && l.Value == t.Value {
		b.line("The acts before %s suggest no other value.\n", l.Since.Format(time.DateOnly))
	} else if l != nil {
		b.line("The acts before %s suggest %s. Since then, that value would have cost %.0f and today's value %.0f (%s).\n", l.Since.Format(time.DateOnly), policies.ShowValue(l.Value), l.Cost, l.CostInForce,
			render.Plural(l.ReviewedActs, "act"))
	}
	if t.Propose != "" {
		b.line("Propose the cheapest value: `%s`\n", strings.ReplaceAll(t.Propose, "`", "'"))
	} else if t.Failures+t.Successes > 0 && len(t.Review) == 0 {
		b.line("No value is shown to be cheaper than the current one, so there is nothing to propose.\n")
	}
	return b.notes(t.Notes)
}

// compared describes the cost of the value against that of today's.
func (v TunedValue) compared() string {
	against := fmt.Sprintf("%+.0f", v.More)
	if v.MoreLow != nil {
		against += fmt.Sprintf(" (%+.0f to %+.0f)", *v.MoreLow, *v.MoreHigh)
	}
	switch {
	case v.InForce:
		against = "in force"
	case !v.Evidence:
		against = fmt.Sprintf("no record: %s would pass", render.Plural(v.Freed, "denied act"))
	case v.sessions == 0:
		against = "same cost in each session"
	case v.MoreLow == nil:
		against += fmt.Sprintf(", fewer than %d sessions differ", statistics.MinGroups)
	case v.Same:
		against += ", no difference shown"
	}
	if v.Unreviewed > 0 {
		against += fmt.Sprintf("; %s differ, at most %+.0f", render.Plural(v.Unreviewed, "unreviewed act"),
			v.UnreviewedMore)
	}
	if v.TurnsAt != nil && v.Evidence {
		against += fmt.Sprintf("; equal cost at %.1f", *v.TurnsAt)
	}
	return against
}

// cheaper reports whether the value is shown to cost less than today's among the reviewed acts.
func (v TunedValue) cheaper() bool { return v.Evidence && v.MoreHigh != nil && *v.MoreHigh < 0 }

// propose sets the command that proposes the cheapest value, among those whose cost is lower than today's whatever the
// outcomes of unreviewed acts. It proposes nothing if reviews are selected: then, and if unreviewed acts could
// outweigh the difference, it lists what to review. integer is true if the threshold holds integers.
func (t *Tuned) propose(c *tuning, integer bool) {
	cheaper := lists.Filter(t.Values, TunedValue.cheaper)
	if len(cheaper) == 0 {
		return
	}
	sure := lists.Filter(cheaper, func(v TunedValue) bool { return *v.MoreHigh+v.UnreviewedMore < 0 })
	if len(sure) == 0 {
		fewest := slices.MinFunc(cheaper, func(a, b TunedValue) int { return cmp.Compare(a.Unreviewed, b.Unreviewed) })
		t.Review = c.reviewFirst(fewest)
		t.Notes = append(t.Notes,
			fmt.Sprintf("Among the reviewed acts %s costs less, but the outcomes of %s could outweigh that. Review them first: %s", policies.ShowValue(fewest.Value), render.Plural(fewest.Unreviewed, "unreviewed act"), strings.Join(t.Review, ", ")))
		return
	}
	best := slices.MinFunc(sure, func(a, b TunedValue) int { return cmp.Compare(a.Cost, b.Cost) })
	inside, outside := c.reviewRates(best, t.Values[slices.IndexFunc(t.Values,
		func(v TunedValue) bool { return v.InForce })])
	if inside != nil && outside != nil && best.Unreviewed > 0 &&
		(inside.High < outside.Low || inside.Low > outside.High) {
		t.Review = c.reviewFirst(best)
		t.Notes = append(t.Notes,
			fmt.Sprintf("People reviewed %s of the acts for which %s differs, and %s of the others, which is more than chance. Review these acts first: %s", percent(inside.Share), policies.ShowValue(best.Value), percent(outside.Share), strings.Join(t.Review, ", ")))
		return
	}
	value := strconv.FormatFloat(best.Value, 'f', -1, 64)
	if !integer && !strings.Contains(value, ".") {
		value += ".0"
	}
	reason := fmt.Sprintf("%d failures stopped and %d successes blocked, at a cost %.0f below that of %s (95 %% interval %.0f to %.0f)", best.Stopped, best.Blocked, -best.More,
		policies.ShowValue(t.Value), -*best.MoreHigh, -*best.MoreLow)
	set := t.Threshold + "=" + value
	if shellWord(t.Threshold) != t.Threshold || strings.ContainsAny(t.Threshold, "=:/+") ||
		strings.ContainsAny(t.Threshold[:1], "0123456789.-") { // the short form accepts only plain names
		name, _ := json.Marshal(t.Threshold) // a text always encodes
		set = "{" + string(name) + ":" + value + "}"
	}
	t.Propose = "nomograph policy propose --set " + shellWord(set) + " --reason " + shellWord(reason)
}

// reviewRates returns the share of reviewed acts among those for which a value and today's differ, and among the
// others.
func (t *tuning) reviewRates(v, today TunedValue) (inside, outside *statistics.Share) {
	var differ, same []statistics.Case
	add := func(r *record, differs, reviewed bool) {
		switch one := (statistics.Case{Group: r.group(), Hit: reviewed}); {
		case r.Decision == "": // nobody can review it
		case differs:
			differ = append(differ, one)
		default:
			same = append(same, one)
		}
	}
	for i := range t.reviewed {
		add(t.reviewed[i], v.violating[i] != today.violating[i], true)
	}
	for i := range t.unseen {
		_, differs := slices.BinarySearch(v.unseen, i)
		add(t.unseen[i], differs, false)
	}
	return statistics.ShareOf(differ), statistics.ShareOf(same)
}

// reviewFirst returns the decisions for which a value differs and that have no review, those drawn at random first.
func (t *tuning) reviewFirst(v TunedValue) []string {
	var drawn, others []string
	for _, i := range v.unseen {
		switch r := t.unseen[i]; {
		case r.Decision == "":
		case reviewsample.Drawn(r.DecisionUID):
			drawn = append(drawn, r.Decision)
		default:
			others = append(others, r.Decision)
		}
	}
	all := append(drawn, others...)
	return all[:min(len(all), 20)]
}

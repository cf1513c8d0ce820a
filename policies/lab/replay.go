package lab

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/progress"
	"nomograph/internal/render"
	"nomograph/internal/statistics"
	"nomograph/policies"
	"nomograph/policies/check"
)

// Request asks how changed rules would have evaluated recorded actions.
type Request struct {
	Change
	Filter
	FailOn     []string `json:"fail_on,omitempty" jsonschema:"conditions that fail the replay, such as blocked_successes > 2" rule:"maxItems=20"`
	SkipCypher bool     `json:"skip_cypher,omitempty" jsonschema:"skip Cypher rules, which query the graph for every action"`
}

// Replay compares today's rules with changed ones over recorded actions. A flip is an act for which the two give
// different answers.
type Replay struct {
	Window
	ImpactFlips
	Change    []string  `json:"change" jsonschema:"the change in words; empty if only today's rules are replayed"`
	Revision  string    `json:"revision" jsonschema:"hash of today's rules"`
	ChangedTo string    `json:"changed_to" jsonschema:"hash of the changed rules"`
	Given     Arm       `json:"recorded" jsonschema:"results at the time"`
	Today     Arm       `json:"current" jsonschema:"results of today's rules"`
	Changed   Arm       `json:"changed" jsonschema:"results of the changed rules"`
	Since     Since     `json:"since" jsonschema:"acts to which today's rules give another answer than the rules at the time"`
	Same      Same      `json:"same_revision" jsonschema:"verdicts by exactly today's rules, and how many the replay reproduces"`
	BySession int       `json:"by_session" jsonschema:"acts that a governed session denied, which no rule changes"`
	Reviews   Reviews   `json:"reviews"`
	Retries   Retries   `json:"retries" jsonschema:"denials that were retried until allowed"`
	Rules     []RuleSum `json:"rules"`
	FailOn    []Check   `json:"fail_on,omitempty"`
	Notes     []string  `json:"notes"`
	Summary   string    `json:"summary" jsonschema:"the same as Markdown"`
	Seconds   float64   `json:"seconds"`
	// BlockedDecisions and FreedDecisions are ids of decisions whose act flips, at most 1,000 together.
	BlockedDecisions []string `json:"-"`
	FreedDecisions   []string `json:"-"`
}

// Since counts acts for which today's rules answer differently from the rules at the time.
type Since struct {
	NowDenied  int `json:"now_denied"`
	NowAllowed int `json:"now_allowed"`
}

// Same compares stored verdicts of today's rules with their replay.
type Same struct {
	Verdicts      int `json:"verdicts"`
	Reproduced    int `json:"reproduced"`
	Different     int `json:"different"`
	NotComparable int `json:"not_comparable" jsonschema:"verdicts whose replay is approximate or impossible"`
}

// Estimate estimates, from reviewed acts, how many denials would have been right.
type Estimate struct {
	Precision             *statistics.Share `json:"precision,omitempty" jsonschema:"failures among newly denied acts with success or failure"`
	PrecisionPartialFails *statistics.Share `json:"precision_partial_fails,omitempty" jsonschema:"the same, with partial counted as failure"`
	PrecisionBounds       *Bounds           `json:"precision_bounds,omitempty" jsonschema:"bounds: if all unreviewed acts succeeded, and if all failed"`
	Recall                *statistics.Share `json:"recall,omitempty" jsonschema:"newly denied acts among failures that today's rules allow"`
	RecallPartialFails    *statistics.Share `json:"recall_partial_fails,omitempty" jsonschema:"the same, with partial counted as failure"`
	RecallBounds          *Bounds           `json:"recall_bounds,omitempty" jsonschema:"bounds: if unreviewed acts favor the change least, and most"`
	Unreviewed            int               `json:"unreviewed" jsonschema:"newly denied acts that went ahead without a review"`
	// ReviewsToSettle is nil if even reviews of all acts would not show whether the denials cost less than the
	// failures.
	ReviewsToSettle *int   `json:"reviews_to_settle,omitempty" jsonschema:"number of further reviews, at the same failure rate, that would show whether the denials cost less than the failures that they stop"`
	Answer          string `json:"answer" jsonschema:"open, costs_less or costs_more: the denials, compared with the failures that they stop, at 95 % confidence"`
	Criterion       string `json:"criterion" jsonschema:"costs by which the answer compares"`
}

// Bounds holds the lowest and highest possible value.
type Bounds struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Reviews are the review rates of executed acts: of the newly denied ones, and of the others.
type Reviews struct {
	Inside  ReviewRate `json:"inside"`
	Outside ReviewRate `json:"outside"`
}

// ReviewRate counts reviewed acts.
type ReviewRate struct {
	Acts     int `json:"acts"`
	Reviewed int `json:"reviewed"`
}

// RuleSum counts the replayed results of a rule.
type RuleSum struct {
	Rule    string `json:"rule"`
	Changed string `json:"changed,omitempty" jsonschema:"new, removed or changed; absent if equal"`
	Mode    string `json:"mode"`
	Exactnesses
	Objects       int `json:"violations" jsonschema:"verdicts that violate the changed rule"`
	ObjectedToday int `json:"current_violations" jsonschema:"verdicts that violate today's version"`
}

// Exactnesses counts replayed verdicts by how far their replay can be trusted.
type Exactnesses struct {
	Exact         int `json:"exact" jsonschema:"verdicts replayed from stored facts"`
	Approximate   int `json:"approximate" jsonschema:"verdicts replayed on the graph of today, or without facts that a replay needs"`
	NotReplayable int `json:"not_replayable"`
}

func (e *Exactnesses) add(exactness check.Exactness) {
	switch exactness {
	case check.Exact:
		e.Exact++
	case check.Approximate:
		e.Approximate++
	case check.NotReplayable:
		e.NotReplayable++
	}
}

// Failed reports whether a condition of fail_on holds. It sets the exit code.
func (r Replay) Failed() bool {
	return slices.ContainsFunc(r.FailOn, func(c Check) bool { return c.Holds })
}

// Replay evaluates recorded actions by today's rules and by changed ones. Nothing is stored. It returns a
// validation_error for an invalid change or condition, and the errors of reading the graph.
func (s *Store) Replay(ctx context.Context, q Request) (Replay, error) {
	now := time.Now().UTC()
	w, err := q.window(now)
	if err != nil {
		return Replay{}, err
	}
	nodes, changed, summary, err := s.changedRules(ctx, q.Change)
	if err != nil {
		return Replay{}, err
	}
	run, err := newRun(check.NewCompiler(s.graph), nodes, changed, now, q)
	if err != nil {
		return Replay{}, err
	}
	run.patterns = !q.SkipCypher
	run.tally.out.Change = summary
	out, err := run.run(ctx, s.source(q.Filter, w), w)
	if err != nil || len(q.Packs) == 0 {
		return out, err
	}
	unknown, err := s.checks.UnknownPrograms(ctx, w.From, w.To, q.AgentID, q.Project)
	out.noteUnknown(unknown)
	return out, err
}

// noteUnknown notes programs about which rules know nothing.
func (r *Replay) noteUnknown(programs []check.UnknownProgram) {
	if len(programs) == 0 {
		return
	}
	words := lists.Map(programs, func(p check.UnknownProgram) string {
		return fmt.Sprintf("%s (%d)", p.Program, p.Verdicts)
	})
	r.Notes = append(r.Notes, "Commands ran programs that nothing describes, so rules see less of what they do: "+
		strings.Join(words, ", ")+". Describe them in `programs` of a pack")
	r.Summary += "\n" + r.Notes[len(r.Notes)-1] + ".\n"
}

// ReplayFile is Replay of the acts and rules that Export wrote. Rules that read the graph cannot be replayed.
func ReplayFile(ctx context.Context, q Request, r io.Reader) (Replay, error) {
	acts, head, err := openFile(r, q.Filter)
	if err != nil {
		return Replay{}, err
	}
	changed, summary, err := q.apply(ctx, head.Rules)
	if err != nil {
		return Replay{}, err
	}
	run, err := newRun(check.NewCompiler(nil), head.Rules, changed, head.At, q)
	if err != nil {
		return Replay{}, err
	}
	run.tally.out.Change = summary
	out, err := run.run(ctx, acts, acts.Window)
	return render.CleanValue(out).(Replay), err // no operation does it
}

// changedRules reads the current rules and makes the change. It reads again if the changed rules need further
// thresholds.
func (s *Store) changedRules(ctx context.Context, c Change) (today, changed check.RuleNodes, summary []string,
	err error) {
	names := slices.Sorted(maps.Keys(c.Set)) // must be read even if no rule reads them
	for {
		if today, err = s.checks.RuleNodes(ctx, names); err != nil {
			return today, changed, nil, err
		}
		if changed, summary, err = c.apply(ctx, today); err != nil {
			return today, changed, nil, err
		}
		missing := check.NewCompiler(s.graph).Compile(changed, time.Now().UTC()).MissingThresholds()
		if len(missing) == 0 || policies.ContainsAll(names, missing) {
			return today, changed, summary, nil
		}
		names = append(names, missing...)
	}
}

// run is one replay.
type run struct {
	sets     [2]*check.RuleSet // today's and changed
	patterns bool
	idle     []bool // by rule of today: whether it would query the graph for each act and cannot flip any
	tally    *tally
	conds    []figureLimit
	sums     []RuleSum
	started  time.Time
}

func newRun(compiler *check.Compiler, today, changed check.RuleNodes, now time.Time, q Request) (*run, error) {
	r := &run{started: time.Now()}
	var err error
	if r.conds, err = conditionsOf(q.FailOn); err != nil {
		return nil, err
	}
	r.sets[0] = compiler.Compile(today, now)
	r.sets[1] = compiler.CompileChange(changed, r.sets[0], now)
	r.tally = &tally{out: &Replay{Revision: r.sets[0].Revision(), ChangedTo: r.sets[1].Revision()},
		open: openActs[replayedAct]{}, rules: [2][]check.Rule{r.sets[0].Rules(), r.sets[1].Rules()}}
	r.match()
	return r, nil
}

// match finds the equal rule of today for each changed rule. Its result is reused, so an unchanged rule never flips
// an act.
func (r *run) match() {
	today, changed := r.tally.rules[0], r.tally.rules[1]
	byKey, byName := map[string]int{}, map[string]bool{}
	for i, rule := range today {
		byKey[rule.Key()], byName[rule.Name] = i, true
	}
	r.tally.same, r.idle = make([]int, len(changed)), make([]bool, len(today))
	remaining := map[string]bool{}
	for i, rule := range changed {
		sum := RuleSum{Rule: rule.Name, Mode: rule.Mode}
		remaining[rule.Name] = true
		at, equal := byKey[rule.Key()]
		switch {
		case equal:
			r.tally.same[i], r.idle[at] = at, rule.Pattern != "" && !rule.Denies()
		case byName[rule.Name]:
			r.tally.same[i], sum.Changed = -1, "changed"
		default:
			r.tally.same[i], sum.Changed = -1, "new"
		}
		r.sums = append(r.sums, sum)
	}
	for _, rule := range today {
		if !remaining[rule.Name] {
			r.sums = append(r.sums, RuleSum{Rule: rule.Name, Mode: rule.Mode, Changed: "removed"})
		}
	}
}

// evaluation holds the results of one verdict.
type evaluation struct {
	today, changed []check.Replayed
}

func (r *run) run(ctx context.Context, acts source, w Window) (Replay, error) {
	out := r.tally.out
	out.Window = w
	err := each(ctx, acts, "Replaying verdicts", func(records []record) error {
		results, err := r.evaluate(ctx, records)
		if err != nil {
			return graph.AsError(err)
		}
		for i := range records {
			r.sum(results[i])
			r.tally.add(&records[i], results[i].today, results[i].changed)
		}
		return nil
	})
	if err != nil {
		return Replay{}, err
	}
	r.tally.finish()
	out.Rules = r.sums
	out.FailOn = checkConditions(r.conds, out)
	r.notes(ctx)
	out.Seconds = progress.Milliseconds(r.started) / 1000
	out.Summary = out.markdown()
	return *out, nil
}

// evaluate evaluates verdicts by today's and the changed rules.
func (r *run) evaluate(ctx context.Context, records []record) ([]evaluation, error) {
	acts := make([]check.PastAct, len(records))
	err := progress.Each(ctx, "", len(acts), func(i int) error {
		acts[i] = records[i].past().Read()
		return nil
	})
	if err == nil && r.patterns {
		err = cmp.Or(r.sets[0].ReadCircuits(ctx, acts, func(i int) bool { return r.idle[i] }),
			r.sets[1].ReadCircuits(ctx, acts, func(i int) bool { return r.tally.same[i] >= 0 }))
	}
	if err != nil {
		return nil, err
	}
	results := make([]evaluation, len(acts))
	return results, progress.Each(ctx, "", len(acts), func(i int) (err error) {
		results[i], err = r.one(ctx, acts[i])
		return err
	})
}

// one evaluates an act by today's and the changed rules.
func (r *run) one(ctx context.Context, act check.PastAct) (e evaluation, err error) {
	if e.today, err = r.sets[0].Replay(ctx, act, r.patterns, func(i int) (check.Replayed, bool) {
		return check.Replayed{Exactness: check.Exact}, r.idle[i]
	}); err != nil {
		return e, err
	}
	e.changed, err = r.sets[1].Replay(ctx, act, r.patterns, func(i int) (check.Replayed, bool) {
		if at := r.tally.same[i]; at >= 0 {
			return e.today[at], true
		}
		return check.Replayed{}, false
	})
	return e, err
}

// sum counts the results of rules.
func (r *run) sum(e evaluation) {
	for i, result := range e.changed {
		if at := r.tally.same[i]; at >= 0 && r.idle[at] {
			continue
		}
		s := &r.sums[i]
		s.add(result.Exactness)
		if result.Violates() {
			s.Objects++
		}
	}
	for i, result := range e.today {
		if result.Violates() {
			of := func(s RuleSum) bool { return s.Rule == r.tally.rules[0][i].Name }
			r.sums[slices.IndexFunc(r.sums, of)].ObjectedToday++ // match has added all rules
		}
	}
}

// notes adds the limitations of the answer.
func (r *run) notes(ctx context.Context) {
	out := r.tally.out
	for i, rule := range r.tally.rules[1] {
		if at := r.tally.same[i]; at >= 0 && r.idle[at] {
			out.Notes = append(out.Notes,
				"The rule '"+rule.Name+"' reads the graph and denies nothing before and after the change: it was not evaluated")
		}
		if rule.Pattern != "" && r.sums[i].Approximate > 0 {
			out.Notes = append(out.Notes,
				"The rule '"+rule.Name+"' reads the graph, which has changed since: its results are approximate")
		}
		if rule.Pattern != "" && r.patterns && r.sums[i].NotReplayable > 0 && !caller.From(ctx).QueriesAll() {
			out.Notes = append(out.Notes,
				"The rule '"+rule.Name+"' reads the graph: where it is not in force, it is replayed only for callers with the permission query for all projects")
		}
	}
	if out.Undetermined > 0 {
		out.Notes = append(out.Notes,
			"Some acts may flip: what a changed rule reads was masked, not stored (verdicts.inputs) or invalid")
	}
	if out.BySession > 0 {
		out.Notes = append(out.Notes,
			fmt.Sprintf("%s that a governed session denied: left out of the rows of rules and of flips, because no rule permits them", render.Plural(out.BySession, "act")))
	}
	if out.Verdicts == 0 {
		out.Notes = append(out.Notes, "There are no recorded verdicts in this window")
	}
	out.Notes = append(out.Notes,
		"Unrecorded allowed checks are deleted after verdicts.keep_allowed, while denials stay: older windows hold mostly recorded decisions")
}

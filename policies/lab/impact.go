package lab

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/policies"
	"nomograph/policies/check"
	"nomograph/policies/rule"
	"nomograph/policies/table"
)

// PolicyImpactRequest asks what depends on a policy, and what a different mode would change.
type PolicyImpactRequest struct {
	Name string `json:"name" jsonschema:"policy" rule:"minLength=1,maxLength=200"`
	Mode string `json:"mode,omitempty" jsonschema:"mode to compare with (default off for rules in enforce mode or based on earned autonomy, otherwise enforce)" rule:"enum=enforce|shadow|off"`
}

// ThresholdImpactRequest asks what depends on a threshold, and what a different value would change.
type ThresholdImpactRequest struct {
	Name string         `json:"name" jsonschema:"threshold" rule:"minLength=1,maxLength=200"`
	To   policies.Value `json:"to" jsonschema:"value to compare with"`
}

// DecisionImpactRequest asks what depends on a decision.
type DecisionImpactRequest struct {
	ID  string `json:"id" jsonschema:"decision id" rule:"minLength=1,maxLength=200"`
	UID string `json:"-"` // uid of the decision that ID names
}

// Impact says what depends on a policy, threshold or decision.
type Impact struct {
	Subject    string           `json:"subject" jsonschema:"policy, threshold or decision, with its name"`
	Change     []string         `json:"change" jsonschema:"the examined change in words; empty for a decision"`
	From       time.Time        `json:"from" jsonschema:"start of the window, 30 days before now"`
	Packs      []string         `json:"packs" jsonschema:"packs that own it"`
	Rules      []ImpactRule     `json:"rules" jsonschema:"rules that read it, that evaluated the decision, or that count its outcome"`
	Thresholds []string         `json:"thresholds" jsonschema:"thresholds that the policy reads"`
	Tables     []string         `json:"tables" jsonschema:"decision tables that govern the policy or read the threshold"`
	Exceptions []ImpactApproval `json:"exceptions" jsonschema:"time-limited approvals that lift one of the rules; for a decision, approvals that its deliberation used"`
	Pending    []ImpactApproval `json:"pending" jsonschema:"approval requests that wait for an answer"`
	Flips      *ImpactFlips     `json:"flips,omitempty" jsonschema:"acts of the window whose answer the change flips"`
	Dependents []Dependent      `json:"dependents" jsonschema:"decisions that depend on the decision, or on decisions that flip or failed in spite of the policy; nearest first"`
	Examined   int              `json:"examined" jsonschema:"decisions whose dependents were read"`
	Notes      []string         `json:"notes"`
	Summary    string           `json:"summary" jsonschema:"the same as Markdown"`
}

// ImpactRule is a rule that the impact analysis lists.
type ImpactRule struct {
	Rule   string `json:"rule"`
	Mode   string `json:"mode"`
	How    string `json:"how" jsonschema:"changed, reads or counts (a circuit breaker that counts the decision's outcome)"`
	Before int    `json:"current_violations" jsonschema:"verdicts of the window that violate today's rule"`
	After  int    `json:"violations" jsonschema:"verdicts of the window that violate the changed rule, also in shadow mode"`
	Exactnesses
	Result string `json:"result,omitempty" jsonschema:"for a decision: result of today's rule: passed, violated, error or not_replayable"`
}

// ImpactApproval is an approval, or a request for one.
type ImpactApproval struct {
	ApprovalID string    `json:"approval_id"`
	State      string    `json:"state" jsonschema:"waiting or approved"`
	AgentID    string    `json:"agent_id"`
	Action     string    `json:"action"`
	Rules      []string  `json:"rules"`
	Ends       time.Time `json:"ends"`
	Used       int       `json:"used"`
}

// ImpactFlips are acts that flip.
type ImpactFlips struct {
	Verdicts     int       `json:"verdicts"`
	Acts         int       `json:"acts" jsonschema:"checks, retries and the recording of one action in a session are one act"`
	Blocked      Flips     `json:"blocked" jsonschema:"allowed today, denied by the change"`
	Freed        Flips     `json:"unblocked" jsonschema:"denied today, allowed by the change; there is no estimate of their outcomes"`
	Undetermined int       `json:"undetermined" jsonschema:"acts that may flip: a rule that matters cannot be replayed"`
	Estimate     *Estimate `json:"estimate,omitempty" jsonschema:"estimate for the newly denied acts"`
}

// Dependent is a decision that depends on another.
type Dependent struct {
	ID       string `json:"id"`
	Via      string `json:"via" jsonschema:"decision that it depends on"`
	Distance int    `json:"distance" jsonschema:"1 for direct dependents"`
	Outcome  string `json:"outcome,omitempty"`
	Stakes   string `json:"stakes,omitempty"`
	AgentID  string `json:"agent_id,omitempty"`
	Decision string `json:"decision"`
}

const (
	impactDays        = 30
	maxImpact         = 100  // items of each list
	maxFlipped        = 1000 // decisions whose dependents are read
	scannedVerdicts   = 10_000
	decisionDistances = 5
)

func newImpact(kind, name string) *Impact {
	return &Impact{Subject: kind + " " + name, From: time.Now().UTC().AddDate(0, 0, -impactDays)}
}

// PolicyImpact returns what depends on a policy, and replays the last 30 days with a different mode. Nothing is stored.
// It returns not_found for an unknown policy, a conflict for an ambiguous name, and the errors of Replay.
func (s *Store) PolicyImpact(ctx context.Context, q PolicyImpactRequest) (Impact, error) {
	out := newImpact("policy", q.Name)
	linked, err := graph.All[struct {
		Properties                map[string]any
		Packs, Tables, Thresholds []string
	}](ctx, s.graph, cypher.ImpactPolicy, graph.Params{"name": q.Name, "limit": maxImpact})
	if err != nil {
		return Impact{}, err
	}
	if len(linked) == 0 {
		return Impact{}, policies.NotFound(ctx, s.graph, "SYS_Policy", q.Name, cypher.PolicyNames)
	}
	for _, row := range linked {
		plain, scoped := rule.GuardrailOf(row.Properties).Thresholds()
		out.Packs, out.Tables = lists.Union(out.Packs, row.Packs), lists.Union(out.Tables, row.Tables)
		out.Thresholds = lists.Union(out.Thresholds, row.Thresholds, plain, scoped)
	}
	nodes, err := s.checks.RuleNodes(ctx, nil)
	if err != nil {
		return Impact{}, err
	}
	var roots []string
	subject, err := findNode(nodes.Policies, q.Name, "SYS_Policy")
	switch {
	case apperr.Is(err, apperr.NotFound):
		out.Notes = append(out.Notes, "The policy is inactive or has nothing to evaluate, so no verdict depends on it")
	case err != nil:
		return Impact{}, err
	default:
		today := cmp.Or(graph.Text(subject.Properties, "mode"), rule.Enforce)
		mode := q.Mode
		if mode == "" {
			mode = map[bool]string{true: rule.Off, false: rule.Enforce}[today == rule.Enforce ||
				rule.IsShadowOnly(subject.Properties)]
		}
		if _, roots, err = s.impactFlips(ctx, out, Change{Mode: graph.Parameters{q.Name: mode}},
			func(r check.Rule) bool { return r.Name == q.Name }); err != nil {
			return Impact{}, err
		}
	}
	failed, err := graph.All[struct{ ID string }](ctx, s.graph, cypher.ImpactViolated,
		graph.Params{"name": q.Name, "after": graph.UTC(out.From), "scan": scannedVerdicts, "limit": maxImpact})
	if err != nil {
		return Impact{}, err
	}
	for _, d := range failed {
		roots = append(roots, d.ID)
	}
	return s.finishImpact(ctx, out, []string{q.Name}, roots)
}

// ThresholdImpact returns what depends on a threshold, and replays the last 30 days with a different value. Nothing is
// stored. It returns not_found for an unknown threshold, a conflict for an ambiguous name, a validation_error for a
// value outside of its bounds, and the errors of Replay.
func (s *Store) ThresholdImpact(ctx context.Context, q ThresholdImpactRequest) (Impact, error) {
	out := newImpact("threshold", q.Name)
	linked, err := graph.One[struct {
		Packs, Linked []string
		Rows          []struct {
			Table, ID  string
			Properties map[string]any
		}
	}](ctx, s.graph, cypher.ImpactThreshold, graph.Params{"name": q.Name, "limit": maxImpact})
	if err != nil {
		return Impact{}, err
	}
	out.Packs, out.Tables = lists.Union(out.Packs, linked.Packs), lists.Union(out.Tables, linked.Linked)
	for _, row := range linked.Rows {
		if slices.Contains(table.RowOf(row.ID, row.Properties).Thresholds(), q.Name) {
			out.Tables = lists.Union(out.Tables, []string{row.Table})
		}
	}
	if len(out.Tables) > 0 {
		out.Notes = append(out.Notes, "Evaluations of decision tables are not stored, so they are not replayed")
	}
	readers, roots, err := s.impactFlips(ctx, out, Change{Set: graph.Parameters{q.Name: q.To.Any()}},
		func(r check.Rule) bool { return r.ReadsThreshold(q.Name) })
	if err != nil {
		return Impact{}, err
	}
	if len(readers) == 0 {
		out.Notes = append(out.Notes, "No active rule reads the threshold, so no verdict depends on it")
	}
	return s.finishImpact(ctx, out, readers, roots)
}

// impactFlips replays the window with a change and lists the rules that it is about. It returns their names, and the
// ids of decisions whose act flips.
func (s *Store) impactFlips(ctx context.Context, out *Impact, change Change,
	about func(check.Rule) bool) (names, flipped []string, err error) {
	q := Request{Change: change}
	nodes, changed, summary, err := s.changedRules(ctx, change)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now().UTC()
	run, err := newRun(check.NewCompiler(s.graph), nodes, changed, now, q)
	if err != nil {
		return nil, nil, err
	}
	subjects := lists.Filter(slices.Concat(run.tally.rules[:]...), about)
	names = lists.Union(lists.Map(subjects, func(r check.Rule) string { return r.Name }))
	for _, r := range run.tally.rules[0] { // skip unaffected Cypher rules: they cannot flip, and each needs a statement per verdict
		run.patterns = run.patterns || r.Pattern != "" && slices.Contains(names, r.Name)
	}
	w := Window{out.From, now}
	replay, err := run.run(ctx, s.source(q.Filter, w), w)
	if err != nil {
		return nil, nil, err
	}
	if replay.Undetermined > 0 && !run.patterns &&
		slices.ContainsFunc(run.tally.rules[0], func(r check.Rule) bool { return r.Pattern != "" }) {
		out.Notes = append(out.Notes, "Cypher rules outside of this change were not replayed, so some acts are undetermined; a replay of the change includes them")
	}
	out.Change = summary
	out.Flips = &replay.ImpactFlips
	flipped = lists.Union(replay.BlockedDecisions, replay.FreedDecisions)
	if len(flipped) == maxFlipped {
		out.Notes = append(out.Notes, fmt.Sprintf("The dependents of at most %d flipped decisions are read",
			maxFlipped))
	}
	for _, sum := range replay.Rules {
		if slices.Contains(names, sum.Rule) {
			how := "reads"
			if _, itself := change.Mode[sum.Rule]; itself {
				how = "changed"
			}
			out.Rules = append(out.Rules, ImpactRule{Rule: sum.Rule, Mode: sum.Mode, How: how,
				Before: sum.ObjectedToday, After: sum.Objects, Exactnesses: sum.Exactnesses})
			if sum.Approximate > 0 {
				out.Notes = append(out.Notes, "Verdicts of the rule '"+sum.Rule+
					"' are approximate: it reads the graph, which has changed since, or they lack facts that a replay needs")
			}
		}
	}
	return names, flipped, nil
}

// DecisionImpact returns what depends on a decision: its dependents, approvals that its deliberation used, circuit
// breakers that count its outcome, and its verdict by today's rules. Nothing is stored. It returns not_found for a
// decision that the caller may not see.
func (s *Store) DecisionImpact(ctx context.Context, q DecisionImpactRequest) (Impact, error) {
	found, err := graph.All[struct {
		ID, Agent, Category, Stakes string
		Tags                        []string
		JudgedAt                    *time.Time
		Approvals                   []ImpactApproval
	}](ctx, s.graph, cypher.ImpactDecision, graph.Params{"uid": q.UID, "limit": maxImpact})
	if err != nil {
		return Impact{}, err
	}
	if len(found) == 0 {
		return Impact{}, apperr.Newf(apperr.NotFound, "Decision '%s' not found", q.ID).
			WithHint("`list_decisions` shows decisions")
	}
	d := found[0]
	out := newImpact("decision", d.ID)
	out.Exceptions = append(out.Exceptions, d.Approvals...)
	nodes, err := s.checks.RuleNodes(ctx, nil)
	if err != nil {
		return Impact{}, err
	}
	now := time.Now().UTC()
	set := check.NewCompiler(s.graph).Compile(nodes, now)
	if d.JudgedAt != nil {
		if err := s.evaluatedNow(ctx, out, set, d.ID, d.JudgedAt.UTC()); err != nil {
			return Impact{}, err
		}
	} else {
		out.Notes = append(out.Notes, "No verdict on the recording is stored, so rules cannot be replayed for it")
	}
	scopes := []string{"global", "stakes:" + d.Stakes, "category:" + d.Category, "agent:" + d.Agent}
	for _, tag := range d.Tags {
		scopes = append(scopes, "tag:"+tag)
	}
	for _, breaker := range set.Breakers() {
		if slices.ContainsFunc(scopes, func(scope string) bool {
			return strings.EqualFold(strings.ReplaceAll(breaker.Circuit.Scope, ": ", ":"), scope)
		}) {
			out.Rules = append(out.Rules, ImpactRule{Rule: breaker.Name, Mode: breaker.Mode, How: "counts"})
		}
	}
	frontier := []string{d.ID}
	seen := map[string]bool{d.ID: true}
	for distance := 1; distance <= decisionDistances && len(frontier) > 0 &&
		len(out.Dependents) < maxImpact; distance++ {
		next, err := s.dependents(ctx, frontier, distance, seen)
		if err != nil {
			return Impact{}, err
		}
		out.Examined += len(frontier)
		frontier = nil
		for _, on := range next {
			frontier = append(frontier, on.ID)
		}
		out.Dependents = append(out.Dependents, next...)
	}
	out.cut()
	out.Summary = out.markdown()
	return *out, nil
}

// evaluatedNow adds the verdict on the recording of a decision by today's rules.
func (s *Store) evaluatedNow(ctx context.Context, out *Impact, set *check.RuleSet, id string, at time.Time) error {
	records, err := s.source(Filter{}, Window{at, at.Add(time.Millisecond)}).next(ctx) // fewer than a batch
	found := slices.IndexFunc(records, func(r record) bool { return r.Decision == id })
	if err != nil || found < 0 {
		return err
	}
	results, err := set.Replay(ctx, records[found].past().Read(), true, nil)
	if err != nil {
		return err
	}
	for n, r := range set.Rules() {
		result := results[n].Result
		if results[n].Exactness == check.NotReplayable {
			result = string(check.NotReplayable)
		}
		if result == "" || result == "not_applied" {
			continue
		}
		item := ImpactRule{Rule: r.Name, Mode: r.Mode, How: "reads", Result: result}
		item.add(results[n].Exactness)
		if results[n].Violates() {
			item.After = 1
		}
		out.Rules = append(out.Rules, item)
	}
	return nil
}

// finishImpact adds approvals of the rules, and dependents of decisions that flip or failed.
func (s *Store) finishImpact(ctx context.Context, out *Impact, rules, roots []string) (Impact, error) {
	approvals, err := graph.All[ImpactApproval](ctx, s.graph, cypher.ImpactApprovals,
		graph.Params{"rules": rules, "limit": maxImpact})
	if err != nil {
		return Impact{}, err
	}
	for _, a := range approvals {
		if a.State == "waiting" {
			out.Pending = append(out.Pending, a)
		} else {
			a.State = "approved"
			out.Exceptions = append(out.Exceptions, a)
		}
	}
	if len(approvals) > 0 {
		out.Notes = append(out.Notes, "An approval covers one version of a rule: after a change of the rule itself it covers nothing")
	}
	roots = lists.Union(nil, roots)
	out.Examined = len(roots)
	if len(roots) > 0 {
		if out.Dependents, err = s.dependents(ctx, roots, 1, map[string]bool{}); err != nil {
			return Impact{}, err
		}
	}
	out.cut()
	out.Summary = out.markdown()
	return *out, nil
}

// dependents returns the direct dependents of decisions, without those seen before.
func (s *Store) dependents(ctx context.Context, ids []string, distance int, seen map[string]bool) ([]Dependent, error) {
	rows, err := graph.All[Dependent](ctx, s.graph, cypher.ImpactDependents,
		graph.Params{"ids": ids, "limit": maxImpact + 1})
	if err != nil {
		return nil, err
	}
	var found []Dependent
	for _, d := range rows {
		if !seen[d.ID] {
			seen[d.ID], d.Distance = true, distance
			found = append(found, d)
		}
	}
	return found, nil
}

func (i *Impact) cut() {
	if len(i.Dependents) > maxImpact {
		i.Dependents = i.Dependents[:maxImpact]
		i.Notes = append(i.Notes, fmt.Sprintf("Only %d dependents are listed", maxImpact))
	}
}

// markdown formats the impact for people.
func (i *Impact) markdown() string {
	var b page
	b.line("## Impact of %s\n", escapeText(i.Subject))
	if len(i.Change) > 0 {
		b.line("Change: %s. Acts since %s.\n", escapeText(strings.Join(i.Change, "; ")), i.From.Format(time.DateOnly))
	}
	for _, list := range []struct {
		name  string
		items []string
	}{{"Packs", i.Packs}, {"Thresholds", i.Thresholds}, {"Decision tables", i.Tables}} {
		if len(list.items) > 0 {
			b.line("%s: %s.\n", list.name, escapeText(strings.Join(list.items, ", ")))
		}
	}
	if len(i.Change) > 0 {
		writeTable(&b, "| rule | mode | violations today | violations with the change | exact | approximate | not replayable |\n|---|---|--:|--:|--:|--:|--:|", i.Rules, func(r ImpactRule) string {
			return fmt.Sprintf("| %s | %s | %d | %d | %d | %d | %d |", escapeText(r.Rule), r.Mode, r.Before, r.After,
				r.Exact, r.Approximate, r.NotReplayable)
		})
	} else {
		writeTable(&b, "| rule | mode | today's result |\n|---|---|---|", i.Rules, func(r ImpactRule) string {
			return fmt.Sprintf("| %s | %s | %s |", escapeText(r.Rule), r.Mode,
				cmp.Or(strings.ReplaceAll(r.Result, "_", " "), "counts its outcome"))
		})
	}
	if f := i.Flips; f != nil {
		b.line("%s in %s: %s newly denied, %s newly allowed, %d undetermined.\n", render.Plural(f.Acts, "act"),
			render.Plural(f.Verdicts, "verdict"),
			render.Plural(f.Blocked.Acts, "act"), render.Plural(f.Freed.Acts, "act"), f.Undetermined)
		f.Blocked.write(&b, "Newly denied", "No act is newly denied.")
		if f.Estimate != nil {
			b.line("%s\n", f.Estimate.sentence(f.Blocked.Outcomes))
		}
		f.Freed.write(&b, "Newly allowed", "No act is newly allowed.")
		if f.Freed.Acts > 0 {
			b.line("%s\n", f.Freed.whyNoEstimate())
		}
	}
	const approvals = " | agent | action | rules | until | used |\n|---|---|---|---|---|--:|"
	writeTable(&b, "| Exceptions"+approvals, i.Exceptions, ImpactApproval.row)
	writeTable(&b, "| Pending approvals"+approvals, i.Pending, ImpactApproval.row)
	writeTable(&b, "| dependent | depends on | distance | outcome | stakes | decision |\n|---|---|--:|---|---|---|",
		i.Dependents, func(d Dependent) string {
			return fmt.Sprintf("| %s | %s | %d | %s | %s | %s |", d.ID, d.Via, d.Distance,
				cmp.Or(d.Outcome, "not reviewed"), d.Stakes, escapeText(d.Decision))
		})
	if len(i.Dependents) == 0 {
		b.line("No decision depends on %s.\n", map[bool]string{true: "those that flip or failed",
			false: "it"}[len(i.Change) > 0])
	}
	return strings.TrimRight(b.notes(i.Notes), "\n") + "\n"
}

func (a ImpactApproval) row() string {
	return fmt.Sprintf("| %s | %s | %s | %s | %s | %d |", a.ApprovalID, escapeText(a.AgentID), escapeText(a.Action),
		escapeText(strings.Join(a.Rules, ", ")), a.Ends.Format(time.DateTime), a.Used)
}

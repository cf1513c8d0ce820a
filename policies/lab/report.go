package lab

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/render"
	"nomograph/internal/reviewsample"
	"nomograph/internal/statistics"
	"nomograph/policies/check"
)

// ReportRequest asks for the effects of rules.
type ReportRequest struct {
	Rule string `json:"rule,omitempty" jsonschema:"only this rule" rule:"maxLength=200"`
	Filter
}

// Report counts for each rule how often it applied and objected, and the outcomes of these acts.
type Report struct {
	Window
	Verdicts int          `json:"verdicts"`
	Acts     int          `json:"acts" jsonschema:"checks, retries and the recording of one action in a session are one act"`
	Unknown  int          `json:"unknown" jsonschema:"acts with an older verdict, which does not list the rules that applied"`
	Rules    []RuleReport `json:"rules" jsonschema:"most violations first"`
	// Restated acts are no evidence for any rule.
	Restated  Retries  `json:"restated" jsonschema:"acts that were allowed after a denial although their agent changed nothing but numbers; their outcomes do not count"`
	Criterion string   `json:"criterion" jsonschema:"costs by which trials are answered"`
	Notes     []string `json:"notes"`
	Summary   string   `json:"summary" jsonschema:"the same as Markdown"`
}

// RuleReport is the report of one rule. A failed act to which the rule objected confirms it; a successful one
// contradicts it.
type RuleReport struct {
	Rule       string        `json:"rule"`
	Mode       string        `json:"mode" jsonschema:"enforce, shadow or off today; removed if the rule no longer exists"`
	Severity   string        `json:"severity,omitempty"`
	Evaluated  int           `json:"evaluated" jsonschema:"acts since the rule was first seen, if the verdict lists the rules that applied"`
	Applied    int           `json:"applied" jsonschema:"acts to which its condition applied"`
	Violated   int           `json:"violated" jsonschema:"acts that violated it at least once, or for which it could not be evaluated"`
	Denied     int           `json:"denied" jsonschema:"acts that violated it and were denied at the end, by this rule or another"`
	Overridden OverrideCount `json:"overridden" jsonschema:"denied acts that went ahead"`
	NotDone    int           `json:"not_done" jsonschema:"denied acts that did not go ahead; they have no outcome"`
	Appealed   int           `json:"appealed" jsonschema:"denials by it that an agent called wrong"`
	Overturned int           `json:"overturned" jsonschema:"appealed denials that a person called wrong; an overturned denial contradicts the rule"`
	Retried    int           `json:"retried" jsonschema:"acts that violated it first, and went ahead without violating it"`
	InSpite    Outcomes      `json:"in_spite" jsonschema:"outcomes of acts that went ahead in spite of it: overridden, shadow mode or a warning"`
	Otherwise  Outcomes      `json:"otherwise" jsonschema:"outcomes of acts that went ahead and passed it"`
	// Precision and FailuresOtherwise are nil with fewer than ten reviews.
	Precision             *statistics.Share `json:"precision,omitempty" jsonschema:"failures among reviewed acts that went ahead in spite of it; absent below 10"`
	PrecisionPartialFails *statistics.Share `json:"precision_partial_fails,omitempty" jsonschema:"the same, with partial counted as failure; absent without partial outcomes"`
	FailuresOtherwise     *statistics.Share `json:"failures_otherwise,omitempty" jsonschema:"failures among reviewed acts that passed it; absent below 10"`
	Trial                 *ShadowTrial      `json:"trial,omitempty" jsonschema:"for a rule in shadow mode with reviewed acts: test whether it finds failures"`
	Findings              []string          `json:"findings" jsonschema:"never_applied, never_violated, always_overridden, violations_never_fail"`
}

// ShadowTrial reports whether acts that violate a rule in shadow mode cost more than blocking them would. Its answer
// holds however often it is computed. Each session adds at most one case to each side: its first recorded act that was
// allowed, or its first one that was drawn at random. So neither people nor reviews select the cases.
type ShadowTrial struct {
	Sessions          int     `json:"sessions" jsonschema:"sessions whose first recorded act that violates it was allowed, and is reviewed"`
	Failed            int     `json:"failed" jsonschema:"number of failures among these acts"`
	Low               float64 `json:"low" jsonschema:"lower end of the share of failures: anytime-valid, at 95 % confidence"`
	High              float64 `json:"high" jsonschema:"upper end of the same interval"`
	OtherwiseSessions int     `json:"otherwise_sessions" jsonschema:"sessions whose first recorded act that passes it was allowed, and is reviewed"`
	OtherwiseFailed   int     `json:"otherwise_failed"`
	OtherwiseLow      float64 `json:"otherwise_low" jsonschema:"lower end of the share of failures among these acts: anytime-valid, at 95 % confidence"`
	OtherwiseHigh     float64 `json:"otherwise_high"`
	Unreviewed        int     `json:"unreviewed" jsonschema:"sessions without a review of that act; the answer is open if they are more than one in ten"`
	Drawn             bool    `json:"drawn,omitempty" jsonschema:"true if only acts drawn at random count, because other reviews are incomplete"`
	Answer            string  `json:"answer" jsonschema:"open, finds_failures (blocking these acts costs less) or finds_none (blocking them costs more)"`
}

// trialSide are the cases of one side of a trial: a sample of the first acts of sessions.
type trialSide struct {
	sample
	sessions [2]map[string]bool // with a first act, and with a first act drawn at random
}

// add counts an act if it is the first recorded one of its session that was allowed.
func (c *trialSide) add(act *act, outcome string) {
	if act.Decision == "" || !act.Allowed {
		return
	}
	for i, part := range []*reviewedCases{&c.all, &c.drawn} {
		if c.sessions[i][act.group()] || part == &c.drawn && !reviewsample.Drawn(act.DecisionUID) {
			continue
		}
		if c.sessions[i] == nil {
			c.sessions[i] = map[string]bool{}
		}
		c.sessions[i][act.group()] = true
		part.add(&act.record, outcome, false)
	}
}

// testShadowRule evaluates the acts that violate a rule in shadow mode, and returns the failures among those that pass
// for comparison; nil without a review. It answers only if the reviews are almost complete, because people review what
// they notice.
func testShadowRule(violating, passing *trialSide) *ShadowTrial {
	judged, others := violating.best(), passing.best()
	if len(judged.cases) == 0 {
		return nil
	}
	out := &ShadowTrial{Sessions: len(judged.cases), OtherwiseSessions: len(others.cases),
		Unreviewed: judged.unreviewed, Drawn: violating.usesDrawn(), Answer: "open"}
	out.Failed, _ = count(judged.cases)
	out.OtherwiseFailed, _ = count(others.cases)
	out.Low, out.High = statistics.Sequence(out.Failed, out.Sessions)
	out.OtherwiseLow, out.OtherwiseHigh = statistics.Sequence(out.OtherwiseFailed, out.OtherwiseSessions)
	if side, _ := statistics.Settle(judged.cases, nil); judged.complete() {
		out.Answer = []string{"finds_none", "open", "finds_failures"}[side+1]
	}
	return out
}

// words formats the trial for people.
func (t *ShadowTrial) words(rule string) string {
	answer := map[string]string{"open": fmt.Sprintf("open, review more of these acts (%d are not reviewed)",
		t.Unreviewed), "finds_failures": "blocking them costs less than their failures",
		"finds_none": "blocking them costs more than their failures"}[t.Answer]
	drawn := map[bool]string{true: ", drawn at random"}[t.Drawn]
	return fmt.Sprintf("`%s` in shadow mode, one allowed act a session%s: %d of %d that violate it failed (%s to %s, however often you look), and %d of %d others (%s to %s): %s.", escapeText(rule), drawn, t.Failed, t.Sessions,
		percent(t.Low), percent(t.High), t.OtherwiseFailed, t.OtherwiseSessions, percent(t.OtherwiseLow),
		percent(t.OtherwiseHigh), answer)
}

// OverrideCount counts how denied acts were executed nevertheless.
type OverrideCount struct {
	Force    int `json:"force" jsonschema:"recorded with --force"`
	Approval int `json:"approval" jsonschema:"approved by a person"`
	Unknown  int `json:"unknown" jsonschema:"verdicts that are too old to list the rules"`
}

func (o OverrideCount) total() int { return o.Force + o.Approval + o.Unknown }

// minOverridden is the minimum number of denials for the finding that a rule is always overridden.
const minOverridden = 5

// Report counts the recorded verdicts of a filter by rule. Nothing is stored. It returns not_found for a rule that is
// not active and in no verdict, a validation_error for an invalid time, and the errors of reading the graph.
func (s *Store) Report(ctx context.Context, q ReportRequest) (Report, error) {
	now := time.Now().UTC()
	w, err := q.window(now)
	if err != nil {
		return Report{}, err
	}
	nodes, err := s.checks.RuleNodes(ctx, nil)
	if err != nil {
		return Report{}, err
	}
	out := Report{Window: w, Criterion: criterion(stakesCosts)}
	r := &reportRun{out: &out, rules: map[string]*ruleOutcomes{}}
	for _, rule := range check.NewCompiler(nil).Compile(nodes, now).Rules() {
		if _, twice := r.rules[rule.Name]; !twice { // variants for scopes share a name
			r.rules[rule.Name] = &ruleOutcomes{RuleReport: RuleReport{Rule: rule.Name, Mode: rule.Mode,
				Severity: rule.Severity}}
		}
	}
	if err := s.knownSince(ctx, r.rules); err != nil {
		return Report{}, err
	}
	if err := eachAct(ctx, s.source(q.Filter, w), r.add, r.close); err != nil {
		return Report{}, err
	}
	out.Restated.rank()
	if q.Rule != "" && r.rules[q.Rule] == nil {
		missing := apperr.Newf(apperr.NotFound, "Rule '%s' is neither active nor in any verdict", q.Rule)
		if near := apperr.Nearest(q.Rule, slices.Collect(maps.Keys(r.rules))); len(near) > 0 {
			return Report{}, missing.WithHint("Did you mean %s?", strings.Join(near, ", "))
		}
		return Report{}, missing.WithHint("`list_policies` shows the rules in force")
	}
	for name, rule := range r.rules {
		if q.Rule == "" || q.Rule == name {
			rule.finish()
			out.Rules = append(out.Rules, rule.RuleReport)
		}
	}
	slices.SortFunc(out.Rules, func(a, b RuleReport) int {
		return cmp.Or(cmp.Compare(b.Violated, a.Violated), cmp.Compare(b.Applied, a.Applied),
			cmp.Compare(a.Rule, b.Rule))
	})
	out.note()
	out.Summary = out.markdown()
	return out, nil
}

// reportRun collects the acts.
type reportRun struct {
	out   *Report
	rules map[string]*ruleOutcomes
}

// ruleOutcomes is the report of a rule, with the reviewed acts that its rates are computed from.
type ruleOutcomes struct {
	RuleReport
	since                              time.Time // zero if unknown
	inSpite, inSpitePartial, otherwise sample
	violating, passing                 trialSide // of a trial in shadow mode
}

// knownSince returns the time since which the rules are known.
func (s *Store) knownSince(ctx context.Context, rules map[string]*ruleOutcomes) error {
	rows, err := graph.All[struct {
		Name  string
		Since time.Time
	}](ctx, s.graph, cypher.RulesSince, graph.Params{"names": slices.Sorted(maps.Keys(rules))})
	for _, row := range rows {
		rules[row.Name].since = row.Since
	}
	return err
}

func (r *reportRun) add(rec *record) {
	r.out.Verdicts++
	if rec.Appeal != nil { // counted by verdict, since each denial of an act can be appealed
		for _, name := range rec.Appeal.Rules {
			rule := r.rule(name)
			rule.Appealed++
			if rec.Appeal.State == check.AppealOverturned {
				rule.Overturned++
			}
		}
	}
}

// results visits the rules that applied to the last verdict.
func (r *record) results(visit func(name, result string)) {
	for i, rule := range r.Applied {
		name, _ := rule.(string)
		result := ""
		if i < len(r.AppliedResults) {
			result, _ = r.AppliedResults[i].(string)
		}
		visit(name, result)
	}
}

func (r *reportRun) close(act *act) {
	r.out.Acts++
	if act.numbers {
		r.out.Restated.count(act.retry)
	}
	if facts := act.past().Facts; facts == nil {
		r.out.Unknown++
		return
	}
	outcome, seen := act.outcome(), map[string]bool{}
	act.results(func(name, result string) {
		if seen[name] { // a variant with the same name
			return
		}
		seen[name] = true
		rule := r.rule(name)
		rule.Applied++
		switch {
		case result == "passed" && act.before[name]:
			rule.addRetry(act)
		case result == "passed":
			if act.done() {
				rule.Otherwise.add(outcome)
				rule.otherwise.add(&act.record, outcome, false)
				rule.passing.add(act, outcome)
			}
		default:
			rule.Violated++
			rule.addViolation(act, outcome)
		}
	})
	for name := range act.before {
		if !seen[name] { // the rule did not apply to the last verdict
			rule := r.rule(name)
			rule.Applied++
			rule.addRetry(act)
		}
	}
	for name, rule := range r.rules {
		if seen[name] || act.before[name] || !act.At.Before(rule.since) {
			rule.Evaluated++
		}
	}
}

func (r *reportRun) rule(name string) *ruleOutcomes {
	rule := r.rules[name]
	if rule == nil {
		rule = &ruleOutcomes{RuleReport: RuleReport{Rule: name, Mode: "removed"}}
		r.rules[name] = rule
	}
	return rule
}

// addRetry counts an act that violated the rule before its last verdict.
func (r *ruleOutcomes) addRetry(act *act) {
	r.Violated++
	if act.done() {
		r.Retried++
	}
}

// addViolation counts an act that still violated the rule at its last verdict.
func (r *ruleOutcomes) addViolation(act *act, outcome string) {
	if !act.Allowed {
		r.Denied++
		switch act.overridden() {
		case check.ByForce:
			r.Overridden.Force++
		case check.ByApproval:
			r.Overridden.Approval++
		case "":
			r.NotDone++
			return
		default:
			r.Overridden.Unknown++
		}
	}
	r.InSpite.add(outcome)
	r.violating.add(act, outcome)
	r.inSpite.add(&act.record, outcome, false)
	r.inSpitePartial.add(&act.record, outcome, true)
}

// finish computes rates with at least ten reviews, and findings.
func (r *ruleOutcomes) finish() {
	r.Precision, r.FailuresOtherwise = r.inSpite.share(), r.otherwise.share()
	if len(r.inSpitePartial.all.cases) > len(r.inSpite.all.cases) {
		r.PrecisionPartialFails = r.inSpitePartial.share()
	}
	if r.Mode == "shadow" {
		r.Trial = testShadowRule(&r.violating, &r.passing)
	}
	for _, finding := range findings {
		if finding.holds(r) {
			r.Findings = append(r.Findings, finding.name)
		}
	}
}

func (r *ruleOutcomes) active() bool { return r.Mode != "removed" && r.Mode != "off" }

// findings are the findings about rules, with their words and conditions.
var findings = []struct {
	name, words string
	holds       func(*ruleOutcomes) bool
}{
	{"never_applied", "Never applied", func(r *ruleOutcomes) bool {
		return r.active() && r.Evaluated >= minReviewed && r.Applied == 0
	}},
	{"never_violated", "Applied and never violated",
		func(r *ruleOutcomes) bool { return r.active() && r.Applied >= minReviewed && r.Violated == 0 }},
	{"always_overridden", "Always overridden when it denied",
		func(r *ruleOutcomes) bool { return r.Denied >= minOverridden && r.Overridden.total() == r.Denied }},
	{"violations_never_fail", "Violating acts never failed",
		func(r *ruleOutcomes) bool { return len(r.inSpite.all.cases) >= minReviewed && r.InSpite.Failure == 0 }},
}

// note adds the limitations of the answer.
func (r *Report) note() {
	if r.Verdicts == 0 {
		r.Notes = append(r.Notes, "There are no recorded verdicts in this window")
	}
	if r.Unknown > 0 {
		r.Notes = append(r.Notes,
			render.Plural(r.Unknown, "act")+" left out: their verdicts are older than the facts that name the rules")
	}
	if r.Restated.Acts > 0 {
		r.Notes = append(r.Notes, r.Restated.noEvidence())
	}
	r.Notes = append(r.Notes,
		"Denied acts that did not go ahead have no outcome. What went ahead in spite of a rule was chosen by people and modes, so it may not be like the rest")
	r.Notes = append(r.Notes,
		"Unrecorded allowed checks are deleted after verdicts.keep_allowed, while denials stay: older windows hold mostly recorded decisions")
}

// markdown formats the report for people.
func (r *Report) markdown() string {
	var b page
	b.line("## Rule report\n")
	b.line("%s (%s) %s.\n", render.Plural(r.Acts, "act"), render.Plural(r.Verdicts, "verdict"), r.words())
	writeTable(&b, "| rule | mode | acts | applied | violated | denied by any rule | overridden | appealed | overturned | retried | in spite of it |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|---|", r.Rules, func(rule RuleReport) string {
		return fmt.Sprintf("| %s | %s | %d | %d | %d | %d | %d | %d | %d | %d | %s |", escapeText(rule.Rule),
			escapeText(rule.Mode), rule.Evaluated, rule.Applied, rule.Violated, rule.Denied,
			rule.Overridden.total(), rule.Appealed, rule.Overturned, rule.Retried, rule.outcomeText())
	})
	for _, rule := range r.Rules {
		if rule.Trial != nil {
			b.line("%s\n", rule.Trial.words(rule.Rule))
		}
	}
	b.line("%s.\n", r.Criterion)
	for _, finding := range findings {
		var names []string
		for _, rule := range r.Rules {
			if slices.Contains(rule.Findings, finding.name) {
				names = append(names, escapeText(rule.Rule))
			}
		}
		if len(names) > 0 {
			b.line("%s: %s.\n", finding.words, strings.Join(names, ", "))
		}
	}
	return b.notes(r.Notes)
}

// outcomeText describes the outcomes of acts that violated the rule and were executed: counts, and a percentage with
// at least ten reviews.
func (r *RuleReport) outcomeText() string {
	o := r.InSpite
	if o.total() == 0 {
		return ""
	}
	text := fmt.Sprintf("%d failed, %d succeeded, %d unknown", o.Failure, o.Success, o.Unreviewed)
	if o.Partial+o.Abandoned > 0 {
		text += fmt.Sprintf(", %d partial or abandoned", o.Partial+o.Abandoned)
	}
	if p := r.Precision; p != nil {
		text += fmt.Sprintf("; %s failures (%s to %s%s)", percent(p.Share), percent(p.Low), percent(p.High),
			map[bool]string{true: ", of acts drawn at random"}[p.Drawn])
		if f := r.FailuresOtherwise; f != nil {
			text += fmt.Sprintf(", %s otherwise", percent(f.Share))
		}
	}
	return text
}

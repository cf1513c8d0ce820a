package decisions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph"
	"nomograph/policies"
	"nomograph/policies/condition"
	"nomograph/search"
)

// read reads all sections that are asked for at the same time. The profile is the one part that must be there: what keeps it
// from being read is that the database is away, or that the caller is gone.
func (r *contextRead) read(ctx context.Context) (ContextSections, error) {
	var c ContextSections
	var all sync.WaitGroup
	var failed error
	all.Go(func() { failed = r.readProfile(ctx, &c) })
	for word, read := range map[string]func(context.Context, *ContextSections) error{
		"guardrails": r.readGuardrails,
		"ready":      r.readReady,
		"patterns":   r.readPatterns,
		"breakers":   r.readBreakers,
		"wisdom":     r.readWisdom,
	} {
		if r.includes(word) {
			all.Go(func() { r.section(word, read(ctx, &c)) })
		}
	}
	all.Go(func() { r.readFound(ctx, &c) })
	all.Wait()
	switch {
	case failed == nil:
		return c, nil
	case fault.Is(failed, fault.Unavailable) || ctx.Err() != nil:
		return ContextSections{}, errors.Join(failed, ctx.Err())
	}
	r.missing("The profile could not be read: " + fault.From(failed).Message)
	return c, nil
}

// section keeps a note of a section that could not be read.
func (r *contextRead) section(word string, err error) {
	if err != nil {
		r.missing(fmt.Sprintf("The section %s could not be read: %s", word, fault.From(err).Message))
	}
}

// readProfile reads who asks, and what the counters say.
func (r *contextRead) readProfile(ctx context.Context, c *ContextSections) error {
	var since time.Time
	var failed error
	var reading sync.WaitGroup
	reading.Go(func() { since, failed = r.firstDecision(ctx, r.asks.AgentID) })
	numbers, err := r.tallies(ctx, r.asks.AgentID)
	reading.Wait()
	if err := cmp.Or(err, failed); err != nil {
		return err
	}
	profile := numbers.profile(flat(r.asks.AgentID, longestTitle), since)
	c.AgentProfile = &profile
	if r.includes("calibration") {
		c.CalibrationByCategory = numbers.categories()
	}
	return nil
}

// readFound finds what was decided for the like of the task, and what of it does not go together. Where nobody says what the
// task is, the newest decisions stand for it: those of the project, else of all.
func (r *contextRead) readFound(ctx context.Context, c *ContextSections) {
	if !r.includes("decisions") && !r.includes("contradictions") {
		return
	}
	find := r.precedents
	if r.asks.TaskDescription == "" {
		find = r.newest
	}
	matches, uids, err := find(ctx)
	if err != nil {
		r.section("decisions", err)
		return
	}
	if r.includes("decisions") {
		c.RelevantDecisions = make([]ContextDecision, len(matches))
		for i, m := range matches {
			c.RelevantDecisions[i] = contextDecision(m)
		}
	}
	if r.includes("contradictions") {
		r.section("contradictions", r.readContradictions(ctx, c, uids))
	}
}

// readContradictions compares the decisions that were found with one another, and looks at what links say of them.
func (r *contextRead) readContradictions(ctx context.Context, c *ContextSections, uids []string) error {
	c.Contradictions = []ContextContradiction{}
	if len(uids) == 0 {
		return nil
	}
	found, err := r.contradictions(ctx, contradictionScope{uids: uids, among: true}, usualContradictions)
	if err != nil {
		c.Contradictions = nil
		return err
	}
	for _, x := range found.Contradictions {
		seen := ContextContradiction{Kind: x.Kind, Why: flat(x.Why, longestSaid)}
		for _, d := range x.Decisions {
			seen.IDs, seen.Titles = append(seen.IDs, d.ID), append(seen.Titles, flat(d.Title, longestTitle))
		}
		c.Contradictions = append(c.Contradictions, seen)
	}
	for _, note := range found.Notes {
		r.missing(note)
	}
	return nil
}

// precedents are found by the task, among those of the project where one is named and has some that fit.
func (r *contextRead) precedents(ctx context.Context) ([]Match, []string, error) {
	q := Query{Query: r.asks.TaskDescription, Limit: r.asks.DecisionsLimit, NoLinks: true, AgentID: r.asks.AgentID}
	if r.asks.Project != "" {
		q.Filters = &Filters{Project: r.asks.Project}
	}
	found, payload, err := r.find(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if len(found.Decisions) == 0 && q.Filters != nil {
		q.Filters = nil
		if found, payload, err = r.find(ctx, q); err != nil {
			return nil, nil, err
		}
		if len(found.Decisions) > 0 {
			r.missing(fmt.Sprintf("No decision of %s fits the task; the relevant ones are of all projects", flat(r.asks.Project, longestTitle)))
		}
	}
	for _, note := range found.Notes {
		r.missing(note)
	}
	if r.includes("decisions") {
		r.note(ctx, Caller{r.asks.AgentID, r.asks.SessionID}, "query", payload)
	}
	var uids []string
	results, _ := payload["results"].([]any)
	for _, result := range results {
		p, _ := result.(map[string]any)
		uids = append(uids, textOf(p, "uid"))
	}
	return found.Decisions, uids, nil
}

// newest are the decisions that were made last.
func (r *contextRead) newest(ctx context.Context) ([]Match, []string, error) {
	o := order{by: "created_at", limit: r.asks.DecisionsLimit}
	var found []row
	project := r.project()
	if project != "" {
		spelled := ListQuery{Project: project}
		err := r.spell(ctx, &spelled)
		if err == nil {
			found, err = r.along(ctx, o, "project", spelled.Project)
		}
		if err != nil {
			return nil, nil, err
		}
	}
	if len(found) == 0 {
		var err error
		if found, err = r.along(ctx, o, "", ""); err != nil {
			return nil, nil, err
		}
		if project != "" && len(found) > 0 {
			r.missing(fmt.Sprintf("%s has no decisions; the newest ones are of all projects", flat(project, longestTitle)))
		}
	}
	m := Matches{Decisions: make([]Match, len(found))}
	hits, uids := make([]search.Hit, len(found)), make([]string, len(found))
	for i, d := range found {
		m.Decisions[i] = Match{Summary: summaryOf(d.Decision)}
		uids[i] = textOf(d.Decision, "uid")
		hits[i].UID = uids[i]
	}
	return m.Decisions, uids, r.surroundings(ctx, &m, hits, false)
}

// project is the one that the caller works in, as far as is known.
func (r *contextRead) project() string {
	if r.asks.Project != "" {
		return r.asks.Project
	}
	return r.Settings.Project
}

const mostReasonsShown = 3

// contextDecision cuts what was found to what is worth its room.
func contextDecision(m Match) ContextDecision {
	d := ContextDecision{ID: m.ID, Title: flat(m.Title, longestTitle), Category: flat(m.Category, longestTitle), Stakes: flat(m.Stakes, longestTitle), Confidence: m.Confidence,
		Status: flat(m.Status, longestTitle), Outcome: flat(m.Outcome, longestTitle), Date: m.Date.Truncate(time.Second), Project: flat(m.Project, longestTitle),
		AgentID: flat(m.AgentID, longestTitle), Pattern: flat(m.Pattern, longestReason), Score: m.Score, SupersededBy: m.SupersededBy,
		ActualResult: flat(m.ActualResult, longestSaid), Lessons: flat(m.Lessons, longestSaid)}
	for _, reason := range m.Reasons[:min(len(m.Reasons), mostReasonsShown)] {
		d.Reasons = append(d.Reasons, flat(reason.Type+": "+reason.Text, longestReason))
	}
	return d
}

// What a guardrail does where it objects.
const (
	actionBlocks = "block"
	actionWarns  = "warn"
	onTrial      = "shadow" // it only says that it would
	turnedOff    = "off"
)

// readGuardrails reads the rules in force in the project's scope. Those that block come first.
func (r *contextRead) readGuardrails(ctx context.Context, c *ContextSections) error {
	read, err := graph.One[struct{ Rules []any }](ctx, r.graph, cypher.RulesInForce, graph.Params{"names": []string{}, "scoped": []string{}})
	if err != nil {
		return err
	}
	c.ActiveGuardrails = []ContextGuardrail{}
	for _, item := range read.Rules {
		node, _ := item.(neo4j.Node) // the statement gives nodes
		g, concerns := guardrailOf(node.Props, r.project())
		if g.ID == "" {
			g.ID = node.ElementId
		}
		if concerns {
			c.ActiveGuardrails = append(c.ActiveGuardrails, g)
		}
	}
	rank := []string{actionBlocks, actionWarns, onTrial}
	slices.SortStableFunc(c.ActiveGuardrails, func(a, b ContextGuardrail) int {
		if by := slices.Index(rank, a.Action) - slices.Index(rank, b.Action); by != 0 {
			return by
		}
		return strings.Compare(a.ID, b.ID)
	})
	for _, g := range c.ActiveGuardrails {
		if g.Broken != "" {
			r.missing(fmt.Sprintf("The guardrail %s cannot be evaluated", g.ID))
		}
	}
	return nil
}

// guardrailOf shows a rule by its properties; false where it is off, a circuit breaker, or for other projects.
func guardrailOf(p map[string]any, project string) (ContextGuardrail, bool) {
	text := func(name string) string { value, _ := p[name].(string); return value }
	scope := listOf(p["scope"])
	if one := text("scope"); one != "" {
		scope = []string{one}
	}
	scope = slices.DeleteFunc(slices.Clone(scope), func(s string) bool { return strings.TrimSpace(s) == "" })
	if text("mode") == turnedOff || breaks(p) || project != "" && len(scope) > 0 && !slices.ContainsFunc(scope, func(s string) bool { return like(s, project) }) {
		return ContextGuardrail{}, false
	}
	g := ContextGuardrail{ID: flat(text("name"), longestTitle), Action: doing(text("mode"), text("severity")), Description: flat(text("description"), longestSaid), Message: flat(text("message"), longestSaid),
		AppliesWhen: flat(text("applies_when"), longestSaid), Requires: flat(text("requires"), longestSaid), Pattern: flat(text("forbids_pattern"), longestSaid)}
	for _, s := range scope {
		g.Scope = append(g.Scope, flat(s, longestTitle))
	}
	g.Broken = flat(brokenBy(p), longestSaid)
	return g, true
}

// doing is what a rule of a mode and a severity does. Whatever is no known word is as strict as can be.
func doing(mode, severity string) string {
	switch {
	case mode == onTrial:
		return onTrial
	case severity == actionWarns:
		return actionWarns
	}
	return actionBlocks
}

// breaks tells whether a rule is a circuit breaker.
func breaks(p map[string]any) bool {
	return p["circuit_scope"] != nil || p["circuit_failures"] != nil || p["circuit_window_hours"] != nil || p["circuit_cooldown_hours"] != nil
}

// brokenBy says why a rule cannot be evaluated; empty where it can.
func brokenBy(p map[string]any) string {
	for _, name := range []string{"name", "applies_when", "requires", "forbids_pattern"} {
		written, isText := p[name].(string)
		var err error
		switch {
		case name == "name" && written == "":
			return "the SYS_Policy node has no name"
		case p[name] != nil && !isText:
			return name + " is no text"
		case written == "" || name == "name":
		case name == "forbids_pattern":
			_, err = graph.Screen(written, nil)
		default:
			_, err = condition.Rule(written)
		}
		if err != nil {
			return name + " " + err.Error()
		}
	}
	return ""
}

// like compares a project with a scope, in which * stands for anything and ? for one character, whatever the case.
func like(pattern, project string) bool {
	expression := strings.NewReplacer(`\*`, ".*", `\?`, ".").Replace(regexp.QuoteMeta(pattern))
	matched, err := regexp.MatchString("(?is)^"+expression+"$", project)
	return matched || err != nil
}

// mostDueLooked is how many decisions of what has waited longest are looked at for what presses most. Ready looks at more, to
// say how many there are.
const mostDueLooked = 100

// readReady reads what waits to be done, all kinds at the same time.
func (r *contextRead) readReady(ctx context.Context, c *ContextSections) error {
	spelled := ListQuery{Project: r.asks.Project}
	if err := r.spell(ctx, &spelled); err != nil {
		return err
	}
	q := ReadyQuery{Limit: r.asks.ReadyLimit, Project: spelled.Project}
	var overdue, stale []ContextAction
	var drifts duePart
	var errs [3]error
	var all sync.WaitGroup
	all.Go(func() {
		overdue, errs[0] = r.pressing(ctx, cypher.Overdue, q, ContextAction{Reason: reviewOverdue, Detail: "the review was due"}, graph.Params{})
	})
	all.Go(func() {
		days, warning, err := r.staleDays(ctx)
		if errs[1] = err; err != nil {
			return
		}
		if warning != "" {
			r.missing(warning)
		}
		stale, errs[1] = r.pressing(ctx, cypher.Stale, q, ContextAction{Reason: stalePending, Detail: "without an outcome, recorded"}, graph.Params{"days": days})
	})
	all.Go(func() { drifts, errs[2] = r.drifting(ctx, q) })
	all.Wait()
	if err := cmp.Or(errs[:]...); err != nil {
		return err
	}
	c.ReadyQueue = append([]ContextAction{}, overdue...)
	for _, a := range drifts.actions {
		c.ReadyQueue = append(c.ReadyQueue, ContextAction{Reason: a.Type, Priority: a.Priority, Category: flat(a.Category, longestTitle), Detail: flat(a.Reason, longestSaid)})
	}
	c.ReadyQueue = append(c.ReadyQueue, stale...)
	slices.SortStableFunc(c.ReadyQueue, func(a, b ContextAction) int { // within a priority they stand as they should
		return slices.Index(priorities, b.Priority) - slices.Index(priorities, a.Priority)
	})
	c.ReadyQueue = c.ReadyQueue[:min(len(c.ReadyQueue), r.asks.ReadyLimit)]
	return nil
}

// pressing reads what presses most of one kind. The detail says what the time is that it is followed by.
func (r *contextRead) pressing(ctx context.Context, statement cypher.Statement, q ReadyQuery, kind ContextAction, params graph.Params) ([]ContextAction, error) {
	params["category"], params["agent"], params["project"], params["earliest"] = nil, nil, nullIfEmpty(q.Project), graph.UTC(earliest)
	params["limit"], params["least"], params["most"], params["budget"] = q.Limit, 1, mostDueLooked, mostDueLooked
	if q.Project != "" { // there is no index of what is due in a project
		params["budget"] = mostChosen
	}
	read, err := graph.One[struct {
		Found []struct {
			Priority int64
			At       time.Time
			Decision map[string]any
		}
		Now time.Time
	}](ctx, r.graph, statement, params)
	actions := make([]ContextAction, len(read.Found))
	for i, found := range read.Found {
		d := summaryOf(found.Decision)
		actions[i] = ContextAction{ID: d.ID, Title: flat(d.Title, longestTitle), Reason: kind.Reason, Priority: priorities[found.Priority], Category: flat(d.Category, longestTitle),
			Date: found.At.UTC().Truncate(time.Second), Detail: kind.Detail + " " + ago(read.Now.Sub(found.At))}
	}
	return actions, err
}

const mostPatternsShown = 10

// readPatterns reads what outcomes confirmed.
func (r *contextRead) readPatterns(ctx context.Context, c *ContextSections) error {
	confirmed, err := r.ConfirmedPatterns(ctx, mostPatternsShown)
	if err != nil {
		return err
	}
	c.ConfirmedPatterns = make([]ContextPattern, len(confirmed))
	for i, p := range confirmed {
		c.ConfirmedPatterns[i] = ContextPattern{Pattern: flat(p.Pattern, longestReason), Count: p.Recorded, Reviewed: p.Reviewed, Categories: p.Categories, ExampleIDs: p.ExampleIDs}
		if p.MeanOutcome != nil {
			c.ConfirmedPatterns[i].MeanOutcome = *p.MeanOutcome
		}
	}
	return nil
}

// readBreakers reads the circuit breakers that are not turned off.
func (r *contextRead) readBreakers(ctx context.Context, c *ContextSections) error {
	list, err := r.policies.Breakers(ctx, policies.BreakersQuery{})
	if err != nil {
		return err
	}
	c.CircuitBreakers = []ContextBreaker{}
	for _, b := range list.Breakers {
		if b.Mode == turnedOff {
			continue
		}
		shown := ContextBreaker{Scope: flat(b.Scope, longestTitle), State: b.State, Action: doing(b.Mode, b.Severity), Failures: b.FailureCount,
			Threshold: b.FailureThreshold, ProbeID: b.ProbeID, Error: flat(b.Error, longestSaid)}
		if b.State == policies.CircuitOpen && b.HalfOpenAt != nil {
			shown.Until = b.HalfOpenAt.Truncate(time.Second)
		}
		c.CircuitBreakers = append(c.CircuitBreakers, shown)
	}
	return nil
}

const (
	mostWisdomLooked    = 50 // reviewed decisions of a category: the newest, so that a context costs the same in a large graph
	mostPrinciplesShown = 3
)

// readWisdom reads what the newest reviewed decisions of each category teach.
func (r *contextRead) readWisdom(ctx context.Context, c *ContextSections) error {
	taught, err := r.wisdom(ctx, WisdomQuery{Project: r.asks.Project}, mostWisdomLooked)
	if err != nil {
		return err
	}
	c.Wisdom = make([]ContextWisdom, len(taught.Wisdom))
	for i, w := range taught.Wisdom {
		c.Wisdom[i] = ContextWisdom{Category: w.Category, Decisions: int64(w.Decisions), SuccessRate: new(w.SuccessRate), FailsBy: flat(w.CommonFailureMode, longestReason)}
		for _, principle := range w.KeyPrinciples[:min(len(w.KeyPrinciples), mostPrinciplesShown)] {
			c.Wisdom[i].Principles = append(c.Wisdom[i].Principles, flat(principle.Text, longestReason))
		}
	}
	return nil
}

package cases

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/progress"
	"nomograph/policies"
	"nomograph/policies/check"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
)

// Request asks to run the cases of packs.
type Request struct {
	Packs       []pack.Source `json:"packs" rule:"minItems=1,maxItems=50"`
	With        []pack.Source `json:"with,omitempty" jsonschema:"additional packs to apply, such as core; their cases are not run" rule:"maxItems=50"`
	MinCoverage float64       `json:"min_coverage,omitempty" jsonschema:"minimum coverage of branches and rows in percent" rule:"minimum=0,maximum=100"`
	// WithoutGraph skips cases that need an engine.
	WithoutGraph bool `json:"without_graph,omitempty" jsonschema:"skip cases with a graph, which need a scratch engine"`
	// Effects adds to the actions of cases what they do.
	Effects check.Effects `json:"-"`
}

// Report holds results and coverage.
type Report struct {
	Passed   int      `json:"passed"`
	Failures int      `json:"failures"`
	Skipped  int      `json:"skipped" jsonschema:"number of cases not run because of cancellation"`
	LeftOut  int      `json:"left_out" jsonschema:"number of cases skipped by without_graph"`
	Cases    []Result `json:"cases"`
	Coverage Coverage `json:"coverage"`
	Summary  string   `json:"summary" jsonschema:"readable summary"`
	JUnit    string   `json:"junit" jsonschema:"the same as JUnit XML, for CI"`
}

// Result is the result of one case. If Passed is false and Problem is empty, the case was not run.
type Result struct {
	Pack    string  `json:"pack"`
	Name    string  `json:"name"`
	Place   string  `json:"location" jsonschema:"file:line:column"`
	Passed  bool    `json:"passed"`
	Problem string  `json:"problem,omitempty" jsonschema:"expected and actual result"`
	Note    string  `json:"note,omitempty" jsonschema:"parts that were not evaluated"`
	TookMS  float64 `json:"took_ms"`

	pack int // index of the pack
	file string
	line int
}

// Failed reports whether a case failed or was not run, or coverage is insufficient.
func (r Report) Failed() bool {
	return r.Failures > 0 || r.Skipped > 0 || !r.Coverage.enough()
}

// Run runs the cases of packs, which are evaluated together as if all of them were applied to an empty graph. Only
// cases with a graph use a database: they replace the content of the scratch graph. It returns a validation_error with
// the positions of all problems of invalid packs, not_found for an unknown pack, and unavailable without a scratch
// graph.
func Run(ctx context.Context, r Request, scratch Scratch) (Report, error) {
	packs, err := pack.ParseAll(ctx, r.Packs)
	if err != nil {
		return Report{}, err
	}
	with, err := pack.ParseAll(ctx, r.With)
	if err != nil {
		return Report{}, err
	}
	bed := newTestBed(packs, with)
	bed.effects = r.Effects
	for i, p := range packs {
		if bed.cases[i], err = Read(p); err != nil {
			return Report{}, err
		}
	}
	if !r.WithoutGraph && slices.ContainsFunc(slices.Concat(bed.cases...), Case.hasGraph) {
		db, done, err := scratch(ctx)
		if err != nil {
			return Report{}, err
		}
		defer done()
		bed.scratch, bed.compiler = db, check.NewCompiler(db)
	}
	return bed.runCases(ctx, r.MinCoverage), nil
}

func (b *testBed) runCases(ctx context.Context, required float64) Report {
	var report Report
	for i, pack := range b.packs {
		for _, c := range b.cases[i] {
			at := c.node.At()
			result := Result{Pack: pack.Name, Name: c.Name,
				Place: fmt.Sprintf("%s:%d:%d", pack.File, at.Line, at.Column), pack: i, file: pack.File, line: at.Line}
			switch {
			case ctx.Err() != nil:
				report.Skipped++
			case c.hasGraph() && b.scratch == nil:
				report.LeftOut++
				result.Note = "left out, because it has a graph"
			default:
				started := time.Now()
				result.Problem = strings.Join(b.run(ctx, pack, c, &result), "\n")
				result.TookMS = progress.Milliseconds(started)
				if result.Passed = result.Problem == ""; result.Passed {
					report.Passed++
				} else {
					report.Failures++
				}
			}
			report.Cases = append(report.Cases, result)
		}
	}
	report.Coverage = b.coverage.report(required)
	report.Summary, report.JUnit = report.summary(b.packs), report.junit(b.packs)
	return report
}

// testTime is the default now of cases, so that results do not depend on the day. It is a Thursday. For a case with a
// graph the default is the real time, since its pattern can call datetime().
var testTime = time.Date(2026, time.January, 1, 12, 0, 0, 0, time.UTC)

func (c Case) clock() time.Time {
	switch {
	case !c.Now.IsZero():
		return c.Now.UTC()
	case c.hasGraph():
		return time.Now().UTC()
	}
	return testTime
}

func (c Case) hasGraph() bool { return c.Graph != nil }

// testBed holds the rules of the packs, evaluated by the same code as a live check.
type testBed struct {
	compiler   *check.Compiler // compiler for the scratch graph; nil without one
	scratch    *graph.DB
	packs      []pack.Pack      // packs under test
	with       []pack.Pack      // additional packs
	cases      [][]Case         // test cases, by pack
	policies   []check.RuleNode // active guardrails
	thresholds []pack.Item
	programs   []map[string]any // properties of the packs' programs
	effects    check.Effects
	coverage   *coverage
}

func newTestBed(packs, with []pack.Pack) *testBed {
	bed := &testBed{compiler: check.NewCompiler(nil), packs: packs, cases: make([][]Case, len(packs)),
		coverage: newCoverage(packs)}
	for _, p := range with {
		if !slices.ContainsFunc(packs, func(tested pack.Pack) bool { return tested.Name == p.Name }) { // without duplicates
			bed.with = append(bed.with, p)
		}
	}
	for _, item := range itemsIn(bed.all(), "policies") {
		if inForceWhenApplied(item) {
			bed.policies = append(bed.policies, check.RuleNode{ID: "policies " + item.Key, Properties: item.Properties,
				Links: item.LinkTexts()})
		}
	}
	bed.thresholds = itemsIn(bed.all(), "thresholds")
	for _, item := range itemsIn(bed.all(), "programs") {
		bed.programs = append(bed.programs, item.Properties)
	}
	return bed
}

// all returns the packs under test and the additional ones.
func (b *testBed) all() []pack.Pack { return slices.Concat(b.packs, b.with) }

func itemsIn(packs []pack.Pack, section string) []pack.Item {
	var items []pack.Item
	for _, p := range packs {
		items = append(items, lists.Filter(p.Items, func(i pack.Item) bool { return i.Section.Name == section })...)
	}
	return items
}

func inForceWhenApplied(policy pack.Item) bool {
	return rule.IsGuardrail(policy.Properties) && policy.Properties["active"] == true
}

// rules returns the rule set of a case: the packs' rules with the case's thresholds.
func (b *testBed) rules(c Case) (*check.RuleSet, error) {
	thresholds, err := b.thresholdsFor(c)
	if err != nil {
		return nil, err
	}
	nodes := check.RuleNodes{Policies: b.policies}
	for _, node := range thresholds {
		nodes.Thresholds = append(nodes.Thresholds, check.RuleNode{ID: "thresholds " + node.ID,
			Properties: node.Properties})
	}
	set := b.compiler.Compile(nodes, c.clock())
	if !c.hasGraph() {
		set.WithoutPatterns() // the case has no graph
	}
	return set, nil
}

// thresholdsFor returns the packs' thresholds with the overrides of the case.
func (b *testBed) thresholdsFor(c Case) ([]policies.Stored, error) {
	instead := maps.Clone(c.Thresholds)
	var nodes []policies.Stored
	for _, item := range b.thresholds {
		if value, ok := c.Thresholds[item.Key]; ok {
			item.Properties = maps.Clone(item.Properties)
			item.Properties["value"] = value.Any()
			delete(instead, item.Key)
		}
		nodes = append(nodes, policies.Stored{ID: item.Key, Properties: item.Properties})
	}
	for _, name := range slices.Sorted(maps.Keys(instead)) {
		if !b.reads(name) {
			return nil, fmt.Errorf("thresholds: '%s' is not a threshold of these packs, and no rule or row of them reads it", name)
		}
		nodes = append(nodes, policies.Stored{ID: name,
			Properties: map[string]any{"name": name, "value": instead[name].Any()}})
	}
	return nodes, nil
}

// reads reports whether the packs read a threshold, which may be defined elsewhere.
func (b *testBed) reads(name string) bool {
	return slices.ContainsFunc(b.all(), func(p pack.Pack) bool {
		return slices.Contains(p.References(), pack.Link{Type: "USES_THRESHOLD", Section: "thresholds", Key: name})
	})
}

// run returns the failures of a case, none if it passes.
func (b *testBed) run(ctx context.Context, pack pack.Pack, c Case, result *Result) []string {
	limit := check.CheckTimeout
	if c.hasGraph() {
		limit = 2 * check.FirstTimeout // the scratch engine plans each query for the first time
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if c.Action == nil {
		return b.evaluateCase(ctx, pack, c)
	}
	return b.runActionCase(ctx, c, result)
}

func (b *testBed) runActionCase(ctx context.Context, c Case, result *Result) []string {
	if c.Expect.Rows != nil || c.Expect.Outputs != nil || c.Expect.Fails {
		return []string{"expect: rows, outputs and fails are for a table, and this case has an action"}
	}
	action, _, err := c.Action.Action()
	if err != nil {
		return []string{err.Error()}
	}
	set, err := b.rules(c)
	if err != nil {
		return []string{err.Error()}
	}
	action.Phase = cmp.Or(c.Phase, action.Phase)
	action.Consensus = c.Consensus.factsAt(set.Now)
	if c.hasGraph() {
		if err := c.Graph.store(ctx, b.scratch, set.Now); err != nil {
			return []string{"graph: " + err.Error()}
		}
	}
	asked := *c.Action
	b.effects.Add(&asked, action, b.programs)
	evaluator := set.Evaluator(asked, action)
	verdict := evaluator.Verdict(ctx)
	outcomes := b.coverage.watch(evaluator.Outcomes, c.hasGraph())
	if c.hasGraph() {
		return c.compare(verdict, func(rule string) string {
			return b.coverage.whyNot(rule, outcomes, "its pattern finds nothing in the graph of the case")
		})
	}
	if unseen := b.coverage.unseen(outcomes); len(unseen) > 0 {
		result.Note = "not evaluated, because its pattern needs a graph: " + strings.Join(unseen, ", ")
	}
	return c.compare(verdict, func(rule string) string {
		return b.coverage.whyNot(rule, outcomes, "its pattern needs a graph, and this case has none")
	})
}

package cases_test

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/cases"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

// testedPack returns testdata/team.yaml with cases. Each case is a YAML flow map without braces.
func testedPack(t *testing.T, texts ...string) pack.Source {
	t.Helper()
	text := graphtest.Must(os.ReadFile("testdata/team.yaml"))(t)
	source := string(text)
	if len(texts) > 0 {
		source += "tests:\n"
	}
	for _, c := range texts {
		source += "  - {" + c + "}\n"
	}
	return pack.Source{Name: "team.yaml", Text: source}
}

func runTests(t *testing.T, required float64, packs ...pack.Source) cases.Report {
	t.Helper()
	report := graphtest.Must(cases.Run(t.Context(), cases.Request{Packs: packs, MinCoverage: required}, nil))(t)
	return report
}

// TestCases_Difference_IsReported runs the cases of testdata/cases.yaml, and one whose facts are too large.
func TestCases_Difference_IsReported(t *testing.T) {
	type row struct {
		Name, Given, Expect string
		Problem             []string
	}
	rows := append(toolstest.Rows[row](t, "testdata/cases.yaml"), row{"facts that are too large",
		"action: {description: x, context: {big: " + strings.Repeat("x", 70_000) + "}}", "allowed: true",
		[]string{"the limit is 65536"}})
	var texts []string
	failures := 0
	for _, row := range rows {
		texts = append(texts, "name: "+strings.ReplaceAll(row.Name, ",", ";")+", "+row.Given+", expect: {"+row.Expect+
			"}")
		failures += min(len(row.Problem), 1)
	}
	report := runTests(t, 0, testedPack(t, texts...))
	for i, row := range rows {
		t.Run(row.Name, func(t *testing.T) {
			got := report.Cases[i]
			if got.Passed != (len(row.Problem) == 0) || got.Passed != (got.Problem == "") {
				t.Errorf("passed is %t: %s", got.Passed, got.Problem)
			}
			golden.Contains(t, "the problem", got.Problem, row.Problem...)
		})
	}
	if report.Failures != failures || report.Passed != len(rows)-failures || report.Skipped != 0 || !report.Failed() {
		t.Errorf("%d passed, %d failed, %d skipped of %d, of which %d must fail", report.Passed, report.Failures,
			report.Skipped, len(rows), failures)
	}
}

func TestCases_Failure_NamesThePosition(t *testing.T) {
	report := runTests(t, 0, testedPack(t, "name: holds, action: {description: x}, expect: {allowed: true}",
		"name: fails, action: {description: x}, expect: {allowed: false}"))
	text, _ := os.ReadFile("testdata/team.yaml")
	line := strings.Count(string(text), "\n") + 3 // the lines "tests:" and the first case precede it
	want := "FAIL team.yaml:" + strconv.Itoa(line) + ":6: fails: allowed: expected false, got true\n"
	if !strings.HasPrefix(report.Summary, want) {
		t.Errorf("the summary is\n%s\nand must begin\n%s", report.Summary, want)
	}
	golden.Equal(t, "the place", report.Cases[1].Place, "team.yaml:"+strconv.Itoa(line)+":6")
	golden.Contains(t, "the summary", report.Summary, "team 1.2.0: 1 of 2 cases passed\n")
}

func TestCases_SeveralPacks_AreEvaluatedTogether(t *testing.T) {
	mine := pack.Source{Name: "mine.yaml", Text: `{pack: mine, version: 1.0.0,
		policies: [{name: mine, active: true, requires: 'action.confidence >= threshold("high_min")'}],
		tests: [{name: by the other's threshold, action: {description: x, confidence: 0.4, tags: [a]}, expect: {violations: [mine]}},
			{name: by the other's rule, action: {description: x, confidence: 0.7, name: db.drop}, expect: {violations: [never-drop]}},
			{name: by the other's table, table: T1_speed, inputs: {score: 3}, expect: {rows: [slow]}}]}`}
	if report := runTests(t, 0, mine, testedPack(t)); report.Failed() || report.Passed != 3 {
		t.Errorf("together: %s", report.Summary)
	}
	alone := runTests(t, 0, mine)
	if alone.Failures != 2 || !strings.Contains(alone.Cases[0].Problem+alone.Cases[1].Problem,
		"SYS_Threshold node 'high_min' not found") {
		t.Errorf("alone: %s", alone.Summary)
	}
	golden.Contains(t, "alone, the table", alone.Cases[2].Problem, "name the pack that has it too")
	standsIn := pack.Source{Name: "own.yaml", Text: strings.Replace(mine.Text, "tags: [a]}, expect",
		"tags: [a]}, thresholds: {high_min: 0.3}, expect", 1)}
	golden.Contains(t, "threshold value of the case", runTests(t, 0, standsIn).Cases[0].Problem,
		"mine is not violated: what it requires holds")
}

func TestCases_PacksOfOneName_StaySeparate(t *testing.T) {
	source := pack.Source{Name: "a.yaml", Text: `{pack: a, version: 1.0.0, tests: [{name: one, action: {description: x}, expect: {allowed: true}}]}`}
	if report := runTests(t, 0, source, source); !strings.HasPrefix(report.Summary,
		"a 1.0.0: 1 of 1 cases passed\na 1.0.0: 1 of 1 cases passed\n") ||
		strings.Count(report.JUnit, "<testcase ") != 2 {
		t.Errorf("got %s\n%s, want Summary that starts with %q, strings.Count(report.JUnit, \"<testcase \")=2",
			report.Summary, report.JUnit, "a 1.0.0: 1 of 1 cases passed\na 1.0.0: 1 of 1 cases passed\n")
	}
}

func TestCases_RulesOfOneName_AreReported(t *testing.T) {
	source := func(name, expect string) pack.Source {
		return pack.Source{Name: name + ".yaml", Text: `{pack: ` + name +
			`, version: 1.0.0, policies: [{name: same, active: true, requires: "true"}],
			tests: [{name: one, action: {description: x}, expect: {` + expect + `}}]}`}
	}
	if report := runTests(t, 0, source("a", "violations: [same]"), source("b", "violations: []")); report.Passed != 1 ||
		!strings.Contains(report.Summary, "2 SYS_Policy nodes are called 'same'") {
		t.Errorf(`got %s, want Passed=1, Summary with "2 SYS_Policy nodes are called 'same'"`, report.Summary)
	}
}

func TestCases_NotRun_FailTheReport(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	nowhere := func(context.Context) (*graph.DB, func(), error) {
		cancel() // cancels after the packs were read
		return graph.Open(graph.Options{URI: "bolt://127.0.0.1:1"}), func() {}, nil
	}
	report, err := cases.Run(gone, cases.Request{Packs: []pack.Source{testedPack(t,
		"name: one, action: {description: x}, graph: {nodes: []}, expect: {allowed: true}")}}, nowhere)
	if err != nil || report.Skipped != 1 || report.Passed+report.Failures != 0 || !report.Failed() ||
		!strings.Contains(report.JUnit, "<skipped") {
		t.Errorf(`got %v, %+v, want Skipped=1, (report.Passed + report.Failures)=0, report.Failed()=true, JUnit with "<skipped"`, err, report)
	}
}

// TestCases_Anchor_NamesThePosition: a YAML anchor makes the list a different kind of node.
func TestCases_Anchor_NamesThePosition(t *testing.T) {
	report := runTests(t, 0, pack.Source{Name: "a.yaml",
		Text: "pack: a\nversion: 1.0.0\ntests: &all\n  - {name: one, action: {description: x}, expect: {allowed: false}}\n"})
	if got := report.Cases[0].Place; !strings.HasPrefix(got, "a.yaml:") {
		t.Errorf("the place is %s", got)
	}
}

func TestCases_BrokenPack_IsNotTested(t *testing.T) {
	_, err := cases.Run(t.Context(), cases.Request{Packs: []pack.Source{{Name: "x.yaml", Text: "pack: x\n"}}}, nil)
	toolstest.ErrorWithCode(t, err, apperr.Validation)
	_, err = cases.Run(t.Context(), cases.Request{Packs: []pack.Source{{Name: "nosuch"}}}, nil)
	toolstest.ErrorWithCode(t, err, apperr.NotFound)
}

func TestRun_WithPacks_AppliesTheirRulesOnly(t *testing.T) {
	mine := pack.Source{Name: "mine.yaml", Text: `pack: mine
version: 1.0.0
policies:
  - {name: own-bar, active: true, applies_when: action.stakes >= high, requires: has(action.confidence) && action.confidence >= threshold("high_stakes_min_confidence")}
tests:
  - {name: both object, action: {description: x, stakes: high, confidence: 0.4}, expect: {violations: [own-bar, no-high-stakes-low-confidence]}}
  - {name: core is content, action: {description: x, stakes: high, confidence: 0.6}, thresholds: {high_stakes_min_confidence: 0.7}, expect: {violations: [own-bar, no-high-stakes-low-confidence]}}
`}
	report := graphtest.Must(cases.Run(t.Context(), cases.Request{Packs: []pack.Source{mine},
		With: []pack.Source{{Name: "core"}}}, nil))(t)
	if report.Passed != 2 || report.Failures != 0 || len(report.Cases) != 2 || len(report.Coverage.ByRule) != 1 {
		t.Errorf("got %s, want Passed=2, Failures=0, len(Cases)=2, len(ByRule)=1", report.Summary)
	}
	golden.Equal(t, "without core", runTests(t, 0, mine).Passed, 0)
	if _, err := cases.Run(t.Context(), cases.Request{Packs: []pack.Source{mine},
		With: []pack.Source{{Name: "nocore"}}}, nil); !apperr.Is(err, apperr.NotFound) {
		t.Errorf("with a pack that is not shipped: got %v, want error %s", err, apperr.NotFound)
	}
	golden.Equal(t, "with itself", graphtest.Must(cases.Run(t.Context(), cases.Request{Packs: []pack.Source{mine},
		With: []pack.Source{mine, {Name: "core"}}}, nil))(t).Passed, 2)
}

// TestCases_FactsOfARecording_CanBeGiven: rules about reasons, quality and deliberation have cases like any other.
func TestCases_FactsOfARecording_CanBeGiven(t *testing.T) {
	const rules = `pack: p
version: 1.0.0
policies:
  - {name: reasoned, active: true, requires: 'action.reason_count >= 2 && action.reasons.exists(r, r.type == "empirical")'}
  - {name: recorded, active: true, applies_when: 'action.phase == "record"', requires: 'action.deliberation_count > 0 && has(action.quality_score) && action.quality_score >= 0.5'}
tests:
`
	const two = `reasons: [{type: analysis, text: a}, {type: empirical, text: b}]`
	for given, expect := range map[string]string{
		`action: {description: x, ` + two + `}`:                           `violations: []`,
		`action: {description: x, reasons: [{type: empirical, text: a}]}`: `violations: [reasoned]`,
		`action: {description: x}`:                                        `violations: [reasoned]`,
		`phase: record, action: {description: x, ` + two +
			`, deliberation_count: 1, quality_score: 0.5}`: `violations: []`,
		`phase: record, action: {description: x, ` + two +
			`, deliberation_count: 1, quality_score: 0.4}`: `violations: [recorded]`,
		`phase: check, action: {description: x, ` + two +
			`, pattern: one store, deliberation_count: 0}`: `violations: []`,
	} {
		report := runTests(t, 0, pack.Source{Name: "p.yaml", Text: rules + "  - {name: case, " + given + ", expect: {" +
			expect + "}}\n"})
		if report.Passed != 1 {
			t.Errorf("%s: got %s, want %s", given, report.Summary, expect)
		}
	}
}

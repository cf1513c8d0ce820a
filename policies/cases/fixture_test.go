package cases_test

import (
	"context"
	"slices"
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

// scratchIn uses the test's graph as the scratch database of cases.
func scratchIn(g *graphtest.Graph) cases.Scratch {
	return func(context.Context) (*graph.DB, func(), error) { return g.DB, func() {}, nil }
}

func runWithGraph(t *testing.T, scratch cases.Scratch, r cases.Request) cases.Report {
	t.Helper()
	report := graphtest.Must(cases.Run(t.Context(), r, scratch))(t)
	return report
}

const cypherRules = `pack: outages
version: 1.0.0
thresholds: [{name: outages_max, value: 1}]
policies:
  - name: calm
    active: true
    applies_when: action.category == "deploy"
    forbids_pattern: >-
      MATCH (o:Outage)-[h:HIT]->(s:Service {name: $action.context.service}) WHERE h.at > datetime() - duration('PT24H')
      WITH count(o) AS n WHERE n > $threshold.outages_max RETURN n
    message: "{found.n} outages"
    uses_thresholds: [outages_max]
  - name: calm-and-reviewed
    active: true
    severity: warn
    applies_when: action.category == "deploy"
    requires: action.context.reviewed == true
    forbids_pattern: MATCH (n:Freeze) WHERE n.from <= $now AND n.until > $now RETURN n.name AS name
tests:
`

// TestCases_CypherRule_ReadsTheScratchGraph: cases are evaluated like live checks, each with its own graph and time.
func TestCases_CypherRule_ReadsTheScratchGraph(t *testing.T) {
	g := graphtest.New(t)
	const deploy = "action: {description: x, category: deploy, context: {service: pay, reviewed: true}}, "
	outages := func(first, second string) string {
		return "graph: {nodes: [{id: o1, labels: [Outage]}, {id: o2, labels: [Outage, Long]}, {id: pay, labels: [Service], properties: {name: pay}}]," +
			" relationships: [{from: o1, type: HIT, to: pay, properties: {at: " + first +
			"}}, {from: o2, type: HIT, to: pay, properties: {at: " + second + "}}]}, "
	}
	const freeze = "now: '2026-02-03T12:00:00+01:00', graph: {nodes: [{labels: [Freeze], properties: {name: spring, from: 2026-02-03T11:00:00Z, until: {ago: -1s}}}]}, "
	tests := []struct{ text, problem string }{
		{"name: two today, " + deploy + outages("{ago: 2h}", "{ago: 1439m}") +
			"expect: {violations: [calm], warnings: []}", ""},
		{"name: one of them was before, " + deploy + outages("{ago: 2h}", "{ago: 1.01d}") + "expect: {violations: []}",
			""},
		{"name: nothing of another case is left, " + deploy +
			"graph: {nodes: []}, expect: {violations: [], warnings: []}", ""},
		{"name: a threshold of the case, " + deploy + outages("{ago: 2h}", "{ago: 3h}") +
			"thresholds: {outages_max: 2}, expect: {violations: []}", ""},
		{"name: at the time of the case, " + deploy + freeze + "expect: {warnings: [calm-and-reviewed]}", ""},
		{"name: what it requires comes first, " + strings.Replace(deploy, "reviewed: true", "reviewed: false",
			1) + freeze + "expect: {warnings: [calm-and-reviewed]}", ""},
		{"name: not a minute later, " + deploy + strings.Replace(freeze, "ago: -1s", "ago: 1m", 1) +
			"expect: {warnings: [calm-and-reviewed]}",
			"calm-and-reviewed is not violated: its pattern finds nothing in the graph of the case"},
		{"name: unexpected, " + deploy + outages("{ago: 2h}", "{ago: 3h}") + "expect: {allowed: true}",
			"calm: 2 outages; it saw action.category = deploy, outages_max = 1"},
		{"name: no graph, " + deploy + "expect: {violations: [calm]}",
			"calm is not violated: its pattern needs a graph, and this case has none"},
		{"name: a graph that cannot be, " + deploy +
			"graph: {nodes: [{labels: [Decision], properties: {uid: one}}, {labels: [Decision], properties: {uid: one}}]}, expect: {allowed: true}", "graph: "},
	}
	text := cypherRules
	for _, c := range tests {
		text += "  - {" + c.text + "}\n"
	}
	source := pack.Source{Name: "outages.yaml", Text: text}
	report := runWithGraph(t, scratchIn(g), cases.Request{Packs: []pack.Source{source}})
	for i, c := range tests {
		if got := report.Cases[i]; got.Passed != (c.problem == "") ||
			!strings.Contains(strings.ReplaceAll(got.Problem, "\n", ""), c.problem) {
			t.Errorf(`%s: got %q, want Passed=%v, strings.ReplaceAll(got.Problem, "\n", "") with %q`, got.Name,
				got.Problem, (c.problem == ""), c.problem)
		}
	}
	calm, both := report.Coverage.ByRule[0], report.Coverage.ByRule[1]
	if calm.Found != 2 || calm.NotFound != 6 || calm.Violated != 2 || calm.Passed != 6 || calm.Note != "" {
		t.Errorf("calm: %+v", calm)
	}
	if both.Found != 1 || both.Violated != 2 || both.Passed != 7 || both.NotFound != 6 {
		t.Errorf("calm-and-reviewed: %+v", both)
	}
	// Covered for both rules: the rule applies, its pattern matches, its pattern does not match. Covered for the second
	// rule: it passes, it is violated. Not covered: no action has a different category.
	golden.Equal(t, "branches: "+report.Summary, report.Coverage.Branches,
		(cases.Share{Covered: 8, Total: 10, Percent: 80}))

	without := runWithGraph(t, nil, cases.Request{Packs: []pack.Source{source}, WithoutGraph: true})
	if without.LeftOut != 9 || without.Failures != 1 || without.Passed+without.Skipped != 0 ||
		without.Coverage.Branches.Total != 6 || without.Coverage.ByRule[0].Note == "" ||
		!strings.Contains(without.Summary, "outages 1.0.0: 0 of 1 cases passed; 9 left out (without a graph)\n") ||
		!strings.Contains(without.Summary, "not evaluated (its pattern needs a case with a graph): calm, calm-and-reviewed\n") ||
		strings.Count(without.JUnit, `<skipped message="not run">`) != 9 {
		t.Errorf("got %+v\n%s\n%s, want LeftOut=9, Failures=1, (without.Passed + without.Skipped)=0, Total=6, non-empty Note, Summary with %q, Summary with %q, strings.Count(without.JUnit, `<skipped message=\"not run\">`)=9", without, without.Summary, without.JUnit, "outages 1.0.0: 0 of 1 cases passed; 9 left out (without a graph)\n", "not evaluated (its pattern needs a case with a graph): calm, calm-and-reviewed\n")
	}
	if rows := g.Rows(t, "MATCH (n:SYS_Migration) RETURN count(n) AS n", nil); rows[0]["n"] == int64(0) {
		t.Error("a case has taken the ledger of migrations")
	}

	// The cases of the shipped packs pass. They include the patterns of core's breakers.
	for _, name := range pack.Shipped() {
		report := runWithGraph(t, scratchIn(g), cases.Request{Packs: []pack.Source{{Name: name}}})
		if report.Failed() {
			t.Error(report.Summary)
		}
		for _, r := range report.Coverage.ByRule {
			if strings.HasPrefix(r.Rule, "circuit-") && (r.Found == 0 || r.NotFound == 0) {
				t.Errorf(`%s: got %+v, want not strings.HasPrefix(r.Rule, "circuit-") && (r.Found == 0 || r.NotFound == 0)`, name, r)
			}
		}
	}
}

// TestCases_InvalidGraph_NamesThePosition: the error is found before any case runs.
func TestCases_InvalidGraph_NamesThePosition(t *testing.T) {
	text := `pack: broken
version: 1.0.0
tests:
  - name: a
    action: {description: x}
    expect: {allowed: true}
    graph:
      nodes:
        - {id: a, labels: [Good]}
        - {id: a, labels: [Good]}
        - {labels: [SYS_Lock]}
      relationships:
        - {from: a, type: T, to: nowhere}
        - {from: nobody, type: T, to: a}
  - name: b
    action: {description: x}
    expect: {allowed: true}
    graph:
      nodes:
        - {labels: ["bad label"]}
        - {labels: []}
        - {labels: [L], properties: {at: {ago: 2 hours}}}
        - {labels: [L], properties: {at: {since: 2h}}}
        - {labels: [L], properties: {at: {ago: 2h}, deep: [[1]]}}
        - {label: L}
  - {name: c, table: T, inputs: {}, expect: {rows: []}, graph: {nodes: []}}
`
	_, err := pack.Validate(t.Context(), pack.ValidateRequest{Packs: []pack.Source{{Name: "p.yaml", Text: text}}})
	toolstest.ErrorWithCode(t, err, apperr.Validation)
	got := strings.Split(apperr.From(err).Message, "\n")
	want := []string{
		"p.yaml:10:12: another node has the id 'a'",
		"p.yaml:11:12: the label 'SYS_Lock' is for Nomograph's own nodes",
		"p.yaml:13:30: no node of this graph has the id 'nowhere'",
		"p.yaml:14:12: no node of this graph has the id 'nobody'",
		`p.yaml:20:21: tests[1].graph.nodes[0].labels[0] is "bad label", which does not match ^[\p{L}_][\p{L}\p{N}_]{0,99}$`,
		"p.yaml:21:12: tests[1].graph.nodes[1].labels must have at least 1 items, not 0",
		`p.yaml:22:43: tests[1].graph.nodes[2].properties.at.ago is "2 hours", which does not match ^-?[0-9]{1,5}(\.[0-9]{1,5})?[smhd]$`,
		"p.yaml:23:43: tests[1].graph.nodes[3].properties.at: ago is required",
		`p.yaml:23:43: tests[1].graph.nodes[3].properties.at: "since" is not known; allowed: none`,
		"p.yaml:24:53: tests[1].graph.nodes[4].properties.deep must be text, a number, a boolean, or a list of one of these",
		"p.yaml:25:12: tests[1].graph.nodes[5]: labels is required",
		`p.yaml:25:12: tests[1].graph.nodes[5]: "label" is not known; did you mean labels? Allowed: id, labels, properties`,
		"p.yaml:26:57: 'c' is a case of a table, which does not depend on a graph",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

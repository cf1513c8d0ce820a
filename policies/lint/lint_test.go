package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/policies/change"
	"nomograph/policies/lint"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

// lines returns findings as "severity check subject".
func lines(findings []lint.Finding) []string {
	out := []string{}
	for _, f := range findings {
		out = append(out, strings.Join([]string{f.Severity, f.Check, f.Subject}, " "))
	}
	return out
}

func lintPack(t *testing.T, text string) []lint.Finding {
	t.Helper()
	parsed := graphtest.Must(pack.Parse(t.Context(), "p.yaml", "pack: p\nversion: 1.0.0\n"+text))(t)
	return lint.Pack(parsed)
}

// tableOf returns a pack with one table of the rows, each "conditions" or "conditions -> outputs", and the thresholds
// low = 1 and high = 10 (100 in the scope far).
func tableOf(policy string, rows ...string) string {
	text := "decision_tables:\n- table_id: D1_t\n  hit_policy: " + policy + "\n  rows:\n"
	for i, row := range rows {
		conditions, outputs, ok := strings.Cut(row, " -> ")
		if !ok {
			outputs = "{}"
		}
		text += fmt.Sprintf("  - row_id: r%d\n    outputs: %s\n", i+1, outputs)
		if conditions != "" {
			text += fmt.Sprintf("    conditions: %q\n", conditions)
		}
	}
	return text + "thresholds:\n- {name: low, value: 1}\n- {name: high, value: 10.0}\n- {name: high_far, value: 100, domain_scope: far}\npolicies:\n- {name: reader, uses_thresholds: [low, high]}\n"
}

func ruleOf(appliesWhen, requires string) string {
	text := "thresholds:\n- {name: low, value: 0.25}\npolicies:\n- name: rule\n  active: true\n  uses_thresholds: [low]\n  requires: " + fmt.Sprintf("%q", requires) + "\n"
	if appliesWhen != "" {
		text += "  applies_when: " + fmt.Sprintf("%q", appliesWhen) + "\n"
	}
	return text
}

// TestLint_PackMistakes_AreFound lints every row of testdata/mistakes.yaml.
func TestLint_PackMistakes_AreFound(t *testing.T) {
	type mistake struct {
		Name, Only, Pack, Requires, Finds, Says string
		HitPolicy                               string `yaml:"hit_policy"`
		AppliesWhen                             string `yaml:"applies_when"`
		Rows                                    []string
	}
	for _, row := range toolstest.Rows[mistake](t, "testdata/mistakes.yaml") {
		text := row.Pack
		switch {
		case row.HitPolicy != "":
			text = tableOf(row.HitPolicy, row.Rows...)
		case row.Requires != "":
			text = ruleOf(row.AppliesWhen, row.Requires)
		}
		t.Run(row.Name, func(t *testing.T) {
			findings := slices.DeleteFunc(lintPack(t, text), func(f lint.Finding) bool {
				if row.Only == "" { // other rows have these checks
					return f.Check == "fact-may-be-absent" || f.Check == "unknown-in-check"
				}
				return f.Check != row.Only
			})
			if got := strings.Join(lines(findings), "\n"); got != row.Finds {
				t.Fatalf("got\n%s\nwant\n%s\n%v", got, row.Finds, findings)
			}
			for _, f := range findings {
				if !strings.Contains(f.Message, row.Says) || f.Hint == "" || !strings.HasPrefix(f.Place, "p.yaml:") ||
					strings.HasSuffix(f.Place, ":1:1") {
					t.Errorf("got %+v, want a message with %q, a hint and a place", f, row.Says)
				}
			}
		})
	}
}

func TestLint_Finding_NamesItsPosition(t *testing.T) {
	findings := lintPack(t, tableOf("FIRST", `inputs.a > 3`, `inputs.a > 5`))
	if len(findings) != 1 || findings[0].Place != "p.yaml:12:5" {
		t.Errorf("got %+v, want len(findings)=1, Place=p.yaml:12:5", findings)
	}
}

// TestLint_ShippedPacks_HaveNoErrors: the remaining findings are thresholds that only programs outside of the packs
// read.
func TestLint_ShippedPacks_HaveNoErrors(t *testing.T) {
	for _, name := range pack.Shipped() {
		text := graphtest.Must(pack.ShippedText(name))(t)
		parsed := graphtest.Must(pack.Parse(t.Context(), name+".yaml", text))(t)
		for _, f := range lint.Pack(parsed) {
			graphtest.Values(t, "Severity, Check", f.Severity, "warning", f.Check, "threshold-unread")
			t.Logf("%s: %s", f.Subject, f.Message)
		}
	}
}

// TestLint_GraphMistakes_AreFound lints a graph with errors of manual edits.
func TestLint_GraphMistakes_AreFound(t *testing.T) {
	g, env := toolstest.Open(t)
	t.Run("an empty graph has no findings", func(t *testing.T) {
		report := graphtest.Must(env.Lint.Packs(t.Context(), lint.Request{}))(t)
		graphtest.Values(t, "Failed, Findings, Summary", report.Failed(), false, len(report.Findings), 0,
			report.Summary, "0 errors, 0 warnings\n")
	})
	t.Run("an applied pack has only the findings of the pack", func(t *testing.T) {
		toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{{Name: "core"}, {Name: "chrystallum"}}})
		live := graphtest.Must(env.Lint.Graph(t.Context()))(t)
		report := graphtest.Must(env.Lint.Packs(t.Context(), lint.Request{Packs: []pack.Source{{Name: "core"},
			{Name: "chrystallum"}}}))(t)
		inPacks, inGraph := lines(report.Findings), lines(live)
		slices.Sort(inPacks)
		slices.Sort(inGraph)
		graphtest.Values(t, "Failed, inPacks", report.Failed(), false, inPacks, inGraph)
	})
	g.Exec(t, `MATCH (n) WHERE n:SYS_Threshold OR n:SYS_Policy OR n:SYS_DecisionTable OR n:SYS_DecisionRow DETACH DELETE n;
	CREATE (:SYS_DecisionTable {table_id: 'D15_person_rules', hit_policy: 'FIRST'}), (:SYS_DecisionTable {table_id: 'D15_federation_score', hit_policy: 'FIRST'}),
		(:SYS_Threshold {name: 'ambiguous', value: 4, decision_table: 'D15'}),
		(:SYS_Threshold {name: 'twin', value: 1}), (:SYS_Threshold {name: 'twin', value: 2}),
		(:SYS_Threshold {name: 'claim', value: 0.9, decision_table: 'D10'}), (:SYS_Threshold {name: 'claim_far', value: 0.75, decision_table: 'D10', domain_scope: 'far'}),
		(:SYS_Threshold {name: 'text', value: '0.9', decision_table: 'D10'}),
		(d:SYS_DecisionTable {table_id: 'D10_DETERMINE_x', hit_policy: 'FIRST'}), (d)-[:HAS_ROW]->(:SYS_DecisionRow {row_id: 'j', priority: 1, conditions: '{"confidence": ">= 0.9"}'}),
		(d)-[:HAS_ROW]->(:SYS_DecisionRow {row_id: 'k', priority: 2, conditions: 'inputs.c >= 0.75 && inputs.c >= threshold("gone")'}),
		(d)-[:HAS_ROW]->(:SYS_DecisionRow {row_id: 'odd', conditions: ['a', 'b'], outputs: [1, 2]}),
		(:SYS_DecisionTable {name: 'copy', hit_policy: 'ALL'})-[:HAS_ROW]->(:SYS_DecisionRow {row_id: 'k'}),
		(:SYS_Policy {name: 'when', active: true, applies_when: 'true'}), (:SYS_Policy {name: 'bad', active: true, requires: 'not CEL'}), (:SYS_Policy {note: 'no name', decision_table: 7}),
		(:SYS_Policy {name: 'texts', active: 'true', requires: 'true'}), (:SYS_Policy {name: 'facet', active: 1, facet_key: 'X'}), (:SYS_Policy {name: 'commas', active: true, scope: 'a/b, c/d', requires: 'true'}),
		(:SYS_Policy {name: 'unlinked', active: true, forbids_pattern: 'MATCH (n) WHERE n.x > $threshold.ambiguous RETURN n'}),
		(:SYS_DecisionTable), (:SYS_Threshold), (:SYS_Threshold {name: 7, value: [1, 2]})`, nil)
	report := graphtest.Must(env.Lint.Packs(t.Context(), lint.Request{}))(t)
	got := lines(report.Findings)
	for _, want := range []string{"error ambiguous-id table D15", "error ambiguous-id threshold ambiguous",
		"error ambiguous-id threshold twin", "error ambiguous-id row k",
		"error condition-broken row j",
		"error literal-repeats-threshold row k", "error threshold-missing row k",
		"error condition-broken row odd", "error rule-never-applies policy when", "error condition-broken policy bad",
		"error condition-broken policy texts", "error condition-broken policy commas",
		"error condition-broken policy unlinked", "warning active-unreadable policy facet",
		"warning threshold-unread threshold claim", "warning threshold-unread threshold twin"} {
		if !slices.Contains(got, want) {
			t.Errorf("not found: %s", want)
		}
	}
	if !report.Failed() || report.Errors+report.Warnings != len(got) ||
		!slices.IsSortedFunc(report.Findings, func(a,
			b lint.Finding) int {
			return strings.Compare(a.Severity, b.Severity)
		}) {
		t.Errorf("%d errors, %d warnings: %v", report.Errors, report.Warnings, got)
	}
	if !strings.Contains(report.Summary, "error: row j: ") ||
		!strings.HasSuffix(report.Summary, fmt.Sprintf("%d errors, %d warnings\n", report.Errors, report.Warnings)) {
		t.Error(report.Summary)
	}
	_, err := env.Lint.Packs(t.Context(), lint.Request{Packs: toolstest.Packs("pack: p\nversion: 1.0.0\nthresholds: [{name: x}]")})
	toolstest.ErrorWithCode(t, err, apperr.Validation)
	_, err = env.Lint.Packs(t.Context(), lint.Request{Packs: []pack.Source{{Name: "nosuch"}}})
	toolstest.ErrorWithCode(t, err, apperr.NotFound)
}

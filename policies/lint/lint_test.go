package lint_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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
	parsed, err := pack.Parse(t.Context(), "p.yaml", "pack: p\nversion: 1.0.0\n"+text)
	if err != nil {
		t.Fatal(err)
	}
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

func TestLint_PackMistakes_AreFound(t *testing.T) {
	tests := []struct{ name, text, finds, says string }{
		// Numbers that repeat a threshold.
		{"a bound", tableOf("FIRST", `inputs.a >= 10 && inputs.b > threshold("high")`),
			"error literal-repeats-threshold row r1", "its condition holds 10, the value of the threshold 'high'"},
		{"a number that is no bound", tableOf("FIRST", `inputs.a == 10 && inputs.b > threshold("high")`),
			"warning literal-repeats-threshold row r1", ""},
		{"a variant's number", tableOf("FIRST", `inputs.a >= 100 && inputs.b > threshold("high")`),
			"error literal-repeats-threshold row r1", "'high_far'"},
		{"outputs", tableOf("FIRST", `inputs.b > threshold("high") -> {score: {of: [10]}}`),
			"warning literal-repeats-threshold row r1", "its outputs holds 10"},
		{"another number", tableOf("FIRST", `inputs.a >= 11 && inputs.b > threshold("high")`), "", ""},
		{"a threshold of another table", tableOf("FIRST", `inputs.a >= 10`), "", ""},
		{"a rule", ruleOf("", `action.confidence > threshold("low") || action.quality_score > 0.25`),
			"error literal-repeats-threshold policy rule", "requires holds 0.25"},

		// Rows that can never match.
		{"a contradiction", tableOf("FIRST", `inputs.a > 5 && inputs.a < 5`), "error row-never-hits row r1",
			"no inputs make its condition hold"},
		{"a contradiction over a threshold", tableOf("FIRST",
			`inputs.a > threshold("high") && inputs.a < threshold("low")`), "error row-never-hits row r1", ""},
		{"only in another scope", tableOf("FIRST", `inputs.a > 50 && inputs.a < threshold("high")`), "", ""},
		{"by a scope of its own", tableOf("FIRST", `inputs.a > 50 && inputs.a < threshold("high", inputs.s)`), "", ""},
		{"in no scope", tableOf("FIRST", `inputs.a > 500 && inputs.a < threshold("high", inputs.s)`),
			"error row-never-hits row r1", ""},
		{"two texts at once", tableOf("ALL", `inputs.a == "x" && inputs.a in ["y", "z"]`),
			"error row-never-hits row r1", ""},
		{"between two numbers", tableOf("FIRST", `inputs.a > 5 && inputs.a < 5.000001`), "", ""},
		{"neither of two texts", tableOf("FIRST", `inputs.a != "x" && inputs.a != "y"`), "", ""},
		{"neither true nor false", tableOf("FIRST", `inputs.a != true && inputs.a != false`), "", ""},
		{"absent", tableOf("FIRST", `!has(inputs.a)`), "", ""},
		{"after one that takes all of it", tableOf("FIRST", `inputs.a > 3`, `inputs.a > 5`),
			"error row-never-hits row r2", "an earlier row hits or fails: r1"},
		{"after all cases", tableOf("FIRST", `inputs.a > 3`, `inputs.a <= 3`, `inputs.a != 4`),
			"error row-never-hits row r3", ": r1, r2"},
		{"after a row without a condition", tableOf("FIRST", ``, `inputs.a.size() > 5`, `inputs.a > 1`),
			"error row-never-hits row r3", ": r1"},
		{"the same under ALL", tableOf("ALL", `inputs.a > 3`, `inputs.a > 5`), "", ""},
		{"a rest", tableOf("FIRST", `inputs.a > 3`, `inputs.a > 2`, ``), "", ""},
		{"the boundary itself is left", tableOf("FIRST", `inputs.a > 3`, `inputs.a >= 3`), "", ""},
		{"what cannot be told", tableOf("FIRST", `inputs.a + 1 > 5 && inputs.a < 4`,
			`inputs.a > inputs.b && inputs.b > inputs.a`), "", ""},
		{"an input that is refused", strings.Replace(tableOf("FIRST", `inputs.a > 3`), "hit_policy",
			"inputs: [b]\n  hit_policy", 1), "error row-never-hits row r1", ""},
		{"an input that must be given", strings.Replace(tableOf("FIRST", `!has(inputs.a)`), "hit_policy",
			"inputs: [a]\n  hit_policy", 1), "error row-never-hits row r1", ""},
		{"an input that may be given", strings.Replace(tableOf("FIRST", `!has(inputs.a)`), "hit_policy",
			"inputs: [a?]\n  hit_policy", 1), "", ""},

		// Rows that overlap.
		{"at the boundary", tableOf("UNIQUE", `inputs.a <= threshold("high")`, `inputs.a >= threshold("high")`),
			"error rows-overlap row r2", `it overlaps with r1, but UNIQUE allows one row: at {"a":10}`},
		{"in part", tableOf("UNIQUE", `inputs.a > 3 && inputs.b == "x"`, `inputs.a < 5`), "error rows-overlap row r2",
			`{"a":4,"b":"x"}`},
		{"a row for the rest", tableOf("UNIQUE", `inputs.a > 3`, ``), "error rows-overlap row r2", ""},
		{"exclusive", tableOf("UNIQUE", `inputs.a < threshold("high")`, `inputs.a >= threshold("high") && inputs.b`,
			`inputs.a >= threshold("high") && !inputs.b`), "", ""},
		{"only in a scope", tableOf("UNIQUE", `inputs.a < threshold("high")`, `inputs.a > 50`),
			"error rows-overlap row r2", `{"a":75,"scope":"far"}`},

		// Rules.
		{"stakes that are two at once", ruleOf(`action.stakes < medium && action.stakes >= high`,
			`action.confidence >= threshold("low")`), "error rule-never-applies policy rule", ""},
		{"stakes below the lowest", ruleOf(`action.stakes < low`, `action.confidence >= threshold("low")`),
			"error rule-never-applies policy rule", ""},
		{"more confidence than there is", ruleOf(`has(action.confidence) && action.confidence > 1.0`, `false`),
			"error rule-never-applies policy rule", ""},
		{"full confidence", ruleOf(`has(action.confidence) && action.confidence >= 1.0`, `false`), "", ""},
		{"less than no reasons", ruleOf(`action.reason_count < 0`, `false`), "error rule-never-applies policy rule",
			""},
		{"between two counts", ruleOf(`action.reason_count > 1 && action.reason_count < 2`, `false`),
			"error rule-never-applies policy rule", ""},
		{"a count of two", ruleOf(`action.reason_count > 1 && action.deliberation_count < 3`, `false`), "", ""},
		{"two categories", ruleOf(`action.category == "a" && action.category == "b"`, `false`),
			"error rule-never-applies policy rule", ""},
		{"no category", ruleOf(`action.category == "" && !has(action.context.x)`, `false`), "", ""},
		{"what only the action can tell", ruleOf(`action.tags.size() > 3 && action.stakes == low && action.stakes == high`, `false`), "", ""},
		{"required in any case", ruleOf(`action.stakes >= high`, `action.stakes > medium`),
			"warning rule-never-violated policy rule", ""},
		{"required in any case without a when", ruleOf("", `!has(action.confidence) || action.confidence >= 0.0`),
			"warning rule-never-violated policy rule", ""},
		{"required where it is absent", ruleOf("", `action.confidence >= 0.0`), "", ""},
		{"switched neither on nor off", strings.Replace(ruleOf("", `false`), "  active: true\n", "", 1),
			"warning rule-never-applies policy rule", "active is missing"},
		{"switched off", strings.Replace(ruleOf("", `false`), "active: true", "active: false", 1), "", ""},
		{"on trial off", strings.Replace(ruleOf("", `false`), "active: true", "active: true\n  mode: 'off'", 1), "",
			""},

		{"a blank scope", strings.Replace(ruleOf("", `false`), "active: true",
			"active: true\n  scope: [' ', \"\\u200b\"]", 1), "warning empty-scope policy rule",
			"its scope has only invisible text"},
		{"no scope", strings.Replace(ruleOf("", `false`), "active: true", "active: true\n  scope: []", 1), "", ""},

		// Thresholds.
		{"read by nothing", "thresholds:\n- {name: t, value: 1}\n", "warning threshold-unread threshold t",
			"no rule, row or policy in this pack reads it"},
		{"used by a policy and not there", tableOf("FIRST", `inputs.a > 3`) + "- {name: p2, uses_thresholds: [t]}\n",
			"warning threshold-missing policy p2", ""},
		{"its table has rows that read another", strings.Replace(tableOf("FIRST", `inputs.a > 3`), "thresholds:",
			"thresholds:\n- {name: t, value: 7, decision_table: D1}", 1), "warning threshold-unread threshold t",
			"its table D1_t has rows"},
		{"its table has no rows", "decision_tables:\n- {table_id: D1_t, hit_policy: FIRST}\nthresholds:\n- {name: t, value: 7, decision_table: D1}\n", "", ""},
		{"read by outputs", strings.Replace(tableOf("FIRST", ` -> {score: {threshold: t}}`), "thresholds:",
			"thresholds:\n- {name: t, value: 7}", 1), "", ""},
		{"read in another pack", tableOf("FIRST", `inputs.a > threshold("elsewhere")`),
			"warning threshold-missing row r1", "'elsewhere', which is not in this pack"},

		// Ids.
		{"one number for two tables", "decision_tables:\n- {table_id: D15_person, hit_policy: FIRST}\n- {table_id: D15_federation, hit_policy: FIRST}\n", "error ambiguous-id table D15", "D15_federation, D15_person"},
		{"one word for two tables", "decision_tables:\n- {table_id: release_gate, hit_policy: FIRST}\n- {table_id: release_notes, hit_policy: FIRST}\n", "warning ambiguous-id table release", ""},
		{"a table's own short id", "decision_tables:\n- {table_id: D15, hit_policy: FIRST}\n- {table_id: D15_federation, hit_policy: FIRST}\n", "", ""},
		{"no hit policy", "decision_tables:\n- {table_id: D15}\n", "error hit-policy-unknown table D15", ""},
		{"a circle", "decision_tables:\n- {table_id: A, hit_policy: ALL, feeds_into: [B]}\n- {table_id: B, hit_policy: ALL, feeds_into: [C]}\n- {table_id: C, hit_policy: ALL, feeds_into: [B]}\n", "warning table-cycle table B", "B -> C -> B"},
		{"no circle", "decision_tables:\n- {table_id: A, hit_policy: ALL, feeds_into: [B, C]}\n- {table_id: B, hit_policy: ALL, feeds_into: [C]}\n- {table_id: C, hit_policy: ALL}\n", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			findings := slices.DeleteFunc(lintPack(t, tt.text),
				// covered by their own tests
				func(f lint.Finding) bool { return f.Check == "fact-may-be-absent" || f.Check == "unknown-in-check" })
			if got := strings.Join(lines(findings), "\n"); got != tt.finds {
				t.Fatalf("got\n%s\nwant\n%s\n%v", got, tt.finds, findings)
			}
			for _, f := range findings {
				if !strings.Contains(f.Message, tt.says) || f.Hint == "" || !strings.HasPrefix(f.Place, "p.yaml:") ||
					strings.HasSuffix(f.Place, ":1:1") {
					t.Errorf(`got %+v, want Message with %q, non-empty Hint, Place that starts with "p.yaml:", Place that does not end in ":1:1"`, f, tt.says)
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
		text, err := pack.ShippedText(name)
		if err != nil {
			t.Fatal(err)
		}
		parsed, err := pack.Parse(t.Context(), name+".yaml", text)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range lint.Pack(parsed) {
			if f.Severity != "warning" || f.Check != "threshold-unread" {
				t.Errorf("got %+v, want Severity=warning, Check=threshold-unread", f)
			}
			t.Logf("%s: %s", f.Subject, f.Message)
		}
	}
}

// TestLint_GraphMistakes_AreFound lints a graph with errors of manual edits.
func TestLint_GraphMistakes_AreFound(t *testing.T) {
	g, env := toolstest.Open(t)
	t.Run("an empty graph has no findings", func(t *testing.T) {
		report, err := env.Lint.Packs(t.Context(), lint.Request{})
		if err != nil || report.Failed() || len(report.Findings) != 0 || report.Summary != "0 errors, 0 warnings\n" {
			t.Errorf("got %+v %v, want report.Failed()=false, len(Findings)=0, Summary=%v", report, err,
				"0 errors, 0 warnings\n")
		}
	})
	t.Run("an applied pack has only the findings of the pack", func(t *testing.T) {
		toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{{Name: "core"}, {Name: "chrystallum"}}})
		live, err := env.Lint.Graph(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		report, err := env.Lint.Packs(t.Context(), lint.Request{Packs: []pack.Source{{Name: "core"},
			{Name: "chrystallum"}}})
		if err != nil {
			t.Fatal(err)
		}
		inPacks, inGraph := lines(report.Findings), lines(live)
		slices.Sort(inPacks)
		slices.Sort(inGraph)
		if report.Failed() || !slices.Equal(inPacks, inGraph) {
			t.Errorf("packs %v, graph %v", inPacks, inGraph)
		}
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
	report, err := env.Lint.Packs(t.Context(), lint.Request{})
	if err != nil {
		t.Fatal(err)
	}
	got := lines(report.Findings)
	for _, want := range []string{"error ambiguous-id table D15", "error ambiguous-id threshold ambiguous",
		"error ambiguous-id threshold twin", "error ambiguous-id row k",
		"error condition-broken row j", "error literal-repeats-threshold row j",
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
	_, err = env.Lint.Packs(t.Context(), lint.Request{Packs: toolstest.Packs("pack: p\nversion: 1.0.0\nthresholds: [{name: x}]")})
	toolstest.ErrorWithCode(t, err, apperr.Validation)
	_, err = env.Lint.Packs(t.Context(), lint.Request{Packs: []pack.Source{{Name: "nosuch"}}})
	toolstest.ErrorWithCode(t, err, apperr.NotFound)
}

// TestLint_OptionalFacts_AreNamed: if they are missing, a condition denies and a pattern allows.
func TestLint_OptionalFacts_AreNamed(t *testing.T) {
	for rule, want := range map[string]string{
		`requires: 'action.confidence >= 0.7'`:                                                                                      "action.confidence without has()",
		`requires: 'has(action.confidence) && action.confidence >= 0.7'`:                                                            "",
		"applies_when: 'has(action.confidence)'\n  requires: 'action.confidence >= 0.7'":                                            "",
		`forbids_pattern: 'MATCH (d:Decision) WHERE d.confidence > $action.confidence RETURN d'`:                                    "compares $action.confidence",
		`forbids_pattern: 'MATCH (d:Decision {project: $action.context.project}) RETURN d'`:                                         "compares $action.context.project",
		`forbids_pattern: 'MATCH (d:Decision) WHERE d.confidence > coalesce($action.confidence, 0) RETURN d'`:                       "",
		`forbids_pattern: 'MATCH (d:Decision) WHERE $action.name IS NULL OR d.name = $action.name RETURN d, $action.category AS c'`: "",
	} {
		got := ""
		for _, f := range lintPack(t, "policies:\n- name: rule\n  active: true\n  "+rule+"\n") {
			if f.Check == "fact-may-be-absent" {
				got += f.Message
				if !strings.HasPrefix(f.Place, "p.yaml:") || f.Hint == "" {
					t.Errorf("got %+v, want Place starting with p.yaml:, a Hint", f)
				}
			}
		}
		if (want == "") != (got == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", rule, got, want)
		}
	}
}

func TestLint_FactThatOnlyARecordingKnows_Warns(t *testing.T) {
	for _, tt := range []struct{ applies, requires, says string }{
		{"", "action.deliberation_count > 0", "action.deliberation_count"},
		{"has(action.quality_score)", "action.quality_score > 0.5", "action.quality_score"},
		{`action.phase == "record"`, "action.deliberation_count > 0", ""},
		{"", `action.phase != "record" || action.deliberation_count > 0`, ""},
		{"", "action.reason_count > 1", ""}, // a check can state its reasons
	} {
		got := ""
		for _, f := range lintPack(t, ruleOf(tt.applies, tt.requires)) {
			if f.Check == "unknown-in-check" {
				got += f.Message
			}
		}
		if (tt.says == "") != (got == "") || !strings.Contains(got, tt.says) {
			t.Errorf("%q, %q: got %q, want %q", tt.applies, tt.requires, got, tt.says)
		}
	}
}

func TestLint_WrongPathFunction_Warns(t *testing.T) {
	tests := []struct{ applies, requires, says string }{
		{`path.within(action.params.?path, "/prod")`, "false", ""},
		{"", `path.onlyWithin(action.params.?path, "/work")`, ""},
		{"", `!path.within(action.params.?path, "/prod")`, ""},
		{"", `path.within(action.params.?path, "/work")`, "requires allows an action by path.within"},
		{`path.onlyWithin(action.params.?path, "/prod")`, "false", "applies_when denies an action by path.onlyWithin"},
		{`command.onlyLike(action.commands, "rm *")`, "false", "applies_when denies an action by command.onlyLike"},
		{"", `path.like(action.paths, "/work/*")`, "requires allows an action by path.like"},
		{`path.like(action.paths, "/prod/*")`, "false", ""},
		{`!path.within(action.params.?path, "/tmp")`, "false", "applies_when allows an action by path.within"},
		{"", `!path.onlyWithin(action.params.?path, "/prod")`, "requires denies an action by path.onlyWithin"},
	}
	for _, tt := range tests {
		stated := ""
		for _, f := range lintPack(t, ruleOf(tt.applies, tt.requires)) {
			if f.Check == "wrong-path-function" {
				stated += f.Severity + " " + f.Message
			}
		}
		if tt.says == "" && stated != "" || !strings.HasPrefix(stated, "warning "+tt.says) && tt.says != "" {
			t.Errorf("%q, %q: got %q, want %q", tt.applies, tt.requires, stated, tt.says)
		}
	}
}

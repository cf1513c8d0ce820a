package cstp_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/cstp"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

// imported returns the only policy of an imported guardrail, and the notes.
func imported(t testing.TB, text string) (map[string]any, string) {
	t.Helper()
	out, err := cstp.Import(t.Context(), []pack.Source{{Name: "rules.yaml", Text: text}}, "theirs")
	if err != nil {
		t.Fatalf("got %s, want no error\n%v", text, err)
	}
	parsed, err := pack.Parse(t.Context(), "theirs.yaml", out.Text)
	if err != nil {
		t.Fatalf("got %v, want no error\n%s", err, out.Text)
	}
	if len(parsed.Items) != out.Policies || parsed.Name != "theirs" || parsed.Version != "1.0.0" ||
		out.Pack != "theirs" {
		t.Fatalf("%d policies in\n%s", out.Policies, out.Text)
	}
	notes := strings.Join(out.Notes, "\n")
	if len(parsed.Items) != 1 {
		return nil, notes
	}
	return parsed.Items[0].Properties, notes
}

func TestImport_Files_BecomeAPack(t *testing.T) {
	files := []pack.Source{}
	for _, name := range []string{"production-safety.yaml", "recording.yaml", "circuit_breakers.yaml"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, pack.Source{Name: name, Text: string(text)})
	}
	out, err := cstp.Import(t.Context(), files, "theirs")
	if err != nil {
		t.Fatal(err)
	}
	if out.Policies != 7 || len(out.LeftOut) != 1 || !strings.Contains(out.LeftOut[0], "'similar-failures'") {
		t.Errorf("%d policies, and without %v", out.Policies, out.LeftOut)
	}
	golden.Check(t, "testdata/imported.golden", out.Text+"\n# Notes\n"+strings.Join(out.Notes, "\n")+"\n")
}

// TestImport_Guardrail_BecomesACondition imports guardrails one by one.
func TestImport_Guardrail_BecomesACondition(t *testing.T) {
	tests := []struct {
		fields            string
		applies, requires string // "" for no applies_when
	}{
		{"condition_stakes: high", "action.stakes == high", "false"},
		{`condition_stakes: "!= low"`, "action.stakes != low", "false"},
		{"condition_stakes: [high, critical]", "action.stakes in [high, critical]", "false"},
		{`condition_confidence: "< 0.5"`, "has(action.confidence) && action.confidence < 0.5", "false"},
		{`condition_confidence: "<=1"`, "has(action.confidence) && action.confidence <= 1.0", "false"},
		{"condition_quality: 1", "has(action.quality_score) && action.quality_score == 1.0", "false"},
		{"condition_category: tooling", `action.category == "tooling"`, "false"},
		{`condition_category: "!= tooling"`, `has(action.category) && action.category != "tooling"`, "false"},
		{"condition_category: [tooling, security]", `action.category in ["tooling", "security"]`, "false"},
		{"condition_tags: prod", `"prod" in action.tags`, "false"},
		{"condition_tags: [prod, db]", `action.tags.exists(t, t in ["prod", "db"])`, "false"},
		{"condition_has_pattern: true", `action.pattern != ""`, "false"},
		{"condition_has_deliberation: false", "action.deliberation_count == 0", "false"},
		{`condition_reason_count: "< 2"`, "action.reason_count < 2", "false"},
		{`condition_reason_count: "< 1.5"`, "double(action.reason_count) < 1.5", "false"},
		{`condition_deliberation_inputs_count: ">= 1"`, "action.deliberation_count >= 1", "false"},
		{"condition_project: owner/repo", `project == "owner/repo"`, "false"},
		{`condition_agent: "!= bo"`, `agent != "" && agent != "bo"`, "false"},
		{"condition_lines: 400", "has(action.context.lines) && action.context.lines == 400", "false"},
		{`condition_lines: "> -4.5"`, "has(action.context.lines) && action.context.lines > -4.5", "false"},
		{`condition_state: "!= open"`, `has(action.context.state) && action.context.state != "open"`, "false"},
		{`condition_state: "a\"b"`, `has(action.context.state) && action.context.state == "a\"b"`, "false"},
		{"condition_dry-run: false", `"dry-run" in action.context && action.context["dry-run"] == false`, "false"},
		{"condition_in: x", `"in" in action.context && action.context["in"] == "x"`, "false"},
		{"requires_review: true", "", "has(action.context.review) && action.context.review == true"},
		{"requires_confidence: '>= 0.5'", "", "has(action.confidence) && action.confidence >= 0.5"},
		{"requires: {approvals: '>= 2', has_tags: true}", "",
			"has(action.context.approvals) && action.context.approvals >= 2 && size(action.tags) > 0"},
		{"condition_category: a\nrequires_review: true", `action.category == "a"`,
			"has(action.context.review) && action.context.review == true"},
		{"condition: {stakes: high, confidence_lt: 0.5}",
			"action.stakes == high && (has(action.confidence) ? action.confidence : 0.0) < 0.5", "false"},
		{"condition: {quality: '< 0.5'}", "has(action.quality_score) && action.quality_score < 0.5", "false"},
		{"condition: {quality_gte: 1}", "(has(action.quality_score) ? action.quality_score : 0.0) >= 1.0", "false"},
		{"condition: {lines_gt: 400, lines_lte: 800}",
			"has(action.context.lines) && action.context.lines > 400 && has(action.context.lines) && action.context.lines <= 800", "false"},
		{`condition: 'action.stakes == "high"'`, "action.stakes == high", "false"},
		{`condition: {cel: '"low" != action.stakes && !action.has_tags'}`,
			"low != action.stakes && !(size(action.tags) > 0)", "false"},
		{`condition: 'action.context.a == 1 || !(action.context["b-c"] > 2)'`,
			`(has(action.context.a) && action.context.a == 1 || "b-c" in action.context && !(action.context["b-c"] > 2))`, "false"},
		{`condition: 'has(action.context.a.b) && action.scope == "x"'`,
			`has(action.context.a) && has(action.context.a.b) && project == "x"`, "false"},
		{`condition: 'action.tags.exists(t, t.startsWith("x"))'`, `action.tags.exists(t, t.startsWith("x"))`, "false"},
		{`condition: 'has(action.confidence) && action.confidence < 1'`,
			"true && (has(action.confidence) ? action.confidence : 0.0) < 1.0", "false"},
		{"description: always", "", "false"},
	}
	for _, test := range tests {
		policy, notes := imported(t, "id: rule\naction: block\n"+test.fields+"\n")
		if policy == nil {
			t.Errorf("%s was left out: %s", test.fields, notes)
			continue
		}
		applies, _ := policy["applies_when"].(string)
		if got := strings.ReplaceAll(applies, "\n", " "); got != test.applies {
			t.Errorf("%s\n applies when %s\n want         %s", test.fields, got, test.applies)
		}
		if got := strings.ReplaceAll(fmt.Sprint(policy["requires"]), "\n", " "); got != test.requires {
			t.Errorf("%s\n requires %s\n want     %s", test.fields, got, test.requires)
		}
		if policy["name"] != "rule" || policy["active"] != true || policy["severity"] != "block" ||
			policy["mode"] != "enforce" {
			t.Errorf("%s: got %v, want name=rule, active=true, severity=block, mode=enforce", test.fields, policy)
		}
	}
}

func TestImport_OtherFields_AreMapped(t *testing.T) {
	tests := []struct{ fields, key, want string }{
		{"", "severity", "warn"}, {"action: warn", "severity", "warn"}, {"action: block", "severity", "block"},
		{"action: log", "severity", "warn"},
		{"", "scope", "<nil>"}, {"scope: CryptoTrader", "scope", "[CryptoTrader]"},
		{"scope: [a, 'no']", "scope", "[a no]"},
		{"description: 'one: two'", "description", "one: two"},
		{"description: |\n  one\n  two", "description", "one\ntwo"},
		{"message: '{stakes} {confidence:.2f} {backtest} {project} {has_tags} {a b}'", "message",
			"{action.stakes} {action.confidence} {action.context.backtest} {project} {action.tags} {a b}"},
		{"enabled: false", "active", "true"},
	}
	for _, test := range tests {
		policy, notes := imported(t, "- id: rule\n"+indented(test.fields))
		if policy == nil || strings.TrimSpace(fmt.Sprint(policy[test.key])) != test.want {
			t.Errorf("%s: %s is %v, want %s (%s)", test.fields, test.key, policy[test.key], test.want, notes)
		}
	}
	if policy, _ := imported(t, "id: 007\ncondition_x: 1"); policy["name"] != "007" {
		t.Errorf("a number as id: %v", policy["name"])
	}
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n" }

func TestImport_DroppedField_IsNoted(t *testing.T) {
	for fields, want := range map[string]string{
		"conditions: [{type: temporal}]":                         "rules.yaml:1: 'rule' was left out: its key 'conditions' belongs to an evaluator",
		"condition: {type: semantic_similarity, threshold: 0.8}": "Nomograph does not have the evaluator semantic_similarity",
		"condition: {type: aggregate}\nrequires_review: true":    "Nomograph does not have the evaluator aggregate",
		"condition_stakes: urgent":                               "'urgent' is not one of the stakes",
		"condition_stakes: 3":                                    "stakes cannot be compared with the number 3",
		"condition_x:":                                           "<nil> (null) cannot be compared with action.context.x",
		"condition_x: .inf":                                      "cannot be compared with action.context.x",
		"condition_x: {a: 1}":                                    "(map) cannot be compared with",
		"condition_x: [1, [2]]":                                  "(list) cannot be compared with",
		"condition_has_tags: 3":                                  "which is true or false",
		"condition_tags: '< 3'":                                  "tags cannot be compared with <",
		"condition_category: '< 3'":                              "cannot be expressed here",
		"condition: 5":                                           "its condition is a number",
		"condition: [a]":                                         "its condition is a list",
		"condition: {cel: 'true', x: 1}":                         "mixes cel with other keys",
		"condition: 'action.stakes =='":                          "is not CEL",
		"condition: 'action.unknown == 1'":                       "undefined field 'unknown'",
		"condition: 'confidence < 0.5'":                          "undeclared reference to 'confidence'",
		"condition: '" + strings.Repeat(" ", 5000) + "true'":     "too long",
		"requires: a":                                            "its requires is a string",
		"scope: [1]":                                             "its scope contains a number",
		"scope: {a: 1}":                                          "its scope is a map",
		"requires: {x: '" + strings.Repeat("a", 5000) + "'}":     "at most 4000 are allowed",
		"evaluator: temporal":                                    "its key 'evaluator' belongs to an evaluator",
	} {
		policy, notes := imported(t, "id: rule\n"+fields+"\n")
		if policy != nil || !strings.Contains(notes, want) || !strings.Contains(notes, "was left out") {
			t.Errorf("%.80s\n gave %v with the notes %s\n want %s", fields, policy, notes, want)
		}
	}
	for text, want := range map[string]string{
		"description: no id":                                         "rules.yaml:1: a guardrail was left out: its id",
		"- id: ''":                                                   "its id is missing",
		"id: " + strings.Repeat("a", 201):                            "too long",
		"circuit_breakers: {}":                                       "rules.yaml:1: circuit breakers were left out: they must be a list, not a map",
		"- circuit_breakers: [{scope: nobody}]":                      "rules.yaml:1: the circuit breaker 'nobody' was left out: ",
		"circuit_breakers:\n- scope: global\n  window_ms: soon":      "rules.yaml:2: the circuit breaker 'global' was left out: its window_ms is soon",
		"circuit_breakers:\n- scope: global\n  failure_threshold: 0": "its failure_threshold results in 0 count",
		"":                "rules.yaml is empty",
		"# only a remark": "rules.yaml is empty",
	} {
		if policy, notes := imported(t, text); policy != nil || !strings.Contains(notes, want) {
			t.Errorf("%.40s gave %v with the notes %s", text, policy, notes)
		}
	}
}

func TestImport_CircuitBreakers_AreRulesWithTheirThresholds(t *testing.T) {
	out, err := cstp.Import(t.Context(), []pack.Source{{Name: "breakers.yaml",
		Text: "circuit_breakers:\n- {scope: 'stakes:high', failure_threshold: 2, window_ms: 86400000, cooldown_ms: 5400000}\n- scope: global\n"}}, "theirs")
	if err != nil || out.Policies != 2 || len(out.LeftOut)+len(out.Notes) != 0 {
		t.Fatalf("got %+v %v, want Policies=2, (len(out.LeftOut) + len(out.Notes))=0", out, err)
	}
	g, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(out.Text)})
	rows := g.Rows(t, "MATCH (p:SYS_Policy)-[:USES_THRESHOLD]->(t) RETURN p.name AS name, collect(t.value) AS given ORDER BY name", nil)
	if len(rows) != 2 || rows[0]["name"] != "circuit_breaker:global" ||
		rows[1]["name"] != "circuit_breaker:stakes:high" {
		t.Fatalf("got %v, want len(rows)=2, name=circuit_breaker:global, name=circuit_breaker:stakes:high", rows)
	}
	for want := true; ; want = false {
		verdict, err := env.Checks.Check(t.Context(),
			check.ActionCheck{Description: "Move the database", Stakes: "high"})
		if err != nil || verdict.Allowed != want {
			t.Fatalf("allowed %v, want %v: %+v %v", verdict.Allowed, want, verdict.Violations, err)
		}
		if !want {
			if len(verdict.Violations) != 1 || verdict.Violations[0].GuardrailID != "circuit_breaker:stakes:high" {
				t.Errorf("got %+v, want len(Violations)=1, GuardrailID=circuit_breaker:stakes:high", verdict.Violations)
			}
			return
		}
		for _, decision := range []string{"Move it by night", "Move it by day"} {
			made := toolstest.Record(t, env, decisions.Record{Decision: decision, Category: "architecture",
				Stakes: "high"})
			toolstest.Review(t, env, made.ID, "failure")
		}
	}
}

func TestImport_Notes_NameTheField(t *testing.T) {
	for fields, want := range map[string]string{
		`condition_confidence: "< 0.5"`:         "'rule' does not apply to an action without confidence, as in CSTP; to change that, write !has(action.confidence) || action.confidence < 0.5 in applies_when",
		`condition_lines: "> 400"`:              "'rule' holds the number 400; as a SYS_Threshold",
		"condition: 'action.context.n > 7'":     "'rule' holds the number 7;",
		"condition: {confidence_lt: 0.5}":       "treats an absent confidence as 0.0",
		`condition: {quality: "< 0.5"}`:         "compares quality with < 0.5; CSTP treated the text as a value",
		"condition_tags: [a]":                   "reads a list of values as alternatives",
		"condition_confidence_lt: 0.5":          "reads confidence_lt, a field with exactly that name",
		"enabled: false\ncondition_x: 1":        "keys without a meaning in CSTP, which were left out: enabled",
		"description: x":                        "neither conditions nor requirements",
		"action: log\ncondition_x: 1":           "only warns: its action 'log'",
		`condition: 'action.description == ""'`: "reads the description, which CSTP always left empty",
	} {
		if policy, notes := imported(t, "id: rule\n"+fields+"\n"); policy == nil || !strings.Contains(notes, want) {
			t.Errorf("%s\n notes %s\n want  %s", fields, notes, want)
		}
	}
	if _, notes := imported(t, "id: rule\ncondition_stakes: high\nrequires_review: true"); notes != "" {
		t.Errorf("a plain rule is noted: %s", notes)
	}
}

func TestImport_DuplicateGuardrail_KeepsTheFirst(t *testing.T) {
	files := []pack.Source{{Name: "a.yaml", Text: "- id: x\n  action: block\n- id: y\n"},
		{Name: "b.yaml", Text: "\nid: x\n"}}
	out, err := cstp.Import(t.Context(), files, "theirs")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := pack.Parse(t.Context(), "theirs.yaml", out.Text)
	first := slices.IndexFunc(parsed.Items, func(item pack.Item) bool { return item.Key == "x" })
	if err != nil || out.Policies != 2 || first < 0 || parsed.Items[first].Properties["severity"] != "block" {
		t.Errorf("got %v\n%s, want Policies=2, first at least 0, severity=block", err, out.Text)
	}
	if notes := strings.Join(out.Notes, "\n"); !strings.Contains(notes,
		"b.yaml:2: 'x' was left out: it already exists at a.yaml:1") {
		t.Error(notes)
	}
}

func TestImport_BrokenFile_NamesThePosition(t *testing.T) {
	for text, want := range map[string]string{
		"- id: a\n  b: [\n":                  "rules.yaml:2:6: ",
		"- id: a\n- text\n":                  "rules.yaml:2:3: a guardrail must be a mapping, not a string",
		"just text":                          "rules.yaml:1:1: guardrails must be a list or a mapping, not a string",
		"template: {name: x}\nguardrails: 5": "rules.yaml:2:1: guardrails must be a list",
		"guardrails:\n  - 5\n":               "rules.yaml:2:5: a guardrail must be a mapping",
		"id: a\n---\nid: b\n":                "rules.yaml:3:1: another document begins here; only one is allowed",
		"id: a\nid: b\n":                     "rules.yaml:2:1: ",
	} {
		_, err := cstp.Import(t.Context(), []pack.Source{{Name: "rules.yaml", Text: text}}, "theirs")
		if got := toolstest.ErrorWithCode(t, err, apperr.Validation); !strings.HasPrefix(got.Message, want) ||
			got.Hint == "" {
			t.Errorf("%q\n says %s\n want %s", text, got.Message, want)
		}
	}
	for _, name := range []string{"", "Mine", "1a", "a b", strings.Repeat("a", 64)} {
		_, err := cstp.Import(t.Context(), nil, name)
		toolstest.ErrorWithCode(t, err, apperr.Validation)
	}
}

// FuzzImportGuardrails: importing never panics; accepted text is a valid pack, and errors have a position.
func FuzzImportGuardrails(f *testing.F) {
	files, _ := filepath.Glob("testdata/*.yaml")
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, text := range []string{"- &a {id: x, condition_x: '!= y'}\n- {<<: *a, id: z}\n",
		"id: x\ncondition: '!(action.context[\"a\"] ? action.has_tags : has(action.context.b))'",
		"circuit_breakers: [{scope: 'tag:{a}'}, {scope: 'tag:é'}, {scope: 'tag:ü', window_ms: nan}, 1]",
		"guardrails: [{id: 5, scope: a, requires: {in: [1, 2.5, true]}}]",
		"id: \"\\u0000\\x7f\\u2028\"\nmessage: |2\n   x\n\n  y \n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		out, err := cstp.Import(t.Context(), []pack.Source{{Name: "fuzz.yaml", Text: text}}, "imported")
		if err != nil {
			if got := toolstest.ErrorWithCode(t, err, apperr.Validation); !strings.HasPrefix(got.Message,
				"fuzz.yaml:") {
				t.Fatalf("without a place: %s", got.Message)
			}
			return
		}
		parsed, err := pack.Parse(t.Context(), "imported.yaml", out.Text)
		if err != nil || len(slices.DeleteFunc(parsed.Items,
			func(i pack.Item) bool { return i.Section.Name != "policies" })) != out.Policies {
			t.Fatalf("%v\n%s", err, out.Text)
		}
	})
}

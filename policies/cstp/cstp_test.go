package cstp_test

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
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
		text := graphtest.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
		files = append(files, pack.Source{Name: name, Text: string(text)})
	}
	out := graphtest.Must(cstp.Import(t.Context(), files, "theirs"))(t)
	if out.Policies != 7 || len(out.LeftOut) != 1 || !strings.Contains(out.LeftOut[0], "'similar-failures'") {
		t.Errorf("%d policies, and without %v", out.Policies, out.LeftOut)
	}
	golden.Check(t, "testdata/imported.golden", out.Text+"\n# Notes\n"+strings.Join(out.Notes, "\n")+"\n")
}

// row is a row of testdata: fields of a guardrail or a whole file, and what becomes of it.
type row struct {
	Fields, File, Requires, Property, Becomes, Note string
	AppliesWhen                                     string `yaml:"applies_when"`
}

func TestImport_Guardrail_BecomesACondition(t *testing.T) {
	for _, row := range toolstest.Rows[row](t, "testdata/conditions.yaml") {
		policy, notes := imported(t, "id: rule\naction: block\n"+row.Fields+"\n")
		if policy == nil {
			t.Errorf("%s was left out: %s", row.Fields, notes)
			continue
		}
		applies, _ := policy["applies_when"].(string)
		golden.Equal(t, fmt.Sprint(row.Fields, " applies when"), strings.ReplaceAll(applies, "\n", " "),
			row.AppliesWhen)
		want := cmp.Or(row.Requires, "false")
		golden.Equal(t, fmt.Sprint(row.Fields, " requires"),
			strings.ReplaceAll(fmt.Sprint(policy["requires"]), "\n", " "), want)
		if policy["name"] != "rule" || policy["active"] != true || policy["severity"] != "block" ||
			policy["mode"] != "enforce" {
			t.Errorf("%s: got %v, want name=rule, active=true, severity=block, mode=enforce", row.Fields, policy)
		}
	}
}

func TestImport_OtherFields_AreMapped(t *testing.T) {
	for _, row := range toolstest.Rows[row](t, "testdata/properties.yaml") {
		policy, notes := imported(t, "- id: rule\n"+indented(row.Fields))
		if policy == nil || strings.TrimSpace(fmt.Sprint(policy[row.Property])) != row.Becomes {
			t.Errorf("%s: %s is %v, want %s (%s)", row.Fields, row.Property, policy[row.Property], row.Becomes, notes)
		}
	}
	if policy, _ := imported(t, "id: 007\ncondition_x: 1"); policy["name"] != "007" {
		t.Errorf("a number as id: %v", policy["name"])
	}
}

func indented(text string) string { return "  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n" }

func TestImport_DroppedField_IsNoted(t *testing.T) {
	rows := append(toolstest.Rows[row](t, "testdata/left_out.yaml"),
		row{Fields: "condition: '" + strings.Repeat(" ", 5000) + "true'", Note: "too long"},
		row{Fields: "requires: {x: '" + strings.Repeat("a", 5000) + "'}", Note: "at most 4000 are allowed"},
		row{File: "id: " + strings.Repeat("a", 201), Note: "too long"}, row{Note: "rules.yaml is empty"})
	for _, row := range rows {
		text, always := row.File, ""
		if row.Fields != "" {
			text, always = "id: rule\n"+row.Fields+"\n", "was left out"
		}
		policy, notes := imported(t, text)
		if policy != nil || !strings.Contains(notes, row.Note) || !strings.Contains(notes, always) {
			t.Errorf("%.80s\n gave %v with the notes %s\n want %s", text, policy, notes, row.Note)
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
	toolstest.ApplyText(t, env, out.Text)
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
	for _, row := range toolstest.Rows[row](t, "testdata/notes.yaml") {
		if policy, notes := imported(t, "id: rule\n"+row.Fields+"\n"); policy == nil ||
			!strings.Contains(notes, row.Note) {
			t.Errorf("%s\n notes %s\n want  %s", row.Fields, notes, row.Note)
		}
	}
	if _, notes := imported(t, "id: rule\ncondition_stakes: high\nrequires_review: true"); notes != "" {
		t.Errorf("a plain rule is noted: %s", notes)
	}
}

func TestImport_DuplicateGuardrail_KeepsTheFirst(t *testing.T) {
	files := []pack.Source{{Name: "a.yaml", Text: "- id: x\n  action: block\n- id: y\n"},
		{Name: "b.yaml", Text: "\nid: x\n"}}
	out := graphtest.Must(cstp.Import(t.Context(), files, "theirs"))(t)
	parsed, err := pack.Parse(t.Context(), "theirs.yaml", out.Text)
	first := slices.IndexFunc(parsed.Items, func(item pack.Item) bool { return item.Key == "x" })
	if err != nil || out.Policies != 2 || first < 0 || parsed.Items[first].Properties["severity"] != "block" {
		t.Errorf("got %v\n%s, want Policies=2, first at least 0, severity=block", err, out.Text)
	}
	golden.Contains(t, "the notes", strings.Join(out.Notes, "\n"),
		"b.yaml:2: 'x' was left out: it already exists at a.yaml:1")
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
		text := graphtest.Must(os.ReadFile(path))(f)
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

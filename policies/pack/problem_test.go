package pack_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

// TestValidate_Problems_AreOrderedByLine covers the format, rules, rows, misspelled keys and duplicate names.
func TestValidate_Problems_AreOrderedByLine(t *testing.T) {
	text := `pack: team
version: 1
polices: []
thresholds:
  - name: bar
    vlaue: 0.5
  - name: bar
    value: 0.6
  - name: large
    value: 18446744073709551615
policies:
  - name: first
    active: "yes"
    severtiy: warn
    requires: action.confidense > 1
    mode: sometimes
  - name: second
    active: true
    appliesWhen: action.stakes >= high
    requires: action.stakes >= "high"
    forbids_pattern: CREATE (n) RETURN n
    owner: people
  - name: third
    applies_when: "true"
decision_tables:
  - table_id: T1_one
    rows:
      - {row_id: r1, outputs: {a: 1}, conditions: inputs.score >}
      - {row_id: r2, conditions: "true"}
      - {row_id: r3, condition: "true", outputs: {}}
tests:
  - name: a case
    action: {description: x, stake: high}
    expect: {allowed: true}
`
	_, err := pack.Validate(t.Context(), pack.ValidateRequest{Packs: []pack.Source{{Name: "team.yaml", Text: text}}})
	got := strings.Split(toolstest.ErrorWithCode(t, err, apperr.Validation).Message, "\n")
	want := []string{
		"2:1: version must be string, not number",
		`3:1: "polices" is not known; did you mean policies?`,
		"5:5: thresholds[0]: value is required",
		"6:5: unknown property thresholds[0].vlaue; did you mean value?",
		"7:5: threshold 'bar' already exists, at line 5",
		"10:5: thresholds[2].value is not a number that the graph can hold",
		"13:5: policies[0].active must be boolean, not string",
		"14:5: unknown property policies[0].severtiy; did you mean severity?",
		"15:5: 'first': requires undefined field 'confidense'",
		"16:5: policies[0].mode must be one of enforce, shadow, off",
		"19:5: unknown property policies[1].appliesWhen; did you mean applies_when?",
		"20:5: 'second': requires ",
		"21:5: 'second': forbids_pattern ",
		"24:5: 'third' has applies_when, but neither requires nor forbids_pattern",
		"28:39: 'r1': conditions ",
		"29:10: decision_tables[0].rows[1]: outputs is required",
		"30:22: unknown property decision_tables[0].rows[2].condition; did you mean conditions?",
		`33:30: tests[0].action: "stake" is not known; did you mean stakes?`,
	}
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !strings.HasPrefix(got[i], "team.yaml:"+want[i]) {
			t.Fatalf("line %d differs\n%s\n\nwant\n%s", i+1, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
	problems := toolstest.ErrorWithCode(t, err, apperr.Validation).Details["problems"].([]map[string]any)
	if len(problems) != len(want) || problems[7]["line"] != 14 || problems[7]["column"] != 5 {
		t.Errorf("as data: %v", problems)
	}
}

func TestParse_CustomProperty_IsNoMisspelling(t *testing.T) {
	for _, key := range []string{"model", "state", "scope", "domain", "owner", "approvers", "source", "notes", "score",
		"code", "kind", "reason", "tier", "team", "rank"} {
		text := fmt.Sprintf("pack: p\nversion: 1.0.0\nthresholds: [{name: a, value: 1, %s: x}]\npolicies: [{name: b, %s: x}]\nfederation_sources: [{name: c, %s: x}]\n", key, key, key)
		if _, err := pack.Parse(t.Context(), "p.yaml", text); err != nil && key != "scope" {
			t.Errorf(`%s: got %v, want not err != nil && key != "scope"`, key, err)
		}
	}
}

// TestParse_HostilePack_EndsQuickly: input designed to keep a parser busy is refused, large input is parsed, both
// quickly.
func TestParse_HostilePack_EndsQuickly(t *testing.T) {
	laughs := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c <= 'j'; c++ {
		laughs += fmt.Sprintf("%c: &%c [%s]\n", c, c,
			strings.TrimSuffix(strings.Repeat("*"+string(c-1)+", ", 10), ", "))
	}
	var large strings.Builder
	large.WriteString("pack: p\nversion: 1.0.0\nthresholds:\n")
	for i := range 1000 {
		fmt.Fprintf(&large, "  - {name: t%d, value: 1, decision_table: T%d}\n", i, i)
	}
	large.WriteString("policies:\n")
	for i := range 1000 {
		fmt.Fprintf(&large, "  - {name: p%d, active: true, decision_table: T%d, requires: 'threshold(\"t%d\") > 0.5'}\n", i, i, i)
	}
	large.WriteString("decision_tables:\n")
	for i := range 1000 {
		fmt.Fprintf(&large, "  - {table_id: T%d_x, rows: [{row_id: r%d, conditions: 'inputs.a > threshold(\"t%d\")', outputs: {a: 1}}]}\n", i, i, i)
	}
	for name, c := range map[string]struct {
		text string
		fine bool
	}{
		"billion laughs":   {laughs, false},
		"colons":           {strings.Repeat(": ", 125_000), false},
		"lines of colons":  {strings.Repeat(":\n", 125_000), false},
		"wrong everywhere": {"pack: p\nversion: 1.0.0\nthresholds:\n" + strings.Repeat("  - {a: 1}\n", 10_000), false},
		"large":            {large.String(), true},
	} {
		started := time.Now()
		_, err := pack.Validate(t.Context(), pack.ValidateRequest{Packs: []pack.Source{{Name: "p.yaml", Text: c.text}}})
		if (err == nil) != c.fine || err != nil && len(err.Error()) > 100_000 {
			t.Errorf("%s: got %.300v, want (err == nil)=%v, not err != nil && len(err.Error()) > 100_000", name, err,
				c.fine)
		}
		t.Logf("%s, %d kB: %s", name, len(c.text)>>10, time.Since(started))
		if time.Since(started) > time.Minute {
			t.Errorf("%s: took %s, want at most 1m", name, time.Since(started))
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pack.Validate(ctx, pack.ValidateRequest{Packs: []pack.Source{{Name: "core"}}}); !apperr.Is(err,
		apperr.Unavailable) {
		t.Errorf("a call that was canceled: %v", err)
	}
}

func TestShippedPacks_Names_AreNoMisspellings(t *testing.T) {
	if len(pack.Shipped()) < 2 || slices.Contains(pack.Shipped(), "") {
		t.Fatal(pack.Shipped())
	}
	for _, name := range pack.Shipped() {
		if _, err := pack.Validate(t.Context(), pack.ValidateRequest{Packs: []pack.Source{{Name: name}}}); err != nil {
			t.Error(err)
		}
	}
}

func TestValidate_SeveralPacks_AllProblemsReported(t *testing.T) {
	sources := []pack.Source{
		{Name: "a.yaml", Text: "pack: a\nversion: 1.0.0\nthresholds:\n  - name: x\n  - value: 1\n"},
		{Name: "core"},
		{Name: "b.yaml", Text: "pack: b\nversion: 1.0.0\npolicies:\n  - name: r\n    active: true\n    requires: action.confidense > 1\n"},
		{Name: "c.yaml", Text: "pack: c\nversion: [\n"},
	}
	_, err := pack.Validate(t.Context(), pack.ValidateRequest{Packs: sources})
	got := toolstest.ErrorWithCode(t, err, apperr.Validation)
	problems, _ := got.Details["problems"].([]map[string]any)
	places := []string{}
	for _, p := range problems {
		places = append(places, p["file"].(string)+":"+strconv.Itoa(p["line"].(int)))
		if p["column"] == 0 || p["message"] == "" {
			t.Errorf("problem %v", p)
		}
	}
	if !slices.Equal(places, []string{"a.yaml:4", "a.yaml:5", "b.yaml:6", "c.yaml:2"}) {
		t.Errorf("the places are %v in\n%s", places, got.Message)
	}
	golden.Contains(t, "the message", got.Message, "a.yaml:4:5: ", "b.yaml:6:5: 'r': requires", "c.yaml:2:")
	_, err = pack.Validate(t.Context(), pack.ValidateRequest{Packs: sources[2:3]})
	if problems, _ := toolstest.ErrorWithCode(t, err,
		apperr.Validation).Details["problems"].([]map[string]any); len(problems) != 1 || problems[0]["line"] != 6 {
		t.Errorf("of one pack: %v", problems)
	}
}

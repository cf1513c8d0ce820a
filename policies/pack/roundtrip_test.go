package pack_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/policies/pack"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func mustExport(t *testing.T, env *tools.App, q pack.Query) pack.Text {
	t.Helper()
	out, err := env.Pack.Export(t.Context(), q)
	if err != nil {
		t.Fatalf("%+v: got %v, want no error", q, err)
	}
	return out
}

func TestExport_AppliedAgain_ChangesNothing(t *testing.T) {
	g, env := toolstest.Open(t)
	applied := toolstest.Apply(t, env, change.ApplyRequest{Packs: append(toolstest.Packs(toolstest.SmallPack),
		pack.Source{Name: "core"}, pack.Source{Name: "chrystallum"})})
	roundTrip := func(t *testing.T) {
		t.Helper()
		sources, before := []pack.Source{}, content(t, g)
		for _, applied := range applied.Packs {
			name := applied.Pack
			out := mustExport(t, env, pack.Query{Name: name})
			if len(out.Notes) != 0 || out.Pack != name || out.Version != applied.Version ||
				strings.Contains(out.Text, "uid:") || strings.Contains(out.Text, "schema_version:") {
				t.Errorf("%s %s, notes %q", out.Pack, out.Version, out.Notes)
			}
			sources = append(sources, pack.Source{Name: name + ".yaml", Text: out.Text})
		}
		result := toolstest.Apply(t, env, change.ApplyRequest{Packs: sources})
		if got := toolstest.Actions(result); len(got) != 0 {
			t.Errorf("applying the export: %v", got)
		}
		golden.Equal(t, "the nodes", content(t, g), before)
		for i, source := range sources {
			golden.Equal(t, "the text exported again", mustExport(t, env, pack.Query{Name: applied.Packs[i].Pack}).Text,
				source.Text)
		}
	}
	t.Run("an applied pack exports unchanged", roundTrip)
	t.Run("an edited pack exports the edits", func(t *testing.T) {
		for _, difference := range []string{
			"MATCH (t:SYS_Threshold {name: 'claim_promotion_confidence'}) SET t.value = 1.0, t.note = 'new', t.rationale = null",
			"MATCH (t:SYS_Threshold {name: 'max_hops_p279'}) SET t.value = 5, t.rationale = 'four: #4'",
			"MATCH (p:SYS_Policy {name: 'NoTemporalFacet'}) SET p.active = false, p.tags = ['a', 'no', '1'], p.weights = [1.0, 2.5], p.counts = [1, 2], p.none = []",
			"MATCH (:SYS_Policy {name: 'Ask'})-[l:USES_THRESHOLD]->(:SYS_Threshold {name: 'float'}) DELETE l",
			"MATCH (p:SYS_Policy {name: 'Ask'}), (t:SYS_Threshold {name: 'claim_promotion_confidence'}) CREATE (p)-[:USES_THRESHOLD]->(t)",
			"MATCH (a:SYS_DecisionTable {table_id: 'D2_second'}), (b:SYS_DecisionTable {table_id: 'D1_first'}) CREATE (a)-[:FEEDS_INTO]->(b), (a)-[:FEEDS_INTO]->(b)",
		} {
			g.Exec(t, difference, nil)
		}
		drifted := toolstest.Apply(t, env, change.ApplyRequest{Packs: append(toolstest.Packs(toolstest.SmallPack),
			pack.Source{Name: "chrystallum"}), ApplyOptions: change.ApplyOptions{DryRun: true}})
		if len(toolstest.Actions(drifted)) != 5 {
			t.Fatalf("got drift %v, want 5 manual edits", toolstest.Actions(drifted))
		}
		roundTrip(t)
		settled := mustExport(t, env, pack.Query{Name: "small"})
		again := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(settled.Text),
			ApplyOptions: change.ApplyOptions{Overwrite: true, Prune: true}})
		if len(toolstest.Actions(again)) != 0 {
			t.Errorf("got drift %v after the export was applied, want none", toolstest.Actions(again))
		}
		golden.Check(t, "testdata/export/small.yaml", settled.Text)
	})
}

func TestExport_AnyText_RoundTrips(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, "pack: texts\nversion: 1.0.0\npolicies: [{name: p}]\n")
	var texts []any
	written, err := os.ReadFile("testdata/texts.json")
	if err == nil {
		err = json.Unmarshal(written, &texts)
	}
	graphtest.OK(t, err)
	numbers := []any{int64(0), int64(-1), int64(9223372036854775807), int64(-9223372036854775808), 0.0, 1.0, -0.5,
		1e300, 1e-300, 5e-324, 1.5e21, 1e21, 123456789.0, 1e15, 0.1, 1.7976931348623157e308, true, false}
	properties := map[string]any{"all": texts, "a key: with # signs": "x", "yes": "key", "1": "key", "trailing ": "key",
		"it's": "key"}
	for i, value := range append(slices.Clone(texts), numbers...) {
		properties[fmt.Sprintf("v%03d", i)] = value
	}
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'p'}) SET p += $properties", map[string]any{"properties": properties})
	out := mustExport(t, env, pack.Query{Name: "texts"})
	if len(out.Notes) != 0 {
		t.Errorf("notes %q", out.Notes)
	}
	before := content(t, g)
	if got := toolstest.Actions(toolstest.ApplyText(t, env, out.Text)); len(got) != 0 || content(t, g) != before {
		t.Errorf("applying the export: %v\n%s", got, out.Text)
	}
	for _, text := range []string{"1", "1.0", "0x1F", "1e3", "1_000", ".5", "NaN", "true", "yes", "No", "OFF", "n",
		"null", "~", "2024-01-31", "2024-01-31T10:00:00Z", "12:30"} {
		golden.Contains(t, "the pack", out.Text, ` "`+text+`"`+"\n")
	}
	for _, number := range []string{"1.0", "1.0e+300", "1.0e+15", "-9223372036854775808"} {
		if !regexp.MustCompile(`: ` + regexp.QuoteMeta(number) + `\n`).MatchString(out.Text) {
			t.Errorf("the number %s is not there as it should be", number)
		}
	}
	if regexp.MustCompile(`(?m)[ \t]+$`).MatchString(out.Text) {
		t.Errorf("lines end with blanks:\n%s", out.Text)
	}
}

const ruled = `
pack: ruled
version: 2.0.0
decision_tables:
- table_id: D1_speed
  hit_policy: FIRST
  inputs: [score]
  rows:
  - {row_id: slow, conditions: inputs.score < threshold("low"), outputs: {speed: slow, share: 1.0, steps: [1, 2], more: {deep: null}}}
  - {row_id: fast, outputs: {speed: fast}, note: the rest}
- {table_id: D2_without}
thresholds:
- {name: low, value: 0.5}
- {name: extra, value: 3}
policies:
- {name: rule, active: true, applies_when: action.stakes >= high, requires: 'has(action.confidence) && action.confidence >= threshold("low")', uses_thresholds: [extra]}
`

func TestExport_Rows_AreInsideTheirTable(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, ruled)
	g.Exec(t, "MATCH (r:SYS_DecisionRow {row_id: 'slow'}) SET r.priority = 7, r.outputs = '{\"speed\":\"crawl\"}'", nil)
	for _, q := range []pack.Query{{Name: "ruled"}, {Name: "everything", All: true}} {
		out := mustExport(t, env, q)
		golden.Check(t, "testdata/export/"+q.Name+".yaml", out.Text)
		if len(out.Notes) != 0 || out.Nodes != 7 {
			t.Errorf("%d nodes, notes %q", out.Nodes, out.Notes)
		}
		before := content(t, g)
		for _, difference := range toolstest.Apply(t, env,
			change.ApplyRequest{Packs: toolstest.Packs(out.Text),
				ApplyOptions: change.ApplyOptions{Adopt: true}}).Packs[0].Changes {
			if difference.Action != "adopt" || !q.All || len(difference.To) != 0 {
				t.Errorf("applying the export changes %+v", difference)
			}
		}
		golden.Equal(t, "the nodes", content(t, g), before)
	}
	for _, difference := range []string{
		"MATCH (r:SYS_DecisionRow {row_id: 'slow'}) SET r.outputs = '{ }'",
		"MATCH (:SYS_DecisionTable)-[l:HAS_ROW]->(:SYS_DecisionRow {row_id: 'fast'}) DELETE l",
		"CREATE (:SYS_DecisionTable {table_id: 'D3_theirs'})-[:HAS_ROW]->(:SYS_DecisionRow {row_id: 'theirs'})",
	} {
		g.Exec(t, difference, nil)
	}
	out := mustExport(t, env, pack.Query{Name: "everything"})
	golden.Contains(t, "the notes", strings.Join(out.Notes, "\n"), "decision_rows 'slow': outputs is left out",
		"decision_rows 'slow': left out, because in a pack outputs is required",
		"decision_rows 'fast': left out, because no table")
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'rule'}) SET p.requires = 'action.'", nil)
	out = mustExport(t, env, pack.Query{Name: "everything"})
	if !strings.Contains(out.Text, "requires: action.\n") && !strings.Contains(out.Text, "requires: \"action.\"\n") ||
		!strings.Contains(strings.Join(out.Notes, "\n"), "the text cannot be applied as it is") {
		t.Errorf("a rule that is broken: %q\n%s", out.Notes, out.Text)
	}
}

func TestExport_InexpressibleContent_IsListed(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, "pack: mine\nversion: 1.2.3\ndescription: \"Ours: 1\"\ndecision_tables: [{table_id: T1_x}, {table_id: T2_x}]\n"+
		"thresholds: [{name: a, value: 1}, {name: hollow, value: 1}]\npolicies: [{name: p, decision_table: T1}, {name: q, decision_table: T2}]\n")
	for _, difference := range []string{
		"MATCH (p:SYS_Policy {name: 'p'}) SET p.since = date('2024-01-31'), p.days = [date('2024-01-31')], p.place = point({x: 1.0, y: 2.0}), p.raw = $raw, p.nan = 0.0/0.0, p.priority = 'high', p.uses_thresholds = ['a'], p.kept = 1, p.`line\nline` = 1, p.`<<` = 1",
		"MATCH (t:SYS_Threshold {name: 'hollow'}) REMOVE t.value",
		"MATCH (:SYS_Policy {name: 'p'})-[l:GOVERNED_BY]->() DELETE l",
		"MATCH (p:SYS_Policy {name: 'q'}), (t:SYS_DecisionTable {table_id: 'T1_x'}) CREATE (p)-[:GOVERNED_BY]->(t)",
		"MATCH (p:SYS_Policy {name: 'q'}) CREATE (p)-[:USES_THRESHOLD]->(:SYS_Threshold)",
	} {
		g.Exec(t, difference, map[string]any{"raw": []byte{1}})
	}
	out := mustExport(t, env, pack.Query{Name: "mine"})
	golden.Check(t, "testdata/export/mine.yaml", out.Text+"\n"+strings.Join(out.Notes, "\n")+"\n")
	golden.Equal(t, "nodes", out.Nodes, 5)
	result := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(out.Text),
		ApplyOptions: change.ApplyOptions{DryRun: true}})
	if got, want := toolstest.Actions(result), []string{"drift policies p", "drift policies q",
		"left thresholds hollow"}; !slices.Equal(got, want) {
		t.Errorf("applying it would %v, and not only %v, which the notes tell of", got, want)
	}
}

func TestExport_ForeignGraph_BecomesAPack(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.ApplyText(t, env, "pack: owner\nversion: 1.0.0\nthresholds: [{name: owned, value: 1.0, decision_table: D1}]\nfederation_sources: [{name: Not a rule}]\n")
	g.Exec(t, `CREATE (d1:SYS_DecisionTable {table_id: 'D1_first', label: 'First', rows: 3}), (:SYS_DecisionTable {table_id: 'D15_a'}), (:SYS_DecisionTable {table_id: 'D15_b'}),
		(:SYS_DecisionTable {name: 'only a name'}),
		(a:SYS_Policy {name: 'A', active: true, decision_table: 'D1', since: $at}), (:SYS_Policy {name: 'B', active: 'true', decision_table: 'D15'}),
		(:SYS_Policy {name: 'C', decision_table: 'D15_a'}), (:SYS_Policy {name: 'twice'}), (:SYS_Policy {name: 'twice', active: true}), (:SYS_Policy {name: 7}),
		(t:SYS_Threshold {name: 'x', value: 3, unit: 'count'}), (:SYS_Threshold {name: 'list', value: [1]}), (a)-[:USES_THRESHOLD]->(t), (a)-[:GOVERNED_BY]->(d1)`, map[string]any{"at": time.Unix(0, 0).UTC()})
	before := content(t, g)
	out := mustExport(t, env, pack.Query{Name: "ours", All: true})
	golden.Check(t, "testdata/export/all.yaml", out.Text+"\n"+strings.Join(out.Notes, "\n")+"\n")
	result := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(out.Text),
		ApplyOptions: change.ApplyOptions{Adopt: true}})
	for _, difference := range result.Packs[0].Changes {
		// a pack does not define its active property and its table
		leftOut := difference.Action == "drift" && difference.Name == "B"
		if !leftOut && (difference.Action != "adopt" || len(difference.To) != 0) {
			t.Errorf("adopting changes %+v", difference)
		}
	}
	if after := content(t, g); out.Nodes != 8 || len(result.Packs[0].Changes) != 9 || after != before {
		t.Errorf("%d nodes, %d changes\n%s\n%s", out.Nodes, len(result.Packs[0].Changes), before, after)
	}
	golden.Equal(t, "after adoption", mustExport(t, env, pack.Query{Name: "ours"}).Text, out.Text)

	t.Run("an unknown or invalid name is an error", func(t *testing.T) {
		_, err := env.Pack.Export(t.Context(), pack.Query{Name: "nobody"})
		if got := toolstest.ErrorWithCode(t, err, apperr.NotFound); !strings.Contains(got.Message, "'nobody'") ||
			got.Hint != "Use ours, owner" {
			t.Errorf(`got %s; %s, want Message with 'nobody', Hint="Use ours, owner"`, got.Message, got.Hint)
		}
		_, err = env.Pack.Export(t.Context(), pack.Query{Name: "Not A Name", All: true})
		golden.Contains(t, "the message", toolstest.ErrorWithCode(t, err, apperr.Validation).Message, "Not A Name")
		names, err := env.Pack.Names(t.Context(), "ow", 10)
		if err != nil || !slices.Equal(names, []string{"owner"}) {
			t.Errorf("got %v %v, want [owner]", names, err)
		}
		g.Exec(t, "MATCH (p:SYS_Pack) DETACH DELETE p", nil)
		_, err = env.Pack.Export(t.Context(), pack.Query{Name: "ours"})
		golden.Contains(t, "the hint", toolstest.ErrorWithCode(t, err, apperr.NotFound).Hint,
			"No pack has been applied yet")
	})
}

// content returns the content of the packs' nodes without internal properties.
func content(t *testing.T, g interface {
	Rows(testing.TB, string, map[string]any) []map[string]any
}) string {
	t.Helper()
	var b strings.Builder
	for _, row := range g.Rows(t, `MATCH (n:SYS_Policy|SYS_Threshold|SYS_DecisionTable|SYS_DecisionRow|SYS_FederationSource|SubjectConcept)
		RETURN elementId(n) AS id, properties(n) AS properties ORDER BY id`, nil) {
		fmt.Fprintln(&b, row["id"], row["properties"])
	}
	return b.String()
}

package toolstest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/lists"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/history"
	"nomograph/policies/pack"
	"nomograph/tools"
)

// SmallPack is a pack with one or two nodes per section.
const SmallPack = `
pack: small
version: 1.0.0
description: Two of each
decision_tables:
- {table_id: D1_first, hit_policy: FIRST, feeds_into: [D2_second]}
- {table_id: D2_second}
thresholds:
- {name: whole, value: 1, decision_table: D1}
- {name: float, value: 1.0, unit: ratio}
policies:
- {name: Ask, active: true, decision_table: D2, uses_thresholds: [whole, float], scope: [a, b]}
- {name: Tell, description: "it's quoted"}
federation_sources:
- {name: Somewhere, status: operational, confidence: 0.92}
subject_concepts:
- {subject_id: s1, label: Republic}
`

// Packs returns packs with these texts, named pack1.yaml and so on.
func Packs(texts ...string) []pack.Source {
	sources := make([]pack.Source, len(texts))
	for i, text := range texts {
		sources[i] = pack.Source{Name: fmt.Sprintf("pack%d.yaml", i+1), Text: text}
	}
	return sources
}

// Apply applies packs.
func Apply(t testing.TB, app *tools.App, r change.ApplyRequest) change.ApplyResult {
	t.Helper()
	result := graphtest.Must(app.Change.Apply(t.Context(), r))(t)
	return result
}

// ApplyText applies packs given as text.
func ApplyText(t testing.TB, app *tools.App, texts ...string) change.ApplyResult {
	t.Helper()
	return Apply(t, app, change.ApplyRequest{Packs: Packs(texts...)})
}

// ApplyShipped applies shipped packs by name.
func ApplyShipped(t testing.TB, g *graphtest.Graph, names ...string) {
	t.Helper()
	packs := lists.Map(names, func(name string) pack.Source { return pack.Source{Name: name} })
	Apply(t, OpenWithoutEmbedder(t, g.DB), change.ApplyRequest{Packs: packs, By: "test"})
}

// Actions returns the changes of a result as "action section name", sorted.
func Actions(r change.ApplyResult) []string {
	texts := []string{}
	for _, pack := range r.Packs {
		for _, c := range pack.Changes {
			texts = append(texts, c.Action+" "+c.Section+" "+c.Name)
		}
	}
	slices.Sort(texts)
	return texts
}

// Rules replaces all rules and thresholds of the graph with nodes written in Cypher.
func Rules(t testing.TB, g *graphtest.Graph, nodes string) {
	t.Helper()
	g.Exec(t, "MATCH (n) WHERE n:SYS_Policy OR n:SYS_Threshold DETACH DELETE n", nil)
	g.Exec(t, "CREATE "+nodes, nil)
}

// Changes returns the recorded changes of a name, oldest first, and verifies that their ids are in the same order.
func Changes(t testing.TB, g *graphtest.Graph, label, name string) []map[string]any {
	t.Helper()
	rows := g.Rows(t, "MATCH (c:SYS_Change {label: $label, name: $name}) RETURN properties(c) AS change ORDER BY c.at, c.uid", map[string]any{"label": label, "name": name})
	changes := make([]map[string]any, len(rows))
	for i, row := range rows {
		changes[i] = row["change"].(map[string]any)
		if i > 0 && changes[i]["uid"].(string) < changes[i-1]["uid"].(string) {
			t.Errorf("the ids of changes run backwards: %v", changes)
		}
	}
	return changes
}

// Fingerprint returns the whole graph as text: every node with its labels and properties, and every relationship.
func Fingerprint(t testing.TB, g *graphtest.Graph) string {
	t.Helper()
	rows := g.Rows(t, `MATCH (n)
		RETURN elementId(n) + ' ' + reduce(all = '', l IN labels(n) | all + ':' + l) AS id, properties(n) AS properties,
		       COLLECT { MATCH (n)-[r]->(m) RETURN type(r) + ' ' + elementId(m) + ' ' + coalesce(r.applied, '') AS link ORDER BY link } AS links
		ORDER BY id`, nil)
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintln(&b, row["id"], row["properties"], row["links"])
	}
	return b.String()
}

// Set sets a threshold.
func Set(t testing.TB, app *tools.App, name string, value any) change.ThresholdChanged {
	t.Helper()
	changed := graphtest.Must(app.Change.SetThreshold(t.Context(),
		change.ThresholdChange{Name: name, Value: policies.ValueOf(value), Reason: "because", By: "ana"}))(t)
	return changed
}

// History returns the history of a policy, threshold or table (kind), newest first.
func History(t testing.TB, app *tools.App, kind, name string) []history.Entry {
	t.Helper()
	h := graphtest.Must(app.History.Entries(t.Context(),
		history.Query{Subject: policies.Subject{Kind: kind, Name: name}}))(t)
	return h.Entries
}

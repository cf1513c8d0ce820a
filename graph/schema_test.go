package graph_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

func TestSchema_Graph_IsDescribed(t *testing.T) {
	g := graphtest.Alterable(t)
	g.Exec(t, `CREATE (a:City {name: 'Rome', founded: date('-0753-04-21'), size: 1, old: true, tags: ['x']}), (b:City:Port {name: 'Ostia', size: 2.5}),
		(p:Person {name: 'Ada'}), (q {x: 1}), (a)-[:NEAR {km: 30}]->(b), (b)-[:NEAR]->(a), (p)-[:LIVES_IN]->(a), (p)-[:LIVES_IN]->(b), (q)-[:KNOWS]->(p)`, nil)
	g.Exec(t, "CREATE INDEX city_name IF NOT EXISTS FOR (n:City) ON (n.name)", nil)
	t.Cleanup(func() { g.Exec(t, "DROP INDEX city_name", nil) })
	s := schema(t, g.DB)
	for label, want := range map[string]string{
		"City":   `{"label":"City","count":2,"properties":{"founded":"DATE ?","name":"STRING","old":"BOOLEAN ?","size":"FLOAT | INTEGER","tags":"LIST<STRING> ?"}}`,
		"Port":   `{"label":"Port","count":1,"properties":{"name":"STRING","size":"FLOAT"}}`,
		"Person": `{"label":"Person","count":1,"properties":{"name":"STRING"}}`,
	} {
		golden.Equal(t, "the label", asJSON(t, labelOf(t, s, label)), want)
	}
	golden.Contains(t, "the schema", asJSON(t, s.Relationships),
		`{"type":"NEAR","count":2,"from":["City","Port"],"to":["City","Port"]}`,
		`{"type":"LIVES_IN","count":2,"from":["Person"],"to":["City","Port"]}`,
		`{"type":"KNOWS","count":1,"from":[],"to":["Person"]}`)
	golden.Contains(t, "the schema", asJSON(t, s.Indexes),
		`{"name":"city_name","type":"RANGE","on":["City"],"properties":["name"]}`)
	t.Run("one label is described", func(t *testing.T) {
		s := schema(t, g.DB, "Port")
		if got := asJSON(t, s); len(s.Labels) != 1 || len(s.Relationships) != 2 || len(s.Indexes) != 0 {
			t.Error(got)
		}
		if s := schema(t, g.DB, "City", "Person"); len(s.Labels) != 2 || len(s.Relationships) != 3 ||
			len(s.Indexes) != 1 {
			t.Error(asJSON(t, s))
		}
	})
	t.Run("an unknown label is not found", func(t *testing.T) {
		for _, label := range []string{"Nothing", "city", "`City`", ""} {
			_, err := g.Schema(t.Context(), graph.SchemaQuery{Labels: []string{"City", label}})
			f := wantError(t, err, apperr.NotFound)
			if labels := fmt.Sprint(f.Details["labels"]); !strings.Contains(labels, "City") ||
				!strings.Contains(labels, "Port") || !strings.Contains(f.Hint, "Person") {
				t.Errorf("%q: got %s with the labels %s, want City, Port and Person", label, f.Error(), labels)
			}
		}
		g.Exec(t, "MATCH (p:Person) DETACH DELETE p", nil)
		_, err := g.Schema(t.Context(), graph.SchemaQuery{Labels: []string{"Person"}})
		wantError(t, err, apperr.NotFound)
		if text := asJSON(t, schema(t, g.DB)); strings.Contains(text, "LIVES_IN") || strings.Contains(text, "Person") {
			t.Error(text)
		}
	})
}

func TestSchema_PropertyOfSomeNodes_IsOptional(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, "UNWIND range(1, 500) AS i CREATE (n:Many {always: i}) FOREACH (_ IN CASE WHEN i % 2 = 0 THEN [1] ELSE [] END | SET n.sometimes = i)", nil)
	got := labelOf(t, schema(t, g.DB), "Many")
	if got.Count != 500 || got.Properties["always"] != "INTEGER" || got.Properties["sometimes"] != "INTEGER ?" {
		t.Errorf(`got %+v, want Count=500, always=INTEGER, sometimes="INTEGER ?"`, got)
	}
	t.Run("a property with several types lists them", func(t *testing.T) {
		g.Exec(t, "CREATE (:Mixed {v: [1, 2]}), (:Mixed {v: ['a']}), (:Mixed {v: 'a'}), (:Mixed {v: []}), (:Mixed {v: point({x: 1, y: 2})}), (:Mixed {v: duration('P1D')})", nil)
		got := labelOf(t, schema(t, g.DB, "Mixed"), "Mixed").Properties["v"]
		for _, want := range []string{"DURATION", "POINT", "STRING", "LIST<INTEGER>", "LIST<STRING>"} {
			if !strings.Contains(got, want) || strings.HasSuffix(got, "?") {
				t.Errorf("%s lacks %s", got, want)
			}
		}
		if parts := strings.Split(got, " | "); !slices.IsSorted(parts) || len(parts) != 6 {
			t.Errorf("got %q, want slices.IsSorted(parts)=true, len(parts)=6", parts)
		}
	})
}

func TestSchema_UnusualLabels_AreDescribed(t *testing.T) {
	g := graphtest.New(t)
	names := []string{"With Blank", "Back`tick", "``", "Quote'\"", "🧭 Kompass", "x`) DETACH DELETE n //", "$param",
		"__LABEL__", "Größe"}
	for i, name := range names {
		g.Exec(t, "CREATE (:`"+strings.ReplaceAll(name, "`", "``")+"` {i: $i})-[:`odd ``type`]->(:Plain)",
			map[string]any{"i": i})
	}
	s := schema(t, g.DB)
	for _, name := range names {
		if got := labelOf(t, s, name); got.Count != 1 || got.Properties["i"] != "INTEGER" {
			t.Errorf("%s: got %+v, want Count=1, i=INTEGER", name, got)
		}
		if s := schema(t, g.DB, name); len(s.Labels) != 1 || len(s.Relationships) != 1 ||
			s.Relationships[0].Type != "odd `type" {
			t.Errorf("%s: got %s, want len(Labels)=1, len(Relationships)=1, Type=%v", name, asJSON(t, s), "odd `type")
		}
	}
	golden.Equal(t, "nodes left", labelOf(t, s, "Plain").Count, int64(len(names)))
}

func TestSchema_ManyLabels_HaveNoProperties(t *testing.T) {
	g := graphtest.New(t)
	had := len(schema(t, g.DB).Labels)
	for i := range 26 - had {
		g.Exec(t, fmt.Sprintf("CREATE (:Label%02d {x: 1})", i), nil)
	}
	s := schema(t, g.DB)
	if len(s.Labels) != 26 || s.Note == "" {
		t.Errorf("%d labels, note %q", len(s.Labels), s.Note)
	}
	for _, l := range s.Labels {
		if l.Properties != nil {
			t.Errorf("got %+v, want Properties=nil", l)
		}
	}
	if s := schema(t, g.DB, "Label00"); s.Note != "" || s.Labels[0].Properties["x"] != "INTEGER" {
		t.Error(asJSON(t, s))
	}
	g.Exec(t, "MATCH (n:Label00) DELETE n", nil)
	if s := schema(t, g.DB); s.Note != "" || labelOf(t, s, "Label01").Properties["x"] != "INTEGER" {
		t.Errorf("25 labels: %s", asJSON(t, s))
	}
}

func TestSchema_OwnModel_IsDescribed(t *testing.T) {
	g := graphtest.New(t)
	// It uses the program: importing a higher layer would compile most packages for this test.
	if _, stderr, code := graphtest.Run(t, g.Environ(t), nil, graphtest.Binary(t), "policy", "apply",
		"chrystallum"); code != 0 {
		t.Fatal(stderr)
	}
	s := schema(t, g.DB)
	text, err := json.Marshal(s)
	if err != nil || len(text) > 20_000 {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	for _, l := range s.Labels {
		if strings.HasPrefix(l.Label, "SYS_") && l.Label != "SYS_MigrationLock" && l.Label != "SYS_Lock" &&
			l.About == "" {
			t.Errorf("%s has no description", l.Label)
		}
	}
	for _, r := range s.Relationships {
		if r.About == "" {
			t.Errorf("%s has no description", r.Type)
		}
	}
	golden.Equal(t, "facet_key", labelOf(t, s, "SYS_Policy").Properties["facet_key"], "STRING ?")
}

func TestSchema_EmptyGraph_IsDescribed(t *testing.T) {
	g := graphtest.Unmigrated(t)
	db := graph.Open(graph.Options{URI: g.Endpoint.URI, Username: g.Endpoint.Username, Password: g.Endpoint.Password,
		Database: g.Endpoint.Database})
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	golden.Equal(t, "the label", asJSON(t, schema(t, db)), `{"labels":[],"relationships":[],"indexes":[]}`)
	_, err := db.Schema(t.Context(), graph.SchemaQuery{Labels: []string{"City"}})
	wantError(t, err, apperr.NotFound)
}

func schema(t *testing.T, db *graph.DB, labels ...string) graph.Schema {
	t.Helper()
	s := graphtest.Must(db.Schema(t.Context(), graph.SchemaQuery{Labels: labels}))(t)
	return s
}

func labelOf(t *testing.T, s graph.Schema, label string) graph.LabelInfo {
	t.Helper()
	i := slices.IndexFunc(s.Labels, func(l graph.LabelInfo) bool { return l.Label == label })
	if i < 0 {
		t.Fatalf("%s is missing in %+v", label, s.Labels)
	}
	return s.Labels[i]
}

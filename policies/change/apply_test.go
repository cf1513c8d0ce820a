package change_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/policies/live"
	"nomograph/policies/pack"
	"nomograph/tools/toolstest"
)

func TestApply_NewPack_CreatesEveryNode(t *testing.T) {
	g, env := toolstest.Open(t)
	result := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack), By: "ana"})
	if got := toolstest.Actions(result); len(got) != 8 || result.Packs[0].Unchanged != 0 ||
		result.Packs[0].Pack != "small" || result.Packs[0].Version != "1.0.0" || result.DryRun {
		t.Errorf("got %v %+v, want len(got)=8, Unchanged=0, Pack=small, Version=1.0.0, DryRun=false", got,
			result.Packs[0])
	}
	golden.Equal(t, "summary", result.Summary, "small 1.0.0: 8 created, 0 unchanged\n")
	for query, want := range map[string]string{
		"MATCH (p:SYS_Policy {name: 'Ask'}) RETURN p.active AS a, p.scope AS b, p.decision_table AS c, keys(p) AS k":                    "map[a:true b:[a b] c:D2 k:",
		"MATCH (t:SYS_Threshold {name: 'whole'}) RETURN valueType(t.value) AS a":                                                        "map[a:INTEGER NOT NULL]",
		"MATCH (t:SYS_Threshold {name: 'float'}) RETURN valueType(t.value) AS a":                                                        "map[a:FLOAT NOT NULL]",
		"MATCH (p:SYS_Pack) RETURN p.name AS a, p.version AS b, p.description AS c, p.applied_by AS d, valueType(p.applied_at) AS e":    "map[a:small b:1.0.0 c:Two of each d:ana e:ZONED DATETIME NOT NULL]",
		"MATCH (:SYS_Pack)-[o:OWNS]->(n) RETURN count(n) AS a, count(o.applied) AS b":                                                   "map[a:8 b:8]",
		"MATCH (n) WHERE n.uid IS NOT NULL AND n.schema_version = 1 RETURN count(n) >= 8 AS a, count(DISTINCT n.uid) = count(n) AS b":   "map[a:true b:true]",
		"MATCH (:SYS_Policy)-[l:GOVERNED_BY]->(t) RETURN t.table_id AS a, count(l) AS b":                                                "map[a:D2_second b:1]",
		"MATCH (:SYS_Policy)-[l:USES_THRESHOLD]->() RETURN count(l) AS a":                                                               "map[a:2]",
		"MATCH (t:SYS_DecisionTable)-[:USES_THRESHOLD]->(x) RETURN t.table_id AS a, x.name AS b":                                        "map[a:D1_first b:whole]",
		"MATCH (t:SYS_DecisionTable)-[:FEEDS_INTO]->(x) RETURN t.table_id AS a, x.table_id AS b":                                        "map[a:D1_first b:D2_second]",
		"MATCH (s:SubjectConcept), (f:SYS_FederationSource) RETURN s.label AS a, f.confidence AS b":                                     "map[a:Republic b:0.92]",
		"MATCH (n) WHERE n:SYS_Policy OR n:SYS_Threshold RETURN count(n.uses_thresholds) AS a, count(n.feeds_into) AS b, count(n) AS c": "map[a:0 b:0 c:4]",
	} {
		rows := g.Rows(t, query, nil)
		if len(rows) != 1 || !strings.HasPrefix(fmt.Sprint(rows[0]), want) {
			t.Errorf("%s\n  got %v, want %s", query, rows, want)
		}
	}
}

func TestApply_SamePackTwice_ChangesNothing(t *testing.T) {
	g, env := toolstest.Open(t)
	lists := "pack: lists\nversion: 1.0.0\npolicies:\n- {name: l, empty: [], mixed: [1, 2.5], texts: [a], big: 9223372036854775807, e: 1.0e300, day: 2024-01-01}\n"
	request := change.ApplyRequest{Packs: append(toolstest.Packs(toolstest.SmallPack, lists), pack.Source{Name: "core"},
		pack.Source{Name: "chrystallum"}), By: "ana"}
	toolstest.Apply(t, env, request)
	before := toolstest.Fingerprint(t, g)
	request.By = "ben"
	for _, options := range []change.ApplyOptions{{}, {Adopt: true}, {Overwrite: true, Prune: true}} {
		request.ApplyOptions = options
		again := toolstest.Apply(t, env, request)
		if got := toolstest.Actions(again); len(got) != 0 {
			t.Errorf("%+v: got %v, want length 0", options, got)
		}
		if again.Packs[0].Unchanged != 8 || !strings.Contains(again.Summary, "small 1.0.0: 8 unchanged\n") {
			t.Errorf("%+v: got %+v\n%s, want Unchanged=8, Summary with \"small 1.0.0: 8 unchanged\n\"", options,
				again.Packs[0], again.Summary)
		}
		if after := toolstest.Fingerprint(t, g); after != before {
			t.Fatalf("%+v: the graph changed", options)
		}
	}
}

func TestShippedPacks_ForbidFourFacets(t *testing.T) {
	_, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{{Name: "core"}, {Name: "chrystallum"}}})
	yes := true
	list := graphtest.Must(env.Live.Policies(t.Context(),
		live.PolicyFilter{Active: &yes, HasFacetKey: &yes, DecisionTable: "D8"}))(t)
	facets := map[any]any{}
	for _, row := range list.Policies {
		facets[row.Name] = row.FacetKey
		node, err := env.Live.Policy(t.Context(), live.PolicyQuery{Name: row.Name.(string)})
		if text, _ := node.Properties["description"].(string); err != nil ||
			!strings.Contains(text, "forbidden facet") {
			t.Errorf(`%v: got %q %v, want with "forbidden facet"`, row.Name, text, err)
		}
	}
	want := map[any]any{"NoTemporalFacet": "TEMPORAL", "NoClassificationFacet": "CLASSIFICATION",
		"NoPatronageFacet": "PATRONAGE", "NoGenealogicalFacet": "GENEALOGICAL"}
	golden.Equal(t, "facets", fmt.Sprint(facets), fmt.Sprint(want))
	golden.Equal(t, "found by the words", graphtest.Must(env.Live.Policies(t.Context(),
		live.PolicyFilter{Text: "forbidden facet"}))(t).Total, 4)
	if twice, err := env.Live.Duplicates(t.Context()); err != nil || len(twice) != 0 {
		t.Errorf("got %v %v, want length 0", twice, err)
	}
	if _, err := env.Live.ExportThresholds(t.Context(), live.ExportQuery{}); err != nil {
		t.Error(err)
	}
}

func TestApply_DryRun_WritesNothing(t *testing.T) {
	g, env := toolstest.Open(t)
	empty := toolstest.Fingerprint(t, g)
	dry := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack),
		ApplyOptions: change.ApplyOptions{DryRun: true}})
	if len(toolstest.Actions(dry)) != 8 || !dry.DryRun || !strings.Contains(dry.Summary, "8 to create") ||
		!strings.Contains(dry.Summary, "policy Ask: to create") {
		t.Errorf("got %v\n%s\nwant 8 nodes to create", toolstest.Actions(dry), dry.Summary)
	}
	if toolstest.Fingerprint(t, g) != empty {
		t.Fatal("a dry run wrote")
	}
	wet := toolstest.ApplyText(t, env, toolstest.SmallPack)
	golden.Equal(t, "dry run", fmt.Sprint(toolstest.Actions(dry)), fmt.Sprint(toolstest.Actions(wet)))
	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'whole'}) SET t.value = 5", nil)
	before := toolstest.Fingerprint(t, g)
	next := strings.Replace(strings.Replace(toolstest.SmallPack, "value: 1.0,", "value: 0.5,", 1),
		"- {name: Tell, description: \"it's quoted\"}\n", "", 1)
	for _, options := range []change.ApplyOptions{{DryRun: true},
		{DryRun: true, Overwrite: true, Prune: true, Adopt: true}} {
		planned := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(next), ApplyOptions: options})
		if len(toolstest.Actions(planned)) != 3 {
			t.Errorf("%+v: got %v, want 3 actions", options, toolstest.Actions(planned))
		}
		if toolstest.Fingerprint(t, g) != before {
			t.Fatalf("%+v: a dry run wrote", options)
		}
	}
}

func TestApply_DryRunOfSeveralPacks_IncludesEarlierPacks(t *testing.T) {
	g, env := toolstest.Open(t)
	second := "pack: second\nversion: 1.0.0\npolicies:\n- {name: More, uses_thresholds: [whole]}\n"
	before := toolstest.Fingerprint(t, g)
	request := change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack, second),
		ApplyOptions: change.ApplyOptions{DryRun: true}}
	dry := toolstest.Apply(t, env, request)
	if got := toolstest.Actions(dry); len(got) != 9 || toolstest.Fingerprint(t, g) != before {
		t.Errorf("got %v, want len(got)=9, toolstest.Fingerprint(t, g)=%v", got, before)
	}
	clash := "pack: clash\nversion: 1.0.0\npolicies:\n- {name: Ask}\n"
	for _, dry := range []bool{true, false} {
		_, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack, clash),
			ApplyOptions: change.ApplyOptions{DryRun: dry}})
		toolstest.ErrorWithCode(t, err, apperr.Conflict)
	}
}

func TestApply_OnePackFails_AppliesNone(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'Foreign'})", nil)
	before := toolstest.Fingerprint(t, g)
	tests := map[string]struct {
		second  string
		code    apperr.Code
		message string
	}{
		"the second is broken": {"pack: second\n", apperr.Validation,
			"pack2.yaml:1:1: version is required"},
		"the second names a foreign node": {"pack: second\nversion: 1.0.0\npolicies:\n- {name: Foreign}\n",
			apperr.Conflict, "SYS_Policy 'Foreign'"},
		"the second names a node of a first": {"pack: second\nversion: 1.0.0\npolicies:\n- {name: Ask}\n",
			apperr.Conflict, "SYS_Policy 'Ask' (of the pack 'small')"},
		"the second links to nothing": {"pack: second\nversion: 1.0.0\npolicies:\n- name: P\n  uses_thresholds: [none]\n", apperr.Validation, "pack2.yaml:4:3: 'P' refers to thresholds 'none'"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack,
				tt.second)})
			golden.Contains(t, "the message", toolstest.ErrorWithCode(t, err, tt.code).Message, tt.message)
			golden.Equal(t, "the graph", toolstest.Fingerprint(t, g), before)
		})
	}
	t.Run("a pack that is not shipped", func(t *testing.T) {
		_, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: []pack.Source{{Name: "core"},
			{Name: "none"}}})
		toolstest.ErrorWithCode(t, err, apperr.NotFound)
		golden.Equal(t, "the graph", toolstest.Fingerprint(t, g), before)
	})
}

func TestApply_Concurrently_CreatesPackOnce(t *testing.T) {
	g, env := toolstest.Open(t)
	const appliers = 4
	var all sync.WaitGroup
	results, errs := make([]change.ApplyResult, appliers), make([]error, appliers)
	for i := range appliers {
		all.Go(func() {
			results[i], errs[i] = env.Change.Apply(t.Context(),
				change.ApplyRequest{Packs: toolstest.Packs(toolstest.SmallPack)})
		})
	}
	all.Wait()
	created := 0
	for i := range appliers {
		if errs[i] != nil {
			t.Error(errs[i])
		}
		created += len(toolstest.Actions(results[i]))
	}
	counts := g.Rows(t, "MATCH (:SYS_Pack)-[o:OWNS]->(n) RETURN count(DISTINCT n) AS nodes, count(o) AS owned", nil)[0]
	changes := g.Rows(t, "MATCH (c:SYS_Change) RETURN count(c) AS n", nil)[0]["n"]
	if counts["nodes"] != int64(8) || counts["owned"] != int64(8) || changes != int64(8) || created != 8 {
		t.Errorf("%v, %v changes, %d created", counts, changes, created)
	}
}

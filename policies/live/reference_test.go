package live_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/live"
	"nomograph/tools/toolstest"
)

func TestFederationSources_OldAndNewSpelling_AreRead(t *testing.T) {
	g, env := toolstest.Open(t)
	golden.Equal(t, "an empty graph", toolstest.Pretty(t,
		graphtest.Must(env.Live.FederationSources(t.Context(), live.FederationFilter{}))(t)),
		"{\n  \"sources\": [],\n  \"total\": 0\n}\n")
	g.Exec(t, `CREATE (:SYS_FederationSource {name: 'Pleiades', status: 'operational', confidence: 0.92, wikidata_property: 'P1584'}),
		(:SYS_FederationSource {source_id: 'doaj', label: 'DOAJ', status: 'operational', scoping_weight: 1.0, pid: 'P5115'}),
		(:SYS_FederationSource {source_id: 'perseus', status: 'planned', scoping_weight: 0.0}),
		(:SYS_FederationSource {name: 'Both', label: 'not this', pid: 'P1', wikidata_property: 'P2', property_name: 'place', scoping_weight: 0.5, confidence: 0.1, status: 'partial'}),
		(:SYS_FederationSource {name: 'OCD', status: 'planned', confidence: null}),
		(:SYS_FederationSource {status: ['odd']})`, nil)
	all := graphtest.Must(env.Live.FederationSources(t.Context(), live.FederationFilter{}))(t)
	golden.Check(t, "testdata/reference/federation_sources.json", toolstest.Pretty(t, all))
	for status, want := range map[string]string{"operational": "[DOAJ Pleiades]", "planned": "[OCD perseus]",
		"none": "[]"} {
		found, err := env.Live.FederationSources(t.Context(), live.FederationFilter{Status: status})
		names := []any{}
		for _, source := range found.Sources {
			names = append(names, source.Name)
		}
		if err != nil || fmt.Sprint(names) != want || found.Total != len(names) {
			t.Errorf("%s: %v (total %d, %v), want %s", status, names, found.Total, err, want)
		}
	}
}

func TestSubjectConcepts_Order_MostEntitiesFirst(t *testing.T) {
	g, env := toolstest.Open(t)
	empty, err := env.Live.SubjectConcepts(t.Context(), live.SubjectFilter{})
	if text, _ := json.Marshal(empty); err != nil || string(text) != `{"concepts":[],"total":0}` {
		t.Errorf("an empty graph: %s %v", text, err)
	}
	g.Exec(t, `CREATE (:SubjectConcept {subject_id: 's1', label: 'Republic', qid: 'Q17167', entity_count: 12, facets: ['POLITICAL', 'MILITARY'], status: 'approved'}),
		(:SubjectConcept {concept_id: 's2', label: 'Army', primary_facet: 'MILITARY', related_facets: ['POLITICAL'], entity_count: 40, status: 'approved'}),
		(:SubjectConcept {subject_id: 's3', label: 'Trade', primary_facet: 'ECONOMIC', related_facets: 'SOCIAL', entity_count: 12, status: 'pending_approval'}),
		(:SubjectConcept {subject_id: 's4', label: 'Bare'}),
		(:SubjectConcept {subject_id: 's5', label: 'Listed only', related_facets: ['SOCIAL'], entity_count: 0})`, nil)
	all := graphtest.Must(env.Live.SubjectConcepts(t.Context(), live.SubjectFilter{}))(t)
	golden.Check(t, "testdata/reference/subject_concepts.json", toolstest.Pretty(t, all))
	if strings.Contains(toolstest.Pretty(t, all), "[\n        null") {
		t.Error("a facet that a node lacks is listed as null")
	}
	tests := map[string]struct {
		filter live.SubjectFilter
		want   string
		total  int
	}{
		"approved":        {live.SubjectFilter{Status: "approved"}, "[s2 s1]", 2},
		"text":            {live.SubjectFilter{Text: "TRADE"}, "[s3]", 1},
		"first page":      {live.SubjectFilter{Limit: 2}, "[s2 s1]", 5},
		"second page":     {live.SubjectFilter{Limit: 2, Offset: 2}, "[s3 s4]", 5},
		"last page":       {live.SubjectFilter{Limit: 2, Offset: 4}, "[s5]", 5},
		"beyond the last": {live.SubjectFilter{Limit: 2, Offset: 9}, "[]", 5},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			found, err := env.Live.SubjectConcepts(t.Context(), tt.filter)
			ids := []any{}
			for _, concept := range found.Concepts {
				ids = append(ids, concept.SubjectID)
			}
			if err != nil || fmt.Sprint(ids) != tt.want || found.Total != tt.total {
				t.Errorf("%v of %d (%v), want %s of %d", ids, found.Total, err, tt.want, tt.total)
			}
		})
	}
}

func TestSubjectConcepts_MixedTypes_AreRead(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SubjectConcept {subject_id: 1, label: 7, entity_count: 'many', facets: 'POLITICAL'}), (:SubjectConcept {label: ['a', 'b'], entity_count: 2.5}), (:SubjectConcept {primary_facet: 3, related_facets: [1]})`, nil)
	for _, text := range []string{"", "7"} {
		if found, err := env.Live.SubjectConcepts(t.Context(), live.SubjectFilter{Text: text}); err != nil ||
			found.Total == 0 {
			t.Errorf("%q: got %+v %v, want nonzero Total", text, found, err)
		}
	}
}

package live_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/internal/apperr"
	"nomograph/policies/live"
	"nomograph/tools/toolstest"
)

func TestThreshold_Scope_IsFound(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'confidence', value: 0.9}),
		(:SYS_Threshold {name: 'confidence_ancient_person', value: 0.75, domain_scope: 'ancient_person'}),
		(:SYS_Threshold {name: 'confidence', value: 0.6, domain_scope: 'place'}),
		(:SYS_Threshold {name: 'confidence', value: 0.5, scope: 'period'}),
		(:SYS_Threshold {name: 'confidence_work', value: 0.1}),
		(:SYS_Threshold {name: 'only', value: 1, domain_scope: 'place'}),
		(:SYS_Threshold {name: 'either', value: 1, domain_scope: 'place'}),
		(:SYS_Threshold {name: 'either', value: 2, domain_scope: 'period'})`, nil)
	tests := []struct {
		name, scope   string
		value         any
		source, where string
		fails         apperr.Code
	}{
		{name: "confidence", value: 0.9, source: "node"},
		{name: "confidence", scope: "ancient_person", value: 0.75, source: "scoped", where: "ancient_person"},
		{name: "confidence", scope: "place", value: 0.6, source: "scoped", where: "place"},
		{name: "confidence", scope: "period", value: 0.5, source: "scoped", where: "period"},
		{name: "confidence", scope: "unknown", value: 0.9, source: "node"},
		{name: "confidence", scope: "work", value: 0.9, source: "node"}, // a name alone does not create a scope
		{name: "confidence_ancient_person", value: 0.75, source: "node", where: "ancient_person"},
		{name: "only", value: int64(1), source: "node", where: "place"},
		{name: "only", scope: "place", value: int64(1), source: "scoped", where: "place"},
		{name: "only", scope: "period", fails: apperr.NotFound},
		{name: "either", fails: apperr.Conflict},
		{name: "either", scope: "period", value: int64(2), source: "scoped", where: "period"},
		{name: "either", scope: "work", fails: apperr.NotFound},
	}
	for _, tt := range tests {
		t.Run(tt.name+" for "+tt.scope, func(t *testing.T) {
			node, err := env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: tt.name, Scope: tt.scope})
			if tt.fails != "" {
				toolstest.ErrorWithCode(t, err, tt.fails)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if node.Properties["value"] != tt.value || node.Reading.Source != tt.source ||
				node.Reading.Scope != tt.where {
				t.Errorf("got %v %+v, want %v from %s %s", node.Properties["value"], node.Reading, tt.value, tt.source,
					tt.where)
			}
		})
	}

	t.Run("a name that exists only for other scopes is not proposed", func(t *testing.T) {
		got := toolstest.ErrorWithCode(t, readBy(t, env, "SYS_Threshold", "only", "period"), apperr.NotFound)
		if near, _ := got.Details["nearest"].([]string); slices.Contains(near, "only") {
			t.Errorf("got %s, want no suggestion 'only'", got.Error())
		}
	})
}

func TestPolicy_ScopeList_IsRead(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SYS_Policy {name: 'Review', which: 'all'}),
		(:SYS_Policy {name: 'Review', which: 'shops', scope: ['acme/shop', 'acme/till']}),
		(:SYS_Policy {name: 'Review', which: 'bank', scope: 'acme/bank'}),
		(:SYS_Policy {name: 'Listed', which: 'listed', scope: ['acme/shop', 'acme/till']}),
		(:SYS_Policy {name: 'Nowhere', which: 'nowhere', scope: []})`, nil)
	tests := []struct {
		name, scope, which, source string
		fails                      apperr.Code
	}{
		{name: "Review", which: "all", source: "node"},
		{name: "Review", scope: "acme/shop", which: "shops", source: "scoped"},
		{name: "Review", scope: "acme/till", which: "shops", source: "scoped"},
		{name: "Review", scope: "acme/bank", which: "bank", source: "scoped"},
		{name: "Review", scope: "acme/other", which: "all", source: "node"},
		{name: "Listed", which: "listed", source: "node"},
		{name: "Listed", scope: "acme/till", which: "listed", source: "scoped"},
		{name: "Listed", scope: "acme/other", fails: apperr.NotFound},
		{name: "Nowhere", scope: "acme/shop", which: "nowhere", source: "node"},
	}
	for _, tt := range tests {
		t.Run(tt.name+" for "+tt.scope, func(t *testing.T) {
			node, err := env.Live.Policy(t.Context(), live.PolicyQuery{Name: tt.name, Scope: tt.scope})
			if tt.fails != "" {
				toolstest.ErrorWithCode(t, err, tt.fails)
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := fmt.Sprint(node.Properties["which"], " ", node.Reading.Source)
			if got != tt.which+" "+tt.source {
				t.Errorf("got %s, want %s %s", got, tt.which, tt.source)
			}
			if tt.source == "scoped" && !strings.Contains(node.Reading.Scope, tt.scope) {
				t.Errorf("the reading is for %q", node.Reading.Scope)
			}
		})
	}
}

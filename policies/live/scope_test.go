package live_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
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
	for _, row := range golden.Rows(t, "testdata/scopes.txt") {
		t.Run(row[0]+" for "+row[1], func(t *testing.T) {
			node, err := env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: row[0], Scope: row[1]})
			if err != nil {
				toolstest.ErrorWithCode(t, err, apperr.Code(row[2]))
				return
			}
			if got := strings.TrimSpace(fmt.Sprintf("%v from %s %s", node.Properties["value"], node.Reading.Source,
				node.Reading.Scope)); got != row[2] {
				t.Errorf("got %s, want %s", got, row[2])
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
			graphtest.OK(t, err)
			got := fmt.Sprint(node.Properties["which"], " ", node.Reading.Source)
			golden.Equal(t, tt.which+" "+tt.source, got, tt.which+" "+tt.source)
			if tt.source == "scoped" && !strings.Contains(node.Reading.Scope, tt.scope) {
				t.Errorf("the reading is for %q", node.Reading.Scope)
			}
		})
	}
}

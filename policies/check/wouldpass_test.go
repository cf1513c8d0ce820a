package check_test

import (
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
)

// TestCheck_LimitOrPattern_SaysWhatWouldPass: a denial without a condition says in words what would pass.
func TestCheck_LimitOrPattern_SaysWhatWouldPass(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(`pack: l
version: 1.0.0
policies:
  - {name: calls, active: true, actions: [mail], limit_of: calls, limit_most: 1, limit_seconds: 3600}
  - {name: costs, active: true, actions: [buy], limit_of: params.cost, limit_most: 10, limit_seconds: 60}
  - {name: doubles, active: true, actions: [twice], forbids_pattern: "MATCH (n:Known) RETURN n.name AS name"}
`)})
	g.Exec(t, "CREATE (:Known {name: 'a'}), (:Known {name: 'b'})", nil)
	for _, c := range []struct {
		name   string
		params graph.Parameters
		want   string // empty for an allowed action
	}{
		{"mail", nil, ""},
		{"mail", nil, "at most 1 calls within 1h0m0s; 1 were allowed, so wait until earlier ones are older"},
		{"buy", graph.Parameters{"cost": 6.5}, ""},
		{"buy", graph.Parameters{"cost": 6.5}, "params.cost as a number, together at most 10 within 1m0s; 6.5 was used, so at most 3.5 now"},
		{"buy", nil, "params.cost as a number, together at most 10 within 1m0s; 6.5 was used, so at most 3.5 now"},
		{"buy", graph.Parameters{"cost": 3.5}, ""},
		{"buy", graph.Parameters{"cost": 1.0}, "params.cost as a number, together at most 10 within 1m0s; that much was used, so wait until earlier acts are older"},
		{"twice", nil, "a graph in which forbids_pattern of the rule finds nothing; now it finds 2 rows, shown under found"},
	} {
		v := graphtest.Must(env.Checks.Check(t.Context(),
			check.ActionCheck{Description: "x", Name: c.name, Params: c.params,
				AgentID: "bo"}))(t)
		got := ""
		for _, o := range v.Violations {
			got += strings.Join(o.WouldPass, "; ")
		}
		if got != c.want || v.Allowed != (c.want == "") {
			t.Errorf("%s %v: got %q, want %q", c.name, c.params, got, c.want)
		}
	}
}

package check_test

import (
	"testing"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/policies/check"
	"nomograph/policies/rule"
	"nomograph/tools/toolstest"
)

// TestRead_ShippedAndEditedBreakers_HaveStates: breakers with the shipped pattern are read together, and those with an
// edited one alone. One that cannot be read fails by itself.
func TestRead_ShippedAndEditedBreakers_HaveStates(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Threshold {name: 'n', value: 3})`)
	g.Exec(t, `UNWIND [['a', 'global', ''], ['b', 'stakes:high', ''], ['c', 'agent:ada', ''], ['d', 'global', '// edited'], ['e', 'global', 'broken']] AS b
		CREATE (:SYS_Policy {name: b[0], active: true, circuit_scope: b[1], circuit_failures: 'n', circuit_window_hours: 'n', circuit_cooldown_hours: CASE b[2] WHEN 'broken' THEN 'none' ELSE 'n' END,
		  forbids_pattern: $pattern + CASE b[2] WHEN '// edited' THEN '\n// edited' ELSE '' END})`, map[string]any{"pattern": cypher.CircuitState.Text()})
	set := graphtest.Must(env.Checks.Rules(t.Context()))(t)
	breakers := set.Breakers()
	set.AskCircuits(t.Context(), breakers, func(breaker *rule.Guardrail, answer graph.QueryResult, _ map[string]any,
		err error) {
		if len(answer.Rows) != 1 && breaker.Name != "e" || (err != nil) != (breaker.Name == "e") {
			t.Errorf("%s: got %+v, %v, want the state of each breaker that can be read", breaker.Name, answer, err)
		}
	})
	v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Stakes: "high", AgentID: "ada"})
	if err != nil || v.Evaluated != 5 || len(v.Violations) != 1 || v.Violations[0].GuardrailID != "e" {
		t.Errorf("got %+v %v, want Evaluated=5, len(Violations)=1, GuardrailID=e", v, err)
	}
}

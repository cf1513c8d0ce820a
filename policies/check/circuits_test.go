package check_test

import (
	"testing"

	"nomograph/cypher"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
)

// TestRead_ShippedBreakers_TakeOneStatement: reading one breaker also reads the others with the shipped pattern, but not
// those with an edited pattern.
func TestRead_ShippedBreakers_TakeOneStatement(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Threshold {name: 'n', value: 3})`)
	g.Exec(t, `UNWIND [['a', 'global', ''], ['b', 'stakes:high', ''], ['c', 'agent:ada', ''], ['d', 'global', '// edited'], ['e', 'global', 'broken']] AS b
		CREATE (:SYS_Policy {name: b[0], active: true, circuit_scope: b[1], circuit_failures: 'n', circuit_window_hours: 'n', circuit_cooldown_hours: CASE b[2] WHEN 'broken' THEN 'none' ELSE 'n' END,
		  forbids_pattern: $pattern + CASE b[2] WHEN '// edited' THEN '\n// edited' ELSE '' END})`, map[string]any{"pattern": cypher.CircuitState.Text()})
	set, err := env.Checks.Rules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	breakers := set.Breakers()
	for _, breaker := range breakers {
		_, _, err := set.AskCircuit(t.Context(), breaker, breakers)
		if got := set.CircuitsRead(); got != 3 || (err != nil) != (breaker.Name == "e") {
			t.Errorf("after %s: got %d circuits, %v, want the 3 of the shipped pattern that can be read", breaker.Name, got, err)
		}
	}
	v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Stakes: "high", AgentID: "ada"})
	if err != nil || v.Evaluated != 5 || len(v.Violations) != 1 || v.Violations[0].GuardrailID != "e" {
		t.Errorf("got %+v %v, want Evaluated=5, len(Violations)=1, GuardrailID=e", v, err)
	}
}

package circuit_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"nomograph/cypher"
	"nomograph/policies/check"
	"nomograph/policies/circuit"
	"nomograph/tools/toolstest"
)

// TestBreakers_ReadTogether_EqualThoseReadAlone compares each breaker with a copy whose pattern has an additional
// comment, so that it runs as a separate statement.
func TestBreakers_ReadTogether_EqualThoseReadAlone(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, env := toolstest.Open(t)
	scopes := []string{"global", "stakes:high", "category:security", "agent:ada", "tag:risky"}
	reached := map[string]bool{}
	rapid.Check(t, func(rt *rapid.T) {
		g.Exec(t, "MATCH (n) WHERE n:SYS_Policy OR n:SYS_Threshold OR n:Decision OR n:CircuitReset OR n:Tag OR n:Agent DETACH DELETE n", nil)
		breakers, resets, history := []any{}, []any{}, []any{}
		for _, scope := range scopes {
			breakers = append(breakers, map[string]any{"scope": scope,
				"failures": rapid.SampledFrom([]any{1, 2, 3, 2.5, 2, 2, 3, nil, 0, "two"}).Draw(rt, "failures"),
				"window":   rapid.SampledFrom([]any{0.5, 1, 24}).Draw(rt, "window"),
				"cooldown": rapid.SampledFrom([]any{0.25, 1, 2}).Draw(rt, "cooldown")})
			if rapid.IntRange(0, 3).Draw(rt, "reset") == 0 {
				resets = append(resets, map[string]any{"scope": scope, "minutes": rapid.IntRange(1, 300).
					Draw(rt, "reset at"), "probe": rapid.Bool().Draw(rt, "probe first")})
			}
		}
		bad := rapid.IntRange(0, 9).Draw(rt, "bad data") == 0
		for i := range rapid.IntRange(0, 12).Draw(rt, "decisions") {
			reviewed := rapid.IntRange(1, 240).Draw(rt, "reviewed")
			d := map[string]any{"id": string(rune('a' + i)), "minutes": reviewed + rapid.IntRange(0, 60).
				Draw(rt, "made"), "reviewed": reviewed,
				"outcome": rapid.SampledFrom([]any{"failure", "failure", "abandoned", "success", "partial", nil}).
					Draw(rt, "outcome"),
				"stakes":   rapid.SampledFrom([]any{"high", "high", "low", nil}).Draw(rt, "stakes"),
				"category": rapid.SampledFrom([]any{"security", "process", nil}).Draw(rt, "category"),
				"mine":     rapid.Bool().Draw(rt, "mine"), "tagged": rapid.Bool().Draw(rt, "tagged"), "text": bad &&
					i == 0,
				"undated": rapid.IntRange(0, 9).Draw(rt, "undated") == 0}
			history = append(history, d)
		}
		g.Exec(t, `UNWIND $breakers AS b
			CREATE (f:SYS_Threshold {name: 'f ' + b.scope, value: b.failures}), (:SYS_Threshold {name: 'w ' + b.scope, value: b.window}), (:SYS_Threshold {name: 'c ' + b.scope, value: b.cooldown})
			WITH b UNWIND [{by: 'together', pattern: $pattern}, {by: 'alone', pattern: $pattern + '\n// edited'}] AS kind
			CREATE (:SYS_Policy {name: kind.by + ' ' + b.scope, active: true, circuit_scope: b.scope, circuit_failures: 'f ' + b.scope, circuit_window_hours: 'w ' + b.scope,
			  circuit_cooldown_hours: 'c ' + b.scope, forbids_pattern: kind.pattern, message: '{found.state}: {found.why}, {found.failures}, until {found.until}; {found.probe_id}'})`,
			map[string]any{"breakers": breakers, "pattern": cypher.CircuitState.Text()})
		g.Exec(t, `CREATE (a:Agent {key: 'ada', name: 'Ada'}), (tag:Tag {key: 'risky', name: 'Risky'})
			WITH a, tag, datetime() AS now
			FOREACH (r IN $resets | CREATE (:CircuitReset {uid: r.scope, scope: r.scope, at: now - duration({minutes: r.minutes}), probe_first: r.probe}))
			WITH a, tag, now UNWIND $history AS h
			CREATE (d:Decision {uid: h.id, id: h.id, stakes: h.stakes, category: h.category, outcome: h.outcome,
			  created_at: CASE WHEN h.text THEN 'yesterday' WHEN NOT h.undated THEN now - duration({minutes: h.minutes}) END,
			  reviewed_at: CASE WHEN h.outcome IS NOT NULL THEN now - duration({minutes: h.reviewed}) END})
			FOREACH (_ IN CASE WHEN h.mine THEN [1] ELSE [] END | SET d.agent = a.name CREATE (a)-[:MADE]->(d))
			FOREACH (_ IN CASE WHEN h.tagged THEN [1] ELSE [] END | CREATE (d)-[:TAGGED]->(tag))`, map[string]any{"resets": resets, "history": history})

		list, err := env.Circuit.Breakers(t.Context(), circuit.BreakersQuery{})
		if err != nil || list.Total != 2*len(scopes) {
			rt.Fatalf("%d breakers, %v", list.Total, err)
		}
		states := map[string]circuit.State{}
		for _, state := range list.Breakers {
			states[state.Policy] = state
			reached[state.State] = true
		}
		verdict, err := env.Checks.Check(t.Context(), checking)
		if err != nil || verdict.Evaluated != 2*len(scopes) {
			rt.Fatalf("got %+v %v, want Evaluated=%v", verdict, err, 2*len(scopes))
		}
		violation := func(rule string) check.Violation {
			i := slices.IndexFunc(verdict.Violations, func(v check.Violation) bool { return v.GuardrailID == rule })
			if i < 0 {
				return check.Violation{}
			}
			return verdict.Violations[i]
		}
		for _, scope := range scopes {
			together, alone := states["together "+scope], states["alone "+scope]
			together.Policy = alone.Policy
			if !reflect.DeepEqual(together, alone) {
				rt.Fatalf("%s together:\n%+v\nalone:\n%+v", scope, together, alone)
			}
			a, b := violation("together "+scope), violation("alone "+scope)
			b.GuardrailID, b.Version = a.GuardrailID, a.Version
			if a.Result == "error" {
				b.Message = a.Message // the message contains the rule's name
			}
			if !reflect.DeepEqual(a, b) {
				rt.Fatalf("%s together:\n%+v\nalone:\n%+v", scope, a, b)
			}
		}
	})
	for _, state := range []string{"closed", "open", "half_open", "error"} {
		if !reached[state] {
			t.Errorf("no history reaches %s", state)
		}
	}
}

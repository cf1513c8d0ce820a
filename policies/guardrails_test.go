package policies_test

import (
	"fmt"
	"slices"
	"testing"
)

func TestGuardrailsAreShownAsTheyJudge(t *testing.T) {
	g, store := newStore(t)
	g.Exec(t, `UNWIND [
		{name: 'plain', active: true, requires: 'action.confidence > 0.5', applies_when: 'action.stakes >= high', severity: 'warn', scope: 'acme/*'},
		{name: 'twice', active: true, requires: 'true', mode: 'shadow'},
		{name: 'twice', active: true, requires: 'false'},
		{name: 'loud', active: true, requires: 'true', severity: 'scream'},
		{name: 'placed', active: true, requires: 'true', scope: [1, 2]},
		{name: 'vague', active: true, requires: 'true', mode: 'perhaps', severity: 'warn'},
		{name: 'breaker', active: true, forbids_pattern: 'RETURN 1 AS one', circuit_scope: 'stakes:high', mode: 'shadow'},
		{name: 'asleep', active: true, requires: 'true', mode: 'off'},
		{name: 'gone', active: false, requires: 'true'},
		{name: 'elsewhere', active: true, requires: 'true', scope: ['other/*']}] AS p CREATE (x:SYS_Policy) SET x = p`, nil)
	all, err := store.Rules(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rules := all.Guardrails("ACME/shop")
	var got []string
	for _, r := range rules {
		got = append(got, fmt.Sprintf("%s %s broken %v breaker %v", r.Name, r.Action, r.Broken != nil, r.Breaker))
	}
	slices.Sort(got)
	if want := []string{"breaker shadow broken true breaker true", "loud block broken true breaker false", "placed block broken true breaker false",
		"plain warn broken false breaker false", "twice block broken true breaker false", "twice shadow broken true breaker false",
		"vague warn broken true breaker false"}; !slices.Equal(got, want) {
		t.Errorf("rules are %q, not %q", got, want)
	}
	if plain := rules[3]; plain.AppliesWhen != "action.stakes >= high" || plain.Requires != "action.confidence > 0.5" || !slices.Equal(plain.Scope, []string{"acme/*"}) {
		t.Errorf("%+v", plain)
	}
	if n := len(all.Guardrails("")); n != len(rules)+1 {
		t.Errorf("without a project there are %d rules", n)
	}
	if breakers, err := all.Breakers(t.Context()); err != nil || breakers.Total != 1 || breakers.Breakers[0].Action() != "shadow" {
		t.Errorf("%+v, %v", breakers, err)
	}
}

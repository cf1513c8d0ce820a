package check_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies/check"
	"nomograph/policies/circuit"
	"nomograph/tools/toolstest"
)

func TestGuardrails_List_ShowsRulesInForce(t *testing.T) {
	g, env := toolstest.Open(t)
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
	all := graphtest.Must(env.Checks.Rules(t.Context()))(t)
	rules := all.InForce("ACME/shop")
	var got []string
	for _, r := range rules {
		got = append(got, fmt.Sprintf("%s %s broken %v breaker %v", r.ID, r.Action, r.Broken != "", r.Breaker))
	}
	slices.Sort(got)
	if want := []string{"breaker shadow broken true breaker true", "loud block broken true breaker false",
		"placed block broken true breaker false",
		"plain warn broken false breaker false", "twice block broken true breaker false",
		"twice shadow broken true breaker false",
		"vague warn broken true breaker false"}; !slices.Equal(got, want) {
		t.Errorf("rules are %q, not %q", got, want)
	}
	if plain := rules[3]; plain.AppliesWhen != "action.stakes >= high" || plain.Requires != "action.confidence > 0.5" ||
		!slices.Equal(plain.Scope, []string{"acme/*"}) {
		t.Errorf(`got %+v, want AppliesWhen="action.stakes >= high", Requires="action.confidence > 0.5", Scope=[acme/*]`, plain)
	}
	golden.Equal(t, "rules without a project", len(all.InForce("")), len(rules)+1)
	if breakers, err := circuit.StatesOf(t.Context(), all); err != nil || len(breakers) != 1 ||
		breakers[0].Action() != "shadow" {
		t.Errorf("got %+v, %v, want len(breakers)=1, Action=shadow", breakers, err)
	}
}

func TestGuardrails_Templates_ShowCurrentValues(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Threshold {name: 'bar', value: 0.5}), (:SYS_Threshold {name: 'days', value: 30}),
		(:SYS_Policy {name: 'a', active: true, description: 'Described', requires: 'action.confidence >= threshold("bar")', message: 'A bar of {threshold("bar")}, and {action.confidence}'}),
		(:SYS_Policy {name: 'b', active: true, description: 'Within {threshold("days")} days', requires: 'action.confidence >= 0.1', message: 'Review within {threshold("days")} days',
		  alternatives: ['Ask for more than {threshold("days")} days, {agent}']}),
		(:SYS_Policy {name: 'c', active: true, requires: "action.name != 'x' || threshold('bar') > 0.1", message: '{threshold("none")} of {found.open} with {action.name} {as is}'}),
		(:SYS_Policy {name: 'd', active: true, description: '{threshold("days")} and {project}', requires: 'true'}),
		(:SYS_Threshold {name: 'rate', value: 7}), (:SYS_Threshold {name: 'rate_acme/shop', value: 9, domain_scope: 'acme/shop'}),
		(:SYS_Policy {name: 'e', active: true, requires: 'action.confidence * 100.0 >= double(threshold("rate", project))', message: '{threshold("rate", project)} for {project}, {threshold("rate", "acme/shop")} there'})`)
	all := graphtest.Must(env.Checks.Rules(t.Context()))(t)
	var got []string
	for _, r := range all.InForce("") {
		got = append(got, r.Description+" | "+r.Message+" | "+r.Requires)
	}
	if want := []string{"Described |  | action.confidence >= 0.5",
		"Within 30 days | Review within 30 days | action.confidence >= 0.1",
		` | threshold("none") of found.open with action.name {as is} | action.name != "x" || 0.5 > 0.1`,
		"30 and project |  | true",
		" | 7 for project, 9 there | action.confidence * 100.0 >= double(7)"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Confidence: confidence(0.01),
		AgentID: "ada"})
	if err != nil || len(v.Violations) != 3 {
		t.Fatalf("got %+v %v, want len(Violations)=3", v, err)
	}
	if shop := all.InForce("acme/shop"); shop[4].Message != "9 for project, 9 there" ||
		shop[4].Requires != "action.confidence * 100.0 >= double(9)" {
		t.Errorf("got message %q and condition %q, want the project's threshold 9 in both", shop[4].Message,
			shop[4].Requires)
	}
	if o := v.Violations[1]; o.Message != "Review within 30 days" ||
		!slices.Equal(o.Alternatives, []string{"Ask for more than 30 days, ada"}) {
		t.Errorf("got message %q and alternatives %q, want the values of thresholds that only the texts name",
			o.Message, o.Alternatives)
	}
}

// TestRules_RuleThatFlips_IsAlwaysRead: a rule that changes from one form to the other while rules are read is in
// force all the time. It changes once per read: two changes within the milliseconds of one statement can hide it.
func TestRules_RuleThatFlips_IsAlwaysRead(t *testing.T) {
	reads := 10_000
	if testing.Short() {
		reads = 200 // the others run in make test-all
	}
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'flips', active: true, requires: 'false'})", nil)
	flipped := make(chan error)
	missed := 0
	for range reads {
		go func() {
			_, err := neo4j.ExecuteQuery(t.Context(), g.Driver, `MATCH (p:SYS_Policy {name: 'flips'})
				SET p.requires = CASE WHEN p.requires IS NULL THEN 'false' END, p.forbids_pattern = CASE WHEN p.forbids_pattern IS NULL THEN 'RETURN 1 AS one' END`, nil, neo4j.EagerResultTransformer)
			flipped <- err
		}()
		rules, err := env.Checks.Rules(t.Context())
		graphtest.OK(t, errors.Join(err, <-flipped))
		if len(rules.InForce("")) != 1 {
			missed++
		}
	}
	if missed > 0 {
		t.Errorf("got %d of %d reads without the rule, want 0", missed, reads)
	}
}

// TestRules_FirstRead_TakesOneStatement counts the statements of a process that does not know yet which thresholds the
// rules read, such as a command.
func TestRules_FirstRead_TakesOneStatement(t *testing.T) {
	g := graphtest.New(t)
	toolstest.Rules(t, g, `(:SYS_Threshold {name: 'bar', value: 0.5}), (:SYS_Threshold {name: 'rate', value: 7}),
		(:SYS_Threshold {name: 'rate_acme/shop', value: 9, domain_scope: 'acme/shop'}), (:SYS_Threshold {name: 'unread', value: 1}),
		(:SYS_Policy {name: 'a', active: true, requires: 'action.confidence >= threshold("bar") && threshold("rate", project) == 9'})`)
	action := check.ActionCheck{Description: "Deploy", Confidence: new(0.6), Project: "acme/shop"}
	if _, err := toolstest.App(t, toolstest.Reopen(t, g)).Checks.Check(t.Context(),
		action); err != nil { // the rules are recorded
		t.Fatal(err)
	}
	for _, test := range []struct {
		name       string
		thresholds int
		statements int
	}{{"few thresholds", 0, 1}, {"more thresholds than are read at once", 200, 2}} {
		t.Run(test.name, func(t *testing.T) {
			g.Exec(t, `UNWIND range(1, $n) AS i CREATE (:SYS_Threshold {name: 'other_' + i, value: i})`,
				map[string]any{"n": test.thresholds})
			db, sent := toolstest.Observe(t, g)
			env := toolstest.App(t, db)
			verdict, err := env.Checks.Check(t.Context(), action)
			if err != nil || !verdict.Allowed {
				t.Fatalf("the check gave %+v, %v, want allowed", verdict, err)
			}
			read := slices.DeleteFunc(sent.Take(), func(statement string) bool {
				return statement != "policies/check/rules_in_force"
			})
			golden.Equal(t, "statements that read rules", len(read), test.statements)
		})
	}
}

package check_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/golden"
	"nomograph/policies/autonomy"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/lab"
	"nomograph/policies/pack"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// recorded creates n reviewed decisions of the agent bo. with is Cypher that changes decision d, review r and verdict v
// number i.
func recorded(t *testing.T, g *graphtest.Graph, n int, with string) {
	t.Helper()
	g.Exec(t, `MERGE (a:Agent {key: 'bo'}) ON CREATE SET a.name = 'Bo', a.uid = 'bo' WITH a
		UNWIND range(1, $n) AS i
		CREATE (d:Decision {uid: 'd' + randomUUID(), id: left(randomUUID(), 8), agent: 'Bo', stakes: 'medium', category: 'process', outcome: 'success', decision: 'x', project: 'o/r', visibility: 'shared',
			created_at: datetime('2026-01-01') + duration({minutes: i}), reviewed_at: datetime('2026-01-02') + duration({minutes: i})})
		CREATE (d)-[:HAS_REVIEW]->(r:Review {number: 1, in_force: true, outcome: 'success', by: ['Mia', 'Ada'][i % 2], by_proven: true, source: 'person', at: d.reviewed_at})
		CREATE (v:Verdict {uid: 'v' + randomUUID(), at: d.created_at, allowed: true, agent: 'Bo', model: 'm1', session: 's' + i})-[:JUDGED]->(d)
		`+with, map[string]any{"n": n})
}

// standing returns the autonomy that a check with medium stakes reports for the agent bo.
func standing(t *testing.T, env *tools.App, c check.ActionCheck) (autonomy.Standing, check.Verdict) {
	t.Helper()
	c.Description, c.AgentID = "Move it", "Bo"
	if c.Model == "" {
		c.Model = "m1"
	}
	v := graphtest.Must(env.Checks.Check(t.Context(), c))(t)
	if v.Autonomy == nil || !v.Allowed {
		t.Fatalf("got %+v, want an allowed verdict that says the level", v)
	}
	return *v.Autonomy, v
}

func withAutonomy(t *testing.T, env *tools.App) {
	t.Helper()
	toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{{Name: "autonomy"}}})
}

// TestAutonomy_Check_SaysLevelAndMissing: every verdict in shadow mode contains the level, also when it is read later.
func TestAutonomy_Check_SaysLevelAndMissing(t *testing.T) {
	g, env := toolstest.Open(t)
	if _, err := env.Checks.Autonomy(t.Context(), check.AutonomyQuery{Agent: "bo"}); !apperr.Is(err, apperr.NotFound) ||
		apperr.From(err).Hint == "" {
		t.Errorf("without the pack: %v", err)
	}
	withAutonomy(t, env)
	got, v := standing(t, env, check.ActionCheck{})
	if got.Level != autonomy.Supervised || got.Sufficient || !strings.HasPrefix(got.Missing, "trusted: 29 more") ||
		len(v.Shadow) != 1 || v.Shadow[0].Severity != "approve" ||
		!strings.Contains(v.Shadow[0].Message, "supervised at medium stakes") {
		t.Errorf(`nothing known: got %+v, %+v, want Level=%v, Sufficient=false, Missing that starts with "trusted: 29 more", len(Shadow)=1, Severity=approve, Message with "supervised at medium stakes"`, got, v.Shadow, autonomy.Supervised)
	}
	if len(v.Shadow) == 1 && len(v.Shadow[0].Thresholds) != 4 {
		t.Errorf("got thresholds %v, want the four bars", v.Shadow[0].Thresholds)
	}
	recorded(t, g, 40, "")
	got, v = standing(t, env, check.ActionCheck{})
	if got.Level != autonomy.Trusted || !got.Sufficient || got.Successes != 40 || got.Reviewers != 2 ||
		len(v.Shadow) != 0 {
		t.Errorf("40 successes: got %+v, %+v, want Level=%v, Sufficient=true, Successes=40, Reviewers=2, len(Shadow)=0",
			got, v.Shadow, autonomy.Trusted)
	}
	explained, err := env.Checks.Explain(t.Context(), check.VerdictQuery{ID: v.VerdictID})
	if err != nil || explained.Autonomy == nil || explained.Autonomy.Why != got.Why {
		t.Errorf("the stored verdict says %+v, %v", explained.Autonomy, err)
	}
	if high, v := standing(t, env, check.ActionCheck{Stakes: "high"}); high.Successes != 0 || len(v.Shadow) != 1 {
		t.Errorf("reviews at medium stakes count at high ones: %+v", high)
	}
	if unstated, _ := standing(t, env, check.ActionCheck{Model: " "}); unstated.Level != autonomy.Supervised ||
		!strings.Contains(unstated.Why, "the act states no model") {
		t.Errorf(`an act without a model: got %+v, want Level=%v, Why with "the act states no model"`, unstated,
			autonomy.Supervised)
	}
	if changed, _ := standing(t, env, check.ActionCheck{Model: "m2"}); changed.Level != autonomy.Supervised ||
		!strings.Contains(changed.Why, "model has changed") {
		t.Errorf(`a changed model: got %+v, want Level=%v, Why with "model has changed"`, changed, autonomy.Supervised)
	}
	shown, err := env.Checks.Autonomy(t.Context(), check.AutonomyQuery{Agent: " BO ", Model: "m1"})
	if err != nil || len(shown.Levels) != 4 || shown.Levels[1].Level != autonomy.Trusted || shown.Mode != "shadow" ||
		!strings.Contains(shown.Summary, "| medium | trusted |") {
		t.Errorf(`got %+v, %v, want len(Levels)=4, Level=%v, Mode=shadow, Summary with "| medium | trusted |"`, shown,
			err, autonomy.Trusted)
	}
	if latest, err := env.Checks.Autonomy(t.Context(), check.AutonomyQuery{Agent: "bo"}); err != nil ||
		latest.Levels[1].Level != autonomy.Trusted || latest.Model != "m1" ||
		!strings.Contains(latest.Summary, "for acts by the model m1") ||
		strings.Contains(latest.Summary, "model has changed") {
		t.Errorf("without a model: got %+v, %v, want the level for the model of the latest review", latest, err)
	}
	g.Exec(t, `CREATE (d:Decision {uid: 'newer', id: 'abcd1234', agent: 'Bo', stakes: 'low', outcome: 'success', decision: 'x', project: 'o/r', visibility: 'shared', created_at: datetime('2026-01-05'), reviewed_at: datetime('2026-01-06')})
		CREATE (d)-[:HAS_REVIEW]->(:Review {uid: 'newer', number: 1, in_force: true, outcome: 'success', by: 'Mia', by_proven: true, source: 'person', at: d.reviewed_at})
		CREATE (:Verdict {uid: 'newer', at: d.created_at, allowed: true, agent: 'Bo', model: 'm2'})-[:JUDGED]->(d)`, nil)
	if newer, err := env.Checks.Autonomy(t.Context(), check.AutonomyQuery{Agent: "bo"}); err != nil ||
		newer.Model != "m2" || newer.Levels[1].Level != autonomy.Supervised {
		t.Errorf("after a review of another model at low stakes: got %+v, %v, want the levels of that model at all stakes", newer, err)
	}
	g.Exec(t, "MATCH (n {uid: 'newer'}) DETACH DELETE n", nil)
	if critical := shown.Levels[3]; !strings.Contains(critical.Missing, "a person approves every act") ||
		critical.Why != "No review at critical stakes counts" {
		t.Errorf(`critical stakes: got %+v, want Missing with "a person approves every act", Why="No review at critical stakes counts"`, critical)
	}
	one := "autonomy-is-earned"
	for name, try := range map[string]func() error{
		"policy mode": func() error {
			_, err := env.Change.SetPolicyMode(t.Context(),
				change.PolicyModeChange{Name: one, Mode: "enforce", Reason: "r", By: "mia"})
			return err
		},
		"apply with a mode": func() error {
			_, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: []pack.Source{{Name: "autonomy"}},
				Mode: "enforce", By: "mia"})
			return err
		},
		"replay": func() error {
			_, err := env.Lab.Replay(t.Context(), lab.Request{Change: lab.Change{Mode: graph.Parameters{one: "enforce"}}})
			return err
		},
	} {
		if err := try(); !apperr.Is(err, apperr.Conflict) ||
			!strings.Contains(err.Error(), "shadow mode only in this version") || apperr.From(err).Hint == "" {
			t.Errorf("%s enforced the rule: %v", name, err)
		}
	}
	if _, err := pack.ParseAll(t.Context(), toolstest.Packs("pack: p\nversion: 1.0.0\npolicies:\n  - {name: own, active: true, earned_autonomy: true, uses_thresholds: [autonomy_trusted_bar, autonomy_autonomous_bar, autonomy_trusted_floor, autonomy_autonomous_floor]}\n")); !apperr.Is(err, apperr.Validation) || !strings.Contains(err.Error(), "must be shadow or off") {
		t.Errorf("a pack that enforces it: %v", err)
	}
	g.Exec(t, "MATCH (p:SYS_Policy {name: $name}) SET p.mode = 'enforce'", map[string]any{"name": one}) // a manual edit
	if v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", AgentID: "bo"}); err != nil ||
		v.Allowed || !strings.Contains(v.Violations[0].Error, "must be shadow or off") {
		t.Errorf("enforced by hand: got %+v, %v, want a denial that says why", v, err)
	}
	g.Exec(t, "MATCH (p:SYS_Policy {name: $name}) SET p.mode = 'shadow'", map[string]any{"name": one})
	for _, proven := range []bool{false, true} {
		g.Exec(t, "UNWIND range(1, 12) AS i CREATE (:Approval {uid: randomUUID(), agent_key: 'bo', params_hash: 'h', state: 'denied', answered_by: 'Mia', by_proven: $proven, answered_at: datetime(), asked_at: datetime()})", map[string]any{"proven": proven})
		if denied, _ := standing(t, env, check.ActionCheck{}); (denied.Level == autonomy.Supervised) != proven ||
			(denied.Demotions == 1) != proven {
			t.Errorf("after 12 denied requests, authenticated %v: got %+v, want a demotion by authenticated people only", proven, denied)
		}
	}
	g.Exec(t, "MATCH (h:SYS_Threshold {name: 'autonomy_trusted_floor'}) SET h.value = 0.95", nil)
	if v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", AgentID: "bo"}); err != nil ||
		len(v.Shadow) != 1 || v.Shadow[0].Result != "error" {
		t.Errorf("a floor above its bar: got %+v, %v, want an error of the rule", v.Shadow, err)
	}
}

// TestAutonomy_Attacks_RaiseNoLevel tries manipulated records: each has 100 successes that must not count.
func TestAutonomy_Attacks_RaiseNoLevel(t *testing.T) {
	g, env := toolstest.Open(t)
	withAutonomy(t, env)
	for _, row := range golden.Rows(t, "testdata/autonomy_attacks.txt") {
		name, with := row[0], row[1]
		recorded(t, g, 100, with)
		if got, v := standing(t, env, check.ActionCheck{}); got.Level != autonomy.Supervised || got.Successes > 1 &&
			name != "forced failures" || len(v.Shadow) != 1 {
			t.Errorf("%s: got %+v", name, got)
		}
		if name == "one reviewer" { // callers of one project must not learn who reviews in others
			_, v := standing(t, env, check.ActionCheck{})
			text, err := json.Marshal(v)
			limited := caller.With(t.Context(), caller.Caller{Name: "cy", Authenticated: true,
				Permissions: []caller.Permission{caller.Read}, Projects: []string{"o/r"}})
			less, lessErr := env.Checks.Autonomy(limited, check.AutonomyQuery{Agent: "bo"})
			all, allErr := env.Checks.Autonomy(t.Context(), check.AutonomyQuery{Agent: "bo"})
			if err := errors.Join(err, lessErr, allErr); err != nil ||
				strings.Contains(strings.ToLower(string(text)+less.Summary), "mia") ||
				less.Levels[1].TopReviewer != "" || all.Levels[1].TopReviewer != "mia" {
				t.Errorf("the top reviewer is %q to all, %q to some, in %s, %v", all.Levels[1].TopReviewer,
					less.Levels[1].TopReviewer, text, err)
			}
		}
		g.Exec(t, "MATCH (n:Decision|Review|Verdict|TraceEvent|Approval|Agent) DETACH DELETE n", nil)
	}
}

// TestAutonomy_Check_TakesOneStatementMore counts the statements of a check with and without the pack.
func TestAutonomy_Check_TakesOneStatementMore(t *testing.T) {
	g := graphtest.New(t)
	db, sent := toolstest.Observe(t, g)
	env := toolstest.App(t, db)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'r', active: true, requires: 'action.stakes <= high'})`)
	cost := func() int {
		for range 2 { // the first one records the rules
			sent.Take()
			graphtest.Must(env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", AgentID: "bo",
				Context: graph.Parameters{}}))(t)
		}
		return len(sent.Take())
	}
	without := cost()
	withAutonomy(t, env)
	if with := cost(); with > without+1 || without == 0 {
		t.Errorf("a check sends %d statements with the pack and %d without, want at most one more", with, without)
	}
}

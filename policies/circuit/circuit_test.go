package circuit_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/policies/circuit"
	"nomograph/policies/pack"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// breaker replaces all rules by one circuit breaker for the scope. It opens after 3 failures within 24 hours, for one
// hour.
func breaker(t testing.TB, g *graphtest.Graph, scope string) {
	t.Helper()
	g.Exec(t, "MATCH (n) WHERE n:SYS_Policy OR n:SYS_Threshold OR n:Decision OR n:CircuitReset OR n:Tag OR n:Agent DETACH DELETE n", nil)
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'f', value: 3}), (:SYS_Threshold {name: 'w', value: 24}), (:SYS_Threshold {name: 'c', value: 1}),
		(:SYS_Policy {name: 'stop', active: true, circuit_scope: $scope, circuit_failures: 'f', circuit_window_hours: 'w', circuit_cooldown_hours: 'c',
		  forbids_pattern: $pattern, message: '{found.state}: {found.why}, until {found.until}; {found.probe_id}'})`,
		map[string]any{"scope": scope, "pattern": cypher.CircuitState.Text()})
}

// decided writes a decision of ada with high stakes, category security and the tag Risky. made and reviewed are hours
// before now; a decision without an outcome is not reviewed.
func decided(t testing.TB, g *graphtest.Graph, id string, made float64, outcome string, reviewed float64) {
	t.Helper()
	g.Exec(t, `MERGE (a:Agent {key: 'ada'}) SET a.name = 'Ada'
		MERGE (tag:Tag {key: 'risky'}) SET tag.name = 'Risky'
		CREATE (a)-[:MADE]->(d:Decision {uid: 'uid-' + $id, id: $id, stakes: 'high', category: 'security', agent: 'Ada',
		  created_at: datetime() - duration({seconds: toInteger($made * 3600)})})-[:TAGGED]->(tag)`, map[string]any{"id": id, "made": made})
	if outcome != "" {
		reviewedAs(t, g, id, outcome, reviewed)
	}
}

// reviewedAs adds the review in force to a decision.
func reviewedAs(t testing.TB, g *graphtest.Graph, id, outcome string, ago float64) {
	t.Helper()
	g.Exec(t, "MATCH (d:Decision {id: $id}) SET d.outcome = $outcome, d.status = 'reviewed', d.reviewed_at = datetime() - duration({seconds: toInteger($ago * 3600)})",
		map[string]any{"id": id, "outcome": outcome, "ago": ago})
}

// later moves all events into the past by the given hours.
func later(t testing.TB, g *graphtest.Graph, hours float64) {
	t.Helper()
	g.Exec(t, `MATCH (n) WHERE n:Decision OR n:CircuitReset WITH n, duration({seconds: toInteger($hours * 3600)}) AS passed
		SET n.created_at = n.created_at - passed, n.reviewed_at = n.reviewed_at - passed, n.at = n.at - passed`, map[string]any{"hours": hours})
}

var (
	checking = check.ActionCheck{Description: "Move it", Stakes: "high", Category: "Security", Tags: []string{"RISKY"},
		AgentID: "ADA"}
	recording = check.ActionCheck{Description: "Move it", Stakes: "high", Category: "security", Tags: []string{"risky"},
		AgentID:   "ada",
		Recording: func() (*check.Recording, error) { return &check.Recording{}, nil }}
)

// wantCircuit checks the state, and the result of a check and a recording.
func wantCircuit(t *testing.T, env *tools.App, state string, failures int64, passes bool) circuit.State {
	t.Helper()
	got, err := env.Circuit.State(t.Context(), circuit.Query{Scope: "stop"})
	if err != nil || got.State != state || got.FailureCount != failures || got.Error != "" {
		t.Errorf("got %+v %v, want %s after %d failures", got, err, state, failures)
	}
	for _, action := range []check.ActionCheck{checking, recording} {
		v, err := env.Checks.Check(t.Context(), action)
		if err != nil || v.Allowed != passes || v.Evaluated != 1 {
			t.Errorf("a verdict of %+v %v, want %v", v, err, passes)
		}
		if !passes && len(v.Violations) == 1 {
			o := v.Violations[0]
			if o.Result != "violated" || o.Found[0]["state"] != state ||
				!strings.HasPrefix(o.Message, state+": its ") || strings.Contains(o.Message, "{") ||
				o.Thresholds["f"].Value != int64(3) || len(o.Thresholds) != 3 {
				t.Errorf("it objects with %+v", o)
			}
		}
	}
	return got
}

func TestBreaker_FailuresAndProbe_OpensAndCloses(t *testing.T) {
	g, env := toolstest.Open(t)
	breaker(t, g, "stakes:high")
	wantCircuit(t, env, "closed", 0, true)
	decided(t, g, "a", 30, "failure", 29) // outside of the window of the following failures
	decided(t, g, "b", 30, "abandoned", 5)
	decided(t, g, "c", 30, "failure", 4)
	decided(t, g, "p", 30, "partial", 4)
	wantCircuit(t, env, "closed", 2, true)
	decided(t, g, "s", 30, "success", 3)
	decided(t, g, "d", 30, "failure", 2.5)
	decided(t, g, "e", 30, "failure", 2)
	wantCircuit(t, env, "closed", 2, true) // a success reset the earlier failures

	decided(t, g, "f", 30, "failure", 0.5)
	open := wantCircuit(t, env, "open", 3, false)
	if open.FailureThreshold != 3 || open.WindowMS != 24*3600_000 || open.CooldownMS != 3600_000 ||
		open.CooldownRemainingMS < 29*60_000 ||
		open.CooldownRemainingMS > 30*60_000 || open.HalfOpenAt.Sub(*open.OpenedAt).Hours() != 1 || open.ProbeInFlight {
		t.Errorf("open: %+v", open)
	}
	decided(t, g, "old", 30, "success", 0.4) // made before the cooldown ended, so it does not count as the probe
	decided(t, g, "forced", 0.3, "", 0)      // made while the circuit was open
	wantCircuit(t, env, "open", 3, false)

	later(t, g, 0.6)
	half := wantCircuit(t, env, "half_open", 3, true)
	if half.ProbeInFlight || half.CooldownRemainingMS != 0 {
		t.Errorf("half-open: %+v", half)
	}
	wantCircuit(t, env, "half_open", 3, true) // checks do not use up the probe
	reviewedAs(t, g, "forced", "success", 0)
	wantCircuit(t, env, "half_open", 3, true) // the decision was made while the circuit was open

	decided(t, g, "probe1", 0.01, "", 0)
	probing := wantCircuit(t, env, "half_open", 3, false)
	if !probing.ProbeInFlight || probing.ProbeID != "probe1" || probing.ProbeExpiresAt == nil {
		t.Errorf("with a probe: %+v", probing)
	}
	reviewedAs(t, g, "probe1", "failure", 0)
	again := wantCircuit(t, env, "open", 4, false)
	if again.OpenedAt == nil || !again.OpenedAt.After(*open.OpenedAt) {
		t.Errorf("it opened again at %v, after %v", again.OpenedAt, open.OpenedAt)
	}

	later(t, g, 1.1)
	decided(t, g, "probe2", 0.05, "", 0)
	wantCircuit(t, env, "half_open", 4, false)
	later(t, g, 1)
	wantCircuit(t, env, "half_open", 4, true) // the probe expired
	decided(t, g, "probe3", 0.01, "", 0)
	golden.Equal(t, "the probe", wantCircuit(t, env, "half_open", 4, false).ProbeID, "probe3")
	reviewedAs(t, g, "probe3", "partial", 0) // a partial outcome decides nothing and allows another probe
	wantCircuit(t, env, "half_open", 4, true)
	reviewedAs(t, g, "probe2", "success", 0)
	wantCircuit(t, env, "closed", 0, true)
}

// TestBreaker_ReviewInFuture_OpensNothing: an import may contain future times, whose effect no reset could undo.
func TestBreaker_ReviewInFuture_OpensNothing(t *testing.T) {
	g, env := toolstest.Open(t)
	for _, scope := range []string{"global", "stakes:high", "category:security", "agent:ada", "tag:risky"} {
		t.Run(scope, func(t *testing.T) {
			breaker(t, g, scope)
			for _, id := range []string{"a", "b", "c"} {
				decided(t, g, "future-"+id, 30, "failure", -48)
			}
			wantCircuit(t, env, "closed", 0, true)
			for _, id := range []string{"d", "e", "f"} {
				decided(t, g, id, 30, "failure", 2)
			}
			decided(t, g, "not-made-yet", -48, "", 0) // made in the future, so it does not count as the probe
			wantCircuit(t, env, "half_open", 3, true)
		})
	}
}

func TestBreaker_TwoReviews_CountsTheSecond(t *testing.T) {
	g, env := toolstest.Open(t)
	breaker(t, g, "stakes:high")
	for _, id := range []string{"a", "b", "c"} {
		decided(t, g, id, 30, "failure", 1.5)
	}
	wantCircuit(t, env, "half_open", 3, true)
	reviewedAs(t, g, "c", "success", 1.4)
	wantCircuit(t, env, "closed", 0, true)
	reviewedAs(t, g, "c", "failure", 0.1)
	wantCircuit(t, env, "open", 3, false)
}

func TestBreaker_TwoScopes_HaveTwoCircuits(t *testing.T) {
	g, env := toolstest.Open(t)
	other := check.ActionCheck{Description: "x", Stakes: "medium", Category: "process", Tags: []string{"calm"},
		AgentID: "bob"}
	for _, scope := range []string{"global", "stakes:high", "category:security", "agent:ADA", "tag:Risky"} {
		t.Run(scope, func(t *testing.T) {
			breaker(t, g, scope)
			g.Exec(t, `MERGE (b:Agent {key: 'bob'}) SET b.name = 'bob' MERGE (calm:Tag {key: 'calm'})
				WITH b, calm UNWIND range(1, 5) AS i
				CREATE (b)-[:MADE]->(:Decision {uid: 'other-' + i, id: 'other-' + i, stakes: 'medium', category: 'process', agent: 'bob',
				  created_at: datetime() - duration('PT20H'), reviewed_at: datetime() - duration('PT1M'), outcome: 'failure'})-[:TAGGED]->(calm)`, nil)
			if scope == "global" {
				wantCircuit(t, env, "open", 3, false)
				g.Exec(t, "MATCH (d:Decision) DETACH DELETE d", nil)
			}
			wantCircuit(t, env, "closed", 0, true)
			for _, id := range []string{"a", "b", "c"} {
				decided(t, g, id, 30, "failure", 0.5)
			}
			wantCircuit(t, env, "open", 3, false)
			v, err := env.Checks.Check(t.Context(), other)
			if err != nil || v.Allowed != (scope != "global") || scope != "global" && v.Evaluated != 0 {
				t.Errorf("got %+v, %v, want the breaker to ignore an action outside its scope", v, err)
			}
			later(t, g, 1)
			decided(t, g, "probe", 0.1, "", 0)
			golden.Equal(t, "the probe", wantCircuit(t, env, "half_open", 3, false).ProbeID, "probe")
			reviewedAs(t, g, "probe", "success", 0)
			wantCircuit(t, env, "closed", 0, true)
		})
	}
}

// TestBreaker_ConcurrentChecks_AgreeOnState: concurrent checks see the same circuit, each no older than its call.
func TestBreaker_ConcurrentChecks_AgreeOnState(t *testing.T) {
	g, env := toolstest.Open(t)
	breaker(t, g, "stakes:high")
	for _, allowed := range []bool{true, false} {
		var wait sync.WaitGroup
		for range 24 {
			wait.Go(func() {
				if v, err := env.Checks.Check(t.Context(), checking); err != nil || v.Allowed != allowed ||
					v.Evaluated != 1 {
					t.Errorf("allowed %v: %+v %v", allowed, v, err)
				}
			})
		}
		wait.Wait()
		if !allowed {
			return
		}
		for _, id := range []string{"a", "b", "c"} {
			decided(t, g, id, 0.1, "failure", 0)
		}
	}
}

func TestBreaker_OutOfScope_IsSkipped(t *testing.T) {
	g, env := toolstest.Open(t)
	breaker(t, g, "stakes:high")
	g.Exec(t, "MATCH (p:SYS_Policy) SET p.forbids_pattern = 'RETURN 1 / 0 AS x'", nil)
	v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Stakes: "medium"})
	if err != nil || !v.Allowed || v.Evaluated != 0 {
		t.Errorf("medium stakes: %+v %v", v, err)
	}
	if v, err = env.Checks.Check(t.Context(), checking); err != nil || v.Allowed || v.Violations[0].Result != "error" {
		t.Errorf("high stakes: %+v %v", v, err)
	}
}

func TestBreaker_BrokenDefinition_Blocks(t *testing.T) {
	g, env := toolstest.Open(t)
	for _, row := range golden.Rows(t, "testdata/broken.txt") {
		name, change, want := row[0], row[1], row[2]
		t.Run(name, func(t *testing.T) {
			breaker(t, g, "stakes:high")
			g.Exec(t, change, nil)
			g.Exec(t, `MERGE (:SYS_Threshold {name: 'n', value: 5})
				CREATE (:SYS_Policy {name: 'sound', active: true, circuit_scope: 'global', circuit_failures: 'n', circuit_window_hours: 'n', circuit_cooldown_hours: 'n', forbids_pattern: $pattern})`,
				map[string]any{"pattern": cypher.CircuitState.Text()})
			list := graphtest.Must(env.Circuit.Breakers(t.Context(), circuit.BreakersQuery{}))(t)
			states := map[string]circuit.State{}
			for _, b := range list.Breakers {
				states[b.Policy] = b
			}
			if got := states["stop"]; got.State != "error" || !strings.Contains(got.Error, want) {
				t.Errorf("got %+v, want %q", got, want)
			}
			if states["sound"].State != "closed" {
				t.Errorf("the other breaker: %+v", states["sound"])
			}
			v, err := env.Checks.Check(t.Context(), checking)
			if strings.HasPrefix(name, "the pattern knows no") { // only checks can evaluate this breaker; its state cannot be read
				return
			}
			if err != nil || v.Allowed || v.Violations[0].Result != "error" ||
				!strings.Contains(v.Violations[0].Error, want) {
				t.Errorf("got %+v %v, want Allowed=false, Result=error, Error with %v", v, err, want)
			}
		})
	}
}

func TestCypherRule_Parameters_HoldPolicyAndThresholds(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Threshold {name: 'loose', value: 1}), (:SYS_Threshold {name: 'bar', value: 0.5})<-[:USES_THRESHOLD]-(:SYS_Policy {name: 'r', active: true, limits: [1, 2], kind: 'x',
		which: 'bar', forbids_pattern: 'WITH $rule AS r, $threshold.bar AS bar WHERE $threshold[$rule.which] > 0.4 AND r.kind = "x" RETURN r.limits[1] AS second, bar', message: 'second {found.second}, bar {found.bar}, {found.none}'})`)
	ask := func(want string) {
		t.Helper()
		v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x"})
		switch {
		case err != nil:
			t.Error(err)
		case want == "" && !v.Allowed, want != "" &&
			(v.Allowed || !strings.Contains(v.Violations[0].Message+v.Violations[0].Error, want)):
			t.Errorf("got %+v, want %q", v, want)
		case want == "second 2, bar 0.5, {found.none}" &&
			(v.Violations[0].Thresholds["bar"].Value != 0.5 || v.Violations[0].Thresholds["bar"].Version == ""):
			t.Errorf("thresholds: %v", v.Violations[0].Thresholds)
		}
	}
	ask("second 2, bar 0.5, {found.none}")
	g.Exec(t, "MATCH (t {name: 'bar'}) SET t.value = 0.3", nil)
	ask("")
	g.Exec(t, "MATCH (t {name: 'bar'}) SET t.value = 'high'", nil)
	ask("holds a string")
	g.Exec(t, "CREATE (:SYS_Threshold {name: 'bar', value: 1})", nil)
	ask("2 SYS_Threshold nodes are called 'bar'")
	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'bar'}) DETACH DELETE t", nil)
	ask("reads the threshold 'bar', to which the policy is not linked")
}

const teamBreaker = `pack: team
version: 1.0.0
thresholds:
  - {name: f, value: 3}
  - {name: w, value: 24}
  - {name: c, value: 1}
policies:
  - name: stop
    active: true
    circuit_scope: %s
    circuit_failures: f
    circuit_window_hours: w
    circuit_cooldown_hours: c%s
`

func TestPack_CircuitBreaker_IsApplied(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(fmt.Sprintf(teamBreaker, "tag:risky", ""))})
	linked := g.Rows(t, "MATCH (p:SYS_Policy {name: 'stop', forbids_pattern: $pattern})-[:USES_THRESHOLD]->(t) RETURN t.name AS name", map[string]any{"pattern": cypher.CircuitState.Text()})
	if len(linked) != 3 {
		t.Errorf("linked to %v", linked)
	}
	for range 3 {
		decided(t, g, fmt.Sprintf("%d", len(g.Rows(t, "MATCH (d:Decision) RETURN d", nil))), 30, "failure", 0.2)
	}
	if got, err := env.Circuit.State(t.Context(), circuit.Query{Scope: "Tag:Risky"}); err != nil ||
		got.State != "open" || got.Policy != "stop" {
		t.Errorf("got %+v %v, want State=open, Policy=stop", got, err)
	}
	exported := graphtest.Must(env.Pack.Export(t.Context(), pack.Query{Name: "team"}))(t)
	again := toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs(exported.Text)})
	if len(again.Packs[0].Changes) != 0 {
		t.Errorf("applying the export changes %+v", again.Packs[0].Changes)
	}
	for text, want := range map[string]string{
		fmt.Sprintf(teamBreaker, "team:a", ""): ":10:5: 'stop': circuit_scope must be global, or",
		strings.Replace(fmt.Sprintf(teamBreaker, "global", ""), "_failures: f", "_x: f",
			1): "'stop': circuit_failures must be the name of a threshold",
		fmt.Sprintf(teamBreaker, "global", "\n    forbids_pattern: CREATE (n)"): "CREATE",
		strings.Replace(fmt.Sprintf(teamBreaker, "global", ""), "  - {name: w, value: 24}\n", "",
			1): "thresholds 'w', which is neither in the pack nor in the graph",
	} {
		if strings.Contains(want, "neither") {
			g.Exec(t, "MATCH (t:SYS_Threshold {name: 'w'}) DETACH DELETE t", nil)
		}
		_, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: toolstest.Packs(text)})
		golden.Contains(t, "the message", toolstest.ErrorWithCode(t, err, apperr.Validation).Message, want)
	}
}

func TestCorePack_Breakers_GuardHighAndCriticalStakes(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{{Name: "core"}}})
	list, err := env.Circuit.Breakers(t.Context(), circuit.BreakersQuery{})
	if err != nil || list.Total != 2 || list.Breakers[0].Scope != "stakes:critical" ||
		list.Breakers[1].Scope != "stakes:high" {
		t.Fatalf("got %+v %v, want Total=2, list.Breakers[0].Scope=stakes:critical, list.Breakers[1].Scope=stakes:high",
			list, err)
	}
	if c, h := list.Breakers[0], list.Breakers[1]; c.FailureThreshold != 2 || c.CooldownMS != 2*3600_000 ||
		h.FailureThreshold != 3 || h.CooldownMS != 3600_000 ||
		c.WindowMS != 24*3600_000 || h.WindowMS != 24*3600_000 || c.Mode != "enforce" || c.Severity != "block" {
		t.Errorf("got %+v, want c.FailureThreshold=2, c.CooldownMS=%v, h.FailureThreshold=3, h.CooldownMS=3600_000, c.WindowMS=%v, h.WindowMS=%v, Mode=enforce, Severity=block", list, 2*3600_000, 24*3600_000, 24*3600_000)
	}
	decided(t, g, "a", 30, "failure", 0.3)
	decided(t, g, "b", 30, "failure", 0.2)
	g.Exec(t, "MATCH (d:Decision) SET d.stakes = 'critical'", nil)
	sure := 0.9
	v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Stakes: "critical", Confidence: &sure})
	if err != nil || v.Allowed || len(v.Violations) != 1 || v.Violations[0].GuardrailID != "circuit-critical-stakes" {
		t.Fatalf("got %+v %v, want Allowed=false, len(Violations)=1, GuardrailID=circuit-critical-stakes", v, err)
	}
	if m := v.Violations[0].Message; !strings.Contains(m, "opened after 2 failures, and its cooldown has not ended") ||
		strings.ContainsAny(m, "{}") {
		t.Errorf("message: %s", m)
	}
	if v, err = env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Stakes: "high",
		Confidence: &sure}); err != nil || !v.Allowed || v.Evaluated != 8 {
		t.Errorf("high stakes: %+v %v", v, err)
	}
	t.Run("withheld parts of an action hide no state", func(t *testing.T) {
		env.Checks.Settings.Retention = check.RetainHash
		defer func() { env.Checks.Settings.Retention = check.RetainFull }()
		v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Stakes: "critical",
			Confidence: &sure})
		if err != nil || v.Violations[0].Found[0]["state"] != "open" {
			t.Errorf("got %+v %v, want state=open", v, err)
		}
	})
}

// TestBreaker_Scope_IsReadThroughIndex runs the pattern on the server. Only the branch for the scope reads data, newest
// first, and no more than it replays.
func TestBreaker_Scope_IsReadThroughIndex(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, `UNWIND range(1, 6000) AS i WITH i, datetime() - duration({minutes: i}) AS at
		CREATE (:Decision {uid: 'u' + i, id: 'd' + i, stakes: ['low', 'medium', 'high', 'critical'][i % 4], category: ['process', 'security', 'tooling'][i % 3],
		  agent: 'a' + (i % 5), created_at: at - duration('P1D'), reviewed_at: at, outcome: ['success', 'failure'][i % 2]})`, nil)
	g.Exec(t, "CREATE (:Agent {key: 'a1', name: 'a1'})", nil)
	g.Exec(t, "CALL db.awaitIndexes(60)", nil)
	now := g.Rows(t, "RETURN datetime() AS now", nil)[0]["now"]
	for _, scope := range []string{"global", "stakes:high", "category:security", "agent:A1"} {
		answer := graphtest.Must(g.RunReadOnly(t.Context(),
			graph.ReadQuery{Query: "PROFILE " + cypher.CircuitState.Text(),
				Params: graph.Parameters{"now": now,
					"rule": map[string]any{"circuit_scope": scope, "circuit_failures": "f", "circuit_window_hours": "w",
						"circuit_cooldown_hours": "c"},
					"action":    map[string]any{"phase": "circuit"},
					"threshold": map[string]any{"f": int64(3), "w": int64(24), "c": 0.5}}}))(t)
		read, operators := work(*answer.Plan)
		if read > 1500 || strings.Contains(operators, "LabelScan") {
			t.Errorf("%s takes %d hits: %s", scope, read, operators)
		}
	}
}

// work sums up the database hits of a plan and lists its operators.
func work(p graph.Plan) (hits int64, operators string) {
	operators = p.Operator
	if p.DBHits != nil {
		hits = *p.DBHits
	}
	for _, child := range p.Children {
		more, names := work(child)
		hits, operators = hits+more, operators+" "+names
	}
	return hits, operators
}

// failThrice opens the breaker the given hours ago.
func failThrice(t testing.TB, g *graphtest.Graph, ago float64) {
	t.Helper()
	for _, id := range []string{"a", "b", "c"} {
		decided(t, g, id, 30, "failure", ago)
	}
}

package circuit_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/cypher"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/circuit"
	"nomograph/tools/toolstest"
)

func TestReset_AnyState_Closes(t *testing.T) {
	g, env := toolstest.Open(t)
	reach := map[string]func(){
		"closed":    func() { decided(t, g, "a", 30, "failure", 0.1) },
		"open":      func() { failThrice(t, g, 0.5) },
		"half_open": func() { failThrice(t, g, 1.5) },
		"probing":   func() { failThrice(t, g, 1.5); decided(t, g, "probe", 0.1, "", 0) },
		"error":     func() { g.Exec(t, "MATCH (t {name: 'f'}) SET t.value = 'three'", nil) },
	}
	for from, arrange := range reach {
		for _, probeFirst := range []bool{false, true} {
			breaker(t, g, "stakes:high")
			arrange()
			was := strings.Replace(from, "probing", "half_open", 1)
			reset, err := env.Circuit.Reset(t.Context(),
				circuit.ResetRequest{Scope: "Stakes:High", Reason: "mended it", ProbeFirst: probeFirst, By: "ben"})
			want := map[bool]string{false: "closed", true: "half_open"}[probeFirst]
			if from == "error" {
				want = "error"
			}
			if err != nil || reset.PreviousState != was || reset.NewState != want || reset.Scope != "stakes:high" ||
				reset.ResetID == "" || reset.Message == "" {
				t.Errorf("from %s: %+v %v", from, reset, err)
			}
			if from == "error" {
				continue
			}
			state := wantCircuit(t, env, want, 0, true)
			if r := state.LastReset; r == nil || r.By != "ben" || r.Reason != "mended it" ||
				r.ProbeFirst != probeFirst {
				t.Errorf("last reset: %+v", r)
			}
			rows := g.Rows(t, "MATCH (r:CircuitReset {uid: $uid, scope: 'stakes:high', schema_version: 1})-[:RESETS]->(p:SYS_Policy {name: 'stop'}) RETURN r", map[string]any{"uid": reset.ResetID})
			if len(rows) != 1 {
				t.Errorf("the reset is not in the graph: %v", rows)
			}
		}
	}
}

func TestReset_WithProbe_ReviewDecides(t *testing.T) {
	g, env := toolstest.Open(t)
	for outcome, want := range map[string]string{"success": "closed", "failure": "open"} {
		breaker(t, g, "stakes:high")
		failThrice(t, g, 0.5)
		graphtest.Must(env.Circuit.Reset(t.Context(), circuit.ResetRequest{Scope: "stop", ProbeFirst: true}))(t)
		decided(t, g, "probe", 0, "", 0)
		wantCircuit(t, env, "half_open", 0, false)
		reviewedAs(t, g, "probe", outcome, 0)
		wantCircuit(t, env, want, map[string]int64{"closed": 0, "open": 1}[want], want == "closed")
	}
	t.Run("after a plain reset it opens as before", func(t *testing.T) {
		breaker(t, g, "stakes:high")
		failThrice(t, g, 0.5)
		graphtest.Must(env.Circuit.Reset(t.Context(), circuit.ResetRequest{Scope: "stop"}))(t)
		reviewedAs(t, g, "a", "failure", 0)
		reviewedAs(t, g, "b", "failure", 0)
		wantCircuit(t, env, "closed", 2, true)
		reviewedAs(t, g, "c", "abandoned", 0)
		wantCircuit(t, env, "open", 3, false)
	})
}

func TestBreakers_ScopeOrPolicy_AreFound(t *testing.T) {
	g, env := toolstest.Open(t)
	_, err := env.Circuit.State(t.Context(), circuit.Query{Scope: "stakes:high"})
	golden.Contains(t, "the hint without any", toolstest.ErrorWithCode(t, err, apperr.NotFound).Hint, "`apply_packs`")
	breaker(t, g, "stakes:high")
	g.Exec(t, `MATCH (p:SYS_Policy {name: 'stop'}) CREATE (q:SYS_Policy) SET q = p, q.name = 'watch', q.mode = 'shadow'
		CREATE (r:SYS_Policy) SET r = p, r.name = 'all', r.circuit_scope = 'global', r.mode = 'off'
		CREATE (s:SYS_Policy) SET s = p, s.name = 'asleep', s.active = false`, nil)
	failThrice(t, g, 0.5)
	list, err := env.Circuit.Breakers(t.Context(), circuit.BreakersQuery{})
	if err != nil || list.Total != 3 {
		t.Fatalf("got %+v %v, want Total=3", list, err)
	}
	for i, want := range []string{"global all off open", "stakes:high stop enforce open",
		"stakes:high watch shadow open"} {
		b := list.Breakers[i]
		if got := strings.Join([]string{b.Scope, b.Policy, b.Mode, b.State}, " "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if text := toolstest.Text(list); !strings.Contains(text, "stakes:high  open  after 3 failures, opened ") ||
		!strings.Contains(text, "half-open in ") {
		t.Errorf(`got %s, want text with "stakes:high  open  after 3 failures, opened ", text with "half-open in "`,
			text)
	}
	if v, err := env.Checks.Check(t.Context(), checking); err != nil || len(v.Violations) != 1 || len(v.Shadow) != 1 ||
		v.Evaluated != 2 {
		t.Errorf("got %+v %v, want len(Violations)=1, len(Shadow)=1, Evaluated=2", v, err)
	}
	_, err = env.Circuit.State(t.Context(), circuit.Query{Scope: "stakes:high"})
	golden.Contains(t, "the hint for two of one scope", toolstest.ErrorWithCode(t, err, apperr.Conflict).Hint,
		"stop, watch")
	golden.Equal(t, "mode", graphtest.Must(env.Circuit.State(t.Context(), circuit.Query{Scope: "watch"}))(t).Mode,
		"shadow")
	for _, scope := range []string{"stakes:hihg", "stpo", "tag:nothing-like-it"} {
		for _, call := range []func() error{
			func() error {
				_, err := env.Circuit.State(t.Context(), circuit.Query{Scope: scope})
				return err
			},
			func() error {
				_, err := env.Circuit.Reset(t.Context(), circuit.ResetRequest{Scope: scope})
				return err
			},
		} {
			golden.Contains(t, fmt.Sprint("the hint for ", scope),
				toolstest.ErrorWithCode(t, call(), apperr.NotFound).Hint, "global, stakes:high")
		}
	}
	golden.Equal(t, "the reset found a breaker", len(g.Rows(t, "MATCH (r:CircuitReset) RETURN r", nil)), 0)
	reset, err := env.Circuit.Reset(t.Context(),
		circuit.ResetRequest{Scope: "watch", Reason: "the key is ghp_0123456789abcdefghijABCDEFGHIJ012345"})
	if err != nil || strings.Join(reset.Policies, " ") != "stop watch" || reset.NewState != "closed" {
		t.Errorf(`got %+v %v, want Policies="stop watch", NewState=closed`, reset, err)
	}
	if left := g.Rows(t, "MATCH (r:CircuitReset) RETURN properties(r) AS p", nil); len(left) == 0 ||
		strings.Contains(fmt.Sprint(left), "ghp_") {
		t.Errorf("got %v, want resets without the secret", left)
	}
	g.Exec(t, "MATCH (p:SYS_Policy {name: 'stop'}) SET p.circuit_scope = 'nothing'", nil)
	_, err = env.Circuit.Reset(t.Context(), circuit.ResetRequest{Scope: "stop"})
	toolstest.ErrorWithCode(t, err, apperr.Conflict)
	if cypher.CircuitState.Writes {
		t.Error("the pattern is a read")
	}
}

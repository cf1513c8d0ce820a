package check_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
)

// TestCheck_Limit_CountsUses sends checks in turn. Each row states whether they are allowed, as a text of + and -.
func TestCheck_Limit_CountsUses(t *testing.T) {
	g, env := toolstest.Open(t)
	pattern := map[string]any{"pattern": cypher.LimitState.Text()}
	for _, row := range golden.Rows(t, "testdata/limits.txt") {
		row = append(row, "", "") // the last columns may be absent
		name, limit, want, differ, says := row[0], row[1], row[3], row[4], row[5]
		var all []graph.Parameters
		graphtest.OK(t, json.Unmarshal([]byte(row[2]), &all))
		t.Run(name, func(t *testing.T) {
			g.Exec(t, "MATCH (n) WHERE n:SYS_Policy OR n:SYS_Threshold OR n:Verdict DETACH DELETE n", nil)
			g.Exec(t, "CREATE (:SYS_Threshold {name: 'cap', value: 2}), (:SYS_Threshold {name: 'cap_acme/shop', value: 3, domain_scope: 'acme/shop'}), (:SYS_Threshold {name: 'words', value: 'two'}), "+
				"(:SYS_Policy {name: 'limited', active: true, actions: ['pay'], limit_seconds: 3600, "+limit+
				", forbids_pattern: $pattern})", pattern)
			got, last := "", ""
			for i, params := range all {
				c := check.ActionCheck{Description: fmt.Sprint("pay ", i), Name: "pay", AgentID: "ana",
					Project: "acme/shop", Params: params}
				if strings.Contains(differ, "other agents") {
					c.AgentID = fmt.Sprint("agent", i)
				}
				if strings.Contains(differ, "other projects") {
					c.Project = fmt.Sprint("acme/p", i)
				}
				if differ == "then without a project" && i > 0 {
					c.Project = ""
				}
				if strings.HasPrefix(differ, "the same") {
					c.Description = "same"
				}
				switch differ {
				case "the same in a session":
					c.SessionID = "s1"
				case "the same in other sessions":
					c.SessionID = fmt.Sprint("s", i)
				}
				v := graphtest.Must(env.Checks.Check(t.Context(), c))(t)
				if v.Allowed {
					got += "+"
					continue
				}
				got += "-"
				last = strings.Join(v.Violations[0].WouldPass, " ")
			}
			if got != want || !strings.Contains(last, says) {
				t.Errorf("got %s and %q, want %s and %q", got, last, want, says)
			}
		})
	}
	t.Run("identical checks with an execution", func(t *testing.T) {
		g.Exec(t, "MATCH (n) WHERE n:SYS_Policy OR n:Verdict DETACH DELETE n", nil)
		g.Exec(t, "CREATE (:SYS_Policy {name: 'limited', active: true, actions: ['pay'], limit_of: 'calls', limit_most: 2, limit_seconds: 3600, forbids_pattern: $pattern})", pattern)
		got := ""
		for range 4 { // two checks and an execution each
			v := graphtest.Must(env.Checks.Check(t.Context(),
				check.ActionCheck{Description: "same", Name: "pay", AgentID: "ana",
					SessionID: "s1"}))(t)
			got += map[bool]string{true: "+", false: "-"}[v.Allowed]
			if len(got)%2 == 0 {
				g.Exec(t, "MATCH (v:Verdict {uid: $id}) CREATE (:Execution {uid: $id, call: $id})-[:UNDER]->(v)",
					map[string]any{"id": v.VerdictID})
			}
		}
		if v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "same", Name: "pay", AgentID: "ana",
			SessionID: "s1"}); got != "++++" || err != nil || v.Allowed {
			t.Errorf("got %s and %+v, %v, want ++++ and a denial after two executions", got, v, err)
		}
	})
	t.Run("a pack links the threshold", func(t *testing.T) {
		g.Exec(t, "MATCH (n) WHERE n:SYS_Policy OR n:SYS_Threshold DETACH DELETE n", nil)
		toolstest.Apply(t, env, change.ApplyRequest{Packs: toolstest.Packs("pack: p\nversion: 1.0.0\nthresholds: [{name: cap, value: 1, rationale: r}]\npolicies: [{name: limited, active: true, actions: [pay], limit_of: calls, limit_most: threshold(\"cap\"), limit_scope: everyone, limit_seconds: 60}]\n")})
		if rows := g.Rows(t, "MATCH (:SYS_Policy {name: 'limited'})-[:USES_THRESHOLD]->(t) RETURN t.name AS name",
			nil); len(rows) != 1 || rows[0]["name"] != "cap" {
			t.Errorf("got links to %v, want cap", rows)
		}
		graphtest.Must(env.Change.SetThreshold(t.Context(),
			change.ThresholdChange{Name: "cap", Value: policies.ValueOf(int64(0)), Confirm: true, Reason: "stop",
				By: "test"}))(t)
		v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "x", Name: "pay"})
		if err != nil || v.Allowed || len(v.Violations[0].Thresholds) != 1 {
			t.Errorf("got %+v, %v, want a denial with the threshold", v, err)
		}
	})
}

// TestLimitState_ThePattern_CountsLikeTheCheck: programs that read the rules from the graph run the pattern, and
// checks count by themselves.
func TestLimitState_ThePattern_CountsLikeTheCheck(t *testing.T) {
	g, env := toolstest.Open(t)
	_, pattern, _ := strings.Cut(cypher.LimitState.Text(), "\n") // without the comment, as the guard sends it
	toolstest.Rules(t, g, "(:SYS_Policy {name: 'few', active: true, actions: ['pay'], limit_of: 'calls', limit_most: 2, limit_seconds: 3600, forbids_pattern: '"+strings.ReplaceAll(pattern, "'", `\'`)+"'})")
	for i, allowed := range []bool{true, true, false} {
		rows := g.Rows(t, pattern, map[string]any{"agent": "ana", "now": time.Now().UTC(),
			"action": map[string]any{"params": map[string]any{}},
			"rule":   map[string]any{"name": "few", "limit_of": "calls", "limit_most": 2, "limit_seconds": 3600}})
		v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: fmt.Sprint("pay ", i), Name: "pay",
			AgentID: "ana"})
		if err != nil || v.Allowed != allowed || len(rows) == 0 != allowed {
			t.Errorf("call %d: the check allows %t and the pattern finds %v (%v), want %t", i+1, v.Allowed, rows, err,
				allowed)
		}
	}
}

package check_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"nomograph/cypher"
	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/check"
	"nomograph/tools/toolstest"
)

// TestCheck_Limit_CountsUses sends checks in turn. Each row states whether they are allowed, as a text of + and -.
func TestCheck_Limit_CountsUses(t *testing.T) {
	g, env := toolstest.Open(t)
	amounts := func(name string, values ...string) (checks []check.ActionCheck) {
		for i, value := range values {
			c := check.ActionCheck{Description: fmt.Sprintf("%s %d", name, i), Name: "pay", AgentID: "ana",
				Project: "acme/shop"}
			if err := c.Params.UnmarshalJSON([]byte(value)); err != nil {
				t.Fatal(err)
			}
			checks = append(checks, c)
		}
		return checks
	}
	by := func(change func(c *check.ActionCheck, i int), checks []check.ActionCheck) []check.ActionCheck {
		for i := range checks {
			change(&checks[i], i)
		}
		return checks
	}
	agents := func(c *check.ActionCheck, i int) { c.AgentID = fmt.Sprint("agent", i) }
	projects := func(c *check.ActionCheck, i int) { c.Project = fmt.Sprint("acme/p", i) }
	const one = `{"amount": 1}`
	pattern := map[string]any{"pattern": cypher.LimitState.Text()}
	for _, row := range []struct {
		name, limit string
		checks      []check.ActionCheck
		want, says  string
	}{
		{"decimal", "limit_of: 'params.amount', limit_most: 0.3",
			amounts("d", `{"amount": 0.1}`, `{"amount": 0.1}`, `{"amount": 0.1}`, `{"amount": 0.1}`), "+++-",
			"that much was used"},
		{"decimal, what is left", "limit_of: 'params.amount', limit_most: 0.3",
			amounts("d", `{"amount": 0.1}`, `{"amount": 0.1}`, `{"amount": 0.2}`), "++-", "at most 0.1 now"},
		{"large and small amounts", "limit_of: 'params.amount', limit_most: 1000000000.3",
			amounts("d", `{"amount": 1000000000}`, `{"amount": 0.1}`, `{"amount": 0.2}`, `{"amount": 0.0001}`), "+++-",
			""},
		{"spellings of a parameter", "limit_of: 'params.amount', limit_most: 100",
			amounts("s", `{"AMOUNT": 90, "amount": 0}`, `{"AMOUNT": 200, "amount": 0}`, `{"Amount ": 11}`,
				`{"amount": 10}`), "+--+", ""},
		{"a spelling that is no number", "limit_of: 'params.amount', limit_most: 100",
			amounts("s", `{"amount": 1, "Amount": "2"}`, `{"amount": 1, "AMOUNT": -1}`, `{}`, `{"\uff41mount": 101}`),
			"----", ""},
		{"a spelling in the rule", "limit_of: 'params.Amount', limit_most: 1", amounts("s", one, one), "+-", ""},
		{"a threshold", `limit_of: 'params.amount', limit_most: 'threshold("cap")'`, amounts("t", one, one, one), "++-",
			"at most 2 "},
		{"a threshold of the project", `limit_of: 'params.amount', limit_most: "threshold('cap', project)"`,
			amounts("t", one, one, one, one), "+++-", "at most 3 "},
		{"a threshold that is missing", `limit_of: 'params.amount', limit_most: 'threshold("none")'`, amounts("t", one),
			"-", ""},
		{"a threshold that is text", `limit_of: 'params.amount', limit_most: 'threshold("words")'`, amounts("t", one),
			"-", ""},
		{"an expression", `limit_of: 'params.amount', limit_most: 'threshold("cap") * 2'`, amounts("t", one), "-", ""},
		{"each agent", "limit_of: 'calls', limit_most: 1", by(agents, amounts("a", one, one, one)), "+++", ""},
		{"each agent, many projects", "limit_of: 'calls', limit_most: 1", by(projects, amounts("a", one, one)), "+-",
			""},
		{"a project", "limit_of: 'calls', limit_most: 2, limit_scope: 'project'",
			by(agents, amounts("a", one, one, one)), "++-", ""},
		{"each project", "limit_of: 'calls', limit_most: 1, limit_scope: 'project'",
			by(projects, amounts("a", one, one, one)), "+++", ""},
		{"no project counts with all", "limit_of: 'calls', limit_most: 1, limit_scope: 'project'",
			by(func(c *check.ActionCheck, i int) { c.Project = []string{"acme/shop", ""}[i] }, amounts("a", one, one)),
			"+-", ""},
		{"everyone", "limit_of: 'calls', limit_most: 2, limit_scope: 'everyone'",
			by(agents, by(projects, amounts("a", one, one, one))), "++-", ""},
		{"an unknown scope", "limit_of: 'calls', limit_most: 2, limit_scope: 'team'", amounts("a", one), "-", ""},
		{"identical checks of a session", "limit_of: 'calls', limit_most: 1",
			by(func(c *check.ActionCheck, _ int) { c.Description, c.SessionID = "same", "s1" },
				amounts("", one, one, one)), "+++", ""},
		{"other parameters of a session", "limit_of: 'calls', limit_most: 1",
			by(func(c *check.ActionCheck, _ int) { c.Description, c.SessionID = "same", "s1" },
				amounts("", one, `{"amount": 2}`)), "+-", ""},
		{"identical checks of two sessions", "limit_of: 'calls', limit_most: 1",
			by(func(c *check.ActionCheck, i int) { c.Description, c.SessionID = "same", fmt.Sprint("s", i) },
				amounts("", one, one)), "+-", ""},
		{"identical checks without a session", "limit_of: 'calls', limit_most: 1",
			by(func(c *check.ActionCheck, _ int) { c.Description = "same" }, amounts("", one, one)), "+-", ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			g.Exec(t, "MATCH (n) WHERE n:SYS_Policy OR n:SYS_Threshold OR n:Verdict DETACH DELETE n", nil)
			g.Exec(t, "CREATE (:SYS_Threshold {name: 'cap', value: 2}), (:SYS_Threshold {name: 'cap_acme/shop', value: 3, domain_scope: 'acme/shop'}), (:SYS_Threshold {name: 'words', value: 'two'}), "+
				"(:SYS_Policy {name: 'limited', active: true, actions: ['pay'], limit_seconds: 3600, "+row.limit+
				", forbids_pattern: $pattern})", pattern)
			got, last := "", ""
			for _, c := range row.checks {
				v, err := env.Checks.Check(t.Context(), c)
				if err != nil {
					t.Fatal(err)
				}
				if v.Allowed {
					got += "+"
					continue
				}
				got += "-"
				last = strings.Join(v.Violations[0].WouldPass, " ")
			}
			if got != row.want || !strings.Contains(last, row.says) {
				t.Errorf("got %s and %q, want %s and %q", got, last, row.want, row.says)
			}
		})
	}
	t.Run("identical checks with an execution", func(t *testing.T) {
		g.Exec(t, "MATCH (n) WHERE n:SYS_Policy OR n:Verdict DETACH DELETE n", nil)
		g.Exec(t, "CREATE (:SYS_Policy {name: 'limited', active: true, actions: ['pay'], limit_of: 'calls', limit_most: 2, limit_seconds: 3600, forbids_pattern: $pattern})", pattern)
		got := ""
		for range 4 { // two checks and an execution each
			v, err := env.Checks.Check(t.Context(), check.ActionCheck{Description: "same", Name: "pay", AgentID: "ana",
				SessionID: "s1"})
			if err != nil {
				t.Fatal(err)
			}
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
		if _, err := env.Change.SetThreshold(t.Context(),
			change.ThresholdChange{Name: "cap", Value: policies.ValueOf(int64(0)), Confirm: true, Reason: "stop",
				By: "test"}); err != nil {
			t.Fatal(err)
		}
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

package main_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"nomograph/cypher"
	"nomograph/graph/graphtest"
	"nomograph/tokens"
	"nomograph/tools/toolstest"
)

// sent posts a body with a token, and returns the status and the answer.
func sent(t *testing.T, url, token, body string) (int, string) {
	t.Helper()
	r := graphtest.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, url, bytes.NewBufferString(body)))(t)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-API-Key", token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Error(err)
		return 0, ""
	}
	defer answer.Body.Close()
	output, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Error(err)
	}
	return answer.StatusCode, string(output)
}

// TestServe_ConcurrentCalls_StayWithinLimitsAndBudgets starts two servers of one graph.
func TestServe_ConcurrentCalls_StayWithinLimitsAndBudgets(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	g.Exec(t, `CREATE (:SYS_Policy {name: 'seldom', active: true, actions: ['mail.send'], limit_of: 'calls', limit_most: 2, limit_seconds: 3600, forbids_pattern: $pattern})
		CREATE (:SYS_Policy {name: 'known', active: true, actions: ['mail.send'], severity: 'allow', requires: 'true'})`, map[string]any{"pattern": cypher.LimitState.Text()})
	var hosts []string
	for range 2 {
		url, _ := atAddress(t, g.Environ(t), "--auth")
		hosts = append(hosts, strings.TrimSuffix(url, "/mcp"))
	}
	store := tokens.NewStore(g.DB)
	// token creates a token and calls each server once, so that all of them know it.
	token := func(name string, budget int64, rate float64, hosts ...string) string {
		t.Helper()
		made := graphtest.Must(store.Create(t.Context(),
			tokens.CreateRequest{Name: name, Permissions: []string{"read", "decide"},
				Budget: budget, Rate: rate}))(t)
		for _, host := range hosts {
			status, output := 503, ""
			for try := 0; status == 503 && try < 20; try++ { // a server that has just started may answer 503
				status, output = sent(t, host+"/api/v1/checks", made.Token, `{"description": "the first"}`)
			}
			if status != 200 {
				t.Fatalf("%d %s", status, output)
			}
		}
		return made.Token
	}
	verdicts := func(of string) int {
		return toolstest.Count(t, g, "MATCH (v:Verdict {agent: '"+of+"'}) RETURN count(v)")
	}

	t.Run("reports of one agent at two servers", func(t *testing.T) {
		var wait sync.WaitGroup
		var one sync.Mutex
		decided := map[string]int{}
		secret := token("mailer", 0, 0, hosts...)
		for i := range 40 {
			wait.Go(func() {
				_, output := sent(t, hosts[i%2]+"/mcp", secret,
					`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "cra_report_action", "arguments": {"action": "mail.send"}}}`)
				one.Lock()
				defer one.Unlock()
				for _, decision := range []string{"approved", "denied"} {
					if strings.Contains(output, `"decision":"`+decision+`"`) {
						decided[decision]++
						return
					}
				}
				decided[output]++
			})
		}
		wait.Wait()
		if decided["approved"] != 2 || decided["denied"] != 38 {
			t.Errorf("got %v, want 2 of 40 approved", decided)
		}
		graphtest.Equal(t, toolstest.Count(t, g,
			"MATCH (v:Verdict) WHERE 'seldom' IN v.counted RETURN count(v)"), 2, "counted")
	})
	t.Run("concurrent requests share the rate", func(t *testing.T) {
		secret := token("hasty", 6, 0, hosts[0])
		statuses := make(chan int, 40)
		var wait sync.WaitGroup
		for range 40 {
			wait.Go(func() {
				status, _ := sent(t, hosts[0]+"/api/v1/checks", secret, `{"description": "talk"}`)
				statuses <- status
			})
		}
		wait.Wait()
		close(statuses)
		got := map[int]int{}
		for status := range statuses {
			got[status]++
		}
		if got[200] != 5 || got[429] != 35 || verdicts("hasty") != 6 {
			t.Errorf("got %v and %d verdicts, want 5 of 40 on what is left of a budget of 6", got, verdicts("hasty"))
		}
	})

	evaluation := `{"action": {"name": "read"}, "resource": {"type": "record", "id": "1"}}`
	call := `{"jsonrpc": "2.0", "id": 1, "method": "cstp.checkGuardrails", "params": {"action": {"description": "x"}}}`
	tool := `{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "check_action", "arguments": {"description": "x"}}}`
	list := func(item string) string { return strings.TrimSuffix(strings.Repeat(item+",", 50), ",") }
	for transport, d := range map[string]struct {
		path, body, refusal string
		verdicts            int
	}{
		"authzen": {"/access/v1/evaluations", `{"subject": {"type": "user", "id": "alice"}, "evaluations": [` +
			list(evaluation) + `]}`, `"status":429`, 5},
		"cstp": {"/cstp", "[" + list(call) + "]", `"code":-32002`, 5},
		"mcp":  {"/mcp", "[" + list(tool) + "]", `"code":-32603`, 5},
	} {
		t.Run("a batch of 50 through "+transport, func(t *testing.T) {
			name := "batch-" + transport
			secret := token(name, 6, 0, hosts[0])
			_, output := sent(t, hosts[0]+d.path, secret, d.body)
			graphtest.Equal(t, toolstest.Count(t, g, "MATCH (v:Verdict) WHERE v.agent = '"+name+
				"' AND v.description <> 'the first' RETURN count(v)"), d.verdicts, fmt.Sprint("verdicts: ", output))

			if d.verdicts == 0 {
				return
			}
			graphtest.Equal(t, strings.Count(strings.ReplaceAll(output, " ", ""), d.refusal), 45,
				fmt.Sprint("refused of 50: ", output))

			if status, output := sent(t, hosts[0]+"/api/v1/checks", secret,
				`{"description": "one more"}`); status != 429 {
				t.Errorf("after the batch: got %d %s, want 429", status, output)
			}
			secret = token(name+"-rated", 0, 1, hosts[0]) // more calls than the rate allows, sent at once
			if _, output = sent(t, hosts[0]+d.path, secret, d.body); strings.Count(strings.ReplaceAll(output, " ", ""),
				d.refusal) < 40 {
				t.Errorf("got nearly all of 50 answered at a rate of 1: %.300s", output)
			}
		})
	}
	t.Run("calls are counted", func(t *testing.T) {
		toolstest.Eventually(t, g, "MATCH (u:TokenUsage {key: 'batch-cstp', operation: 'check_action'}) RETURN coalesce(sum(u.calls), 0) AS n", 6)
	})
}

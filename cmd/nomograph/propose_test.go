package main_test

import (
	"encoding/json"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
)

// TestPolicyPropose_PrintedCommands_MakeProposals runs the commands that `threshold tune` and `policy learn` print.
func TestPolicyPropose_PrintedCommands_MakeProposals(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'the bar', value: 0.5}), (:SYS_Policy {name: 'sure', active: true, requires: 'action.confidence >= threshold("the bar")'})
		WITH 1 AS one UNWIND range(0, 499) AS i
		WITH i, 0.5 + toFloat(i % 5) / 10 AS confidence, CASE WHEN i % 5 < 2 THEN 'failure' ELSE 'success' END AS outcome
		CREATE (v:Verdict {uid: 'v' + i, at: datetime('2026-01-01T00:00:00Z') + duration({hours: i}), allowed: true, agent: 'agent-' + (i % 3), stakes: 'medium', category: 'process', description: 'Act ' + i,
			inputs: '{"description":"Act","category":"process","confidence":' + confidence + CASE WHEN i % 5 < 2 THEN ',"params":{"hurried":true}' ELSE '' END + '}', inputs_kept: 'full', revision: 'x', schema_version: 2, action_key: 'k' + i,
			masked: [], applied: [], applied_results: [], results: '{"violations":[]}', session: 's' + (i / 2)})
		CREATE (v)-[:JUDGED]->(:Decision {uid: 'd' + i, id: right('0000000' + i, 8), decision: 'Act ' + i, outcome: outcome, status: 'reviewed', agent: v.agent, created_at: v.at})`, nil)
	environ := g.Environ(t)
	for _, from := range [][]string{{"threshold", "tune", "the bar"}, {"policy", "learn", "--since", "4000d"}} {
		summary := printed(t, environ, append(from, "-o", "markdown")...)
		_, command, ok := strings.Cut(summary, "`nomograph policy propose ")
		command, _, closed := strings.Cut(command, "`")
		if !ok || !closed {
			t.Fatalf("%v prints no command:\n%s", from, summary)
		}
		var p struct {
			State       string
			Rows        []struct{ Name, Property string }
			Because     []any
			CasesPassed int `json:"cases_passed"`
		}
		if err := json.Unmarshal([]byte(printed(t, environ, append([]string{"policy", "propose", "-o", "json"},
			shellWords(t, command)...)...)), &p); err != nil || p.State != "open" || len(p.Rows) == 0 {
			t.Errorf("%s: the proposal is %+v, %v", command, p, err)
		}
		if from[0] == "policy" && (len(p.Because) != 5 || p.CasesPassed != 3) {
			t.Errorf("%s: got %+v, want a rule with five failures and three test cases", command, p)
		}
	}
}

// shellWords splits a command with single quotes.
func shellWords(t *testing.T, command string) (words []string) {
	t.Helper()
	word, quoted, begun := "", false, false
	for _, r := range command {
		switch {
		case r == '\'':
			quoted, begun = !quoted, true
		case r == ' ' && !quoted:
			if begun {
				words, word, begun = append(words, word), "", false
			}
		default:
			word, begun = word+string(r), true
		}
	}
	if quoted {
		t.Fatalf("a quote is not closed in %s", command)
	}
	if begun {
		words = append(words, word)
	}
	return words
}

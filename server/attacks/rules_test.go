package attacks_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/tools"
)

// replaced are parts of an answer that differ between two equal calls: hashes, ids, times and durations.
var replaced = regexp.MustCompile(`[0-9a-f]{8,}(-[0-9a-f]{4,})*|\d{4}-\d\d-\d\d[T ][0-9:.]+Z?|"(seconds|took_ms)":[0-9.e-]+`)

// questions are changes of the rules whose evaluation says whether the graph holds something. The answer is yes to the
// first, and no to the second. The rules in force are in the test.
var questions = map[string][2]string{
	"another project's decision": {`{"packs":[{"name":"p.yaml","text":"pack: p\nversion: 1.0.0\npolicies:\n  - {name: p, active: true, forbids_pattern: \"MATCH (d:Decision {project: 'kumquat/farm'}) WHERE 1 = 1 RETURN 1 AS x\"}\n"}]}`,
		`{"packs":[{"name":"p.yaml","text":"pack: p\nversion: 1.0.0\npolicies:\n  - {name: p, active: true, forbids_pattern: \"MATCH (d:Decision {project: 'kumquat/farm'}) WHERE 1 = 2 RETURN 1 AS x\"}\n"}]}`},
	"another condition": {`{"packs":[{"name":"p.yaml","text":"pack: p\nversion: 1.0.0\npolicies:\n  - {name: counted, active: true, applies_when: 'action.description != \"\"', forbids_pattern: \"MATCH (d:Decision {project: 'kumquat/farm'}) WITH count(d) AS n WHERE n > 0 RETURN n\"}\n"}]}`,
		`{"packs":[{"name":"p.yaml","text":"pack: p\nversion: 1.0.0\npolicies:\n  - {name: counted, active: true, applies_when: 'action.description != \"\"', forbids_pattern: \"MATCH (d:Decision {project: 'kumquat/farm'}) WITH count(d) AS n WHERE n > 5 RETURN n\"}\n"}]}`},
	"another threshold": {`{"set":{"kumquats":0}}`, `{"set":{"kumquats":5}}`},
	"another property": {`{"packs":[{"name":"p.yaml","text":"pack: p\nversion: 1.0.0\npolicies:\n  - {name: owned, active: true, site: kumquat/farm, forbids_pattern: 'MATCH (d:Decision {project: $rule.site}) RETURN 1 AS x'}\n"}]}`,
		`{"packs":[{"name":"p.yaml","text":"pack: p\nversion: 1.0.0\npolicies:\n  - {name: owned, active: true, site: kumquat/firm, forbids_pattern: 'MATCH (d:Decision {project: $rule.site}) RETURN 1 AS x'}\n"}]}`},
	"a rule that is off": {`{"mode":{"idle":"enforce"}}`, `{"mode":{"null":"enforce"}}`},
}

// TestAttack_CallersRule_TellsNothingAboutTheGraph asks yes-or-no questions about another project with every operation
// that evaluates a caller's change of the rules. Without the permission to query the whole graph, both have the same
// answer.
func TestAttack_CallersRule_TellsNothingAboutTheGraph(t *testing.T) {
	s := open(t)
	s.graph.Exec(t, `CREATE (k:SYS_Threshold {name: 'kumquats', value: 100}),
		(:SYS_Policy {name: 'counted', active: true, forbids_pattern: "MATCH (d:Decision {project: 'kumquat/farm'}) WITH count(d) AS n WHERE n > $threshold.kumquats RETURN n"})-[:USES_THRESHOLD]->(k),
		(:SYS_Policy {name: 'owned', active: true, site: 'kumquat/none', forbids_pattern: 'MATCH (d:Decision {project: $rule.site}) RETURN 1 AS x'}),
		(:SYS_Policy {name: 'idle', active: true, mode: 'off', forbids_pattern: "MATCH (d:Decision {project: 'kumquat/farm'}) RETURN 1 AS x"}),
		(:SYS_Policy {name: 'null', active: true, mode: 'off', forbids_pattern: "MATCH (d:Decision {project: 'kumquat/none'}) RETURN 1 AS x"})`, nil)
	root := caller.Caller{Name: "root", Authenticated: true, Permissions: []caller.Permission{caller.Admin}}
	s.run(t, root, "log_decision", map[string]any{"decision": "Plant kumquats", "confidence": 0.8,
		"category": "process", "stakes": "low", "project": victimsSite})
	s.run(t, root, "check_action", map[string]any{"description": "look"})
	s.run(t, root, "check_action", map[string]any{"description": "look", "project": attackersSite})
	operation := func(name string) tools.Operation {
		o, _ := tools.Find(all(), name)
		return o
	}
	proposed := func(t *testing.T, as string, change map[string]any, draft bool) string {
		arguments := maps.Clone(change)
		arguments["reason"], arguments["project"], arguments["draft"] = "a reason", attackersSite, draft
		r, _ := transports[0].send(t, s, as, operation("propose_change"), arguments)
		var p struct {
			ProposalID string `json:"proposal_id"`
		}
		if json.Unmarshal([]byte(r.body), &p) != nil || p.ProposalID == "" {
			return ""
		}
		return p.ProposalID
	}
	call := func(t *testing.T, as, name string, arguments map[string]any) string {
		answers := ""
		for _, over := range transports[:3] {
			r, _ := over.send(t, s, as, operation(name), arguments)
			answers += r.body
		}
		return answers
	}
	attacks := map[string]func(t *testing.T, change map[string]any) string{
		"replay": func(t *testing.T, change map[string]any) string {
			return call(t, "only-read", "replay_policies", change)
		},
		"replay by a governor": func(t *testing.T, change map[string]any) string {
			return call(t, "only-govern", "replay_policies", change)
		},
		"replay in one project": func(t *testing.T, change map[string]any) string {
			return call(t, attacker, "replay_policies", change)
		},
		"replay that fails": func(t *testing.T, change map[string]any) string {
			arguments := maps.Clone(change)
			arguments["fail_on"] = []any{"blocked.acts > 0"}
			return call(t, "only-read", "replay_policies", arguments)
		},
		"impact": func(t *testing.T, change map[string]any) string {
			for name, to := range change["set"].(map[string]any) {
				return call(t, "only-read", "get_threshold_impact", map[string]any{"name": name, "to": to})
			}
			return ""
		},
		"tuning": func(t *testing.T, change map[string]any) string {
			for name, to := range change["set"].(map[string]any) {
				return call(t, "only-read", "tune_threshold", map[string]any{"name": name, "values": []any{to}})
			}
			return ""
		},
		"proposal": func(t *testing.T, change map[string]any) string {
			return call(t, "only-read", "get_proposal", map[string]any{"proposal_id": proposed(t, "only-decide", change,
				false)})
		},
		"replay of a proposal": func(t *testing.T, change map[string]any) string {
			return call(t, "only-read", "replay_policies",
				map[string]any{"proposal_id": proposed(t, "only-decide", change, true)})
		},
		"proposal that an administrator opens": func(t *testing.T, change map[string]any) string {
			id := proposed(t, "only-decide", change, true)
			_, _ = transports[0].send(t, s, "root", operation("open_proposal"), map[string]any{"proposal_id": id})
			return call(t, "only-read", "get_proposal", map[string]any{"proposal_id": id})
		},
	}
	form := func(answer string) string { return replaced.ReplaceAllString(answer, "") }
	for question, changes := range questions {
		for attack, ask := range attacks {
			t.Run(attack+" about "+question, func(t *testing.T) {
				var answers [2]string
				for i, text := range changes {
					var change map[string]any
					graphtest.OK(t, json.Unmarshal([]byte(text), &change))
					if change["set"] == nil && (attack == "impact" || attack == "tuning") {
						return
					}
					answers[i] = form(ask(t, change))
				}
				graphtest.Equal(t, counts(answers[0]), counts(answers[1]),
					fmt.Sprint("counts of ", answers[0], " and ", answers[1]))
			})
		}
		var as [2]string
		for i, text := range changes {
			var change map[string]any
			_ = json.Unmarshal([]byte(text), &change)
			as[i] = counts(form(call(t, "root", "replay_policies", change)))
		}
		if as[0] == as[1] {
			t.Errorf("%s: an administrator gets the same answer to both: %s", question, as[0])
		}
	}
}

// counted are the fields of a replay that say how a rule was evaluated.
var counted = regexp.MustCompile(`\\?"(acts|blocked|unblocked|denied|allowed|undetermined|violations|current_violations|approximate|exact|failures|holds)\\?":[^,{}\[\]]+`)

func counts(answer string) string { return fmt.Sprint(counted.FindAllString(answer, -1)) }

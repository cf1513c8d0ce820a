package attacks_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/memory/conversations"
	"nomograph/sessions"
	"nomograph/tokens"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// rules apply to everyone who handles kumquats or deploys everything.
const rules = `CREATE (:SYS_Policy {name: 'no-harvest', active: true, applies_when: 'action.description.contains("harvest")', requires: 'false', message: 'Not yet', severity: 'block'}),
	(:SYS_Policy {name: 'a-person-deploys', active: true, actions: ['deploy.all'], requires: 'false', message: 'Ask', severity: 'approve'}),
	(:SYS_Threshold {name: 'bar', value: 1})`

// run calls an operation in this process.
func (s *target) run(t *testing.T, who caller.Caller, name string, arguments map[string]any) map[string]any {
	t.Helper()
	o, ok := tools.Find(all(), name)
	if !ok {
		t.Fatalf("%s is missing", name)
	}
	out, err := o.Run(caller.With(t.Context(), who), s.env, json.RawMessage(text(t, arguments)))
	if err != nil {
		t.Fatalf("%s %v: got %v, want no error", name, arguments, err)
	}
	var fields map[string]any
	graphtest.OK(t, json.Unmarshal([]byte(text(t, out)), &fields))
	return fields
}

// seed creates one node of every kind in a project, each of which contains the word said. It returns handles by class,
// and values that no request contains.
func (s *target) seed(t *testing.T, name, project, body string) (handles map[string]string, unnamed []string) {
	t.Helper()
	who := caller.Caller{Name: name, Authenticated: true, Permissions: []caller.Permission{caller.Admin},
		Projects: []string{project}}
	of := func(answer map[string]any, field string) string {
		t.Helper()
		value, _ := answer[field].(string)
		if value == "" {
			t.Fatalf("%s is missing in %v", field, answer)
		}
		return value
	}
	decide := func(description, visibility string) string {
		return of(s.run(t, who, "log_decision", map[string]any{"decision": description + " the kumquat trees " + body,
			"confidence": 0.8, "category": "architecture", "stakes": "high", "context": "Rows of kumquat " + body,
			"reasons": []any{map[string]any{"type": "analysis", "text": "Kumquat sun " + body}},
			"tags":    []any{"kumquat-" + body}, "pattern": "kumquat pattern " + body, "feature": "kumquat " + body,
			"visibility":     visibility,
			"bridge":         map[string]any{"structure": "kumquat rows " + body, "function": "shade " + body},
			"kpi_indicators": []any{"kumquat " + body}}), "id")
	}
	first, second, private := decide("Plant", "project"), decide("Water", "shared"), decide("Sell", "private")
	s.run(t, who, "update_decision", map[string]any{"id": first, "context": "More kumquat rows " + body,
		"change_reason": "Kumquat space " + body})
	s.run(t, who, "review_outcome", map[string]any{"id": first, "outcome": "failure",
		"actual_result": "Kumquat frost " + body, "lessons": "Kumquat fleece " + body})
	s.run(t, who, "link_decisions", map[string]any{"source_id": second, "target_id": first, "edge_type": "depends_on",
		"context": "Kumquat roots " + body})
	s.run(t, who, "record_thought", map[string]any{"text": "Kumquat thought " + body, "decision_id": first})
	denied := of(s.run(t, who, "check_action", map[string]any{"description": "harvest kumquat " + body,
		"name": "kumquat.harvest"}), "verdict_id")
	allowed := of(s.run(t, who, "check_action", map[string]any{"description": "look at kumquat " + body,
		"context": map[string]any{"where": body}}), "verdict_id")
	intent := of(s.run(t, who, "announce_intent",
		map[string]any{"intent": "Sell the kumquat crop " + body, "context": "Kumquat market " + body}), "intent_id")
	atlas := map[string]string{victim: "kumquat"}[name] // the value for every name argument
	if atlas == "" {
		atlas = "atlas-" + name
	}
	s.run(t, who, "load_atlases", map[string]any{"atlases": []any{map[string]any{"name": atlas + ".yaml",
		"text": fmt.Sprintf(`{atlas_version: "1.0", atlas_id: %[1]s, version: 1.0.0, name: Kumquat atlas %[2]s, description: Kumquat care %[2]s, domains: [kumquat],
		context_blocks: [{context_id: %[1]s-care, name: Kumquat care %[2]s, content: Kumquat trees want sun %[2]s, inject_mode: always, also_inject: [%[1]s-%[2]s]},
		{context_id: %[1]s-%[2]s, name: Kumquat deploy %[2]s, content: Kumquat deploys want a person %[2]s, keywords: [kumquat], inject_when: ["deploy*"]}]}`, atlas, body)}}})
	session := of(s.run(t, who, "cra_start_session",
		map[string]any{"goal": "Kumquat goal " + body, "session_id": "kumquat-" + name}), "session_id")
	s.run(t, who, "record_thought", map[string]any{"text": "Kumquat doubt " + body, "session_id": session})
	reported := s.run(t, who, "cra_report_action",
		map[string]any{"action": "deploy.all", "params": map[string]any{"where": "kumquat " + body},
			"session_id": session})
	approval := of(reported, "approval_id")
	graphtest.Must(s.env.Sessions.Approve(t.Context(),
		sessions.Grant{Answer: sessions.Answer{ApprovalID: approval, Reason: "Kumquat season " + body, By: "boss-" +
			body}}))(t)
	proposal := of(s.run(t, who, "propose_change",
		map[string]any{"mode": map[string]any{"no-harvest": "shadow"}, "reason": "Kumquat winter " + body,
			"project": project, "because": []any{first}}), "proposal_id")
	s.run(t, who, "query_decisions", map[string]any{"query": "kumquat " + body})
	graphtest.Must(s.env.Tokens.Create(t.Context(),
		tokens.CreateRequest{Name: "token-" + body, Projects: []string{project}}))(t)
	folder := t.TempDir()
	lines := fmt.Sprintf(`{"sessionId":"c-%[1]s","cwd":"/nowhere/kumquat","type":"user","message":{"role":"user","content":"Why do kumquat trees freeze %[1]s, and what is done against it?"},"uuid":"u1","timestamp":"2026-05-01T10:00:00Z"}
{"sessionId":"c-%[1]s","type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Kumquat trees freeze %[1]s since the fleece is thin, and a thicker one holds."}]},"uuid":"a1","timestamp":"2026-05-01T10:01:00Z"}
`, body)
	graphtest.OK(t, os.WriteFile(filepath.Join(folder, "c.jsonl"), []byte(lines), 0o600))
	graphtest.Must(s.env.Conversations.Import(t.Context(), folder, conversations.Options{Project: project}))(t)
	return map[string]string{"decision": first, "verdict": denied, "intent_id": intent, "session": session,
			"approval_id": approval, "exception_id": approval, "proposal_id": proposal, "evaluation_id": denied,
			"agent_id": name, "agent": name,
			"project": project, "folder": project, "atlas_id": atlas, "context_id": atlas + "-care"},
		[]string{second, private, allowed}
}

// seeded returns a target with both projects, and links between them that a caller with one project must not follow.
func seeded(t *testing.T) (s *target, ours, theirs map[string]string, unnamed []string) {
	t.Helper()
	s = open(t)
	s.graph.Exec(t, rules, nil)
	ours, _ = s.seed(t, attacker, attackersSite, "apricot")
	theirs, unnamed = s.seed(t, victim, victimsSite, secret)
	s.graph.Exec(t, `MATCH (a:Decision {id: $ours}), (b:Decision {id: $theirs}) CREATE (a)-[:DEPENDS_ON {weight: 1.0, context: $said}]->(b), (b)-[:CONTRADICTS {weight: 1.0, context: $said}]->(a)`,
		map[string]any{"ours": ours["decision"], "theirs": theirs["decision"], "said": "between " + secret})
	s.settled(t)
	return s, ours, theirs, unnamed
}

// settled waits until background workers have processed all writes.
func (s *target) settled(t *testing.T) {
	t.Helper()
	graphtest.OK(t, s.env.Memory.CatchUp(t.Context()))
	graphtest.OK(t, s.env.Chunks.Drain(t.Context()))
	toolstest.WaitForWorkers(t, s.graph)
}

// victims returns all data of the victim as text, which attacks must not change. Background counters are excluded.
func (s *target) victims(t *testing.T) string {
	t.Helper()
	rows := s.graph.Rows(t, `MATCH (n) WHERE any(name IN keys(n) WHERE coalesce(toStringOrNull(n[name]), '') CONTAINS $said OR n[name] = $project)
		RETURN labels(n) AS labels, n {.*, counted_as: null, terms: null, facets: null, packed: null, vector: null} AS properties, COUNT { (n)--(:Decision) } AS links ORDER BY elementId(n)`, map[string]any{"said": secret, "project": victimsSite})
	if len(rows) < 15 {
		t.Fatalf("the victim has only %d nodes", len(rows))
	}
	var b strings.Builder
	for _, row := range rows {
		fmt.Fprintln(&b, row["labels"], row["properties"], row["links"])
	}
	return b.String()
}

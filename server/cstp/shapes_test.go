package cstp_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nomograph/cypher"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/server/cstp"
	"nomograph/tools/toolstest"
)

// TestShapes_Answers_MatchClients calls every method as CSTP clients do. The golden file contains what they read.
func TestShapes_Answers_MatchClients(t *testing.T) {
	g, _, d := open(t)
	first := d.record("Use PostgreSQL for the ledger",
		`, "context": "Evaluated PostgreSQL and MongoDB", "reasons": [{"type": "analysis", "text": "Transactions", "strength": 0.9}, {"type": "pattern", "text": "As before"}],
		"tags": ["db"], "pattern": "Boring technology", "project_context": {"project": "acme/shop", "pr": 42}, "bridge": {"structure": "PostgreSQL", "purpose": "persistence"},
		"trace": [{"step": 1, "thought": "Compare", "output": "It holds", "confidence": 0.5, "tags": []}], "preDecision": {"queryRun": true}, "mentalState": "deliberate", "reviewIn": "7d", "kpiIndicators": ["p99"]`)
	second := d.record("Read reports from a replica", `, "project": "acme/shop"`)
	toolstest.WaitForWorkers(t, g)
	var b strings.Builder
	asked := map[string]bool{"cstp.recordDecision": true}
	ask := func(token, method, params string) {
		t.Helper()
		asked[method] = true
		_, _, body := d.post(token, fmt.Sprintf(`{"jsonrpc": "2.0", "id": 1, "method": %q, "params": %s}`, method,
			params))
		fmt.Fprintf(&b, "### %s %s\n%s\n", method, strings.NewReplacer(first, "dec-1", second, "dec-2").Replace(params),
			replaceIDs(t, body, first, second))
	}
	// made calls a method that records a decision, whose id is in the given member.
	made := func(method, member, params string) {
		t.Helper()
		asked[method] = true
		_, _, body := d.post("emerson", fmt.Sprintf(`{"jsonrpc": "2.0", "id": 1, "method": %q, "params": %s}`, method,
			params))
		var r response
		if err := json.Unmarshal([]byte(body), &r); err != nil || r.Result[member] == nil {
			t.Fatal(body)
		}
		fmt.Fprintf(&b, "### %s %s\n%s\n", method, params,
			replaceIDs(t, body, first, second, r.Result[member].(string)))
	}
	id := fmt.Sprintf(`"%s"`, first)
	ask("emerson", "cstp.queryDecisions", `{"query": "ledger", "limit": 1, "retrievalMode": "hybrid", "filters": {"category": "architecture", "project": "acme/shop", "minConfidence": 0.0, "maxConfidence": 1.0}, "bridgeSide": "function", "includeReasons": true}`)
	ask("emerson", "cstp.checkGuardrails", `{"action": {"description": "Deploy", "category": null, "stakes": "high", "confidence": 0.5}, "agent": {"id": "somebody", "url": null}}`)
	ask("emerson", "cstp.listGuardrails", `{"scope": "acme/shop"}`)
	ask("emerson", "cstp.updateDecision", `{"id": `+id+`, "updates": {"tags": ["db", "ledger"]}}`)
	ask("emerson", "cstp.recordThought", `{"text": "Think", "decisionId": `+id+`}`)
	ask("emerson", "cstp.recordThought", `{"text": "Think first"}`)
	asked["cstp.debugTracker"] = true
	if tracker := d.result("emerson", "cstp.debugTracker",
		`{"includeConsumed": true}`); tracker["sessionCount"] != 1.0 {
		t.Errorf("got %v, want sessionCount=1.0", tracker)
	} else {
		detail := tracker["detail"].(map[string]any)[tracker["sessions"].([]any)[0].(string)].(map[string]any)
		inputs := list(detail["inputs"])
		if last := inputs[len(inputs)-1]; detail["inputCount"] != float64(len(inputs)) || last["type"] != "thought" ||
			last["text"] != "Think first" || last["id"] == nil || last["ageSeconds"] == nil || last["source"] == nil {
			t.Errorf(`got %v, want inputCount=%v, type=thought, text="Think first", non-nil id, non-nil ageSeconds, non-nil source`, detail, float64(len(inputs)))
		}
	}
	ask("emerson", "cstp.getDecision", `{"id": "00000000"}`)
	ask("emerson", "cstp.reviewDecision", `{"decision_id": `+id+
		`, "outcome": "success", "actual_result": "It held", "lessons": "Measure"}`)
	ask("emerson", "cstp.linkDecisions", `{"sourceId": "`+second+`", "targetId": `+id+
		`, "edgeType": "depends_on", "weight": 0.5}`)
	ask("emerson", "cstp.getGraph", `{"nodeId": `+id+`, "depth": 1}`)
	ask("emerson", "cstp.getNeighbors", `{"node_id": `+id+`, "limit": 5}`)
	ask("emerson", "cstp.listDecisions", `{"limit": 1, "offset": 1, "category": "architecture", "agent": "emerson", "sort": "created_at", "order": "desc"}`)
	ask("emerson", "cstp.listDecisions", `{"search": "replica"}`)
	ask("emerson", "cstp.listDecisions", `{"dateFrom": "2026-01-01T00:00:00", "dateTo": "2026-01-02 00:00"}`)
	ask("emerson", "cstp.queryDecisions", `{"query": "reports", "limit": 1, "category": "architecture", "hasOutcome": false, "project": "acme/shop", "filters": {"dateAfter": "2026-01-01T00:00:00"}}`)
	ask("emerson", "cstp.getStats", `{"project": "acme/shop"}`)
	toolstest.WaitForWorkers(t, g)
	ask("emerson", "cstp.getCalibration", `{"project": "acme/shop"}`)
	ask("emerson", "cstp.getReasonStats", `{"minReviewed": 1, "filters": {"category": "architecture"}}`)
	ask("emerson", "cstp.getReasonStats", `{}`)
	ask("emerson", "cstp.checkDrift", `{"minDecisions": 5}`)
	ask("emerson", "cstp.preAction", `{"action": {"description": "Use PostgreSQL for the shop", "category": "architecture", "confidence": 0.8}, "options": {"autoRecord": false, "queryLimit": 1, "includePatterns": true}}`)
	ask("emerson", "cstp.getSessionContext", `{"taskDescription": "ledger", "include": ["guardrails", "patterns"]}`)
	g.Exec(t, "MATCH (d:Decision {id: $id}) SET d.review_by = datetime() - duration('P3D')",
		map[string]any{"id": second})
	ask("emerson", "cstp.ready", `{"minPriority": "low", "limit": 5}`)
	g.Exec(t, "MATCH (d:Decision {id: $id}) REMOVE d.review_by", map[string]any{"id": second})
	ask("emerson", "cstp.compact", `{"dryRun": true}`)
	ask("emerson", "cstp.getCompacted", `{"level": "full", "limit": 500}`)
	ask("emerson", "cstp.setPreserve", `{"decisionId": `+id+`, "preserve": true}`)
	ask("emerson", "cstp.getWisdom", `{"minDecisions": 1}`)
	ask("emerson", "cstp.getCircuitState", `{"scope": "stakes:none"}`)
	ask("admin", "cstp.reindex", `{}`)
	ask("admin", "cstp.attributeOutcomes", `{"project": "acme/none", "dryRun": true}`)
	ask("emerson", "cstp.ingestEvidence", `{"source": "github", "events": [{"event_type": "pr_merged", "ts": "2026-02-04T21:00:00Z", "payload": {"pr_number": 42, "human_approval_count": 1}}]}`)
	ask("emerson", "cstp.linkEvidence", `{"decision_id": `+id+
		`, "event_seqs": [0], "stakes": "high", "has_outcome": true}`)
	ask("emerson", "cstp.mapControls", `{}`)
	ask("emerson", "cstp.verifyEvidenceChain", `{}`)
	ask("emerson", "cstp.announceIntent", `{"intent": "Use PostgreSQL for the ledger", "correlationId": "c-1"}`)
	ask("emerson", "cstp.listIntents", `{}`)
	made("cstp.recordDecision", "id", `{"decision": "Keep the ledger on one node", "confidence": 0.7, "category": "architecture", "stakes": "low", "context": "One node holds what there is for years", "reasons": [{"type": "empirical", "text": "Measured"}], "project_context": {"project": "acme/shop"}}`)
	made("cstp.preAction", "decisionId", `{"action": {"description": "Read the ledger from a replica", "category": "architecture", "stakes": "medium", "confidence": 0.6}, "options": {"queryLimit": 1}, "reasons": [{"type": "analysis", "text": "Reports wait"}], "tags": ["db"], "pattern": "Boring technology"}`)
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'f', value: 3}), (:SYS_Threshold {name: 'w', value: 24}), (:SYS_Threshold {name: 'c', value: 1}), (:SYS_Policy {name: 'stop', active: true, circuit_scope: 'stakes:high',
		circuit_failures: 'f', circuit_window_hours: 'w', circuit_cooldown_hours: 'c', forbids_pattern: $pattern, message: 'Stop'})`, map[string]any{"pattern": cypher.CircuitState.Text()})
	ask("emerson", "cstp.listBreakers", `{}`)
	ask("emerson", "cstp.getCircuitState", `{"scope": "stakes:high"}`)
	ask("admin", "cstp.resetCircuit", `{"scope": "stakes:high", "probeFirst": true}`)
	golden.Check(t, "testdata/shapes.txt", b.String())
	for _, test := range []struct{ token, params, document, problem string }{
		{"admin", `{}`, `{"payloadType":"application/vnd.nomograph.audit+json"`, "<nil>"},
		{"admin", `{"format": "both", "output_dir": "bundles"}`, "<!DOCTYPE html>", "<nil>"},
		{"emerson", `{"format": "json"}`, "", "`export_audit` needs the permission query, which 'emerson' lacks"},
	} {
		asked["cstp.exportEvidenceBundle"] = true
		bundle := d.result(test.token, "cstp.exportEvidenceBundle", test.params)
		if document, ok := bundle["document"].(string); !ok || !strings.HasPrefix(document, test.document) ||
			fmt.Sprint(bundle["document_error"]) != test.problem || bundle["chain_intact"] != true ||
			bundle["chain_head_hash"] == "" || bundle["coverage"] == nil {
			t.Errorf("%s %s: got %.600v", test.token, test.params, bundle)
		}
	}
	if wrong := d.call("admin", "cstp.exportEvidenceBundle", `{"format": "doc"}`); wrong.Error == nil {
		t.Errorf("an unknown format: got %v, want an error", wrong.Result)
	}
	if found := d.result("emerson", "cstp.getDecision", `{"id": `+id+`}`); found["found"] != true {
		t.Errorf("got %v, want found=true", found)
	} else {
		decision := found["decision"].(map[string]any)
		for name, want := range map[string]any{"decision": "Use PostgreSQL for the ledger", "category": "architecture",
			"stakes": "medium", "confidence": 0.9, "outcome": "success", "actual_result": "It held",
			"lessons":     "Measure",
			"recorded_by": "emerson", "project": "acme/shop", "pr": 42.0, "pattern": "Boring technology"} {
			graphtest.Equal(t, decision[name], want, name)
		}
		if decision["bridge"].(map[string]any)["function"] != "persistence" || len(list(decision["reasons"])) != 2 ||
			len(list(decision["deliberation"].(map[string]any)["steps"])) == 0 || decision["date"] == nil {
			t.Errorf(`got %v, want function=persistence, len(list(decision["reasons"]))=2, nonzero len(list(decision["deliberation"].(map[string]any)["steps"])), non-nil date`, decision)
		}
	}
	for _, method := range strings.Fields("queryDecisions checkGuardrails listGuardrails recordDecision updateDecision recordThought getDecision reviewDecision getCalibration attributeOutcomes checkDrift reindex " +
		"getReasonStats preAction getSessionContext ready linkDecisions getGraph getNeighbors compact getCompacted setPreserve getWisdom listDecisions getStats listBreakers getCircuitState resetCircuit debugTracker " +
		"ingestEvidence linkEvidence mapControls exportEvidenceBundle verifyEvidenceChain announceIntent") {
		if !asked["cstp."+method] {
			t.Errorf("%s is not called", method)
		}
	}
	refused := d.call("emerson", "cstp.recordDecision",
		`{"decision": "Never", "confidence": 0.9, "category": "process", "tags": ["x"]}`)
	if refused.Error != nil {
		t.Errorf("got %+v, want nil", refused.Error)
	}
	g.Exec(t, "CREATE (:SYS_Policy {name: 'no-records', active: true, severity: 'block', message: 'Nothing is recorded today', applies_when: 'action.phase == \"record\"', requires: 'false'})", nil)
	if refused = d.call("emerson", "cstp.recordDecision",
		`{"decision": "Never", "confidence": 0.9, "category": "process"}`); refused.Error == nil ||
		refused.Error.Code != -32005 || !strings.Contains(refused.Error.Message, "Nothing is recorded today") ||
		refused.Error.Data["allowed"] != false {
		t.Errorf(`a blocked action: got %+v, want non-nil Error, Code=-32005, Message with "Nothing is recorded today", allowed=false`, refused)
	}
}

// TestCSTP_ParameterGivenTwice_MustAgree passes a parameter inside and outside of an object, or under two names.
func TestCSTP_ParameterGivenTwice_MustAgree(t *testing.T) {
	_, env := toolstest.Open(t)
	d := serve(t, env, cstp.Options{})
	for _, row := range golden.Rows(t, "testdata/twice.txt") {
		name, method, params := row[0], row[1], row[4]
		if r := d.call("emerson", method, fmt.Sprintf(params, row[2])); r.Error != nil && r.Error.Code == -32602 {
			t.Errorf("%s, alike: %+v", name, r.Error)
		}
		if r := d.call("emerson", method, fmt.Sprintf(params, row[3])); r.Error == nil ||
			r.Error.Code != -32602 || !strings.Contains(r.Error.Message, " differ") {
			t.Errorf("%s, different: %+v %v", name, r.Error, r.Result)
		}
	}
}

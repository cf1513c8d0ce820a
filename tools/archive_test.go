package tools_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nomograph/decisions/audit"
	"nomograph/graph/archive"
	"nomograph/graph/graphtest"
	"nomograph/internal/caller"
	"nomograph/policies/check"
	"nomograph/policies/proposals"
	"nomograph/sessions"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

const archivedPack = `{"packs": [{"name": "p.yaml", "text": "pack: archived\nversion: 1.0.0\nthresholds:\n  - {name: most, value: %v, rationale: A number}\npolicies:\n  - {name: no-wide, active: true, applies_when: action.category == \"rollout\", requires: 'action.context.percent <= threshold(\"most\")', message: Too wide}\n  - {name: stop, active: true, circuit_scope: global, circuit_failures: most, circuit_window_hours: most, circuit_cooldown_hours: most}\n%s"}], "prune": true}`

// written holds calls of every operation that changes the graph. $1 and $2 are the first two recorded decisions, $then
// is the time after the first call, $dir a folder with records.
var written = []struct{ operation, arguments string }{
	{"apply_packs", fmt.Sprintf(archivedPack, 25, `federation_sources:\n  - {name: Extra, pid: P1}`)},
	{"log_decision", `{"decision": "Use PostgreSQL for orders", "category": "architecture", "stakes": "high", "confidence": 0.9, "tags": ["db", "Shop"], "project": "o/r", "pattern": "One store", "review_in": "1m",
		"reasons": [{"type": "analysis", "text": "Transactions"}, {"type": "analysis", "text": "Transactions"}], "bridge": {"structure": "PostgreSQL", "function": "keeps orders"}}`},
	{"record_thought", `{"text": "What of reports?"}`},
	{"record_thought", `{"text": "In a session of its own", "session_id": "mine", "agent_id": "Ann"}`},
	{"log_decision", `{"decision": "Read reports from a replica", "category": "architecture", "confidence": 1, "tags": ["db"], "project": "o/r", "request_key": "k"}`},
	{"record_thought", `{"text": "On second thought", "decision_id": "$1"}`},
	{"pre_action", `{"action": {"description": "Deploy the shop", "category": "process", "confidence": 0.7}}`},
	{"check_action", `{"description": "Roll out", "category": "rollout", "context": {"percent": 50, "at": "2026-01-01"}}`},
	{"appeal_verdict", `{"id": "$denied", "reason": "Nobody uses it", "agent_id": "Cleo"}`},
	{"uphold_verdict", `{"id": "$denied", "reason": "Everybody does"}`},
	{"check_action", `{"description": "Roll out the rehearsal", "category": "rollout", "context": {"percent": 60}}`},
	{"link_decisions", `{"source_id": "$2", "target_id": "$1", "edge_type": "depends_on", "weight": 0.5, "context": "reads it"}`},
	{"link_decisions", `{"source_id": "$1", "target_id": "$2", "edge_type": "supersedes"}`},
	{"link_decisions", `{"source_id": "$1", "target_id": "$2", "edge_type": "relates_to"}`},
	{"unlink_decisions", `{"source_id": "$1", "target_id": "$2", "edge_type": "supersedes", "reason": "a mistake"}`},
	{"update_decision", `{"id": "$1", "decision": "Use PostgreSQL 17 for orders", "tags": ["db", "orders"], "change_reason": "said better"}`},
	{"review_outcome", `{"id": "$1", "outcome": "failure", "lessons": "Measure first", "affected_kpis": {"p99_ms": 12.5, "mood": "bad"}}`},
	{"review_outcome", `{"id": "$1", "outcome": "success", "notes": "Later it was well"}`},
	{"set_preserve", `{"id": "$2", "preserve": true}`},
	{"retract_decision", `{"id": "$2", "reason": "recorded twice"}`},
	{"reset_circuit", `{"scope": "global", "reason": "mended", "probe_first": true}`},
	{"set_threshold", `{"name": "most", "value": 30, "reason": "tried"}`},
	{"revert", `{"kind": "threshold", "name": "most", "to": "$then", "reason": "back"}`},
	{"revert_pack", `{"name": "archived", "to": "$then", "reason": "back"}`},
	{"disable_policy", `{"name": "no-wide", "reason": "too strict"}`},
	{"enable_policy", `{"name": "no-wide", "reason": "missed it"}`},
	{"set_policy_mode", `{"name": "no-wide", "mode": "shadow", "reason": "on trial"}`},
	{"freeze_agent", `{"name": "release-bot", "reason": "looks around", "until": "2h"}`},
	{"freeze_session", `{"name": "s-9", "reason": "looks around"}`},
	{"unfreeze_session", `{"name": "s-9", "reason": "mended"}`},
	{"unfreeze_agent", `{"name": "release-bot", "reason": "mended"}`},
	{"propose_change", `{"set": {"most": 40}, "reason": "Two rollouts failed", "because": ["$1"], "project": "o/r"}`},
	{"open_proposal", `{"proposal_id": "$proposal"}`},
	{"reject_proposal", `{"proposal_id": "$proposal", "reason": "It is too wide"}`},
	{"propose_change", `{"mode": {"no-wide": "enforce"}, "reason": "The trial is over", "draft": true}`},
	{"withdraw_proposal", `{"proposal_id": "$proposal"}`},
	{"propose_change", `{"mode": {"no-wide": "enforce"}, "reason": "The trial is over"}`},
	{"approve_proposal", `{"proposal_id": "$proposal", "reason": "It blocks nothing that succeeded"}`},
	{"apply_proposal", `{"proposal_id": "$proposal"}`},
	{"create_threshold", `{"name": "least", "value": 1, "unit": "count", "min": 0, "max": 9, "rationale": "One at least", "reason": "new"}`},
	{"delete_threshold", `{"name": "least", "reason": "Nothing reads it"}`},
	{"sync_policies", `{}`},
	{"apply_packs", `{"packs": [{"name": "d.yaml", "text": "pack: deleted\nversion: 1.0.0\npolicies: [{name: unwanted, active: true}]"}]}`},
	{"delete_policy", `{"name": "unwanted", "reason": "Nobody wants it", "force": true}`},
	{"apply_packs", fmt.Sprintf(archivedPack, 20, "")},
	{"apply_packs", `{"packs": [{"name": "g.yaml", "text": "pack: gone\nversion: 1.0.0\npolicies: [{name: left, active: true}]"}]}`},
	{"remove_pack", `{"name": "gone", "reason": "it left"}`},
	{"load_atlases", `{"atlases": [{"name": "nomograph"}, {"name": "chrystallum"}]}`},
	{"cra_start_session", `{"goal": "Promote a claim", "atlas_hints": ["chrystallum"], "risk_tier": "high"}`},
	{"cra_bootstrap", `{"intent": "Promote a claim", "capabilities": ["claim.promote"]}`},
	{"cra_request_context", `{"need": "when is a claim promoted", "hints": ["posterior"]}`},
	{"cra_feedback", `{"context_id": "chrystallum-claims", "helpful": true, "reason": "It names the table"}`},
	{"cra_report_action", `{"action": "claim.promote", "params": {"claim": 7}}`},
	{"approve_request", `{"approval_id": "$approval", "reason": "It was checked"}`},
	{"cra_report_action", `{"action": "claim.promote", "params": {"claim": 7}}`},
	{"cra_report_action", `{"action": "claim.promote", "params": {"claim": 8}}`},
	{"approve_request", `{"approval_id": "$approval", "reason": "It was taken for another"}`},
	{"undo_approval", `{"approval_id": "$approval"}`},
	{"reject_request", `{"approval_id": "$approval", "reason": "It is not true"}`},
	{"cra_report_action", `{"action": "claim.promote", "params": {"claim": 9}}`},
	{"approve_request", `{"approval_id": "$approval", "reason": "It was checked", "for_seconds": 3600}`},
	{"renew_exception", `{"exception_id": "$approval", "reason": "It takes longer", "for_seconds": 7200}`},
	{"revoke_exception", `{"exception_id": "$approval", "reason": "It is done"}`},
	{"cra_end_session", `{"summary": "Promoted"}`},
	{"import_adr", `{"path": "$dir"}`},
	{"import_jsonl", `{"path": "$dir/records.jsonl"}`},
	{"import_cstp", `{"path": "$dir/cstp"}`},
	{"import_sessions", `{"path": "$dir/talk"}`},
	{"forget", `{"session_id": "mine", "dry_run": false}`},
	{"announce_intent", `{"intent": "Deploy the shop", "stakes": "high", "facts": {"percent": 5}, "correlation_id": "c1", "agent_id": "Bo"}`},
	{"answer_intent", `{"intent_id": "c1", "allowed": false, "reasons": ["The freeze lasts"]}`},
	{"ingest_evidence", `{"events": [{"event_type": "pr_merged", "payload": {"human_approval_count": 1}}]}`},
	{"link_evidence", `{"decision_id": "$1", "event_seqs": [0]}`},
	{"add_agent", `{"name": "ann", "url": "http://127.0.0.1:1"}`},
	{"rebuild_stats", `{}`},
	{"rebuild_index", `{}`},
	{"remember", `{"text": "The cache expires after 5 minutes", "project": "o/r", "valid_from": "2d"}`},
	{"remember", `{"text": "The cache expires after 90 minutes", "project": "o/r", "subject": "cache expiry"}`},
	{"propose_outcomes", `{}`},
	{"appeal_verdict", `{"id": "$denied", "reason": "It was a rehearsal", "agent_id": "Cleo"}`},
	{"overturn_verdict", `{"id": "$denied", "reason": "True"}`},
	{"prune_verdicts", `{"dry_run": false}`},
	{"check_action", `{"description": "Roll out", "category": "rollout", "context": {"percent": 2.5}}`},
	{"record_executions", `{"executions": [{"client": "generic", "event": "action", "kind": "shell.run", "tool_use_id": "1"}, {"client": "generic", "event": "action", "kind": "file.read", "content": "c", "outcome": "failure"}]}`},
	{"query_decisions", `{"query": "orders"}`},
	{"get_stats", `{}`},
}

// TestArchive_EveryWritingOperation_RoundTrips calls every writing operation in the order above and in a random order.
// The exported and imported graph is equal, node by node and relationship by relationship; a second import changes
// nothing.
func TestArchive_EveryWritingOperation_RoundTrips(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	for _, o := range tools.Catalog {
		called := slices.ContainsFunc(written, func(c struct{ operation, arguments string }) bool {
			return c.operation == o.Name
		})
		asksOthers := o.Hints.OpenWorld || o.Name == "remove_agent" ||
			o.Name == "receive_decisions" // packages federation, peers and webhooks test these operations
		if !o.Hints.ReadOnly && o.Name != "diff_packs" && o.Name != "diff_atlases" && o.Toolset != "tokens" &&
			!asksOthers && !called {
			t.Errorf("%s writes, but the list of calls above lacks it", o.Name)
		}
	}
	g, dir := graphtest.New(t), records(t)
	c := toolstest.Config()
	c.Project = "usual/project"
	env := toolstest.AppWith(t, c, tools.Options{Graph: g.DB})
	env.Checks.Settings.AllowedRetention, env.Checks.Settings.DeniedRetention = time.Nanosecond, time.Nanosecond
	failed, then, approval, proposal, denied := 0, "", "none", "none-of-them", "none"
	play := func(t *testing.T, at int, ids []string) []string {
		c := written[at]
		o, known := tools.Find(tools.Catalog, c.operation)
		if !known {
			t.Fatalf("%s is missing", c.operation)
		}
		arguments := strings.NewReplacer("$dir", dir, "$then", then, "$approval", approval, "$proposal", proposal,
			"$denied", denied).Replace(c.arguments)
		for i := range 2 {
			if i < len(ids) {
				arguments = strings.ReplaceAll(arguments, fmt.Sprint("$", i+1), ids[i])
			}
		}
		env.Sessions.ApprovalDelay = 0
		if at+1 < len(written) && written[at+1].operation == "undo_approval" {
			env.Sessions.ApprovalDelay = time.Hour
		}
		who := caller.Local(map[bool]string{true: "mia", false: "ann"}[strings.HasPrefix(o.CLI.Command, "approval ") ||
			strings.HasPrefix(o.CLI.Command, "exception ") || o.Name == "approve_proposal" ||
			o.Name == "uphold_verdict" || o.Name == "overturn_verdict"])
		who.Connection = "one window"
		out, err := o.Run(caller.With(t.Context(), who), env, json.RawMessage(arguments))
		if err != nil {
			t.Logf("%d, %s: %v", at, c.operation, err)
		}
		if reported, ok := out.(sessions.Reported); ok && err == nil {
			approval = reported.ApprovalID
		}
		if proposed, ok := out.(proposals.Proposal); ok && err == nil {
			proposal = proposed.ProposalID
		}
		if verdict, ok := out.(check.Verdict); ok && !verdict.Allowed {
			denied = verdict.VerdictID
		}
		if logged, err := json.Marshal(out); err == nil && c.operation == "log_decision" {
			var answer struct{ ID string }
			if json.Unmarshal(logged, &answer) == nil && answer.ID != "" {
				return append(ids, answer.ID)
			}
		}
		if err != nil {
			failed++
		}
		if then == "" {
			then = time.Now().Format(time.RFC3339Nano)
		}
		return ids
	}
	seed := uint64(time.Now().UnixNano())
	rng := rand.New(rand.NewPCG(seed, 0))
	for round, order := range [][]int{nil, rng.Perm(len(written))} {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Logf("random order with seed %d", seed)
			empty(t, g)
			var ids []string
			for n := range written {
				at := n
				if order != nil {
					at = order[n]
				}
				ids = play(t, at, ids)
			}
			if round == 0 && failed > 0 { // in random order, some calls need what a later call creates
				t.Fatalf("%d calls failed", failed)
			}
			env.Trace.Close(t.Context())
			if b, err := env.Audit.Export(t.Context(), audit.Request{DateAfter: "1d", Unsigned: true}); err != nil ||
				!b.Intact || b.Counts["event"] == 0 || b.Counts["verdict"] == 0 {
				t.Errorf("the audit bundle: got %+v %v, want an intact bundle", b.Verification, err)
			}
			sameAgain(t, g)
		})
	}
}

// sameAgain exports the graph, imports it into an empty one, and imports it twice more.
func sameAgain(t *testing.T, g *graphtest.Graph) {
	t.Helper()
	before := everything(t, g)
	var file bytes.Buffer
	exported, err := archive.Export(t.Context(), g.DB, &file, archive.ExportOptions{})
	if err != nil {
		t.Fatal(err)
	}
	empty(t, g)
	created := archive.Imported{Nodes: archive.LineCounts{Created: exported.Nodes},
		Relationships: archive.LineCounts{Created: exported.Relationships}}
	unchanged := archive.Imported{Nodes: archive.LineCounts{Unchanged: exported.Nodes},
		Relationships: archive.LineCounts{Unchanged: exported.Relationships}}
	for n, c := range []struct {
		archive.ImportOptions
		want archive.Imported
	}{{archive.ImportOptions{}, created}, {archive.ImportOptions{}, unchanged},
		{archive.ImportOptions{Overwrite: true}, unchanged}} {
		got, err := archive.Import(t.Context(), g.DB, bytes.NewReader(file.Bytes()), c.ImportOptions)
		if err != nil {
			t.Fatalf("import %d: %v", n, err)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("import %d: %s", n, diff)
		}
		if diff := cmp.Diff(before, everything(t, g)); diff != "" {
			t.Errorf("the graph after import %d: %s", n, diff)
		}
	}
}

// everything returns the graph as texts, a line for each node and relationship, bypassing the product. It omits what
// is created again after an import: counters, vectors, and their marker labels.
func everything(t *testing.T, g *graphtest.Graph) []string {
	t.Helper()
	say := map[string]string{}
	for _, row := range g.Rows(t, `MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock AND NOT n:SYS_Lock AND NOT n:CalibrationCell AND NOT n:Embedding AND NOT n:ContextEmbedding AND NOT n:ChunkEmbedding AND NOT n:MemoryProject AND NOT coalesce(n:Chunk AND n.kind IN ['events', 'decision'], false) AND NOT n:SYS_SearchIndex
RETURN elementId(n) AS id, [l IN labels(n) WHERE NOT l IN ['Unindexed', 'Uncounted', 'Unremembered', 'UnindexedChunk']] AS labels, properties(n) AS properties`, nil) {
		properties := row["properties"].(map[string]any)
		delete(properties, "counted_as")
		for _, name := range []string{"remembered", "closed", "chunks", "tokens", "remembered_from", "remembered_to",
			"memory_version"} {
			delete(properties, name)
		}
		say[row["id"].(string)] = fmt.Sprintf("%v %#v", row["labels"], inOrder(properties))
	}
	lines := slices.Collect(maps.Values(say))
	for _, row := range g.Rows(t, `MATCH (a)-[r]->(b) RETURN elementId(a) AS a, type(r) AS type, properties(r) AS properties, elementId(b) AS b`, nil) {
		a, b := say[row["a"].(string)], say[row["b"].(string)]
		if a != "" && b != "" {
			lines = append(lines, fmt.Sprintf("%s -%s %#v-> %s", a, row["type"],
				inOrder(row["properties"].(map[string]any)), b))
		}
	}
	slices.Sort(lines)
	if len(lines) < 20 {
		t.Fatalf("the graph has only %d nodes and relationships", len(lines))
	}
	return lines
}

// inOrder returns properties with their types, sorted by name.
func inOrder(properties map[string]any) []string {
	var out []string
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		value := fmt.Sprintf("%#v", properties[name])
		if at, ok := properties[name].(time.Time); ok {
			value = at.Format(time.RFC3339Nano)
		}
		out = append(out, name+": "+value)
	}
	return out
}

func empty(t *testing.T, g *graphtest.Graph) {
	t.Helper()
	g.Exec(t, "MATCH (n) WHERE NOT n:SYS_Migration AND NOT n:SYS_MigrationLock DETACH DELETE n", nil)
}

// records creates a folder with records of each importable format.
func records(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"0001-a.md": "# 1. Use a queue\n\nDate: 2020-01-02\n\n## Status\n\nAccepted\n\n## Decision\n\nWe use a queue.\n",
		"0002-b.md": "# 2. Use a log\n\nDate: 2021-01-02\n\n## Status\n\nAccepted\n\nSupersedes [1. Use a queue](0001-a.md)\n\n## Decision\n\nWe use a log.\n",
		"talk/c.jsonl": `{"session": "c", "role": "user", "content": "Why a queue?", "at": "2026-03-01T10:00:00Z"}` +
			"\n" + `{"session": "c", "role": "assistant", "content": "It waits.", "at": "2026-03-01T10:00:01Z"}` + "\n",
		"records.jsonl": `{"id": "j1", "title": "Use X", "confidence": 0.8, "outcome": "success", "odd": {"a": [1, 2.5]}, "reasons": [{"type": "pattern", "text": "as before"}]}` + "\n",
		"cstp/2026/03/2026-03-01-decision-0a1b2c3d.yaml": "id: 0a1b2c3d\nsummary: Keep YAML\ncategory: tooling\nconfidence: 0.5\ndate: 2026-03-01T10:00:00Z\nstatus: pending\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

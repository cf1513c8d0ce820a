package tools_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// opens lists the operations that each permission allows. Operations that are not listed need read.
var opens = map[caller.Permission]string{
	caller.Decide:   "log_decision remember pre_action update_decision record_thought link_decisions set_preserve ingest_evidence link_evidence cra_start_session cra_bootstrap cra_request_context cra_feedback cra_end_session cra_report_action get_approval appeal_verdict propose_change open_proposal withdraw_proposal",
	caller.Announce: "announce_intent list_intents get_intent answer_intent list_agents get_agent_card query_agents check_agents broadcast_intent seek_consensus receive_decisions subscribe_agent",
	caller.Federate: "list_registry search_shared ask_guardrails",
	caller.Review:   "review_outcome",
	caller.Query:    "run_cypher_readonly get_schema list_sessions get_session verify_trace get_context_feedback suggest_atlas_changes get_context_usage export_session export_audit",
	caller.Govern: "set_threshold create_threshold delete_threshold delete_policy freeze_agent unfreeze_agent freeze_session unfreeze_session disable_policy enable_policy set_policy_mode apply_packs revert_pack remove_pack diff_packs validate_packs test_packs lint_policies " +
		"approve_proposal reject_proposal apply_proposal list_approvals approve_request reject_request undo_approval validate_atlases diff_atlases load_atlases import_guardrails import_rules revert sync_policies reset_circuit retract_decision unlink_decisions uphold_verdict overturn_verdict list_exceptions get_exception renew_exception revoke_exception list_webhooks test_webhook resend_webhook",
	caller.Admin: "list_changes create_token list_tokens rotate_token revoke_token get_token_usage prune_verdicts rebuild_stats rebuild_index import_adr import_jsonl import_cstp import_sessions forget propose_outcomes add_agent remove_agent discover_agents follow_agent",
}

func TestPermissions_Each_OpensItsOperations(t *testing.T) {
	nowhere := toolstest.App(t, toolstest.Unavailable(t))
	all, problems := tools.Operations(t.TempDir())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, o := range all {
		needs := caller.Read
		if o.Toolset == "samples" { // sample queries are Cypher
			needs = caller.Query
		}
		for permission, names := range opens {
			if slices.Contains(strings.Fields(names), o.Name) {
				needs = permission
			}
		}
		for _, p := range caller.Permissions {
			who := caller.Caller{Name: "ada", Authenticated: true, Permissions: []caller.Permission{p}}
			may := p == needs || p == caller.Admin
			_, err := o.Run(caller.With(t.Context(), who), nowhere, nil)
			if o.Permits(who) != may || apperr.Is(err, apperr.PermissionDenied) == may {
				t.Errorf("%s with %s: permitted %v, %v", o.Name, p, o.Permits(who), err)
			}
		}
		if _, err := o.Run(caller.With(t.Context(), caller.Caller{Name: "nobody"}), nowhere, nil); !apperr.Is(err,
			apperr.PermissionDenied) {
			t.Errorf("%s without any permission: %v", o.Name, err)
		}
	}
}

// TestNames_Permission_MatchesTheListOperation checks that each kind of names needs the permission of the operation
// that lists the same nodes.
func TestNames_Permission_MatchesTheListOperation(t *testing.T) {
	lists := map[string]string{"policy": "list_policies", "threshold": "list_thresholds", "table": "list_tables",
		"pack": "list_packs", "decision": "list_decisions",
		"verdict": "list_verdicts", "session": "list_sessions", "circuit": "list_breakers", "atlas": "cra_list_atlases"}
	g, env := toolstest.Open(t)
	toolstest.Rules(t, g, `(:SYS_Policy {name: 'x1', circuit_scope: 'x1', active: true}), (:SYS_Threshold {name: 'x1', value: 1}), (:SYS_DecisionTable {table_id: 'x1'}), (:SYS_Pack {name: 'x1'}),
		(:Decision {id: 'x1', uid: 'd1', decision: 'Ours', project: 'acme/shop', visibility: 'project', agent: 'bob'}), (:Decision {id: 'x2', uid: 'd2', decision: 'Theirs', project: 'acme/bank', visibility: 'project', agent: 'bob'}),
		(:Verdict {uid: 'x1', allowed: true, description: 'Ours', project: 'acme/shop'}), (:Verdict {uid: 'x2', allowed: true, description: 'Theirs', project: 'acme/bank'}), (:Verdict {uid: 'x3', allowed: true, description: 'Nobodys'}),
		(:Session {id: 'x1', uid: 's1', agent: 'ada'}), (:Session {id: 'x2', uid: 's2', agent: 'bob'}), (:Atlas {atlas_id: 'x1', name: 'One'})`)
	names := func(kind string, who caller.Caller) string {
		t.Helper()
		o, _ := tools.Find(tools.Catalog, "list_names")
		out, err := o.Run(caller.With(t.Context(), who), env, []byte(`{"kind": "`+kind+`", "prefix": "x"}`))
		if err != nil {
			t.Fatalf("%s as %+v: %v", kind, who, err)
		}
		var found []string
		for _, name := range out.(tools.NameList).Names {
			found = append(found, name.Name)
		}
		slices.Sort(found)
		return strings.Join(found, " ")
	}
	many := map[string]string{"decision": "x1 x2", "verdict": "x1 x2 x3", "session": "x1 x2"}
	for kind := range tools.Names {
		operation, ok := tools.Find(tools.Catalog, lists[kind])
		if !ok {
			t.Errorf("declare the operation that lists names of %s", kind)
		}
		for _, projects := range [][]string{nil, {"acme/shop"}} {
			for _, p := range []caller.Permission{caller.Query, caller.Admin, caller.Read} {
				who := caller.Caller{Name: "Ada", Authenticated: true, Permissions: []caller.Permission{caller.Read, p},
					Projects: projects}
				want := cmp.Or(many[kind], "x1")
				if projects != nil {
					want = "x1"
				}
				if !operation.Permits(who) {
					want = map[bool]string{true: "x1", false: ""}[kind == "session"] // callers see their own sessions
				}
				graphtest.Equal(t, names(kind, who), want, fmt.Sprint(kind, " with ", p, ", limited to ", projects))
			}
		}
	}
}

package tools_test

import (
	"slices"
	"strings"
	"testing"

	"nomograph/access"
	"nomograph/fault"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// opens is what each permission opens; whatever stands nowhere here needs read.
var opens = map[access.Permission]string{
	access.Decide:   "log_decision pre_action update_decision record_thought link_decisions set_preserve ingest_evidence link_evidence cra_start_session cra_bootstrap cra_request_context cra_feedback cra_end_session cra_report_action",
	access.Announce: "announce_intent list_intents get_intent answer_intent list_agents get_agent_card query_agents check_agents broadcast_intent seek_consensus receive_decisions subscribe_agent",
	access.Federate: "list_registry search_shared ask_guardrails",
	access.Review:   "review_outcome",
	access.Query:    "run_cypher_readonly get_schema list_sessions get_session verify_trace get_context_feedback suggest_atlas_changes get_context_usage export_session",
	access.Govern: "set_threshold create_threshold disable_policy enable_policy set_policy_mode apply_packs remove_pack diff_packs validate_packs test_packs lint_policies " +
		"list_approvals get_approval grant_approval deny_approval undo_approval validate_atlases diff_atlases load_atlases import_guardrails revert sync_policies reset_circuit retract_decision unlink_decisions",
	access.Admin: "create_token list_tokens rotate_token revoke_token get_token_usage prune_verdicts rebuild_stats rebuild_index import_adr import_jsonl import_cstp import_sessions forget propose_outcomes add_agent remove_agent discover_agents follow_agent",
}

func TestEachPermissionOpensWhatItSays(t *testing.T) {
	nowhere := tools.NewEnv(toolstest.Nowhere(t), tools.Options{})
	all, problems := tools.Operations(t.TempDir())
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	for _, o := range all {
		needs := access.Read
		if o.Toolset == "samples" { // they are Cypher
			needs = access.Query
		}
		for permission, names := range opens {
			if slices.Contains(strings.Fields(names), o.Name) {
				needs = permission
			}
		}
		for _, p := range access.Permissions {
			who := access.Caller{Name: "ada", Proven: true, Permissions: []access.Permission{p}}
			may := p == needs || p == access.Admin
			_, err := o.Run(access.With(t.Context(), who), nowhere, nil)
			if o.Permits(who) != may || fault.Is(err, fault.PermissionDenied) == may {
				t.Errorf("%s with %s: permitted %v, %v", o.Name, p, o.Permits(who), err)
			}
		}
		if _, err := o.Run(access.With(t.Context(), access.Caller{Name: "nobody"}), nowhere, nil); !fault.Is(err, fault.PermissionDenied) {
			t.Errorf("%s without any permission: %v", o.Name, err)
		}
	}
}

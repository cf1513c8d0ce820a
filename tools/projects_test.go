package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

// TestCatalog_CallerWithProjects_SeesOnlyThem calls every operation that a caller with some projects may use, and
// looks for data of other projects.
func TestCatalog_CallerWithProjects_SeesOnlyThem(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, env := toolstest.Open(t)
	record := func(text, project, visibility, by string) string {
		t.Helper()
		return toolstest.Record(t, env, decisions.Record{Decision: text, Confidence: 0.8,
			ExtraFields: decisions.ExtraFields{Project: project, Visibility: visibility, By: by}}).ID
	}
	names := map[string]string{"ours": record("Cache the orders for a minute", "Acme/Shop", "project", "bob"),
		"own":     record("Cache the customers for a day", "acme/shop", "private", "ada"),
		"private": record("Cache the secret orders for a week", "acme/shop", "private", "bob"),
		"theirs":  record("Cache the orders of the other house", "acme/bank", "shared", "bob"),
		"loose":   record("Cache the orders of nobody", "", "shared", "ada")}
	hidden := []string{names["private"], names["theirs"], names["loose"]}
	names["hidden"] = "-" + strings.Join(hidden, " ; -")
	names["unseen"] = names["hidden"] + " ; -secret ; -other house"
	names["denied"] = "-secret ; -orders of nobody ; -twice for the bank ; -twice for the nobody"
	toolstest.Link(t, env, names["ours"], "depends_on", names["theirs"])
	toolstest.Link(t, env, names["ours"], "relates_to", names["own"])
	toolstest.WaitForWorkers(t, g)
	as := func(name string, may caller.Permission, projects ...string) caller.Caller {
		return caller.Caller{Name: name, Authenticated: true, Permissions: []caller.Permission{may}, Projects: projects}
	}
	intern := as("intern", caller.Decide)
	intern.Permissions = append(intern.Permissions, caller.Read)
	stage := toolstest.Stage{Graph: g, App: env, Names: names, Callers: map[string]caller.Caller{
		"ada": as("Ada", caller.Admin, "acme/shop"), "two": as("Ada", caller.Admin, "acme/shop", "acme/mill"),
		"intern": intern, "reader": as("root", caller.Read), "root": as("root", caller.Admin),
		"excluded": as("Ada", caller.Read, []string{}...)}} // of no project; nil are all
	stage.Play(t, "testdata/calls/projects.txt")

	for _, call := range []string{`get_decision {"id": "%s"}`, `update_decision {"id": "%s", "context": "x"}`,
		`review_outcome {"id": "%s", "outcome": "success"}`, `set_preserve {"id": "%s"}`,
		`record_thought {"decision_id": "%s", "text": "x"}`} {
		for _, id := range hidden {
			others := strings.ReplaceAll(" ; "+names["hidden"], " ; -"+id, "")
			for _, ref := range []string{id, id[:6]} {
				stage.Call(t, "ada "+fmt.Sprintf(call, ref)+" => !not_found"+others)
			}
		}
	}
	graphtest.Equal(t, toolstest.Count(t, g, "MATCH (d:Decision {agent: 'Ada'}) WHERE d.recorded_at IS NOT NULL AND NOT toLower(coalesce(d.project, '')) = 'acme/shop' AND NOT d.decision STARTS WITH 'Cache' RETURN count(d)"), 0, "decisions recorded elsewhere")

	for _, row := range g.Rows(t, "MATCH (v:Verdict) WHERE v.description STARTS WITH 'Cache twice' RETURN v.uid AS id, v.project AS project", nil) {
		want := map[bool]string{true: "", false: "!not_found"}[row["project"] == "acme/shop"]
		stage.Call(t, fmt.Sprintf(`ada explain_verdict {"id": %q} => %s`, row["id"], want))
	}
	for _, o := range tools.Catalog { // operations over all projects
		if o.Scope == "" {
			stage.Call(t, "ada "+o.Name+" {} => !permission_denied")
		}
	}
}

// TestArguments_CallerNames_AreClaimsOrFilters lists arguments that name the caller, and arguments that only filter. A
// new argument must be added to one of the lists.
func TestArguments_CallerNames_AreClaimsOrFilters(t *testing.T) {
	claims := strings.Fields("check_action evaluate_expression pre_action get_session_context log_decision get_decision update_decision retract_decision review_outcome query_decisions link_decisions " +
		"get_graph get_neighbors find_path get_lineage unlink_decisions record_thought set_preserve propose_outcomes cra_start_session cra_bootstrap cra_get_session cra_get_chain cra_get_trace cra_request_context cra_feedback cra_end_session cra_report_action")
	claims = append(claims, "remember", "announce_intent", "answer_intent", "ask_guardrails", "get_pending_inputs",
		"check_agents", "broadcast_intent", "seek_consensus", "subscribe_agent", "appeal_verdict")
	filters := strings.Fields("list_decisions list_verdicts list_sessions ready get_today list_contradictions get_stats plot_calibration list_intents replay_policies suggest_policies tune_threshold report_policies list_exceptions list_reviews_next")
	impostor := caller.With(t.Context(), caller.Caller{Name: "ada", Authenticated: true,
		Permissions: []caller.Permission{caller.Admin}})
	for _, o := range tools.Catalog {
		if o.Input().Properties["agent_id"] == nil {
			continue
		}
		claim, filter := slices.Contains(claims, o.Name), slices.Contains(filters, o.Name)
		if claim == filter {
			t.Errorf("declare whether agent_id of %s is a claim or a filter", o.Name)
		}
		arguments := map[string]any{"agent_id": "bob"}
		for _, name := range o.Input().Required {
			arguments[name] = example(o, name)
		}
		raw := graphtest.Must(json.Marshal(arguments))(t)
		nowhere := toolstest.App(t, toolstest.Unavailable(t))
		_, err := o.Run(impostor, nowhere, raw)
		if claim && !apperr.Is(err, apperr.PermissionDenied) || filter && !apperr.Is(err, apperr.Unavailable) {
			t.Errorf("%s as somebody else: %v", o.Name, err)
		}
	}
}

// example returns a valid value of an argument.
func example(o tools.Operation, name string) any {
	switch property := o.Input().Properties[name]; {
	case len(property.Enum) > 0:
		return property.Enum[0]
	case property.Type == "number":
		return 0.5
	case property.Type == "boolean":
		return true
	case property.Type == "array" || len(property.Types) > 0:
		return []any{"xxxx"}
	case property.Type == "object":
		out := map[string]any{}
		for _, field := range property.Required {
			out[field] = "x"
		}
		return out
	}
	return "xxxx"
}

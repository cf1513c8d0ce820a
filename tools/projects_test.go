package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/decisions"
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
	ours := record("Cache the orders for a minute", "Acme/Shop", "project", "bob")
	own := record("Cache the customers for a day", "acme/shop", "private", "ada")
	private := record("Cache the secret orders for a week", "acme/shop", "private", "bob")
	theirs := record("Cache the orders of the other house", "acme/bank", "shared", "bob")
	loose := record("Cache the orders of nobody", "", "shared", "ada")
	hidden := []string{private, theirs, loose}
	toolstest.Link(t, env, ours, "depends_on", theirs)
	toolstest.Link(t, env, ours, "relates_to", own)
	toolstest.WaitForWorkers(t, g)

	as := func(c caller.Caller) context.Context { return caller.With(t.Context(), c) }
	ada := as(caller.Caller{Name: "Ada", Authenticated: true, Permissions: []caller.Permission{caller.Admin},
		Projects: []string{"acme/shop"}})
	run := func(ctx context.Context, name string, arguments map[string]any) (string, error) {
		t.Helper()
		o, ok := tools.Find(tools.Catalog, name)
		if !ok {
			t.Fatalf("%s is missing", name)
		}
		raw, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		out, err := o.Run(ctx, env, raw)
		if err != nil {
			return apperr.From(err).Error() + fmt.Sprint(apperr.From(err).Details), err
		}
		text, err := json.Marshal(out)
		if err != nil {
			t.Fatal(err)
		}
		return string(text), nil
	}
	shows := func(t *testing.T, answer string, err error, seen, unseen []string) {
		t.Helper()
		if err != nil {
			t.Errorf("got %s, want no error", answer)
		}
		for _, id := range seen {
			if !strings.Contains(answer, id) {
				t.Errorf("%s is not in %s", id, answer)
			}
		}
		for _, id := range unseen {
			if strings.Contains(answer, id) {
				t.Errorf("the hidden %s is in %s", id, answer)
			}
		}
	}

	t.Run("a blank name is the caller's", func(t *testing.T) {
		g.Exec(t, "CREATE (:SYS_Policy {name: 'no interns', active: true, applies_when: 'agent == \"intern\"', requires: 'false'})", nil)
		defer g.Exec(t, "MATCH (p:SYS_Policy {name: 'no interns'}) DETACH DELETE p", nil)
		intern := as(caller.Caller{Name: "intern", Authenticated: true,
			Permissions: []caller.Permission{caller.Decide, caller.Read}})
		verdict, err := run(intern, "check_action", map[string]any{"description": "Deploy", "agent_id": " \t"})
		if err != nil || !strings.Contains(verdict, `"allowed":false`) ||
			!strings.Contains(verdict, `"agent_id":"intern"`) {
			t.Errorf(`got %s %v, want verdict with "allowed":false, verdict with "agent_id":"intern"`, verdict, err)
		}
	})
	t.Run("lists and searches", func(t *testing.T) {
		for name, arguments := range map[string]map[string]any{"list_decisions": {},
			"query_decisions": {"query": "cache orders", "limit": 20}} {
			answer, err := run(ada, name, arguments)
			shows(t, answer, err, []string{ours, own}, hidden)
		}
		for _, filter := range []map[string]any{{"category": "architecture"}, {"sort": "confidence"},
			{"visibility": "private"}, {"agent_id": "bob"}} {
			answer, err := run(ada, "list_decisions", filter)
			shows(t, answer, err, nil, hidden)
		}
		for _, mode := range []string{"semantic", "keyword", "hybrid"} {
			answer, err := run(ada, "query_decisions", map[string]any{"query": "cache the orders of the other house",
				"retrieval_mode": mode, "limit": 20})
			shows(t, answer, err, nil, hidden)
		}
		all, err := run(as(caller.Caller{Name: "root", Authenticated: true,
			Permissions: []caller.Permission{caller.Read}}), "list_decisions", nil)
		shows(t, all, err, append(hidden, ours, own), nil)
		nothing, err := run(as(caller.Caller{Name: "Ada", Authenticated: true,
			Permissions: []caller.Permission{caller.Read}, Projects: []string{}}), "list_decisions", nil)
		shows(t, nothing, err, nil, append(hidden, ours, own))
	})
	t.Run("one decision and its operations", func(t *testing.T) {
		answer, err := run(ada, "get_decision", map[string]any{"id": ours})
		shows(t, answer, err, []string{own}, hidden)
		for name, arguments := range map[string]map[string]any{
			"get_decision": {}, "update_decision": {"context": "x"}, "review_outcome": {"outcome": "success"},
			"set_preserve":   {},
			"record_thought": {"text": "x"},
		} {
			for _, id := range hidden {
				for _, ref := range []string{id, id[:6]} {
					arguments[map[bool]string{true: "decision_id", false: "id"}[name == "record_thought"]] = ref
					answer, err := run(ada, name, arguments)
					if !apperr.Is(err, apperr.NotFound) || slices.ContainsFunc(hidden,
						func(other string) bool { return other != ref && strings.Contains(answer, other) }) {
						t.Errorf("%s %s: got %s, want %s, ...", name, ref, answer, apperr.NotFound)
					}
				}
			}
		}
		if answer, err := run(ada, "review_outcome", map[string]any{"id": ours, "outcome": "success"}); err != nil {
			t.Error(answer)
		}
		if answer, err := run(ada, "update_decision",
			map[string]any{"id": own, "project": "acme/bank"}); !apperr.Is(err, apperr.PermissionDenied) {
			t.Errorf("a decision is moved to a project that the caller may not see: %s", answer)
		}
		if answer, err := run(ada, "update_decision", map[string]any{"id": own, "context": "seen again"}); err != nil {
			t.Error(answer)
		}
	})
	t.Run("links", func(t *testing.T) {
		g.Exec(t, `MATCH (a:Decision {id: $own}), (b:Decision {id: $theirs}), (c:Decision {id: $private}) CREATE (b)-[:DEPENDS_ON {weight: 1.0}]->(a), (c)-[:SUPERSEDES {weight: 1.0}]->(a), (a)-[:CONTRADICTS {weight: 1.0}]->(b)`,
			map[string]any{"own": own, "theirs": theirs, "private": private})
		unseen := []string{private, theirs, loose, "secret", "other house"}
		for _, depth := range []int{1, 3, 5} {
			answer, err := run(ada, "get_graph", map[string]any{"node_id": ours, "depth": depth})
			shows(t, answer, err, []string{ours, own, `"node_count":2`, `"edge_count":1`}, unseen)
		}
		answer, err := run(ada, "get_graph", map[string]any{"node_id": ours, "format": "mermaid"})
		shows(t, answer, err, []string{own}, unseen)
		answer, err = run(ada, "get_neighbors", map[string]any{"node_id": own})
		shows(t, answer, err, []string{ours, `"total":1`}, append(unseen, `"superseded":true`))
		answer, err = run(ada, "get_lineage", map[string]any{"id": own})
		shows(t, answer, err, []string{own}, unseen)
		g.Exec(t, `MATCH (d:Decision {id: $theirs}) SET d.outcome = 'failure', d.status = 'reviewed'`,
			map[string]any{"theirs": theirs})
		answer, err = run(ada, "get_lineage", map[string]any{"failed": true})
		shows(t, answer, err, []string{`"failures":[]`}, unseen)
		// A decision that depends on a failure only through hidden decisions is not reported either.
		g.Exec(t, `MATCH (theirs:Decision {id: $theirs}), (own:Decision {id: $own}), (private:Decision {id: $private})
			CREATE (:Decision {uid: 'over', id: '0be40000', decision: 'Over what is hidden', project: 'acme/shop', visibility: 'project', agent: 'Ada', outcome: 'failure', status: 'reviewed', created_at: datetime()})-[:SUPERSEDES]->(theirs)
			CREATE (own)-[:DEPENDS_ON {made: 'here'}]->(theirs)`, map[string]any{"theirs": theirs, "own": own, "private": private})
		answer, err = run(ada, "get_lineage", map[string]any{"failed": true})
		shows(t, answer, err, []string{`"failures":[]`}, unseen)
		g.Exec(t, `MATCH (d:Decision {uid: 'over'}) DETACH DELETE d WITH count(*) AS gone MATCH ()-[l:DEPENDS_ON {made: 'here'}]->() DELETE l`, nil)
		answer, err = run(ada, "find_path", map[string]any{"from": ours, "to": own})
		shows(t, answer, err, []string{`"found":true`, `"length":1`}, unseen)
		g.Exec(t, `MATCH (:Decision {id: $ours})-[r:RELATES_TO]-(:Decision {id: $own}) DELETE r`,
			map[string]any{"ours": ours, "own": own})
		answer, err = run(ada, "find_path", map[string]any{"from": ours, "to": own})
		shows(t, answer, err, []string{`"found":false`}, unseen)
		for name, arguments := range map[string]map[string]any{
			"get_graph": {"node_id": theirs}, "get_neighbors": {"node_id": private}, "get_lineage": {"id": theirs},
			"find_path":        {"from": ours, "to": theirs},
			"link_decisions":   {"source_id": ours, "target_id": theirs, "edge_type": "relates_to"},
			"unlink_decisions": {"source_id": ours, "target_id": theirs, "edge_type": "depends_on", "reason": "x"},
			"retract_decision": {"id": theirs, "reason": "x"},
		} {
			if answer, err := run(ada, name, arguments); !apperr.Is(err, apperr.NotFound) {
				t.Errorf("%s of a hidden node: got %s, want not_found", name, answer)
			}
		}
		if answer, err := run(ada, "link_decisions",
			map[string]any{"source_id": ours, "target_id": own, "edge_type": "relates_to"}); err != nil {
			t.Error(answer)
		}
		// A cycle through hidden decisions is not reported.
		answer, err = run(ada, "link_decisions", map[string]any{"source_id": own, "target_id": ours,
			"edge_type": "depends_on"})
		shows(t, answer, err, []string{`"created":true`}, append(slices.Clone(unseen), `"cycle"`))
		all, err := run(as(caller.Caller{Name: "root", Authenticated: true,
			Permissions: []caller.Permission{caller.Read}}), "get_graph", map[string]any{"node_id": own, "depth": 2})
		shows(t, all, err, []string{ours, own, private, theirs, `"superseded":true`}, nil)
	})
	t.Run("recordings and checks are of its project", func(t *testing.T) {
		two := as(caller.Caller{Name: "Ada", Authenticated: true, Permissions: []caller.Permission{caller.Admin},
			Projects: []string{"acme/shop", "acme/mill"}})
		for name, arguments := range map[string]map[string]any{
			"log_decision": {"decision": "Keep it simple", "category": "process", "confidence": 0.7},
			"check_action": {"description": "Cache the orders of the other house"},
			"pre_action": {"action": map[string]any{"description": "Cache the orders of the other house",
				"category": "architecture", "confidence": 0.7}},
		} {
			if answer, err := run(two, name, arguments); !apperr.Is(err, apperr.PermissionDenied) {
				t.Errorf("%s without a project: %s", name, answer)
			}
			answer, err := run(ada, name, arguments)
			shows(t, answer, err, nil, hidden)
			arguments["project"] = "acme/bank"
			if answer, err := run(ada, name, arguments); !apperr.Is(err, apperr.PermissionDenied) {
				t.Errorf("%s in another project: %s", name, answer)
			}
		}
		if n := toolstest.Count(t, g, "MATCH (d:Decision {agent: 'Ada'}) WHERE d.recorded_at IS NOT NULL AND NOT toLower(coalesce(d.project, '')) = 'acme/shop' AND NOT d.decision STARTS WITH 'Cache' RETURN count(d)"); n != 0 {
			t.Errorf("%d decisions were recorded elsewhere", n)
		}
	})
	t.Run("action items, denials and session context", func(t *testing.T) {
		g.Exec(t, `MATCH (d:Decision) WHERE d.id IN $ids SET d.status = 'pending', d.outcome = null, d.review_by = datetime() - duration({days: 3})`, map[string]any{"ids": append(hidden, ours, own)})
		g.Exec(t, `CREATE (:SYS_Policy {name: 'never-twice', active: true, applies_when: 'action.description.startsWith("Cache twice")', requires: 'false', message: 'No'})`, nil)
		root := as(caller.Caller{Name: "root", Authenticated: true, Permissions: []caller.Permission{caller.Admin}})
		for who, project := range map[string]string{"bank": "acme/bank", "shop": "acme/shop", "nobody": ""} {
			if answer, err := run(root, "check_action", map[string]any{"description": "Cache twice for the " + who,
				"project": project}); err != nil {
				t.Fatal(answer)
			}
		}
		unseen := append([]string{"secret", "orders of nobody", "twice for the bank", "twice for the nobody"},
			hidden...)
		for name, arguments := range map[string]map[string]any{"ready": {}, "get_today": {},
			"get_session_context": {"task_description": "Cache the orders of the other house", "format": "json",
				"max_tokens": 20000}} {
			answer, err := run(ada, name, arguments)
			shows(t, answer, err, []string{ours, own}, unseen)
		}
		answer, err := run(ada, "get_session_context", map[string]any{"max_tokens": 20000})
		shows(t, answer, err, []string{ours, "left out"}, unseen)
		for _, arguments := range []map[string]any{{}, {"agent_id": "root"}, {"allowed": false},
			{"rule": "never-twice"}} {
			answer, err := run(ada, "list_verdicts", arguments)
			shows(t, answer, err, []string{"twice for the shop"}, unseen)
		}
		for _, arguments := range []map[string]any{{}, {"level": "full"}} {
			answer, err := run(ada, "get_compacted", arguments)
			shows(t, answer, err, []string{ours, own, `"total":5`},
				unseen) // four decisions; the one that is pending again after its review counts twice
		}
		for _, name := range []string{"list_contradictions", "get_wisdom"} {
			answer, err := run(ada, name, nil)
			shows(t, answer, err, nil, unseen)
		}
		all, err := run(root, "list_verdicts", map[string]any{"rule": "never-twice"})
		shows(t, all, err, []string{"twice for the shop", "twice for the bank", "twice for the nobody"}, nil)
		var verdicts struct {
			Verdicts []struct {
				VerdictID   string `json:"verdict_id"`
				Description string
			}
		}
		if err := json.Unmarshal([]byte(all), &verdicts); err != nil {
			t.Fatal(err)
		}
		for _, v := range verdicts.Verdicts {
			answer, err := run(ada, "explain_verdict", map[string]any{"id": v.VerdictID})
			if seen := strings.HasSuffix(v.Description, "shop"); seen == apperr.Is(err, apperr.NotFound) ||
				seen != (err == nil) {
				t.Errorf("%s: got %s, want seen other than apperr.Is(err, apperr.NotFound), seen=%v", v.Description,
					answer, (err == nil))
			}
		}
	})
	t.Run("operations over all projects are refused", func(t *testing.T) {
		for _, o := range tools.Catalog {
			if o.Scope != "" {
				continue
			}
			if answer, err := run(ada, o.Name, nil); !apperr.Is(err, apperr.PermissionDenied) {
				t.Errorf("%s: got %s, want %s", o.Name, answer, apperr.PermissionDenied)
			}
		}
	})
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
		raw, err := json.Marshal(arguments)
		if err != nil {
			t.Fatal(err)
		}
		nowhere := toolstest.App(t, toolstest.Unavailable(t))
		_, err = o.Run(impostor, nowhere, raw)
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

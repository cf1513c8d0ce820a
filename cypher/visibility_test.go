package cypher_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"nomograph/cypher"
	"nomograph/internal/golden"
)

func TestRestricted_Marker_BecomesCondition(t *testing.T) {
	s := cypher.New("test/markers", "MATCH (d:Decision) WHERE true /* visible: d:Decision */ AND CASE WHEN true /* unrestricted */ THEN 1 ELSE 0 END = 0 RETURN d", false)
	want := "MATCH (d:Decision) WHERE (toLower(d.project) IN $caller.projects AND (d.visibility <> 'private' OR toLower(d.agent) = $caller.agent)) AND CASE WHEN false THEN 1 ELSE 0 END = 0 RETURN d"
	if got, ok := s.Restricted(); got != want || !ok {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, ok := cypher.New("test/none", "RETURN 1", false).Restricted(); got != "" || ok {
		t.Errorf("got %q for a statement without a marker, want empty got, ok=false", got)
	}
}

func TestNew_UnreadableMarker_Panics(t *testing.T) {
	for _, text := range []string{
		"MATCH (d) WHERE true /* visible: d */ RETURN d",
		"MATCH (d) WHERE true /* visible: d:Unknown */ RETURN d",
		"MATCH (d) WHERE true /* Visible: d:Decision */ RETURN d",
		"MATCH (d) WHERE true /*visible: d:Decision*/ RETURN d",
		"MATCH (d) WHERE d.x /* visible: d:Decision */ RETURN d",
		"MATCH (d) WHERE d.istrue /* visible: d:Decision */ RETURN d",
		"MATCH (d) WHERE true /* visible: d:Decision RETURN d",
		"RETURN 1 /* all of them */",
	} {
		t.Run(text, func(t *testing.T) {
			defer func() {
				golden.Contains(t, "the panic", fmt.Sprint(recover()),
					"statement test/unreadable: cannot read the marker")
			}()
			cypher.New("test/unreadable", text, false)
		})
	}
}

func TestRestrict_EveryStatement_LeavesNoMarker(t *testing.T) {
	for name, s := range cypher.Catalog {
		if strings.Contains(s.Text(), "$caller") {
			t.Errorf("%s names $caller itself; use a marker", name)
		}
		if restricted, ok := s.Restricted(); ok && (strings.Contains(restricted, "/*") || restricted == s.Text()) {
			t.Errorf("%s is not restricted: %s", name, restricted)
		}
	}
}

// unmarked returns the reason for each statement that may read a protected node without a visibility marker. A name
// with a trailing slash covers all statements of that directory without a marker; name:variable covers one node of a
// statement with other markers.
var unmarked = []struct {
	reason string
	names  string
}{
	{"Only operations run them that a restricted caller may not call: exports, imports, statistics, salience, audit.",
		`policies/history/audit_entries archive/ decisions/audit/ decisions/imports/ decisions/insights/salient decisions/attribution/attributable
		memory/memory_stats memory/memory_sources memory/session_by_ref memory/chunks_forgettable memory/chunks_forget memory/sessions_subtract memory/projects_span
		sessions/contexts_rated sessions/contexts_unused sessions/contexts_usage sessions/feedback_summary`},
	{"Operations check that the session is the caller's own.",
		"trace/ tools/sessions_complete sessions/session_governed sessions/session_end"},
	{"The caller's code takes another path if Caller.Limited, since counts cover all decisions.",
		"decisions/precedents/ decisions/counters/"},
	{"Go filters what it returns, by the projects and agents of each row.",
		`events/ agents/decisions_shared agents/exchange/decisions_unsent policies/history/`},
	{"It gets the uids of nodes that a statement with a marker found, or that the caller itself recorded or asked for.",
		`policies/check/appeal_create policies/check/appeal_decide policies/proposals/proposal_lock policies/proposals/proposal_write decisions/decision_of_request decisions/decision_record decisions/decision_lock decisions/decision_review decisions/links/link_remove
		search/decisions_packed search/decisions_texts agents/intent_announce agents/vote_add sessions/approval_answer sessions/approval_claim sessions/approval_undo sessions/verdict_action`},
	{"It says whether there are any, and nothing of them.", "tools/listings_read"},
	{"A policy is evaluated over the whole graph; its answer holds no node.",
		`policies/check/autonomy_reviews policies/check/circuit_state policies/check/consensus_in_force policies/check/rules_in_force policies/pack/limit_state limits/limits_used agents/federation/`},
	{"Packs are applied over the whole graph.", `policies/change/atlases_dependent policies/change/pack_nodes sessions/atlases_projects sessions/context_owners sessions/contexts_depended_on`},
	{"It returns only how many of the calls that the caller itself executed were matched.",
		"policies/check/executions_record"},
	{"Background workers run it.", `policies/check/verdicts_old policies/check/verdicts_prune policies/check/executions_old policies/check/executions_prune memory/chunks_existing memory/decisions_claim memory/session_claim memory/facts_next memory/project_names
		memory/conversations_open memory/conversations/ search/chunk_vectors_store search/chunks_mark search/chunks_state search/context_vectors_store search/contexts_unindexed search/decisions_mark search/search_state search/markers_remove search/vectors_store`},
	{"Nodes with markers depend on it, or it is looked up for a node that the caller may see.",
		`decisions/insights/similar_pairs:f decisions/decision_details:s decisions/decision_details:v
		decisions/links/failed_with_dependents:on decisions/links/decisions_violating_policy:v decisions/links/link_create:a decisions/links/link_create:b decisions/links/link_create:end decisions/links/links_of_decision:a
		decisions/links/links_traverse:other decisions/links/path_between:a decisions/links/path_between:b decisions/precedents/decisions_details:d search/decisions_linked:d
		memory/recall/chunks_linked:a memory/recall/chunks_linked:b memory/recall/chunks_linked:o policies/check/verdict_by_uid:a policies/check/verdict_by_uid:d policies/check/denials_by_uid:a policies/lab/acts:a policies/lab/acts:d policies/lab/impact_dependents:on policies/lab/impact_violated:v sessions/approval_with_precedents:s
		sessions/session_received:a sessions/session_received:s`},
	{"It is an embedding.", "search/chunks_by_vector:e search/contexts_by_vector:e search/decisions_by_vector:e"},
}

// TestVisibility_EveryStatement_HasMarkerOrReason reads the labels in patterns and those of index results. It cannot
// detect nodes without a label in their pattern.
func TestVisibility_EveryStatement_HasMarkerOrReason(t *testing.T) {
	node := regexp.MustCompile(`\((\w*):(?:\w+[:&|])*(Decision|Verdict|Execution|Intent|Chunk|Session|Approval|Proposal|Appeal|MemoryProject|Atlas|Context)\b|\bYIELD node AS (\w+)()`)
	marker := regexp.MustCompile(`/\* visible: (?:\w+\.)*(\w+):(\w+) \*/`)
	comment := regexp.MustCompile(`(?m)^\s*//.*$`)
	reasons, used := map[string]string{}, map[string]bool{}
	for _, group := range unmarked {
		for _, name := range strings.Fields(group.names) {
			golden.Equal(t, name, reasons[name], "")
			reasons[name] = group.reason
		}
	}
	marked := 0
	for name, s := range cypher.Catalog {
		text := comment.ReplaceAllString(s.Text(), "")
		variables, labels := map[string]bool{}, map[string]bool{}
		for _, found := range marker.FindAllStringSubmatch(text, -1) {
			variables[found[1]], labels[found[2]] = true, true
		}
		if len(labels) > 0 {
			marked++
		}
		if !strings.Contains(text, "RETURN") {
			continue // it returns nothing to the caller
		}
		for _, found := range node.FindAllStringSubmatch(text, -1) {
			variable, label := found[1]+found[3], found[2]
			switch {
			case variables[variable], variable == "" && len(labels) > 0: // a node without a variable is not returned
				continue
			case label == "Session" && labels["Chunk"], (label == "Context" || variable == "c") &&
				labels["Atlas"]: // part of a node with a marker
				continue
			}
			reason := name[:strings.LastIndex(name, "/")+1]
			switch {
			case len(labels) > 0:
				reason = name + ":" + variable
			case reasons[name] != "":
				reason = name
			}
			if used[reason] = true; reasons[reason] == "" {
				t.Errorf("%s has no marker for (%s:%s): add `true /* visible: %[2]s:%[3]s */`, or a reason to unmarked",
					name, variable, label)
			}
		}
	}
	for name := range reasons {
		if !used[name] {
			t.Errorf("%s needs no reason", name)
		}
	}
	t.Logf("%d of %d statements have markers", marked, len(cypher.Catalog))
}

// TestVisibility_DecisionsInFilteredStatements_HaveVariables: a node without a variable cannot have a marker, but
// reveals its existence.
func TestVisibility_DecisionsInFilteredStatements_HaveVariables(t *testing.T) {
	for name, s := range cypher.Catalog {
		if text := s.Text(); strings.Contains(text, ":Decision */") && strings.Contains(text, "(:Decision") {
			t.Errorf("%s matches a decision without a variable: give it one and a marker", name)
		}
	}
}

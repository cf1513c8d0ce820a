package live_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies/live"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func TestGet_Node_IsReadAsStored(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SYS_Policy {name: 'NoTemporalFacet', description: 'Temporal is a forbidden facet', decision_table: 'D8',
		active: true, system: true, priority: 3, facet_key: 'TEMPORAL'})-[:GOVERNED_BY]->(:SYS_DecisionTable {table_id: 'D8_DETERMINE_SFA_facet_assignment'});
CREATE (:SYS_Policy {name: 'SwitchedOff', active: false});
CREATE (:SYS_Policy {name: 'NeverSwitched', rule: 'ask first'});
CREATE (:SYS_Threshold {name: 'claim_promotion_confidence', value: 0.9, unit: 'score', decision_table: 'D10',
		rationale: 'What is promoted is taken for true', last_reviewed: '2026-02-25', system: true});
CREATE (:SYS_Threshold {name: 'level2_child_overload', value: 12, unit: 'count'})`, nil)
	for _, name := range []string{"NoTemporalFacet", "SwitchedOff", "NeverSwitched"} {
		node := graphtest.Must(env.Live.Policy(t.Context(), live.PolicyQuery{Name: name}))(t)
		golden.Check(t, "testdata/read/policy_"+name+".json", toolstest.Pretty(t, node))
	}
	for _, name := range []string{"claim_promotion_confidence", "level2_child_overload"} {
		node := graphtest.Must(env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: name}))(t)
		golden.Check(t, "testdata/read/threshold_"+name+".json", toolstest.Pretty(t, node))
	}

	t.Run("a changed node is what the next read gives", func(t *testing.T) {
		before, _ := env.Live.Policy(t.Context(), live.PolicyQuery{Name: "NoTemporalFacet"})
		g.Exec(t, "MATCH (p:SYS_Policy {name: 'NoTemporalFacet'}) SET p.active = false", nil)
		after, err := env.Live.Policy(t.Context(), live.PolicyQuery{Name: "NoTemporalFacet"})
		if err != nil || after.Properties["active"] != false || after.Reading.Version == before.Reading.Version {
			t.Errorf("got %v %v, want active=false, Version other than %v", after, err, before.Reading.Version)
		}
	})
	t.Run("a cut link is another version", func(t *testing.T) {
		before, _ := env.Live.Policy(t.Context(), live.PolicyQuery{Name: "NoTemporalFacet"})
		g.Exec(t, "MATCH (:SYS_Policy {name: 'NoTemporalFacet'})-[l]->() DELETE l", nil)
		after, err := env.Live.Policy(t.Context(), live.PolicyQuery{Name: "NoTemporalFacet"})
		if err != nil || after.Reading.Version == before.Reading.Version {
			t.Errorf("got %v %v, want Version other than %v", after, err, before.Reading.Version)
		}
	})
}

func TestGet_UnknownName_ProposesNearest(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `UNWIND ['NoTemporalFacet', 'NoTemporalFacets', 'NoPatronageFacet', 'ApprovalRequired'] AS name CREATE (:SYS_Policy {name: name});
UNWIND ['claim_promotion_confidence', 'claim_promotion_posterior', 'facet_drift_alert'] AS name CREATE (:SYS_Threshold {name: name, value: 1})`, nil)
	tests := []struct {
		label, name string
		nearest     string
	}{
		{"SYS_Policy", "NoTemporalFact", "[NoTemporalFacet NoTemporalFacets]"},
		{"SYS_Policy", "notemporalfacet", "[NoTemporalFacet NoTemporalFacets]"},
		{"SYS_Policy", "Approval", "[ApprovalRequired]"},
		{"SYS_Policy", "ClaimPromotion", "<nil>"},
		{"SYS_Threshold", "claim_promotion_confidense", "[claim_promotion_confidence]"},
		{"SYS_Threshold", "drift", "[facet_drift_alert]"},
		{"SYS_Threshold", "NoTemporalFacet", "<nil>"},
		{"SYS_Threshold", "Ω", "<nil>"},
	}
	for _, tt := range tests {
		t.Run(tt.label+" "+tt.name, func(t *testing.T) {
			err := readBy(t, env, tt.label, tt.name, "")
			got := toolstest.ErrorWithCode(t, err, apperr.NotFound)
			golden.Equal(t, "message", got.Message, tt.label+" node '"+tt.name+"' not found")
			golden.Equal(t, "nearest", fmt.Sprint(got.Details["nearest"]), tt.nearest)
			near, _ := got.Details["nearest"].([]string)
			for _, name := range near {
				golden.Contains(t, "the hint", got.Hint, "'"+name+"'")
			}
			if got.Hint == "" {
				t.Error("the hint is missing")
			}
		})
	}
}

// TestGet_Concurrently_EachCallerGetsItsNode: concurrent calls share a read, and each gets its own node.
func TestGet_Concurrently_EachCallerGetsItsNode(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `UNWIND range(0, 9) AS i CREATE (:SYS_Threshold {name: 'bar_' + i, value: i});
CREATE (:SYS_Threshold {name: 'bar_3_legal', value: 33, scope: 'legal'});
UNWIND range(1, 30) AS i CREATE (:SYS_Threshold {name: 'many', value: i})`, nil)
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			q := live.ThresholdQuery{Name: fmt.Sprintf("bar_%d", i%10)}
			wanted := fmt.Sprint(i % 10)
			switch i % 6 {
			case 0:
				q.Name, wanted = "absent", "not_found"
			case 1:
				q.Name, wanted = "many", "conflict"
			case 2:
				q.Name, q.Scope, wanted = "bar_3", "legal", "33"
			}
			node, err := env.Live.Threshold(t.Context(), q)
			got := fmt.Sprint(node.Properties["value"])
			if err != nil {
				got = string(apperr.From(err).Code)
			}
			golden.Equal(t, fmt.Sprint(q), got, wanted)
			if err == nil {
				node.Properties["value"] = "changed by one caller" // must not affect other callers
			}
		})
	}
	all.Wait()
}

func TestGet_DuplicateName_ConflictShowsBoth(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SYS_Policy {name: 'Twice', active: true}), (:SYS_Policy {name: 'Twice', active: false, since: date('2026-03-01')}),
		(:SYS_Threshold {name: 'twice', value: 1}), (:SYS_Threshold {name: 'twice', value: '2'}),
		(:SYS_Threshold {name: 'by_scope', value: 1, domain_scope: 'a'}), (:SYS_Threshold {name: 'by_scope_a', value: 2, scope: 'a'})`, nil)
	tests := []struct{ label, name, scope string }{{"SYS_Policy", "Twice", ""}, {"SYS_Policy", "Twice", "any"},
		{"SYS_Threshold", "twice", ""}, {"SYS_Threshold", "by_scope", "a"}}
	for _, tt := range tests {
		t.Run(tt.name+tt.scope, func(t *testing.T) {
			got := toolstest.ErrorWithCode(t, readBy(t, env, tt.label, tt.name, tt.scope), apperr.Conflict)
			nodes, _ := got.Details["nodes"].([]any)
			if len(nodes) != 2 || !strings.Contains(got.Message, "'"+tt.name+"'") {
				t.Fatalf("got %s, %v, want len(nodes)=2, Message with %v", got.Message, nodes, "'"+tt.name+"'")
			}
			if _, err := json.Marshal(got); err != nil {
				t.Error(err)
			}
			for _, node := range nodes {
				if n := node.(map[string]any); n["element_id"] == "" || len(n["properties"].(map[string]any)) < 2 {
					t.Errorf("node: %v", n)
				}
			}
		})
	}

	t.Run("and are listed", func(t *testing.T) {
		found := graphtest.Must(env.Live.Duplicates(t.Context()))(t)
		texts := []string{}
		for _, d := range found {
			texts = append(texts, fmt.Sprintf("%s %v %d", d.Label, d.Name, d.Nodes))
		}
		slices.Sort(texts)
		if want := "[SYS_Policy Twice 2 SYS_Threshold twice 2]"; fmt.Sprint(texts) != want {
			t.Errorf("got %v, want %s", texts, want)
		}
	})
}

func TestDuplicates_ScopedVariants_AreNotListed(t *testing.T) {
	g, env := toolstest.Open(t)
	if found, err := env.Live.Duplicates(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("an empty graph: %v %v", found, err)
	}
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'a', value: 1}), (:SYS_Threshold {name: 'a', value: 2, domain_scope: 'x'}),
		(:SYS_Threshold {name: 'a', value: 3, scope: 'y'}), (:SYS_Threshold {value: 4}), (:SYS_Threshold {value: 5}),
		(:SYS_Policy {name: 'b'}), (:SYS_Policy {name: 'b', scope: 'x'}), (:SYS_Threshold {name: 'b', value: 1})`, nil)
	if found, err := env.Live.Duplicates(t.Context()); err != nil || len(found) != 0 {
		t.Errorf("variants for scopes: %v %v", found, err)
	}
}

func TestGet_AnyName_IsFoundOrNotFound(t *testing.T) {
	g, env := toolstest.Open(t)
	names := []string{`it's`, `"quoted"`, `back\slash`, "back`tick", `x'}) DETACH DELETE n //`, `$name`, "{{name}}",
		"🧭 Kompaß", "a\nb", " padded ", strings.Repeat("long", 50)}
	for _, name := range names {
		t.Run(name[:min(12, len(name))], func(t *testing.T) {
			for _, label := range []string{"SYS_Policy", "SYS_Threshold"} {
				got := toolstest.ErrorWithCode(t, readBy(t, env, label, name, ""), apperr.NotFound)
				golden.Equal(t, "message", got.Message, label+" node '"+name+"' not found")
				g.Exec(t, "CREATE (n:$($label) {name: $name, value: 1})", map[string]any{"label": label, "name": name})
				if err := readBy(t, env, label, name, ""); err != nil {
					t.Error(err)
				}
			}
		})
	}
	golden.Equal(t, "listed policies", graphtest.Must(env.Live.Policies(t.Context(), live.PolicyFilter{}))(t).Total,
		len(names))
}

func TestGet_NoSchema_StillReads(t *testing.T) {
	g := graphtest.Unmigrated(t)
	g.Exec(t, "CREATE (:SYS_Policy {name: 'Old', active: true}), (:SYS_Threshold {name: 'old', value: 1})", nil)
	env := toolstest.App(t, toolstest.Reopen(t, g))
	for _, label := range []string{"SYS_Policy", "SYS_Threshold"} {
		if err := readBy(t, env, label, map[string]string{"SYS_Policy": "Old", "SYS_Threshold": "old"}[label],
			""); err != nil {
			t.Error(err)
		}
		toolstest.ErrorWithCode(t, readBy(t, env, label, "new", ""), apperr.NotFound)
	}
	if rows := g.Rows(t, "MATCH (n) WHERE NOT n:SYS_Policy AND NOT n:SYS_Threshold RETURN n", nil); len(rows) != 0 {
		t.Errorf("reading wrote: %v", rows)
	}
}

// readBy reads a policy or threshold and returns the error.
func readBy(t *testing.T, env *tools.App, label, name, scope string) error {
	t.Helper()
	if label == "SYS_Policy" {
		_, err := env.Live.Policy(t.Context(), live.PolicyQuery{Name: name, Scope: scope})
		return err
	}
	_, err := env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: name, Scope: scope})
	return err
}

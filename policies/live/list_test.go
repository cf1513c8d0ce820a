package live_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/live"
	"nomograph/tools/toolstest"
)

func TestPolicies_Filters_SelectPolicies(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SYS_DecisionTable {table_id: 'D8_facets'}), (:SYS_DecisionTable {table_id: 'D1_classes'}), (:SYS_DecisionTable {table_id: 'D10_claims'}),
		(:SYS_DecisionTable {table_id: 'D15_persons'}), (:SYS_DecisionTable {table_id: 'D15_federation'}), (:SYS_DecisionTable {name: 'D16_only_named'}),
		(:SYS_Policy {name: 'zulu', active: true, decision_table: 'D8', facet_key: 'TEMPORAL', description: 'Temporal is a forbidden facet'}),
		(:SYS_Policy {name: 'Alpha', active: true, decision_table: 'D8_facets', description: 'ÄRGER in capitals'}),
		(:SYS_Policy {name: 'bravo', active: false, decision_table: 'D8', facet_key: 'PATRONAGE'}),
		(:SYS_Policy {name: 'charlie', decision_table: 'D10', facet_key: 'GENEALOGICAL', rule: 'Ask a Person first'}),
		(:SYS_Policy {name: 'delta', active: true, decision_table: 'D10_claims'}),
		(:SYS_Policy {name: 'echo', active: true, decision_table: 'D99'}),
		(:SYS_Policy {name: 'foxtrot', active: true, decision_table: 'D15_persons'}),
		(:SYS_Policy {name: 'golf', active: true, decision_table: 'D16'})`, nil)
	for _, row := range golden.Rows(t, "testdata/filters.txt") {
		t.Run(row[0], func(t *testing.T) {
			var filter live.PolicyFilter
			graphtest.OK(t, json.Unmarshal([]byte(row[1]), &filter))
			list := graphtest.Must(env.Live.Policies(t.Context(), filter))(t)
			names := []string{}
			for _, row := range list.Policies {
				names = append(names, row.Name.(string))
			}
			if got := strings.Join(names, " "); got != row[2] || list.Total != len(names) || list.NextCursor != "" {
				t.Errorf("got %q (total %d, cursor %q), want %q", got, list.Total, list.NextCursor, row[2])
			}
			if text, _ := json.Marshal(list); !strings.Contains(string(text), `"policies":[`) {
				t.Errorf("an empty list is null: %s", text)
			}
		})
	}

	t.Run("a short id of two tables is a conflict", func(t *testing.T) {
		for _, list := range []func() error{
			func() error {
				_, err := env.Live.Policies(t.Context(), live.PolicyFilter{DecisionTable: "D15"})
				return err
			},
			func() error {
				_, err := env.Live.Thresholds(t.Context(), live.ThresholdFilter{DecisionTable: "D15"})
				return err
			},
		} {
			golden.Equal(t, "message", toolstest.ErrorWithCode(t, list(),
				apperr.Conflict).Message, "'D15' matches 2 decision tables: D15_federation, D15_persons")
		}
	})
	t.Run("a row shows what is stored", func(t *testing.T) {
		list, err := env.Live.Policies(t.Context(), live.PolicyFilter{Text: "charlie"})
		text, _ := json.Marshal(list)
		if want := `{"policies":[{"name":"charlie","active":null,"decision_table":"D10","facet_key":"GENEALOGICAL","reading":{"effect":"data"}}],"total":1}`; err != nil || string(text) != want {
			t.Errorf("%s %v, want %s", text, err, want)
		}
	})
}

func TestThresholds_Filters_SelectThresholds(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SYS_DecisionTable {table_id: 'D10_claims'}),
		(:SYS_Threshold {name: 'posterior', value: 0.9, unit: 'probability', decision_table: 'D10'}),
		(:SYS_Threshold {name: 'confidence', value: 0.9, unit: 'score', decision_table: 'D10_claims', rationale: 'Promoted is TRUE'}),
		(:SYS_Threshold {name: 'confidence', value: 0.75, decision_table: 'D10', domain_scope: 'person', description: 'For persons'}),
		(:SYS_Threshold {name: 'overload', value: 12})`, nil)
	tests := map[string]struct {
		filter live.ThresholdFilter
		want   string
	}{
		"nothing asked": {live.ThresholdFilter{}, "confidence=0.9 confidence=0.75 overload=12 posterior=0.9"},
		"a table": {live.ThresholdFilter{DecisionTable: "D10"},
			"confidence=0.9 confidence=0.75 posterior=0.9"},
		"names": {live.ThresholdFilter{Names: []string{"overload", "posterior", "none"}},
			"overload=12 posterior=0.9"},
		"text in the rationale":  {live.ThresholdFilter{Text: "true"}, "confidence=0.9"},
		"text in a description":  {live.ThresholdFilter{Text: "PERSONS"}, "confidence=0.75"},
		"a table and text":       {live.ThresholdFilter{DecisionTable: "D10_claims", Text: "post"}, "posterior=0.9"},
		"names outside of table": {live.ThresholdFilter{DecisionTable: "D10", Names: []string{"overload"}}, ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			list := graphtest.Must(env.Live.Thresholds(t.Context(), tt.filter))(t)
			texts := []string{}
			for _, row := range list.Thresholds {
				texts = append(texts, fmt.Sprintf("%v=%v", row.Name, row.Value))
			}
			if got := strings.Join(texts, " "); got != tt.want || list.Total != len(texts) {
				t.Errorf("got %q (total %d), want %q", got, list.Total, tt.want)
			}
		})
	}
}

func TestList_Pages_LoseAndRepeatNothing(t *testing.T) {
	g, env := toolstest.Open(t)
	const nodes = 250
	g.Exec(t, `UNWIND range(1, 250) AS i
		CREATE (:SYS_Policy {name: CASE WHEN i <= 60 THEN 'the same' WHEN i = 61 THEN '' ELSE 'policy ' + toString(i) END, decision_table: toString(i)}),
		       (:SYS_Threshold {name: CASE WHEN i <= 60 THEN 'the same' ELSE 'threshold ' + toString(i) END, value: i})`, nil)
	for _, limit := range []int{0, 7, 50, 249, 250, 500} {
		t.Run(fmt.Sprint("limit ", limit), func(t *testing.T) {
			seen, pages, last := map[any]bool{}, 0, ""
			for at := (policies.Page{Limit: limit}); ; pages++ {
				list, err := env.Live.Policies(t.Context(), live.PolicyFilter{Page: at})
				if err != nil || list.Total != nodes {
					t.Fatalf("total %d, %v", list.Total, err)
				}
				for _, row := range list.Policies {
					if name := row.Name.(string); name < last {
						t.Errorf("%q after %q", name, last)
					} else {
						last = name
					}
					if seen[row.DecisionTable] {
						t.Errorf("%v came twice", row)
					}
					seen[row.DecisionTable] = true
				}
				if at.Cursor = list.NextCursor; at.Cursor == "" {
					break
				}
			}
			size := limit
			if size == 0 {
				size = 100
			}
			if len(seen) != nodes || pages != (nodes-1)/size {
				t.Errorf("%d of %d nodes, %d further pages", len(seen), nodes, pages)
			}
		})
	}
	t.Run("thresholds too", func(t *testing.T) {
		seen := map[any]bool{}
		for at := (policies.Page{Limit: 40}); ; {
			list, err := env.Live.Thresholds(t.Context(), live.ThresholdFilter{Page: at})
			if err != nil || list.Total != nodes {
				t.Fatalf("total %d, %v", list.Total, err)
			}
			for _, row := range list.Thresholds {
				seen[row.Value] = true
			}
			if at.Cursor = list.NextCursor; at.Cursor == "" {
				break
			}
		}
		golden.Equal(t, "nodes seen", len(seen), nodes)
	})
	t.Run("a page after removed nodes goes on where it was", func(t *testing.T) {
		first := graphtest.Must(env.Live.Policies(t.Context(), live.PolicyFilter{Page: policies.Page{Limit: 100}}))(t)
		last := first.Policies[99].Name
		g.Exec(t, "MATCH (p:SYS_Policy {name: $name}) DELETE p", map[string]any{"name": last})
		second, err := env.Live.Policies(t.Context(),
			live.PolicyFilter{Page: policies.Page{Limit: 100, Cursor: first.NextCursor}})
		if err != nil || second.Policies[0].Name.(string) <= last.(string) || second.Total != nodes-1 {
			t.Errorf("%v after %v, total %d, %v", second.Policies[0], last, second.Total, err)
		}
	})
}

func TestList_UnknownCursor_IsRefused(t *testing.T) {
	_, env := toolstest.Open(t)
	for _, cursor := range []string{"x", "!!!", "a b", base64.RawURLEncoding.EncodeToString([]byte("[]")),
		base64.RawURLEncoding.EncodeToString([]byte(`{"n":1}`)), strings.Repeat("A", 1000)} {
		_, err := env.Live.Policies(t.Context(), live.PolicyFilter{Page: policies.Page{Cursor: cursor}})
		golden.Contains(t, fmt.Sprint("the hint for ", cursor), toolstest.ErrorWithCode(t, err, apperr.Validation).Hint,
			"next_cursor")
		_, err = env.Live.Thresholds(t.Context(), live.ThresholdFilter{Page: policies.Page{Cursor: cursor}})
		toolstest.ErrorWithCode(t, err, apperr.Validation)
	}
}

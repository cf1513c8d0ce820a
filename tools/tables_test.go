package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/config"
	"nomograph/internal/schema"
	"nomograph/policies/change"
	"nomograph/policies/pack"
)

// TestTables_Operations_MatchTheirSchemas calls each operation with JSON and validates the answers against the
// published schemas.
func TestTables_Operations_MatchTheirSchemas(t *testing.T) {
	g := graphtest.New(t)
	env := Open(config.Defaults(), zerolog.Nop(), Options{Graph: g.DB})
	if _, err := env.Change.Apply(t.Context(), change.ApplyRequest{Packs: []pack.Source{{Name: "chrystallum"}},
		By: "test"}); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		operation, arguments, holds string
		fails                       apperr.Code
	}{
		{operation: "evaluate_table", arguments: `{"table": "D12", "inputs": {"crosslink_ratio": 0, "level2_children": 13}}`, holds: `"row_id":"D12_R2"`},
		{operation: "evaluate_table", arguments: `{"table": "D12", "inputs": {"crosslink_ratio": 0.3, "level2_children": 12.0}}`, holds: `"outputs":{"split":false}`},
		{operation: "evaluate_table", arguments: `{"table": "D5", "inputs": {"temporal_match": "high", "domain_match": true}}`, holds: `"outputs":{"confidence":0.95,"match":"temporal_high"}`},
		{operation: "evaluate_table", arguments: `{"table": "D12"}`, fails: apperr.Validation},
		{operation: "evaluate_table", arguments: `{"table": "D12", "inputs": []}`, fails: apperr.Validation},
		{operation: "evaluate_table", arguments: `{"table": "D99", "inputs": {}}`, fails: apperr.NotFound},
		{operation: "get_table", arguments: `{"table": "D12"}`, holds: `"label":"SubjectConcept split trigger"`},
		{operation: "list_tables", arguments: `{"limit": 1}`, holds: `"total":15`},
		{operation: "lint_policies", arguments: ``, holds: `"errors":0`},
		{operation: "lint_policies", arguments: `{"packs": [{"name": "p", "text": "pack: p\nversion: 1.0.0\ndecision_tables: [{table_id: D1}]"}]}`, holds: `"location":"p:3:20"`},
	}
	for _, tt := range tests {
		t.Run(tt.operation+" "+tt.arguments, func(t *testing.T) {
			o, ok := Find(Catalog, tt.operation)
			if !ok {
				t.Fatal("not in the catalog")
			}
			out, err := o.Run(t.Context(), env, json.RawMessage(tt.arguments))
			if tt.fails != "" {
				if !apperr.Is(err, tt.fails) {
					t.Errorf("got %v, want %s", err, tt.fails)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(out)
			if err != nil || !strings.Contains(string(text), tt.holds) {
				t.Errorf("got %v, %s, want text with %v", err, text, tt.holds)
			}
			form, err := json.Marshal(o.Output())
			if err != nil {
				t.Fatal(err)
			}
			value, err := unmarshal(text)
			if err != nil {
				t.Fatal(err)
			}
			if problems := schema.MustCompile(form).Check(value); len(problems) > 0 {
				t.Errorf("the answer violates its schema: %v", problems)
			}
		})
	}
}

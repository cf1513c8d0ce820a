package table_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/policies/pack"
	"nomograph/policies/table"
	"nomograph/tools/toolstest"
)

// evaluation is a row of testdata/evaluations.yaml.
type evaluation struct {
	Table, Inputs, Scope, Rows, Outputs, Says string
	Fails                                     apperr.Code
}

// TestEvaluate_TablesNotFromPacks_AreEvaluated evaluates tables that Nomograph did not write.
func TestEvaluate_TablesNotFromPacks_AreEvaluated(t *testing.T) {
	g, env := toolstest.Open(t)
	tables := pack.Bolt(toolstest.Rows[any](t, "testdata/tables.yaml"))
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'low', value: 1}), (:SYS_Threshold {name: 'low_far', value: 5, scope: 'far'}), (:SYS_Threshold {name: 'text', value: '0.5'}),
		(:SYS_Threshold {name: 'twice', value: 1}), (:SYS_Threshold {name: 'twice', value: 2}), (:SYS_Threshold {name: 'empty'});
	UNWIND $tables AS t CREATE (n:SYS_DecisionTable) SET n = t.properties
	FOREACH (row IN t.rows | CREATE (n)-[:HAS_ROW]->(r:SYS_DecisionRow) SET r = row);
	MATCH (n:SYS_DecisionTable {table_id: 'linkedTwice'})-[:HAS_ROW]->(r) CREATE (n)-[:HAS_ROW]->(r)`, map[string]any{"tables": tables})
	rows := append(toolstest.Rows[evaluation](t, "testdata/evaluations.yaml"),
		evaluation{Table: "costly", Inputs: `{"x": [` + strings.Repeat("1,", 2000) + `1]}`, Fails: apperr.RuleFailed,
			Says: "costs too much"},
		evaluation{Table: "declared", Inputs: `{"a": "` + strings.Repeat("x", 70_000) + `"}`, Fails: apperr.Validation,
			Says: "at most 65536 bytes"})
	for _, tt := range rows {
		t.Run(tt.Table+" "+tt.Inputs[:min(len(tt.Inputs), 30)], func(t *testing.T) {
			answer, err := env.Table.Evaluate(t.Context(),
				table.Query{Table: tt.Table, Inputs: inputsOf(t, tt.Inputs), Scope: tt.Scope})
			if tt.Fails != "" {
				if got := toolstest.ErrorWithCode(t, err, tt.Fails); !strings.Contains(got.Error(), tt.Says) ||
					got.Hint == "" {
					t.Errorf("got %s, want with %v, a Hint", got.Error(), tt.Says)
				}
				return
			}
			graphtest.OK(t, err)
			if fmt.Sprint(rowIDs(answer)) != tt.Rows || answer.Matched != (tt.Rows != "[]") {
				t.Errorf("rows %v, matched %v", rowIDs(answer), answer.Matched)
			}
			outputs := answer.Outputs
			if answer.HitPolicy == "ALL" {
				list := []any{}
				for _, row := range answer.Rows {
					list = append(list, row.Outputs)
				}
				outputs = list
			}
			if text, _ := json.Marshal(outputs); string(text) != strings.ReplaceAll(tt.Outputs, "1.0", "1") {
				t.Errorf("outputs %s", text)
			}
		})
	}

	t.Run("a table that runs out of time decides nothing", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), -time.Second)
		defer cancel()
		_, err := env.Table.Evaluate(ctx, table.Query{Table: "unique", Inputs: inputsOf(t, `{"x": 1}`)})
		toolstest.ErrorWithCode(t, err, apperr.QueryTimeout)
	})
}

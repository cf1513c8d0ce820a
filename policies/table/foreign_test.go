package table_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"nomograph/internal/apperr"
	"nomograph/policies/table"
	"nomograph/tools/toolstest"
)

// TestEvaluate_TablesNotFromPacks_AreEvaluated evaluates tables that Nomograph did not write.
func TestEvaluate_TablesNotFromPacks_AreEvaluated(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (:SYS_Threshold {name: 'low', value: 1}), (:SYS_Threshold {name: 'low_far', value: 5, scope: 'far'}), (:SYS_Threshold {name: 'text', value: '0.5'}),
		(:SYS_Threshold {name: 'twice', value: 1}), (:SYS_Threshold {name: 'twice', value: 2}), (:SYS_Threshold {name: 'empty'});
	UNWIND $tables AS t CREATE (n:SYS_DecisionTable) SET n = t.properties
	FOREACH (row IN t.rows | CREATE (n)-[:HAS_ROW]->(r:SYS_DecisionRow) SET r = row);
	MATCH (n:SYS_DecisionTable {table_id: 'linkedTwice'})-[:HAS_ROW]->(r) CREATE (n)-[:HAS_ROW]->(r)`, map[string]any{"tables": foreignTables})
	tests := []struct {
		table, inputs, scope string
		rows                 string // matching rows
		outputs              string // outputs of the table or of the rows
		fails                apperr.Code
		says                 string
	}{
		{table: "named", inputs: `{"x": 3}`, rows: "[a]", outputs: `"promote it"`},
		{table: "D2", inputs: `{"x": 3}`, rows: "[a]", outputs: `{"n":1.0,"whole":1}`},
		{table: "D2_other", inputs: `{"x": 2}`, rows: "[]", outputs: `null`},
		{table: "D2_other", inputs: `{"x": 2.5}`, rows: "[a]", outputs: `{"n":1.0,"whole":1}`},
		{table: "D", inputs: `{}`, fails: apperr.NotFound, says: "SYS_DecisionTable node 'D' not found. Did you mean"},
		{table: "twins", inputs: `{}`, fails: apperr.Conflict, says: "'twins' matches 2 decision tables: twins, twins"},
		{table: "D3", inputs: `{}`, fails: apperr.Conflict,
			says: "'D3' matches 2 decision tables: D3_a, D3_b. Use the full id"},
		{table: "D3_a", inputs: `{}`, rows: "[always]", outputs: `"yes"`},
		{table: "nopolicy", inputs: `{}`, fails: apperr.Conflict, says: "an unknown hit policy: (none)"},
		{table: "oddpolicy", inputs: `{}`, fails: apperr.Conflict, says: `an unknown hit policy: COLLECT`},
		{table: "norows", inputs: `{}`, fails: apperr.Conflict, says: "has no rows"},
		{table: "json", inputs: `{"x": 1}`, fails: apperr.RuleFailed,
			says: "The row 'j' of 'json' could not be evaluated: its condition is invalid"},
		{table: "free", inputs: `{"confidence": 1}`, fails: apperr.RuleFailed,
			says: "undeclared reference to 'confidence'"},
		{table: "list", inputs: `{}`, fails: apperr.RuleFailed, says: "conditions is a list, not text"},
		{table: "order", inputs: `{"x": 1}`, rows: "[second]", outputs: `2`},
		{table: "order", inputs: `{"x": 9}`, rows: "[first]", outputs: `1`},
		{table: "order", inputs: `{"x": 0}`, rows: "[last]", outputs: `"an action"`},
		{table: "order", inputs: `{}`, fails: apperr.RuleFailed,
			says: "The row 'first' of 'order' could not be evaluated: there is no x; ask has() first where it may be absent. Nothing was decided. Pass what the row reads"},
		{table: "order", inputs: `{"x": "1"}`, fails: apperr.RuleFailed, says: "has the wrong type for the condition"},
		{table: "unique", inputs: `{"x": 1}`, rows: "[small]", outputs: `{"size":"small"}`},
		{table: "unique", inputs: `{"x": 50}`, rows: "[]", outputs: `null`},
		{table: "unique", inputs: `{"x": 10}`, fails: apperr.Conflict,
			says: "2 rows of 'unique' match, and its hit policy UNIQUE allows one: small, ten"},
		{table: "all", inputs: `{"x": 10}`, rows: "[a b]",
			outputs: `[{"at":1},{"at":[5,{"deep":1}],"kept":{"other":"x"}}]`},
		{table: "all", inputs: `{"x": 10}`, scope: "far", rows: "[a b]",
			outputs: `[{"at":5},{"at":[5,{"deep":5}],"kept":{"other":"x"}}]`},
		{table: "all", inputs: `{"x": 3}`, rows: "[a]", outputs: `[{"at":1}]`},
		{table: "all", inputs: `{"x": 0}`, rows: "[]", outputs: `[]`},
		{table: "linkedTwice", inputs: `{"x": 1}`, rows: "[once]", outputs: `1`},
		{table: "spelling", inputs: `{"x": 2}`, rows: "[s]", outputs: `1`},
		{table: "missing", inputs: `{"x": 2}`, fails: apperr.RuleFailed,
			says: "SYS_Threshold node 'gone' not found. Nothing was decided. Restore the threshold"},
		{table: "missing", inputs: `{"x": 0}`, rows: "[]", outputs: `null`},
		{table: "textual", inputs: `{"x": 2}`, fails: apperr.RuleFailed, says: "has the wrong type for the condition"},
		{table: "valueless", inputs: `{"x": 2}`, fails: apperr.RuleFailed,
			says: "SYS_Threshold node 'empty' has no value"},
		{table: "doubled", inputs: `{"x": 2}`, fails: apperr.RuleFailed,
			says: "2 SYS_Threshold nodes are called 'twice'. Nothing was decided. Remove or rename all but one"},
		{table: "notbool", inputs: `{"x": 2}`, fails: apperr.RuleFailed, says: "gives a int, not true or false"},
		{table: "costly", inputs: `{"x": [` + strings.Repeat("1,", 2000) + `1]}`, fails: apperr.RuleFailed,
			says: "costs too much"},
		{table: "declared", inputs: `{"a": 1, "b": 2}`, rows: "[d]", outputs: `1`},
		{table: "declared", inputs: `{"a": 1, "b": 2, "c": 3}`, rows: "[]", outputs: `null`},
		{table: "declared", inputs: `{}`, fails: apperr.Validation,
			says: "Missing inputs: a, b. 'declared' takes a, b, c"},
		{table: "declared", inputs: `{"a": 1, "b": 2, "cc": 3}`, fails: apperr.Validation,
			says: "Unknown inputs: cc (did you mean c?)"},
		{table: "declaredText", inputs: `{}`, fails: apperr.Validation, says: "Missing inputs: a"},
		{table: "declaredOddly", inputs: `{"anything": 1}`, rows: "[d]", outputs: `1`},
		{table: "declared", inputs: `{"a": "` + strings.Repeat("x", 70_000) + `"}`, fails: apperr.Validation,
			says: "at most 65536 bytes"},
	}
	for _, tt := range tests {
		t.Run(tt.table+" "+tt.inputs[:min(len(tt.inputs), 30)], func(t *testing.T) {
			answer, err := env.Table.Evaluate(t.Context(),
				table.Query{Table: tt.table, Inputs: inputsOf(t, tt.inputs), Scope: tt.scope})
			if tt.fails != "" {
				if got := toolstest.ErrorWithCode(t, err, tt.fails); !strings.Contains(got.Error(), tt.says) ||
					got.Hint == "" {
					t.Errorf("got %s, want with %v, a Hint", got.Error(), tt.says)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(rowIDs(answer)) != tt.rows || answer.Matched != (tt.rows != "[]") {
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
			if text, _ := json.Marshal(outputs); string(text) != strings.ReplaceAll(tt.outputs, "1.0", "1") {
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

type object = map[string]any

func rowLike(id string, priority any, conditions, outputs any) object {
	r := object{"row_id": id, "priority": priority, "conditions": conditions, "outputs": outputs}
	for key, value := range r {
		if value == nil {
			delete(r, key)
		}
	}
	return r
}

func tableLike(id, policy string, rows ...object) object {
	list := make([]any, len(rows))
	for i, r := range rows {
		list[i] = r
	}
	return object{"properties": object{"table_id": id, "hit_policy": policy}, "rows": list}
}

func saying(table object, key string, value any) object {
	properties := table["properties"].(object)
	properties[key] = value
	if value == nil {
		delete(properties, key)
	}
	return table
}

var foreignTables = []any{
	saying(saying(tableLike("", "first", rowLike("a", nil, "inputs.x > 2", "promote it")), "table_id", nil), "name",
		"named"),
	tableLike("D2_other", "FIRST", rowLike("a", 1, "inputs.x > 2", `{"n": 1.0, "whole": 1}`)),
	tableLike("twins", "FIRST"), tableLike("twins", "FIRST"),
	tableLike("D3_a", "FIRST", rowLike("always", 1, nil, "yes")), tableLike("D3_b", "FIRST"),
	saying(tableLike("nopolicy", "", rowLike("a", 1, nil, "x")), "hit_policy", nil),
	tableLike("oddpolicy", "COLLECT", rowLike("a", 1, nil, "x")),
	tableLike("norows", "FIRST"),
	tableLike("json", "FIRST", rowLike("j", 1, `{"confidence": ">= 0.9"}`, "x"), rowLike("k", 2, nil, "y")),
	tableLike("free", "FIRST", rowLike("f", 1, `confidence >= 0.9`, "x")),
	tableLike("list", "ALL", rowLike("l", 1, []any{"a"}, "x")),
	// Rows are evaluated by priority, those without priority last. A broken row after the matching one has no effect.
	tableLike("order", "FIRST", object{"row_id": "last", "action": "an action"},
		rowLike("zbroken", nil, "not CEL", "3"), rowLike("second", 2.5, "inputs.x == 1", "2"),
		rowLike("first", -1, "inputs.x > 5", "1")),
	tableLike("unique", "UNIQUE", rowLike("small", 1, "inputs.x <= 10", `{"size": "small"}`),
		rowLike("ten", 2, "inputs.x == 10", "{}")),
	tableLike("all", "ALL", rowLike("b", 2, `inputs.x > 5`,
		`{"at": [5, {"deep": {"threshold": "low"}}], "kept": {"other": "x"}}`),
		rowLike("a", 1, `inputs.x >= threshold("low")`, `{"at": {"threshold":"low"}}`)),
	tableLike("linkedTwice", "UNIQUE", rowLike("once", 1, "inputs.x == 1", "1")),
	tableLike("spelling", "FIRST", rowLike("s", 1, `inputs.x > threshold( "low" )`, "1")),
	tableLike("missing", "FIRST", rowLike("m", 1, `inputs.x > 1 && inputs.x > threshold("gone")`, "1")),
	tableLike("textual", "FIRST", rowLike("m", 1, `inputs.x > threshold("text")`, "1")),
	tableLike("valueless", "FIRST", rowLike("m", 1, `inputs.x > threshold("empty")`, "1")),
	tableLike("doubled", "FIRST", rowLike("m", 1, `inputs.x > threshold("twice")`, "1")),
	tableLike("notbool", "FIRST", rowLike("m", 1, `inputs.x`, "1")),
	tableLike("costly", "FIRST", rowLike("c", 1, `inputs.x.all(a, inputs.x.all(b, inputs.x.all(c, c == a)))`, "1")),
	saying(tableLike("declared", "FIRST", rowLike("d", 1, "!has(inputs.c)", "1")), "inputs", []any{"a", "b", "c?"}),
	saying(tableLike("declaredText", "FIRST", rowLike("d", 1, nil, "1")), "inputs", `["a"]`),
	saying(tableLike("declaredOddly", "FIRST", rowLike("d", 1, nil, "1")), "inputs", `a, b`),
}

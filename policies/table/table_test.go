package table_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/golden"
	"nomograph/policies"
	"nomograph/policies/cases"
	"nomograph/policies/change"
	"nomograph/policies/live"
	"nomograph/policies/pack"
	"nomograph/policies/table"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func inputsOf(t testing.TB, text string) graph.Parameters {
	t.Helper()
	var p graph.Parameters
	graphtest.OK(t, json.Unmarshal([]byte(text), &p))
	return p
}

func rowIDs(answer table.Answer) []string {
	ids := []string{}
	for _, row := range answer.Rows {
		ids = append(ids, row.RowID)
	}
	return ids
}

// TestEvaluate_PackCases_HoldInTheGraph evaluates the shipped tables after applying them. The cases of the pack must
// hold for callers.
func TestEvaluate_PackCases_HoldInTheGraph(t *testing.T) {
	g, env := toolstest.Open(t)
	text := graphtest.Must(pack.ShippedText("chrystallum"))(t)
	shipped := graphtest.Must(pack.Parse(t.Context(), "chrystallum.yaml", text))(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{{Name: "chrystallum"}}})
	hit := map[string]bool{}
	all := graphtest.Must(cases.Read(shipped))(t)
	for _, c := range all {
		t.Run(c.Name, func(t *testing.T) {
			for name, value := range c.Thresholds {
				was := g.Rows(t, "MATCH (t:SYS_Threshold {name: $name}) RETURN t.value AS value",
					map[string]any{"name": name})[0]["value"]
				set := "MATCH (t:SYS_Threshold {name: $name}) SET t.value = $value"
				g.Exec(t, set, map[string]any{"name": name, "value": value.Any()})
				defer g.Exec(t, set, map[string]any{"name": name, "value": was})
			}
			answer, err := env.Table.Evaluate(t.Context(), table.Query{Table: c.Table, Inputs: c.Inputs})
			if c.Expect.Fails {
				if err == nil {
					t.Errorf("it answers %v", rowIDs(answer))
				}
				return
			}
			graphtest.OK(t, err)
			if !slices.Equal(rowIDs(answer), c.Expect.Rows) {
				t.Errorf("rows %v, want %v", rowIDs(answer), c.Expect.Rows)
			}
			outputs, _ := answer.Outputs.(map[string]any)
			for key, want := range c.Expect.Outputs {
				golden.Equal(t, key, outputs[key], want)
			}
			for _, row := range answer.Rows {
				hit[row.RowID] = true
			}
		})
	}
	for _, row := range g.Rows(t, "MATCH (r:SYS_DecisionRow) RETURN r.row_id AS id", nil) {
		if !hit[row["id"].(string)] {
			t.Errorf("no case hits %s", row["id"])
		}
	}

	t.Run("an answer shows what the row saw", func(t *testing.T) { answerShowsWhatItSaw(t, g, env) })
	t.Run("a table is read as stored", func(t *testing.T) { tableIsReadAsStored(t, env) })
}

func answerShowsWhatItSaw(t *testing.T, g *graphtest.Graph, env *tools.App) {
	ask := table.Query{Table: "D10", Inputs: inputsOf(t,
		`{"approval_required": false, "confidence": 0.8, "posterior": 0.95, "scope": "ancient_person"}`)}
	answer := graphtest.Must(env.Table.Evaluate(t.Context(), ask))(t)
	scoped, _ := env.Live.Threshold(t.Context(),
		live.ThresholdQuery{Name: "claim_promotion_confidence", Scope: "ancient_person"})
	plain, _ := env.Live.Threshold(t.Context(), live.ThresholdQuery{Name: "claim_promotion_posterior"})
	row := answer.Rows[0]
	if answer.Table != "D10_DETERMINE_claim_promotion_eligibility" || answer.HitPolicy != "FIRST" || !answer.Matched ||
		answer.Evaluated != 4 || row.RowID != "D10_R4" {
		t.Errorf("got %+v, want Table=D10_DETERMINE_claim_promotion_eligibility, HitPolicy=FIRST, Matched=true, Evaluated=4, RowID=D10_R4", answer)
	}
	if len(row.Thresholds) != 2 || row.Thresholds["claim_promotion_confidence_ancient_person"] != (policies.ThresholdUse{Value: 0.75, Version: scoped.Reading.Version}) ||
		row.Thresholds["claim_promotion_posterior"] != (policies.ThresholdUse{Value: 0.9,
			Version: plain.Reading.Version}) {
		t.Errorf("thresholds %v", row.Thresholds)
	}
	if recorded := g.Rows(t, "MATCH (:SYS_DecisionTable {table_id: $id})-[:CURRENT_VERSION]->(v) RETURN v.hash AS hash",
		map[string]any{"id": answer.Table}); len(recorded) != 1 || recorded[0]["hash"] != answer.Version {
		t.Errorf("version %s, recorded %v", answer.Version, recorded)
	}
	want := map[string]any{"inputs.approval_required": false, "inputs.confidence": 0.8, "inputs.posterior": 0.95,
		"inputs.scope": "ancient_person"}
	if fmt.Sprint(row.Values) != fmt.Sprint(want) || !strings.Contains(row.Conditions, "claim_promotion_posterior") {
		t.Errorf("%v by %s", row.Values, row.Conditions)
	}
	delete(ask.Inputs, "scope")
	golden.Equal(t, "row id", graphtest.Must(env.Table.Evaluate(t.Context(), ask))(t).Rows[0].RowID, "D10_R2")
	ask.Scope = "ancient_person"
	golden.Equal(t, "row id", graphtest.Must(env.Table.Evaluate(t.Context(), ask))(t).Rows[0].RowID, "D10_R4")

	g.Exec(t, "MATCH (t:SYS_Threshold {name: 'claim_promotion_confidence_ancient_person'}) SET t.value = 0.81", nil)
	if after, err := env.Table.Evaluate(t.Context(), ask); err != nil || after.Rows[0].RowID != "D10_R2" ||
		after.Version != answer.Version ||
		after.Rows[0].Thresholds["claim_promotion_confidence_ancient_person"].Value != 0.81 {
		t.Errorf("after the change: %+v %v", after, err)
	}
	g.Exec(t, "MATCH (r:SYS_DecisionRow {row_id: 'D10_R2'}) SET r.conditions = 'inputs.confidence < 0.5'", nil)
	if after, err := env.Table.Evaluate(t.Context(), ask); err != nil || after.Matched ||
		after.Version == answer.Version || after.Evaluated != 4 || after.Outputs != nil {
		t.Errorf("weakened row: got %+v, %v, want no match and a new version", after, err)
	}
}

func tableIsReadAsStored(t *testing.T, env *tools.App) {
	node := graphtest.Must(env.Table.Get(t.Context(), table.ID{Table: "D13"}))(t)
	var flat map[string]any
	graphtest.OK(t, json.Unmarshal([]byte(toolstest.Pretty(t, node)), &flat))
	rows, thresholds := flat["rows"].([]any), flat["thresholds"].([]any)
	if flat["label"] != "SFA drift alert" || len(rows) != 2 ||
		rows[0].(map[string]any)["outputs"] != `{"alert":true}` || len(thresholds) != 1 ||
		thresholds[0].(map[string]any)["value"] != 0.2 ||
		len(flat["reading"].(map[string]any)["version"].(string)) != 64 {
		t.Errorf(`got %v, want label="SFA drift alert", len(rows)=2, outputs={"alert":true}, len(thresholds)=1, value=0.2, len(version)=64`, flat)
	}
	list, err := env.Table.List(t.Context(), table.Filter{Page: policies.Page{Limit: 2}})
	if err != nil || list.Total != 15 || len(list.Tables) != 2 || list.NextCursor == "" {
		t.Fatalf("got %+v %v, want Total=15, len(Tables)=2, a NextCursor", list, err)
	}
	next, err := env.Table.List(t.Context(), table.Filter{Page: policies.Page{Limit: 20, Cursor: list.NextCursor}})
	if err != nil || len(next.Tables) != 13 || fmt.Sprint(list.Tables[0]) != "{D10_DETERMINE_claim_promotion_eligibility Claim promotion eligibility FIRST 4 3}" {
		t.Errorf(`got %+v %+v %v, want len(next.Tables)=13, list.Tables[0]="{D10_DETERMINE_claim_promotion_eligibility Claim promotion eligibility FIRST 4 3}"`, list.Tables, next, err)
	}
}

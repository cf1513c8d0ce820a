package counters_test

import (
	"testing"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/graphtest"
)

// TestCellsAreFoundByTheirIndex holds that the plans that the server makes while there are no cells yet do not scan all of them once an
// import has made thousands: it keeps a plan for a while.
func TestCellsAreFoundByTheirIndex(t *testing.T) {
	g := graphtest.New(t)
	key := map[string]any{"scope": "all", "period": "all"}
	answer, err := g.RunReadOnly(t.Context(), graph.ReadQuery{Query: "EXPLAIN " + cypher.CellsOfKeys.Text(), Params: graph.Parameters{"keys": []any{key}}})
	if err != nil {
		t.Fatal(err)
	}
	if scans(*answer.Plan) {
		t.Errorf("without a cell, a scan is planned: %+v", answer.Plan)
	}
}

func scans(p graph.Plan) bool {
	if p.Operator == "NodeByLabelScan" || p.Operator == "AllNodesScan" {
		return true
	}
	for _, child := range p.Children {
		if scans(child) {
			return true
		}
	}
	return false
}

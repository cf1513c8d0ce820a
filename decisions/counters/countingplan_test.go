package counters_test

import (
	"testing"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/graphtest"
)

// TestCounters_Reads_UseTheIndex checks the plans that the server creates while no cells exist. It caches these plans,
// so they must not scan all cells after an import has created thousands.
func TestCounters_Reads_UseTheIndex(t *testing.T) {
	g := graphtest.New(t)
	key := map[string]any{"scope": "all", "period": "all"}
	answer := graphtest.Must(g.RunReadOnly(t.Context(), graph.ReadQuery{Query: "EXPLAIN " + cypher.CellsOfKeys.Text(),
		Params: graph.Parameters{"keys": []any{key}}}))(t)
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

package counters_test

import (
	"testing"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/graphtest"
)

// TestStats_OneAgentOrProject_ReadsOnlyItsDecisions: sums that are not stored cost as much as the decisions of one
// agent or project, not as much as all decisions.
func TestStats_OneAgentOrProject_ReadsOnlyItsDecisions(t *testing.T) {
	g := graphtest.New(t)
	g.Exec(t, `CREATE (a:Agent {key: 'ada', name: 'ada'}), (p:Project {key: 'acme/shop', name: 'acme/shop'})
		WITH a, p
		UNWIND range(1, 1500) AS i
		CREATE (d:Decision {uid: 'u' + i, agent: 'ada', project: 'acme/shop', stakes: 'high'})
		FOREACH (_ IN CASE WHEN i <= 20 THEN [1] ELSE [] END | CREATE (a)-[:MADE]->(d))
		FOREACH (_ IN CASE WHEN i <= 10 THEN [1] ELSE [] END | CREATE (p)<-[:IN_PROJECT]-(d))`, nil)
	for _, c := range []struct {
		agent, project any
		rows           int
	}{{"ada", "acme/shop", 10}, {"ada", nil, 20}, {"nobody", nil, 0}, {nil, nil, 1500}} {
		answer := graphtest.Must(g.RunReadOnly(t.Context(),
			graph.ReadQuery{Query: "PROFILE " + cypher.DecisionsCounted.Text(),
				Limit:  2000,
				Params: graph.Parameters{"agent": c.agent, "project": c.project, "category": nil, "stakes": nil}}))(t)
		if hits := hitsOf(*answer.Plan); len(answer.Rows) != c.rows || c.rows < 1500 && hits > 1000 {
			t.Errorf("%v in %v: %d rows for %d hits", c.agent, c.project, len(answer.Rows), hits)
		}
	}
}

// hitsOf sums up the database hits of all operators of a plan.
func hitsOf(p graph.Plan) int64 {
	var hits int64
	if p.DBHits != nil {
		hits = *p.DBHits
	}
	for _, child := range p.Children {
		hits += hitsOf(child)
	}
	return hits
}

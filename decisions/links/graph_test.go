package links_test

import (
	"context"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

func TestGraph_LinkedDecisions_AreReturned(t *testing.T) {
	g, env := toolstest.Open(t)
	id := toolstest.Some(t, g, "abcdef012345")
	stage := toolstest.Stage{Graph: g, App: env}
	stage.Play(t, "testdata/calls/graph.txt")
	t.Run("a hub costs what the limit allows", func(t *testing.T) {
		hub := func(name string, links int) {
			g.Exec(t, `CREATE (h:Decision {uid: $name, id: $name, decision: 'hub'}) WITH h
				UNWIND range(1, $links) AS i
				CREATE (d:Decision {uid: $name + i, id: $name + i, decision: 'leaf'})-[:RELATES_TO {weight: 0.5, created_at: datetime()}]->(h)`,
				map[string]any{"name": name, "links": links})
		}
		hub("small", 2000)
		hub("large", 20_000)
		g.Exec(t, "MATCH (a:Decision {id: 'large'}), (b:Decision {id: $id}) CREATE (a)-[:SUPERSEDES {weight: 1.0, created_at: datetime()}]->(b), (b)-[:DEPENDS_ON]->(a)",
			map[string]any{"id": id["4"]})
		stage.Play(t, "testdata/calls/hub.txt")
		small, large := hits(t, g, "small"), hits(t, g, "large")
		if large > small*5/4 {
			t.Errorf("a hub of 20,000 links costs %d accesses, one of 2,000 costs %d", large, small)
		}
	})
}

// hits returns the database hits of a two-step walk from a decision.
func hits(t *testing.T, g *graphtest.Graph, uid string) int64 {
	t.Helper()
	session := g.Driver.NewSession(context.Background(), neo4j.SessionConfig{})
	defer func() { _ = session.Close(context.Background()) }()
	types := []string{"RELATES_TO", "SUPERSEDES", "DEPENDS_ON", "CONTRADICTS", "BLOCKS"}
	result := graphtest.Must(session.Run(context.Background(), "PROFILE "+cypher.LinksTraverse.Text(),
		map[string]any{"id": "", "from": []string{uid}, "steps": 2, "hub": 1000, "automatic": false,
			"outgoing": types, "incoming": types, "links": 100, "limit": 50}))(t)
	summary := graphtest.Must(result.Consume(context.Background()))(t)
	var count func(p neo4j.ProfiledPlan) int64
	count = func(p neo4j.ProfiledPlan) int64 {
		n := p.DbHits()
		for _, child := range p.Children() {
			n += count(child)
		}
		return n
	}
	return count(summary.Profile())
}

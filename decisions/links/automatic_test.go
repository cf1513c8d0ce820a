package links_test

import (
	"testing"

	"nomograph/decisions/links"
	"nomograph/tools/toolstest"
)

func TestLinks_Automatic_AreShownOnRequest(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, `CREATE (a:Decision {uid: 'a', id: 'aaaa0001', decision: 'First', created_at: datetime()})-[:RELATES_TO {auto: true, weight: 0.9, created_at: datetime()}]->(b:Decision {uid: 'b', id: 'bbbb0001', decision: 'Second', created_at: datetime()})`, nil)
	for automatic, want := range map[bool]int{false: 0, true: 1} {
		around, err := env.Links.Graph(t.Context(), links.GraphQuery{NodeID: "aaaa0001", IncludeAutomatic: automatic})
		if err != nil || around.EdgeCount != want || around.NodeCount != 1+want {
			t.Errorf("graph with automatic %v: got %d links, %v, want %d", automatic, around.EdgeCount, err, want)
		}
		near, err := env.Links.Neighbors(t.Context(),
			links.NeighborsQuery{NodeID: "bbbb0001", IncludeAutomatic: automatic})
		if err != nil || len(near.Neighbors) != want || int(near.Total) != want {
			t.Errorf("neighbors with automatic %v: got %+v, %v, want %d", automatic, near, err, want)
		}
		path, err := env.Links.Path(t.Context(), links.PathQuery{From: "aaaa0001", To: "bbbb0001",
			IncludeAutomatic: automatic})
		if err != nil || path.Found != automatic {
			t.Errorf("path with automatic %v: got %+v, %v, want Found=%v", automatic, path, err, automatic)
		}
	}
}

package insights_test

import (
	"testing"

	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

// aged creates a decision with additional properties in Cypher.
func aged(t *testing.T, g *graphtest.Graph, id, properties string) {
	t.Helper()
	g.Exec(t, `CREATE (d:Decision {id: $id, uid: 'u-' + $id, decision: 'Decision ' + $id, stakes: 'medium', status: 'pending', created_at: datetime()})
SET d += {`+properties+`}`, map[string]any{"id": id})
}

func TestReady_ActionItems_AreRanked(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g, env := toolstest.Open(t)
	toolstest.Stage{Graph: g, App: env}.Play(t, "testdata/calls/ready.txt")
}

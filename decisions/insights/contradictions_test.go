package insights_test

import (
	"strings"
	"testing"

	"nomograph/decisions/insights"
	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

func TestContradictions_OppositeDecisions_AreFound(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Stage{Graph: g, App: env}.Play(t, "testdata/calls/contradictions.txt")
}

func TestContradictions_NoIndex_AreReportedAsUnavailable(t *testing.T) {
	g := graphtest.Alterable(t)
	env := toolstest.App(t, g.DB)
	toolstest.Some(t, g, "a")
	g.Exec(t, "DROP INDEX embedding_text", nil)
	g.Exec(t, "MATCH (d:Decision) CREATE (:Embedding {uid: d.uid, model: 'm', text: [1.0, 0.5]})-[:OF]->(d) MERGE (i:SYS_SearchIndex {name: 'decisions'}) SET i.model = 'm'", nil)
	list, err := env.Insights.Contradictions(t.Context(), insights.ContradictionsQuery{})
	if err != nil || len(list.Notes) != 1 || !strings.Contains(list.Notes[0], "does not answer") {
		t.Errorf(`got %+v, %v, want len(Notes)=1, Notes[0] with "does not answer"`, list, err)
	}
}

package tools_test

import (
	"testing"

	"nomograph/tools/toolstest"
)

// TestCalls_Answers_MatchTheirSchemas makes the calls of files, whose answers must match the published schemas.
func TestCalls_Answers_MatchTheirSchemas(t *testing.T) {
	g, env := toolstest.Open(t)
	g.Exec(t, "CREATE (d:Decision {uid: 'd1', id: 'abcdef01', decision: 'Use Neo4j'})-[:DELIBERATED_BY {position: 2}]->(:TraceEvent {uid: 'e1', session: 'old', seq: 0})<-[:RECORDED]-(:Session {uid: 'old', id: 'old', agent: 'bob', last_at: datetime(), count: 1})", nil)
	toolstest.ApplyShipped(t, g, "chrystallum")
	for _, name := range []string{"trace", "tables"} {
		toolstest.Stage{Graph: g, App: env}.Play(t, "testdata/calls/"+name+".txt")
	}
}

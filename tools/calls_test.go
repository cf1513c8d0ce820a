package tools_test

import (
	"os"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/graph/graphtest"
	"nomograph/policies/change"
	"nomograph/policies/pack"
	"nomograph/tools"
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

// TestAnswers_EveryOperation_FitsItsSchema calls what needs no arguments on an empty graph, too.
func TestAnswers_EveryOperation_FitsItsSchema(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	c := toolstest.Config()
	c.Project = "usual/project"
	env := toolstest.AppWith(t, c, tools.Options{Graph: g.DB})
	stage := toolstest.Stage{Graph: g, App: env}
	refused := map[string]string{"get_lineage": " => !validation_error", "export_thresholds": " => !not_found"}
	for _, o := range tools.Catalog {
		if o.Kind == tools.Call && o.Hints.ReadOnly && len(o.Input().Required) == 0 {
			stage.Call(t, "ann "+o.Name+" {}"+refused[o.Name])
		}
	}
	toolstest.ApplyShipped(t, g, "core", "chrystallum")
	g.Exec(t, `CREATE (:SYS_Policy {name: 'never', active: true, applies_when: 'action.description.startsWith("Never")', requires: 'false', message: 'No'})`, nil)
	one := toolstest.Record(t, env, decisions.Record{Decision: "Use Z\nand nothing else", Confidence: 0.9,
		ExtraFields: decisions.ExtraFields{Tags: []string{"z"}}}).ID
	toolstest.Link(t, env, one, "depends_on", toolstest.Record(t, env,
		decisions.Record{Decision: "Use W", Confidence: 1}).ID)
	toolstest.Review(t, env, one, "failure")
	stage.Names = map[string]string{"one": one}
	stage.Play(t, "testdata/calls/answers.txt")
}

// TestNamedQueries_Answers calls every shipped query, and one of a folder.
func TestNamedQueries_Answers(t *testing.T) {
	g, env := toolstest.Open(t)
	toolstest.Apply(t, env, change.ApplyRequest{Packs: []pack.Source{{Name: "chrystallum"}}, By: "test", Reason: "a test"})
	g.Exec(t, `CREATE (d1:Decision {id: 'd1', decision: 'Store it as text'})-[:DEPENDS_ON]->(d2:Decision {id: 'd2', decision: 'Store it as a number'})
		  -[:SUPERSEDES]->(d3:Decision {id: 'd3', decision: 'Store it twice'}), (d1)-[:CONTRADICTS]->(:Decision {id: 'd4', decision: 'Forget it'}),
		  (d2)-[:HAS_REVIEW]->(:Review {outcome: 'success'}),
		  (:Decision {id: 'd5', uid: 'd5', decision: 'Store it in weeks', category: 'process', reviewed_at: datetime('2026-11-22T23:59:59Z')}), (:Decision {id: 'd6', uid: 'd6', decision: 'Another week', category: 'process', reviewed_at: datetime('2026-11-15T23:59:59Z')}),
		  (a:SYS_DecisionTable {table_id: 'D90_First'})-[:FEEDS_INTO]->(b:SYS_DecisionTable {table_id: 'D91_Next'})-[:FEEDS_INTO]->(:SYS_DecisionTable {table_id: 'D92_Last'}),
		  (:SYS_Threshold {name: 'read_by_nobody', value: 1})
		WITH d1
		MATCH (:SYS_Policy {name: 'NoTemporalFacet'})-[:HAS_VERSION]->(version)
		CREATE (version)<-[:APPLIED {result: 'violated'}]-(:Verdict {uid: 'v1', allowed: false, at: datetime()})-[:JUDGED]->(d1)`, nil)
	shipped, problems := tools.Operations("")
	folder, _ := tools.Operations("testdata/queries")
	toolstest.Stage{Graph: g, App: env, Operations: shipped}.Play(t, "testdata/calls/queries.txt")
	toolstest.Stage{Graph: g, App: env, Operations: folder}.Play(t, "testdata/calls/typed.txt")
	calls := graphtest.Must(os.ReadFile("testdata/calls/queries.txt"))(t)
	for _, o := range shipped {
		if o.Toolset == "samples" && !strings.Contains(string(calls), "ann "+o.Name+" ") {
			t.Errorf("%s has no test", o.Name)
		}
	}
	if len(problems) != 0 {
		t.Error(problems)
	}
}

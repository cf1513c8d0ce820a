package decisions_test

import (
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/internal/caller"
	"nomograph/tools/toolstest"
)

func TestDecisions_FixedBugs_StayFixed(t *testing.T) {
	g, env := toolstest.Open(t)
	named := caller.Caller{Name: "token=abcd1234efgh5678", Permissions: []caller.Permission{caller.Admin}}
	toolstest.Stage{Graph: g, App: env, Callers: map[string]caller.Caller{"named": named}, Names: map[string]string{
		"long": strings.Repeat("x ", 6000), "much": strings.Repeat("x", 20_000), "cut": strings.Repeat("x", 985),
		"committed": "ghp_" + strings.Repeat("a1B2", 9), "token": "ghp_" + strings.Repeat("z9Y8", 9),
		"ideographs": strings.Repeat("数据库迁移策略", 150)}}.Play(t, "testdata/calls/edges.txt")

	t.Run("an agent of blanks is nobody", func(t *testing.T) {
		out := toolstest.Record(t, env, decisions.Record{Decision: "By nobody in particular", Confidence: 0.5,
			ExtraFields: decisions.ExtraFields{AgentID: "  ", By: "  "}})
		if rows := g.Rows(t, "MATCH (a:Agent)-[:MADE]->(d:Decision {id: $id}) RETURN a.name AS name, d.agent AS agent",
			map[string]any{"id": out.ID}); rows[0]["name"] != "unknown" || rows[0]["agent"] != "unknown" {
			t.Errorf("got %v, want name=unknown, agent=unknown", rows)
		}
	})
	t.Run("marks on what is no decision", func(t *testing.T) {
		g.Exec(t, "CREATE (:Unindexed {name: 'not ours'})", nil)
		if err := toolstest.App(t, g.DB).Search.Drain(t.Context()); err != nil {
			t.Errorf("draining: %v", err)
		}
	})
}

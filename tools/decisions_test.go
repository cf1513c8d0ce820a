package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph/graphtest"
	"nomograph/tools"
	"nomograph/tools/toolstest"
)

func TestLogDecision_Invalid_HasAHint(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	toolstest.Stage{App: &tools.App{}, Names: map[string]string{"long": long, "much": long[:5000]}}.
		Play(t, "testdata/calls/invalid.txt")
}

// TestGuides_Arguments_Work calls the operations as an agent does, argument by argument.
func TestGuides_Arguments_Work(t *testing.T) {
	g := graphtest.New(t)
	c := toolstest.Config()
	c.Project = "usual/project"
	env := toolstest.AppWith(t, c, tools.Options{Graph: g.DB})
	toolstest.Stage{Graph: g, App: env}.Play(t, "testdata/calls/guide.txt")
	list := graphtest.Must(env.Precedents.List(t.Context(), precedents.ListQuery{Project: "owner/repo"}))(t)
	id := list.Decisions[0].ID
	text := toolstest.Text(graphtest.Must(env.Decisions.Get(t.Context(), decisions.GetQuery{ID: id}))(t))
	graphtest.Contains(t, text, id+"  Use PostgreSQL 17\n",
		"architecture, high stakes, confidence 0.85, reviewed, success, owner/repo, by cursor", "Evaluated PostgreSQL",
		"analysis: Need ACID",
		"1. success", "lessons: ACID", "decision: Use PostgreSQL for the new service -> Use PostgreSQL 17", "0. ")
}

func TestLogDecision_SameDecisionTwice_NotesTheDuplicate(t *testing.T) {
	g, env := toolstest.Open(t)
	o, _ := tools.Find(tools.Catalog, "log_decision")
	log := func(text, project string) decisions.Recorded {
		t.Helper()
		raw := graphtest.Must(json.Marshal(map[string]any{"decision": text, "category": "process", "confidence": 0.8,
			"project": project}))(t)
		out := graphtest.Must(o.Run(t.Context(), env, raw))(t)
		return out.(decisions.Recorded)
	}
	first := log("The cache of orders expires after 5 minutes", "acme/shop")
	toolstest.WaitForWorkers(t, g)
	for text, project := range map[string]string{"The cache of orders expires after 30 minutes": "acme/shop",
		"The cache of orders expires after 5 minutes": "acme/other"} {
		if out := log(text, project); strings.Contains(fmt.Sprint(out.Notes), "duplicate") {
			t.Errorf("%s of %s: got %q, want fmt.Sprint(out.Notes) without duplicate", text, project, out.Notes)
		}
	}
	if out := log("The cache of orders expires after 5 minutes.", "Acme/Shop"); len(out.Notes) != 1 ||
		!strings.Contains(out.Notes[0], "looks like a duplicate of "+first.ID) {
		t.Errorf("got %q, want a note that names %s", out.Notes, first.ID)
	}
	// The search runs in parallel with the checks. If it is late, the decision itself is stored by then.
	without := func(uid any) int {
		return len(g.Rows(t, cypher.DuplicatesFind.Text(), map[string]any{"query": "cache", "limit": 10, "uid": uid}))
	}
	own := g.Rows(t, "MATCH (d:Decision {id: $id}) RETURN d.uid AS uid", map[string]any{"id": first.ID})[0]["uid"]
	g.Exec(t, "CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()",
		nil) // otherwise the second search may find more
	if all, others := without(""), without(own); all == 0 || others != all-1 {
		t.Errorf("got %d decisions, and %d without the first, want one less", all, others)
	}
	prepare, _ := tools.Find(tools.Catalog, "pre_action")
	out, err := prepare.Run(t.Context(), env, json.RawMessage(`{"action": {"description": "The cache of orders expires after 5 minutes", "category": "process", "confidence": 0.8}, "project": "acme/shop"}`))
	if text := fmt.Sprint(toolstest.Text(out)); err != nil ||
		!strings.Contains(fmt.Sprintf("%+v", out), "looks like a duplicate of "+first.ID) {
		t.Errorf("pre_action: got %s (%v), want a note that names %s", text, err, first.ID)
	}
}

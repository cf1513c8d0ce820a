package insights_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"nomograph/decisions"
	"nomograph/decisions/insights"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/tools/toolstest"
)

// withVectors waits until every decision has vectors.
func withVectors(t *testing.T, g *graphtest.Graph) {
	t.Helper()
	toolstest.Eventually(t, g, "MATCH (d:Unindexed) RETURN count(d) AS n", 0)
}

func TestContradictions_OppositeDecisions_AreFound(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	name := map[string]string{} // by id
	decide := func(key, text, project string) string {
		t.Helper()
		out := toolstest.Record(t, env, decisions.Record{Decision: text, Confidence: 0.8,
			ExtraFields: decisions.ExtraFields{Project: project,
				By: key}}) // separate agents, so that deliberation creates no links
		name[out.ID] = key
		return out.ID
	}
	notify := func(t *testing.T, q insights.ContradictionsQuery) string {
		t.Helper()
		list := graphtest.Must(env.Attention.Contradictions(ctx, q))(t)
		words := []string{}
		for _, c := range list.Contradictions {
			if c.Why == "" || c.Suggestion == "" || len(c.Decisions) != 2 ||
				(c.Similarity == nil) != (c.Kind == "contradicts") {
				t.Errorf("%+v is not whole", c)
			}
			words = append(words, fmt.Sprintf("%s %s %s", name[c.Decisions[0].ID], c.Kind, name[c.Decisions[1].ID]))
		}
		return strings.Join(words, ", ")
	}

	tabs := decide("tabs", "Indent the sources with tabs", "a/b")
	blanks := decide("blanks", "Four blanks before each nested line", "a/b")
	toolstest.Link(t, env, tabs, "contradicts", blanks)
	old := decide("old", "Keep the sessions of the web shop in Redis with a time to live of one hour", "a/b")
	decide("new", "Keep the sessions of the web shop in Redis with a time to live of two days", "a/b")
	decide("elsewhere", "Keep the sessions of the web shop in Redis with a time to live of six days", "c/d")
	decide("again", "Keep the sessions of the web shop in Redis with a time to live of one hour ",
		"a/b") // repeats the failed choice
	decide("near", "Keep the sessions of the web shop in a table of the database, and sweep it every night",
		"a/b") // the same topic, but a different choice
	failed := decide("failed", "Send the invoices of customers by fax from a machine in the basement", "a/b")
	decide("repeat", "Send the invoices of customers by fax from a machine in the office basement", "c/d")
	graphtest.Must(env.Decisions.Review(ctx, decisions.Outcome{ID: failed, Outcome: "failure",
		Lessons: "Nobody has a fax", Session: decisions.Session{By: "r"}}))(t)
	withVectors(t, g)

	all := "tabs contradicts blanks, repeat repeats_failure failed, again supersedes_unsaid new, new supersedes_unsaid old"
	if got := notify(t, insights.ContradictionsQuery{}); got != all {
		t.Errorf("all: %s", got)
	}
	for name, c := range map[string]struct {
		query insights.ContradictionsQuery
		want  string
	}{
		"first":         {insights.ContradictionsQuery{Limit: 1}, "tabs contradicts blanks"},
		"of one":        {insights.ContradictionsQuery{ID: old}, "new supersedes_unsaid old"},
		"of the failed": {insights.ContradictionsQuery{ID: failed}, "repeat repeats_failure failed"},
		"of a project": {insights.ContradictionsQuery{Selection: insights.Selection{Project: "C/D"}},
			"repeat repeats_failure failed"},
		"of an agent":   {insights.ContradictionsQuery{AgentID: "tabs"}, "tabs contradicts blanks"},
		"of a category": {insights.ContradictionsQuery{Selection: insights.Selection{Category: "security"}}, ""},
	} {
		if got := notify(t, c.query); got != c.want {
			t.Errorf("%s: got %s, want %v", name, got, c.want)
		}
	}
	if list, err := env.Attention.Contradictions(ctx, insights.ContradictionsQuery{}); err != nil ||
		list.LookedAt != 8 {
		t.Errorf(`got %+v, %v, want LookedAt=8`, list, err)
	}

	t.Run("a stated link resolves it, an automatic link only a known failure", func(t *testing.T) {
		ids := func(key string) string {
			for id, of := range name {
				if of == key {
					return id
				}
			}
			return ""
		}
		toolstest.Link(t, env, ids("new"), "supersedes", old)
		toolstest.Link(t, env, blanks, "supersedes", tabs)
		auto := "MATCH (a:Decision {id: $a}), (b:Decision {id: $b}) CREATE (a)-[:RELATES_TO {auto: true, weight: 0.9, created_at: datetime()}]->(b)"
		g.Exec(t, auto, map[string]any{"a": ids("repeat"), "b": failed})
		g.Exec(t, auto, map[string]any{"a": ids("again"), "b": ids("new")})
		if got := notify(t, insights.ContradictionsQuery{}); got != "again supersedes_unsaid new" {
			t.Errorf(`got %s, want "again supersedes_unsaid new"`, got)
		}
	})
	t.Run("contradictions that are not found", func(t *testing.T) {
		if _, err := env.Attention.Contradictions(ctx,
			insights.ContradictionsQuery{ID: "nothing-like-it"}); !apperr.Is(err, apperr.NotFound) {
			t.Errorf("got %v, want %s", err, apperr.NotFound)
		}
		g.Exec(t, "MATCH (e:Embedding) DETACH DELETE e", nil)
		list, err := env.Attention.Contradictions(ctx, insights.ContradictionsQuery{})
		if err != nil || len(list.Contradictions) != 0 ||
			!slices.ContainsFunc(list.Notes, func(note string) bool { return strings.Contains(note, "no vectors") }) {
			t.Errorf("without vectors: %+v, %v", list, err)
		}
	})
}

func TestContradictions_NoIndex_AreReportedAsUnavailable(t *testing.T) {
	g := graphtest.Alterable(t)
	env := toolstest.App(t, g.DB)
	toolstest.Some(t, g, "a")
	g.Exec(t, "DROP INDEX embedding_text", nil)
	g.Exec(t, "MATCH (d:Decision) CREATE (:Embedding {uid: d.uid, model: 'm', text: [1.0, 0.5]})-[:OF]->(d) MERGE (i:SYS_SearchIndex {name: 'decisions'}) SET i.model = 'm'", nil)
	list, err := env.Attention.Contradictions(t.Context(), insights.ContradictionsQuery{})
	if err != nil || len(list.Notes) != 1 || !strings.Contains(list.Notes[0], "does not answer") {
		t.Errorf(`got %+v, %v, want len(Notes)=1, Notes[0] with "does not answer"`, list, err)
	}
}

package insights_test

import (
	"fmt"
	"strings"
	"testing"

	"nomograph/decisions/insights"
	"nomograph/decisions/links"
	"nomograph/graph/graphtest"
	"nomograph/tools/toolstest"
)

func TestSalient_LinkedDecisions_AreRanked(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	if got, err := env.Attention.Salient(ctx, insights.SalientQuery{}); err != nil || len(got.Decisions) != 0 {
		t.Errorf(`got %+v, %v, want no Decisions`, got, err)
	}
	id := toolstest.Some(t, g, "abcdef0123")
	for _, l := range []string{"b depends_on a", "c depends_on b", "d depends_on c", "e depends_on d", "f blocks 0",
		"b supersedes 0", "c relates_to 1", "d relates_to 1", "a depends_on d"} {
		word := strings.Fields(l)
		toolstest.Link(t, env, id[word[0]], word[1], id[word[2]])
	}
	graphtest.Must(env.Links.Link(ctx, links.LinkRequest{SourceID: id["e"], TargetID: id["1"], EdgeType: "relates_to",
		Weight: new(0.5)}))(t)
	notify := func(q insights.SalientQuery) string {
		got, err := env.Attention.Salient(ctx, q)
		if err != nil {
			return err.Error()
		}
		words := []string{}
		for _, d := range got.Decisions {
			words = append(words, fmt.Sprintf("%s %v %d", d.ID[:1], d.Score, d.Dependents))
		}
		return strings.Join(words, ", ")
	}
	// Four decisions depend on each other in a circle; e depends on d, four steps from a. 0 is superseded and blocked,
	// 1 is only related.
	g.Exec(t, "MATCH (d:Decision) SET d.created_at = datetime('2026-01-01T00:00:00Z')", nil)
	for name, c := range map[string]struct {
		query insights.SalientQuery
		want  string
	}{
		"all":                  {insights.SalientQuery{}, "d 6 4, b 5 4, c 5 4, a 4 3, 0 1.5 0, 1 0.625 0"},
		"two":                  {insights.SalientQuery{Limit: 2}, "d 6 4, b 5 4"},
		"of a category":        {insights.SalientQuery{Selection: insights.Selection{Category: "security"}}, ""},
		"of another's project": {insights.SalientQuery{Selection: insights.Selection{Project: "no/where"}}, ""},
	} {
		if got := notify(c.query); got != c.want {
			t.Errorf("%s: %s, not %s", name, got, c.want)
		}
	}
	got, err := env.Attention.Salient(ctx, insights.SalientQuery{})
	if err != nil || len(got.Notes) != 0 || got.LookedAt != 10 || got.Decisions[0].Links.DependsOn != 2 ||
		!got.Decisions[4].Superseded || got.Decisions[4].Links.Blocks != 1 {
		t.Errorf(`got %+v, %v, want no Notes, LookedAt=10, DependsOn=2, Superseded=true, Blocks=1`, got,
			err)
	}

	t.Run("automatic links", func(t *testing.T) {
		g.Exec(t, "MATCH (d:Decision {id: $to}), (o:Decision) WHERE o.id IN $from CREATE (o)-[:RELATES_TO {auto: true, weight: 0.9}]->(d)", map[string]any{"to": id["1"], "from": []string{id["a"], id["b"], id["f"]}})
		got, err := env.Attention.Salient(ctx, insights.SalientQuery{})
		if err != nil || len(got.Decisions) != 6 {
			t.Fatalf("got %+v, %v, want len(Decisions)=6", got, err)
		}
		if d := got.Decisions[5]; d.ID != id["1"] || d.Links.RelatesTo != 3 || d.Score != 0.625 {
			t.Errorf("got %+v, want the three links that somebody stated", d)
		}
	})

	t.Run("a hub with 6,000 links is estimated", func(t *testing.T) {
		g.Exec(t, `MATCH (hub:Decision {id: $hub}), (old:Decision {id: $old})
UNWIND range(1, 6000) AS i
CREATE (d:Decision {id: 'm' + i, uid: 'm' + i, decision: 'One of many', created_at: datetime()})-[:RELATES_TO {weight: 0.5}]->(hub)
FOREACH (_ IN CASE WHEN i % 2 = 0 THEN [1] ELSE [] END | CREATE (d)-[:DEPENDS_ON]->(hub))`, map[string]any{"hub": id["a"], "old": id["1"]})
		got, err := env.Attention.Salient(ctx, insights.SalientQuery{})
		if err != nil || len(got.Decisions) == 0 || len(got.Notes) != 1 {
			t.Fatalf("got %+v, %v, want nonzero len(Decisions), len(Notes)=1", got, err)
		}
		// Which links are read is undefined, so the sum of weights is an estimate: 3000 and 750.
		if d := got.Decisions[0]; d.ID != id["a"] || d.Links.RelatesTo != 6000 || d.Links.DependsOn != 3001 ||
			!d.DependentsAtLeast || d.Dependents < 1000 || d.Score < 1000 {
			t.Errorf("got %+v, want ID=%v, RelatesTo=6000, DependsOn=3001, DependentsAtLeast=true, Dependents at least 1000, Score at least 1000", d, id["a"])
		}
	})
}

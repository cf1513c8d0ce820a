package precedents_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"nomograph/decisions/links"
	"nomograph/decisions/precedents"
	"nomograph/graph/graphtest"
	"nomograph/search"
	"nomograph/tools"
)

// wantSearchesLikeFullScan compares filtered searches of the records with a simple query that reads every decision
// and compares all vectors, or all full-text results.
func wantSearchesLikeFullScan(t *testing.T, g *graphtest.Graph, env *tools.App) {
	t.Helper()
	ranked := map[string]string{
		"semantic": `MATCH (d:Decision)<-[:OF]-(e:Embedding) WHERE ` + passing +
			` RETURN d.id AS id, 2 * max(vector.similarity.cosine(e.text, $vector)) - 1 AS score ORDER BY score DESC, id LIMIT 20`,
		"keyword": `CALL db.index.fulltext.queryNodes('decision_text', $words) YIELD node AS d, score WHERE ` +
			passing + ` RETURN d.id AS id, score ORDER BY score DESC, id LIMIT 20`,
	}
	narrow := []precedents.Filters{{Outcome: []string{"success"}}, {Tags: []string{"ERC"}},
		{Tags: []string{"core"}, HasOutcome: new(true)}, {Tags: []string{"jetstream"}}}
	for property, filters := range map[string]func(string) precedents.Filters{ // values that some but not most decisions have
		"agent":    func(name string) precedents.Filters { return precedents.Filters{AgentID: name} },
		"project":  func(name string) precedents.Filters { return precedents.Filters{Project: name} },
		"category": func(name string) precedents.Filters { return precedents.Filters{Category: name} },
	} {
		for _, row := range g.Rows(t, "MATCH (d:Decision) WHERE d."+property+" IS NOT NULL WITH d."+property+
			" AS name, count(d) AS n WHERE n < 900 RETURN name ORDER BY n DESC, name LIMIT 1", nil) {
			narrow = append(narrow, filters(row["name"].(string)))
		}
	}
	compared := 0
	for _, filters := range narrow {
		tags := []string{}
		for _, tag := range filters.Tags {
			tags = append(tags, strings.ToLower(tag))
		}
		for _, question := range []string{"a token that others may spend for its owner",
			"the price of gas when blocks are full", "how streams are replicated between servers"} {
			subject := strings.Join(slices.DeleteFunc(strings.Fields(question), search.IsQuestionWord), " ")
			vectors := graphtest.Must(search.Builtin().Embed(t.Context(), []string{question}))(t)
			vector := make([]float64, len(vectors[0]))
			for i, x := range vectors[0] {
				vector[i] = float64(x)
			}
			for mode, plain := range ranked {
				want := g.Rows(t, plain, map[string]any{"vector": vector,
					"words": search.LuceneQuery([]string{subject}, "decision", "context", "terms"),
					"agent": filters.AgentID, "project": filters.Project, "category": filters.Category,
					"outcomes": append([]string{}, filters.Outcome...), "reviewed": filters.HasOutcome != nil,
					"tags": tags})
				for range 2 { // in the second round, the number of matches is cached
					got := graphtest.Must(env.Precedents.Query(t.Context(),
						precedents.Query{Query: question, RetrievalMode: mode, Limit: 20, Filters: &filters,
							NoLinks: true, Nearest: true}))(t)
					same := len(got.Decisions) == len(want)
					for i := 0; same && i < len(want); i++ { // the order of equal scores is undefined
						found := slices.IndexFunc(got.Decisions, func(m precedents.Match) bool {
							return m.ID == want[i]["id"]
						})
						same = math.Abs(got.Decisions[i].Score-want[i]["score"].(float64)) < 1e-4 &&
							(found >= 0 || i > 0 && math.Abs(want[i]["score"].(float64)-want[len(want)-1]["score"].(float64)) < 1e-4)
					}
					if !same {
						t.Errorf("%s %+v %q: %d are found, and %d by comparing all:\n%v\n%v", mode, filters, question,
							len(got.Decisions), len(want), uidsOf(got), want)
					}
				}
				compared += len(want)
			}
		}
	}
	if compared < 300 {
		t.Errorf("only %d places were compared", compared)
	}
}

const passing = `($agent = '' OR d.agent = $agent) AND ($project = '' OR d.project = $project) AND ($outcomes = [] OR d.outcome IN $outcomes) AND ($category = '' OR d.category = $category) AND (NOT $reviewed OR d.outcome IS NOT NULL)
	AND all(tag IN $tags WHERE tag IN [has IN d.tags | toLower(has)])`

func uidsOf(m precedents.Matches) (out []string) {
	for _, d := range m.Decisions {
		out = append(out, fmt.Sprintf("%s %.5f", d.ID, d.Score))
	}
	return out
}

// wantGraphsLikeSingleSteps compares graphs of the records with a simple query for neighbors, repeated per step.
func wantGraphsLikeSingleSteps(t *testing.T, g *graphtest.Graph, env *tools.App) {
	t.Helper()
	const linked = "-[r:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-"
	seen := 0
	for _, center := range g.Rows(t, "MATCH (d:Decision)"+linked+
		"() WITH d, count(r) AS n ORDER BY n DESC, d.id WITH collect(d.id) AS ids RETURN [i IN [0, 3, 40, 200, 400, 600] | ids[i]] AS ids", nil)[0]["ids"].([]any) {
		id, _ := center.(string)
		if id == "" {
			continue
		}
		distance, last := map[string]int{id: 0}, []string{id}
		for step := 1; step <= 3; step++ {
			rows := g.Rows(t, "MATCH (a:Decision)"+linked+"(b:Decision) WHERE a.id IN $ids RETURN DISTINCT b.id AS id",
				map[string]any{"ids": last})
			last = nil
			for _, row := range rows {
				if other := row["id"].(string); distance[other] == 0 && other != id {
					distance[other] = step
					last = append(last, other)
				}
			}
			inner := []string{}
			for known, far := range distance {
				if far < step {
					inner = append(inner, known)
				}
			}
			edges := g.Rows(t, "MATCH (a:Decision)"+linked+
				"(b:Decision) WHERE a.id IN $ids RETURN count(DISTINCT r) AS n",
				map[string]any{"ids": inner})[0]["n"].(int64)
			got := graphtest.Must(env.Links.Graph(t.Context(),
				links.GraphQuery{NodeID: id, Depth: step, Limit: 5000}))(t)
			found := map[string]int{}
			for _, node := range got.Nodes {
				found[node.ID] = node.Distance
			}
			if fmt.Sprint(found) != fmt.Sprint(distance) || got.EdgeCount != int(edges) || got.Truncated {
				t.Errorf("around %s, %d steps: %d nodes and %d links (cut %t), and step by step %d and %d", id, step,
					len(found), got.EdgeCount, got.Truncated, len(distance), edges)
			}
			seen += len(found)
		}
	}
	if seen < 500 {
		t.Errorf("only %d nodes were compared", seen)
	}
}

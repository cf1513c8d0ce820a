package links_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/links"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
	"nomograph/tools/toolstest"
)

// shape returns a graph as one line: names of nodes with their distances, and the number of links.
func shape(g links.Graph) string {
	words := []string{}
	for _, n := range g.Nodes {
		words = append(words, fmt.Sprintf("%s%d", n.ID[:1], n.Distance))
	}
	slices.Sort(words)
	return fmt.Sprintf("%s, %d", strings.Join(words, " "), len(g.Edges))
}

func TestGraph_LinkedDecisions_AreReturned(t *testing.T) {
	g, env := toolstest.Open(t)
	ctx := t.Context()
	id := toolstest.Some(t, g, "abcdef012345")
	for _, l := range []string{"a depends_on b", "b depends_on c", "c depends_on d", "d depends_on e", "e depends_on f",
		"0 supersedes a", "a relates_to 1", "1 blocks a"} {
		word := strings.Fields(l)
		toolstest.Link(t, env, id[word[0]], word[1], id[word[2]])
	}

	t.Run("depth, direction, types and errors", func(t *testing.T) {
		for _, row := range golden.Rows(t, "testdata/queries.txt") {
			ids := func(text string) string { return os.Expand(text, func(name string) string { return id[name] }) }
			query := links.GraphQuery{NodeID: id["a"]}
			graphtest.OK(t, json.Unmarshal([]byte(ids(row[1])), &query))
			got, err := env.Links.Graph(ctx, query)
			if code, says, refused := strings.Cut(ids(row[2]), " "); refused && strings.HasPrefix(code, "!") {
				if !apperr.Is(err, apperr.Code(code[1:])) || !strings.Contains(err.Error(), says) {
					t.Errorf("%s is answered with %v", row[0], err)
				}
			} else if err != nil || shape(got) != row[2] || got.Truncated {
				t.Errorf("%s gives %s (%v), %v", row[0], shape(got), got.Truncated, err)
			}
		}
	})
	t.Run("nodes and links say what is known", func(t *testing.T) {
		got := graphtest.Must(env.Links.Graph(ctx, links.GraphQuery{NodeID: id["a"]}))(t)
		a := got.Nodes[0]
		if got.CenterID != id["a"] || a.ID != id["a"] || a.Title != "Decide a" || a.InDegree != 2 || a.OutDegree != 2 ||
			!a.Superseded || a.Status != "pending" || a.Date.IsZero() {
			t.Errorf("the center is %+v", a)
		}
		i := slices.IndexFunc(got.Edges, func(e links.Edge) bool { return e.EdgeType == "supersedes" })
		if e := got.Edges[i]; e.SourceID != id["0"] || e.TargetID != id["a"] || e.Weight != 1 ||
			e.CreatedBy != "tester" || e.CreatedAt.IsZero() {
			t.Errorf("the link is %+v", e)
		}
	})
	t.Run("cycles are shown", func(t *testing.T) {
		toolstest.Link(t, env, id["2"], "depends_on", id["3"])
		toolstest.Link(t, env, id["3"], "depends_on", id["2"])
		got, err := env.Links.Graph(ctx, links.GraphQuery{NodeID: id["2"], Depth: 5})
		if err != nil || len(got.Cycles) != 1 || len(got.Cycles[0]) != 3 {
			t.Errorf("got %+v, %v, want len(Cycles)=1, len(Cycles[0])=3", got.Cycles, err)
		}
	})
	t.Run("neighbors, strongest first", func(t *testing.T) {
		strong, weak := 0.9, 0.1
		for to, weight := range map[string]*float64{id["4"]: &weak, id["5"]: &strong} {
			graphtest.Must(env.Links.Link(ctx, links.LinkRequest{SourceID: id["f"], TargetID: to,
				EdgeType: "relates_to",
				Weight:   weight}))(t)
		}
		got, err := env.Links.Neighbors(ctx, links.NeighborsQuery{NodeID: id["f"], Limit: 2})
		if err != nil || got.Total != 3 || len(got.Neighbors) != 2 || got.Neighbors[0].Node.ID != id["e"] ||
			got.Neighbors[0].Edge.TargetID != id["f"] || got.Neighbors[1].Node.ID != id["5"] {
			t.Errorf("got %+v, %v, want Total=3, len(Neighbors)=2, got.Neighbors[0].Node.ID=%v, TargetID=%v, got.Neighbors[1].Node.ID=%v", got, err, id["e"], id["f"], id["5"])
		}
		got, err = env.Links.Neighbors(ctx, links.NeighborsQuery{NodeID: id["f"], Direction: "outgoing",
			EdgeType: "relates_to"})
		if err != nil || got.Total != 2 || len(got.Neighbors) != 2 || got.Neighbors[1].Edge.Weight != 0.1 {
			t.Errorf("got %+v, %v, want Total=2, len(Neighbors)=2, Weight=0.1", got, err)
		}
	})
	t.Run("a path goes along links and against them", func(t *testing.T) {
		got, err := env.Links.Path(ctx, links.PathQuery{From: id["0"], To: id["c"]})
		if err != nil || !got.Found || got.Length != 3 || len(got.Nodes) != 4 || got.Nodes[3].ID != id["c"] ||
			got.Edges[0].Direction != "outgoing" {
			t.Errorf("got %+v, %v, want Found=true, Length=3, len(Nodes)=4, ID=%v, Direction=outgoing", got, err,
				id["c"])
		}
		back, err := env.Links.Path(ctx, links.PathQuery{From: id["c"], To: id["0"]})
		if err != nil || back.Length != 3 || back.Edges[0].Direction != "incoming" ||
			back.Edges[0].SourceID != id["b"] || back.Edges[0].TargetID != id["c"] {
			t.Errorf("got %+v, %v, want Length=3, Direction=incoming, SourceID=%v, TargetID=%v", back, err, id["b"],
				id["c"])
		}
		for name, q := range map[string]links.PathQuery{
			"too long":     {From: id["0"], To: id["c"], MaxLength: 2},
			"another type": {From: id["0"], To: id["c"], EdgeTypes: []string{"depends_on"}},
			"not linked":   {From: id["0"], To: id["2"], MaxLength: 15},
		} {
			if got, err := env.Links.Path(ctx, q); err != nil || got.Found || got.Length != 0 {
				t.Errorf("%s: got %+v, %v, want Found=false, Length=0", name, got, err)
			}
		}
		if same, err := env.Links.Path(ctx, links.PathQuery{From: id["0"], To: "0000"}); err != nil || !same.Found ||
			same.Length != 0 || len(same.Nodes) != 1 {
			t.Errorf("to itself: %+v, %v", same, err)
		}
		if _, err := env.Links.Path(ctx, links.PathQuery{From: id["0"], To: id["c"], MaxLength: 16}); !apperr.Is(err,
			apperr.Validation) {
			t.Errorf("path that exceeds the maximum length: got %v, want a validation error", err)
		}
	})
	t.Run("around a rule", func(t *testing.T) {
		g.Exec(t, `CREATE (:SYS_Policy {name: 'BeSure', active: true, requires: 'action.confidence > threshold("sure", project)', severity: 'warn', message: 'Be sure'}),
			(:SYS_Threshold {name: 'sure', value: 0.9})`, nil)
		unsure := toolstest.Record(t, env, decisions.Record{Decision: "Use the new store", Confidence: 0.5})
		sure := toolstest.Record(t, env, decisions.Record{Decision: "Keep the old store", Confidence: 0.95})
		toolstest.Link(t, env, sure.ID, "blocks", unsure.ID)
		got, err := env.Links.Graph(ctx, links.GraphQuery{NodeID: "policy:BeSure"})
		if err != nil || len(got.Nodes) != 3 || got.Nodes[1].ID != "threshold:sure" || got.Nodes[2].ID != unsure.ID ||
			got.Nodes[2].Distance != 1 || len(got.Edges) != 2 || got.Edges[0].TargetID != "threshold:sure" {
			t.Fatalf("got %+v, %v, want len(Nodes)=3, got.Nodes[1].ID=threshold:sure, got.Nodes[2].ID=%v, Distance=1, len(Edges)=2, TargetID=threshold:sure", got, err, unsure.ID)
		}
		if e := got.Edges[1]; e.EdgeType != "judged_by" || e.SourceID != unsure.ID || e.TargetID != "policy:BeSure" ||
			len(e.Version) != 64 || e.VerdictID != unsure.VerdictID {
			t.Errorf("the link is %+v", e)
		}
		got, err = env.Links.Graph(ctx, links.GraphQuery{NodeID: "threshold:sure", Depth: 2, Format: "mermaid"})
		if err != nil || got.NodeCount != 4 || got.EdgeCount != 3 || !strings.Contains(got.Diagram, "uses_threshold") {
			t.Errorf("got %+v, %v, want NodeCount=4, EdgeCount=3, Diagram with uses_threshold", got, err)
		}
		g.Exec(t, `MATCH (d:Decision {id: $id})
			CREATE (d)<-[:JUDGED]-(:Verdict {uid: 'later', at: datetime()})-[:APPLIED {result: 'warn'}]->(:SYS_Version {of: 'SYS_Policy', name: 'BeSure', hash: 'other'})`,
			map[string]any{"id": sure.ID})
		got, err = env.Links.Graph(ctx, links.GraphQuery{NodeID: "policy:BeSure"})
		if err != nil || len(got.Nodes) != 4 || got.Edges[1].Version != "other" || got.Edges[2].Version == "other" {
			t.Errorf("in another version: %+v, %v", got, err)
		}
	})
	t.Run("a hub costs what the limit allows", func(t *testing.T) {
		hub := func(name string, links int) {
			g.Exec(t, `CREATE (h:Decision {uid: $name, id: $name, decision: 'hub'}) WITH h
				UNWIND range(1, $links) AS i
				CREATE (d:Decision {uid: $name + i, id: $name + i, decision: 'leaf'})-[:RELATES_TO {weight: 0.5, created_at: datetime()}]->(h)`,
				map[string]any{"name": name, "links": links})
		}
		hub("small", 2000)
		hub("large", 20_000)
		g.Exec(t, "MATCH (a:Decision {id: 'large'}), (b:Decision {id: $id}) CREATE (a)-[:SUPERSEDES {weight: 1.0, created_at: datetime()}]->(b), (b)-[:DEPENDS_ON]->(a)",
			map[string]any{"id": id["4"]})
		for _, depth := range []int{1, 3} {
			got, err := env.Links.Graph(ctx, links.GraphQuery{NodeID: "large", Depth: depth, Limit: 50})
			if err != nil || len(got.Nodes) != 50 || !got.Truncated || got.Nodes[0].InDegree != 20_001 {
				t.Fatalf("depth %d: %d nodes, truncated %v, %v", depth, len(got.Nodes), got.Truncated, err)
			}
			if !slices.ContainsFunc(got.Edges, func(e links.Edge) bool { return e.EdgeType == "supersedes" }) {
				t.Errorf("depth %d: the many links hide the few that say more", depth)
			}
		}
		small, large := hits(t, g, "small"), hits(t, g, "large")
		if large > small*5/4 {
			t.Errorf("a hub of 20,000 links costs %d accesses, one of 2,000 costs %d", large, small)
		}
		if got, err := env.Links.Neighbors(ctx, links.NeighborsQuery{NodeID: "large",
			EdgeType: "depends_on"}); err != nil || got.Total != 1 || got.Neighbors[0].Edge.Weight != 1 {
			t.Errorf("one link of a kind among many: %+v, %v", got, err)
		}
		if got, err := env.Links.Neighbors(ctx, links.NeighborsQuery{NodeID: "large"}); err != nil ||
			got.Total != 20_002 || len(got.Neighbors) != 20 || len(got.Notes) != 1 {
			t.Errorf("%d of %d, notes %v, %v", len(got.Neighbors), got.Total, got.Notes, err)
		}
	})
}

// hits returns the database hits of a two-step walk from a decision.
func hits(t *testing.T, g *graphtest.Graph, uid string) int64 {
	t.Helper()
	session := g.Driver.NewSession(context.Background(), neo4j.SessionConfig{})
	defer func() { _ = session.Close(context.Background()) }()
	types := []string{"RELATES_TO", "SUPERSEDES", "DEPENDS_ON", "CONTRADICTS", "BLOCKS"}
	result := graphtest.Must(session.Run(context.Background(), "PROFILE "+cypher.LinksTraverse.Text(),
		map[string]any{"from": []string{uid}, "steps": 2, "hub": 1000, "automatic": false,
			"outgoing": types, "incoming": types, "links": 100, "limit": 50}))(t)
	summary := graphtest.Must(result.Consume(context.Background()))(t)
	var count func(p neo4j.ProfiledPlan) int64
	count = func(p neo4j.ProfiledPlan) int64 {
		n := p.DbHits()
		for _, child := range p.Children() {
			n += count(child)
		}
		return n
	}
	return count(summary.Profile())
}

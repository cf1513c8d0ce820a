package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"nomograph/cypher"
)

const bareWalk = `MATCH (:Decision {id: $id})-[:SUPERSEDES|DEPENDS_ON|BLOCKS|CONTRADICTS|RELATES_TO]-{0,3}(d:Decision) WITH DISTINCT d LIMIT 200 RETURN d`

// reading measures get_decision, get_graph and list_decisions against R, a bare read of a decision.
func (g *loadedGraph) reading(ctx context.Context) error {
	id := func(i int) string { return idOf(i * 7919 % g.size) }
	read := g.reader(ctx)
	walk := &turn{name: "a bare walk of three steps, for comparison", work: func(i int) error {
		return runBare(ctx, g.driver, bareWalk, map[string]any{"id": id(i)})
	}}
	links := []string{"SUPERSEDES", "DEPENDS_ON", "BLOCKS", "CONTRADICTS", "RELATES_TO"}
	from := func(i int) map[string]any {
		return map[string]any{"id": id(i), "from": []string{}, "steps": 3, "outgoing": links, "incoming": links, "links": 400, "limit": 200, "hub": 400, "automatic": false}
	}
	statement := &turn{name: "the statement of get_graph alone, three steps", work: func(i int) error {
		return runBare(ctx, g.driver, cypher.LinksTraverse.Text(), from(i))
	}}
	turns, nodes := []*turn{read, walk, statement}, []int{}
	for _, one := range []struct {
		name, tool string
		arguments  func(i int) map[string]any
	}{
		{"get_decision", "get_decision", func(i int) map[string]any { return map[string]any{"id": id(i)} }},
		{"get_graph, depth 1", "get_graph", func(i int) map[string]any { return map[string]any{"node_id": id(i), "depth": 1} }},
		{"get_graph, depth 3", "get_graph", func(i int) map[string]any { return map[string]any{"node_id": id(i), "depth": 3} }},
	} {
		turns = append(turns,
			&turn{name: one.name + ", in process", work: func(i int) error {
				answer, err := inProcess(ctx, g.app, one.tool, one.arguments(i))
				var walked struct {
					Depth     int
					NodeCount int `json:"node_count"`
				}
				if err == nil && json.Unmarshal(answer, &walked) == nil && walked.Depth == 3 {
					nodes = append(nodes, walked.NodeCount)
				}
				return err
			}},
			&turn{name: one.name + ", over stdio", work: func(i int) error { _, err := g.server.callForResult(one.tool, one.arguments(i)); return err }})
	}
	number := max(*calls/4, 100)
	if err := inTurn(number, 50, turns); err != nil {
		return err
	}
	g.table("Reading", number, read.taken.p50(), "R", turns)
	slices.Sort(nodes)
	fmt.Fprintf(&g.report, "\nA graph of depth 3 had %d nodes (p50; largest %d).\n", nodes[len(nodes)/2], nodes[len(nodes)-1])
	return errors.Join(g.profile(ctx, "a bare walk of three steps", bareWalk, from(0)), g.profile(ctx, "the statement of get_graph from there", cypher.LinksTraverse.Text(), from(0)), g.listing(ctx))
}

// listing measures the first page of list_decisions with each filter.
func (g *loadedGraph) listing(ctx context.Context) error {
	read := g.reader(ctx)
	turns := []*turn{read}
	for _, arguments := range []map[string]any{
		{}, {"category": rareCategory}, {"category": "process"}, {"stakes": []string{commonStakes}}, {"status": []string{"reviewed"}}, {"project": rareProject},
		{"project": "bench/project-1"}, {"agent_id": "agent-1"}, {"tags": []string{"tag-1"}}, {"tags": []string{"tag-1", "tag-21"}}, {"feature": "feature-1"}, {"pr": 2},
		{"outcome": "failure"}, {"has_outcome": true}, {"visibility": "private"}, {"min_confidence": 0.99}, {"max_confidence": 0.6}, {"date_after": "2024-06-01"},
		{"date_before": "2023-06-01"}, {"sort": "confidence"}, {"sort": "stakes"}, {"sort": "category"}, {"sort": "status"}, {"project": "bench/project-1", "sort": "confidence"},
	} {
		name := "list_decisions"
		for _, key := range slices.Sorted(maps.Keys(arguments)) {
			name += fmt.Sprintf(" %s=%v", key, arguments[key])
		}
		turns = append(turns, &turn{name: name, work: func(int) error { _, err := inProcess(ctx, g.app, "list_decisions", arguments); return err }})
	}
	number := max(*calls/20, 50)
	if err := inTurn(number, 10, turns); err != nil {
		return err
	}
	g.table("Listing, the first 20, in process", number, read.taken.p50(), "R", turns)
	return nil
}

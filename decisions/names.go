package decisions

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
)

// Named gives the nodes that stand for names, in one order for all, so that two writers do not wait for each other in a
// circle.
func (s *Store) Named(names ...string) []any {
	nodes := []any{}
	sorted := slices.SortedFunc(slices.Values(Distinct(names)), func(a, b string) int { return strings.Compare(Key(a), Key(b)) })
	for _, name := range sorted {
		nodes = append(nodes, map[string]any{"key": Key(name), "name": name, "uid": s.NewUID(), "schema_version": 1})
	}
	return nodes
}

// Key is what makes two spellings of a name the same.
func Key(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// Distinct leaves out empty and repeated texts; the first spelling stays.
func Distinct(list []string) []string {
	seen, out := map[string]bool{}, make([]string, 0, len(list))
	for _, text := range list {
		text = strings.TrimSpace(text)
		if text != "" && !seen[Key(text)] {
			seen[Key(text)] = true
			out = append(out, text)
		}
	}
	return out
}

// Spelled gives the agent and the project the spelling by which decisions know them; what is empty stays so.
func (s *Store) Spelled(ctx context.Context, agent, project string) (knownAgent, knownProject string, err error) {
	if agent == "" && project == "" {
		return "", "", nil
	}
	names, err := graph.One[struct{ Agent, Project string }](ctx, s.graph, cypher.NamesFirst, graph.Params{"agent": Key(agent), "project": Key(project)})
	return cmp.Or(names.Agent, agent), cmp.Or(names.Project, project), err
}

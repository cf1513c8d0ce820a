package decisions

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
)

// Named returns the nodes for names in one order for all writers, against deadlocks.
func (s *Store) Named(names ...string) []any {
	nodes := []any{}
	sorted := slices.SortedFunc(slices.Values(UniqueTexts(names)),
		func(a, b string) int { return strings.Compare(NameKey(a), NameKey(b)) })
	for _, name := range sorted {
		nodes = append(nodes, map[string]any{"key": NameKey(name), "name": name, "uid": s.NewUID(),
			"schema_version": 1})
	}
	return nodes
}

// NameKey normalizes a name, so that spellings are equal.
func NameKey(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// UniqueTexts removes empty and repeated texts; the first spelling remains.
func UniqueTexts(list []string) []string {
	seen, out := map[string]bool{}, make([]string, 0, len(list))
	for _, text := range list {
		text = strings.TrimSpace(text)
		if text != "" && !seen[NameKey(text)] {
			seen[NameKey(text)] = true
			out = append(out, text)
		}
	}
	return out
}

// CanonicalNames returns the stored spelling of an agent and a project; empty names stay empty.
func (s *Store) CanonicalNames(ctx context.Context, agent, project string) (knownAgent, knownProject string,
	err error) {
	if agent == "" && project == "" {
		return "", "", nil
	}
	names, err := graph.One[struct{ Agent, Project string }](ctx, s.graph, cypher.NamesFirst,
		graph.Params{"agent": NameKey(agent), "project": NameKey(project)})
	return cmp.Or(names.Agent, agent), cmp.Or(names.Project, project), err
}

package decisions

import (
	"slices"
	"strings"
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

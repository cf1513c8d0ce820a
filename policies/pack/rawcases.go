package pack

import (
	"slices"
	"strconv"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/document"
)

// RawCase is a test case of a pack as written.
type RawCase struct {
	Fields map[string]any
	Node   *document.Node // position in the file
}

const fixtureHint = "docs/guides/testing-packs.md shows a case with a graph; nothing was applied"

// OwnLabels are the labels of nodes that record migrations of the scratch graph. Cases neither contain nor delete such
// nodes.
var OwnLabels = []string{"SYS_Migration", "SYS_MigrationLock", "SYS_Lock"}

// rawCases returns a pack's test cases, except those with problems of the schema.
func rawCases(tree any, node *document.Node, unfit [][]string, problems *Problems) ([]RawCase, error) {
	broken := map[string]bool{}
	for _, path := range unfit {
		if len(path) > 1 && path[0] == "tests" {
			broken[path[1]] = true
		}
	}
	list, _ := tree.([]any)
	var cases []RawCase
	for i, raw := range list {
		if broken[strconv.Itoa(i)] {
			continue
		}
		c := RawCase{Node: node.Item(i)}
		c.Fields, _ = raw.(map[string]any) // validated by the schema
		consensus, _ := c.Fields["consensus"].(map[string]any)
		for _, moment := range []any{c.Fields["now"], consensus["at"], consensus["valid_until"]} {
			if at, ok := moment.(string); ok {
				if err := new(time.Time).UnmarshalText([]byte(at)); err != nil {
					return nil, apperr.From(err)
				}
			}
		}
		c.checkGraph(problems)
		cases = append(cases, c)
	}
	return cases, nil
}

// checkGraph finds problems of a case's graph beyond the schema.
func (c RawCase) checkGraph(problems *Problems) {
	fixture, ok := c.Fields["graph"].(map[string]any)
	if !ok {
		return
	}
	add := func(format string, name any, path ...string) {
		problems.Add(c.Node.At(append([]string{"graph"}, path...)...), fixtureHint, format, name)
	}
	if c.Fields["action"] == nil {
		add("'%s' is a case of a table, which does not depend on a graph", c.Fields["name"])
	}
	nodes, _ := fixture["nodes"].([]any)
	ids := make([]string, len(nodes))
	for i, raw := range nodes {
		n, _ := raw.(map[string]any)
		ids[i], _ = n["id"].(string)
		at := []string{"nodes", strconv.Itoa(i)}
		if ids[i] != "" && slices.Index(ids, ids[i]) != i {
			add("another node has the id '%s'", ids[i], append(at, "id")...)
		}
		labels, _ := n["labels"].([]any)
		for _, label := range graph.Texts(labels) {
			if slices.Contains(OwnLabels, label) {
				add("the label '%s' is for Nomograph's own nodes", label, append(at, "labels")...)
			}
		}
	}
	relationships, _ := fixture["relationships"].([]any)
	for i, raw := range relationships {
		r, _ := raw.(map[string]any)
		for _, end := range []string{"from", "to"} {
			if id, _ := r[end].(string); !slices.Contains(ids, id) {
				add("no node of this graph has the id '%s'", id, "relationships", strconv.Itoa(i), end)
			}
		}
	}
}

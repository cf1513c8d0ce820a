package policies

import (
	"context"
	"strings"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph"
)

// tableIDs gives the spellings under which nodes may name the decision table id: its full id and the part before the
// first underscore. An empty id gives nil. A short id that means two tables is a conflict.
func (s *Store) tableIDs(ctx context.Context, id string) (any, error) {
	if id == "" {
		return nil, nil
	}
	tables, err := graph.All[struct{ TableID, Label any }](ctx, s.graph, cypher.TablesByID, graph.Params{"id": id})
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(tables))
	for _, t := range tables {
		text, _ := t.TableID.(string)
		if text == id {
			return []string{id, short(id)}, nil
		}
		// D1 begins D1_a, but is only the start of another word in D1_a_b's sibling D1a_b.
		if short(text) == id {
			ids = append(ids, text)
		}
	}
	switch len(ids) {
	case 0: // nodes may name a table that has no node
		return []string{id}, nil
	case 1:
		return []string{ids[0], id}, nil
	}
	return nil, fault.Newf(fault.Conflict, "'%s' means %d decision tables: %s", id, len(ids), strings.Join(ids, ", ")).
		WithHint("Give the full id")
}

func short(tableID string) string {
	head, _, _ := strings.Cut(tableID, "_")
	return head
}

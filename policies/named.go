package policies

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/render"
)

// NamesFor returns the names that a node for the scope can have.
func NamesFor(name, scope string) []string {
	if scope == "" {
		return []string{name}
	}
	return []string{name, name + "_" + scope}
}

// Pick selects a node by precedence: the one for the scope, the one without a scope, the only one. It returns nil if
// there is none, and says whether the node is plain or scoped.
func Pick(label, name, scope string, found []Stored) (*Stored, string, error) {
	choose := func(source string, candidates []Stored) (*Stored, string, error) {
		if len(candidates) > 1 {
			return nil, "", duplicateNames(label, name, candidates)
		}
		return &candidates[0], source, nil
	}
	if scope != "" {
		if scoped := lists.Filter(found, func(s Stored) bool { return slices.Contains(s.Scopes(), scope) }); len(scoped) > 0 {
			return choose("scoped", scoped)
		}
	}
	named := lists.Filter(found, func(s Stored) bool { return s.Properties["name"] == name })
	if plain := lists.Filter(named, func(s Stored) bool { return len(s.Scopes()) == 0 }); len(plain) > 0 {
		return choose("node", plain)
	}
	if scope != "" || len(named) == 0 {
		return nil, "", nil
	}
	return choose("node", named)
}

func duplicateNames(label, name string, found []Stored) error {
	nodes, described := make([]any, len(found)), make([]string, len(found))
	for i, s := range found {
		nodes[i], described[i] = map[string]any{"element_id": s.ID, "properties": graph.JSON(s.Properties)}, s.ID
		for _, property := range []string{"value", "active", "facet_key", "domain_scope", "scope"} {
			if value := graph.JSON(s.Properties[property]); value != nil {
				described[i] += fmt.Sprintf(", %s %.60s", property, ShowValue(value))
			}
		}
	}
	return apperr.Newf(apperr.Conflict, "%d %s nodes are called '%s'", len(found), label, name).
		WithHint("Remove or rename all but one (%s); `run_doctor` lists every such name",
			strings.Join(described, "; ")).With("nodes", nodes)
}

// NotFound returns the not_found error of a name, in the wording of the source documents, with similar names.
func NotFound(ctx context.Context, db *graph.DB, label, name string, names cypher.Statement) error {
	err := apperr.Newf(apperr.NotFound, "%s node '%s' not found", label, name)
	candidates, lookupErr := NamesFrom(ctx, db, render.Cut(name, 3), names, namesRead)
	near := apperr.Nearest(name, candidates) // best first
	switch {
	case slices.Contains(near, name):
		return err.WithHint("Nodes with this name exist only for other scopes")
	case lookupErr != nil || len(near) == 0:
		return err.WithHint("List names with `list_policies` or `list_thresholds`. `apply_packs` adds a pack")
	default:
		return err.WithHint("Did you mean %s?", "'"+strings.Join(near, "', '")+"'").With("nearest", near)
	}
}

// maximum number of names for each kind of match, so that an unknown name costs the same in a large graph
const namesRead = 2000

// NamesFrom returns names, first those with the prefix.
func NamesFrom(ctx context.Context, db *graph.DB, prefix string, names cypher.Statement, limit int) ([]string, error) {
	rows, err := graph.All[struct{ Name any }](ctx, db, names, graph.Params{"prefix": prefix, "limit": limit})
	if err != nil {
		return nil, err
	}
	out := make([]string, 0, len(rows))
	for _, row := range rows {
		if text, ok := row.Name.(string); ok {
			out = append(out, text)
		}
	}
	return out, nil
}

// TableIDs returns the spellings of the decision table id in nodes: its full id and the part before the first
// underscore. An empty id returns nil. A short id of two tables is a conflict.
func TableIDs(ctx context.Context, db *graph.DB, id string) (any, error) {
	if id == "" {
		return nil, nil
	}
	tables, err := graph.All[struct{ TableID, Label any }](ctx, db, cypher.TablesByID, graph.Params{"id": id})
	if err != nil {
		return nil, err
	}
	ids := make([]string, 0, len(tables))
	for _, t := range tables {
		text, _ := t.TableID.(string)
		if text == id {
			return []string{id, ShortID(id)}, nil
		}
		// D1 is the short id of D1_a, but only a prefix of D1a_b.
		if ShortID(text) == id {
			ids = append(ids, text)
		}
	}
	switch len(ids) {
	case 0: // nodes can name a table that has no node
		return []string{id}, nil
	case 1:
		return []string{ids[0], id}, nil
	}
	return nil, apperr.Newf(apperr.Conflict, "'%s' matches %d decision tables: %s", id, len(ids),
		strings.Join(ids, ", ")).
		WithHint("Use the full id")
}

// ShortID returns the part of a decision table's id before its first underscore.
func ShortID(tableID string) string {
	head, _, _ := strings.Cut(tableID, "_")
	return head
}

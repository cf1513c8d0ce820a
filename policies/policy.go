package policies

import (
	"context"

	"nomograph/cypher"
	"nomograph/graph"
)

// PolicyQuery asks for one policy.
type PolicyQuery struct {
	Name  string `json:"name" jsonschema:"policy name, e.g. NoTemporalFacet" rule:"minLength=1,maxLength=200"`
	Scope string `json:"scope,omitempty" jsonschema:"take the policy's variant for this scope where there is one" rule:"maxLength=200"`
	AsOf  string `json:"as_of,omitempty" jsonschema:"as it was at a time, or in a version or revision (start of its hash)" rule:"maxLength=100"`
}

// Policy reads the policy of a name, whether active or not. It returns not_found with the nearest names, or a conflict
// where several nodes go by the name. As of an earlier time it returns the errors of Compare.
func (s *Store) Policy(ctx context.Context, q PolicyQuery) (Node, error) {
	if q.AsOf != "" {
		then, err := s.asOf(ctx, Subject{"policy", q.Name}, q.Scope, q.AsOf)
		return withJudging(then.node(q.Scope), then.Links), err
	}
	found, err := graph.All[stored](ctx, s.graph, cypher.PolicyByName, graph.Params{"names": namesFor(q.Name, q.Scope)})
	if err != nil {
		return Node{}, err
	}
	node, source, err := pick("SYS_Policy", q.Name, q.Scope, found)
	if err != nil {
		return Node{}, err
	}
	if node == nil {
		return Node{}, missing(ctx, s.graph, "SYS_Policy", q.Name, cypher.PolicyNames)
	}
	return withJudging(node.node(source, q.Scope), texts(node.Links)), nil
}

// PolicyFilter asks for a page of policies, ordered by name. A filter that is absent lets everything through.
type PolicyFilter struct {
	DecisionTable string `json:"decision_table,omitempty" jsonschema:"table id, full or up to its first underscore: D10" rule:"maxLength=200"`
	Active        *bool  `json:"active,omitempty" jsonschema:"only policies whose active property is this"`
	HasFacetKey   *bool  `json:"has_facet_key,omitempty" jsonschema:"true: only policies that forbid a facet"`
	Text          string `json:"text,omitempty" jsonschema:"part of the name, description or rule" rule:"maxLength=200"`
	Page
}

// PolicyRow is a policy in a list. Active and DecisionTable are as stored: null where the node has none.
type PolicyRow struct {
	Name          any `json:"name"`
	Active        any `json:"active"`
	DecisionTable any `json:"decision_table"`
	FacetKey      any `json:"facet_key,omitempty"`
	// Reading is what we add.
	Reading Judging `json:"reading"`
}

// PolicyList is a page of policies.
type PolicyList struct {
	Policies   []PolicyRow `json:"policies"`
	Total      int         `json:"total"`
	NextCursor string      `json:"next_cursor,omitempty"`
}

// Policies lists policies. It returns a validation_error for a cursor that no list gave, and a conflict for a decision
// table whose short id means two tables.
func (s *Store) Policies(ctx context.Context, f PolicyFilter) (PolicyList, error) {
	tables, err := tableIDs(ctx, s.graph, f.DecisionTable)
	if err != nil {
		return PolicyList{}, err
	}
	params := graph.Params{"tables": tables, "active": nullable(f.Active), "facets": nullable(f.HasFacetKey), "text": lowerOrNull(f.Text)}
	found, total, cursor, err := readPage[struct {
		PolicyRow  `mapstructure:",squash"`
		Properties map[string]any
		Uses       []any
	}](ctx, s.graph, cypher.PoliciesPage, cypher.PoliciesCount, params, f.Page)
	rows := make([]PolicyRow, len(found))
	for i, row := range found {
		rows[i] = row.PolicyRow
		rows[i].Reading = judging(row.Properties, texts(row.Uses))
	}
	return PolicyList{Policies: rows, Total: total, NextCursor: cursor}, err
}

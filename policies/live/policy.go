package live

import (
	"context"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/policies"
	"nomograph/policies/rule"
)

// PolicyQuery selects one policy.
type PolicyQuery struct {
	Name  string `json:"name" jsonschema:"policy name, e.g. NoTemporalFacet" rule:"minLength=1,maxLength=200"`
	Scope string `json:"scope,omitempty" jsonschema:"scope of a variant" rule:"maxLength=200"`
	AsOf  string `json:"as_of,omitempty" jsonschema:"earlier time, version or revision" rule:"maxLength=100"`
}

// Policy returns a policy, active or not. It returns not_found with similar names, and a conflict for a duplicate name.
// For an earlier time it returns the errors of AsOf.
func (s *Store) Policy(ctx context.Context, q PolicyQuery) (policies.Node, error) {
	if q.AsOf != "" {
		then, err := s.history.AsOf(ctx, policies.Subject{Kind: "policy", Name: q.Name}, q.Scope, q.AsOf)
		return rule.WithEffect(then.Node(q.Scope), then.Links), err
	}
	node, source, err := s.read(ctx, Watched{policies.KindPolicy, q.Name, q.Scope})
	if err != nil {
		return policies.Node{}, err
	}
	if node == nil {
		return policies.Node{}, policies.NotFound(ctx, s.graph, "SYS_Policy", q.Name, cypher.PolicyNames)
	}
	return rule.WithEffect(node.Node(source, q.Scope), graph.Texts(node.Links)), nil
}

// PolicyFilter selects a page of policies, sorted by name. Absent filters select all.
type PolicyFilter struct {
	DecisionTable string `json:"decision_table,omitempty" jsonschema:"table, such as D10" rule:"maxLength=200"`
	Active        *bool  `json:"active,omitempty" jsonschema:"filter by active state"`
	HasFacetKey   *bool  `json:"has_facet_key,omitempty" jsonschema:"policies that forbid a facet"`
	Text          string `json:"text,omitempty" jsonschema:"text in name, description or rule" rule:"maxLength=200"`
	policies.Page
}

// PolicyRow is a policy in a list. Active and DecisionTable are as stored: null if absent.
type PolicyRow struct {
	Name          any `json:"name"`
	Active        any `json:"active"`
	DecisionTable any `json:"decision_table"`
	FacetKey      any `json:"facet_key,omitempty"`
	// Reading is added by Nomograph.
	Reading policies.PolicyEffect `json:"reading"`
	// Properties are those of the node, for pages.
	Properties map[string]any `json:"-"`
}

// PolicyList is a page of policies.
type PolicyList struct {
	Policies   []PolicyRow `json:"policies"`
	Total      int         `json:"total"`
	NextCursor string      `json:"next_cursor,omitempty"`
}

// Policies lists policies. It returns a validation_error for an invalid cursor, and a conflict for an ambiguous short
// id of a decision table.
func (s *Store) Policies(ctx context.Context, f PolicyFilter) (PolicyList, error) {
	tables, err := policies.TableIDs(ctx, s.graph, f.DecisionTable)
	if err != nil {
		return PolicyList{}, err
	}
	params := graph.Params{"tables": tables, "active": policies.Nullable(f.Active),
		"facets": policies.Nullable(f.HasFacetKey), "text": graph.NullIfEmpty(strings.ToLower(f.Text))}
	found, total, cursor, err := policies.ReadPage[struct {
		PolicyRow `mapstructure:",squash"`
		Uses      []any
	}](ctx, s.graph, cypher.PoliciesPage, cypher.PoliciesCount, params, f.Page)
	rows := make([]PolicyRow, len(found))
	for i, row := range found {
		rows[i] = row.PolicyRow
		rows[i].Reading = rule.PolicyEffect(row.Properties, graph.Texts(row.Uses))
	}
	return PolicyList{Policies: rows, Total: total, NextCursor: cursor}, err
}

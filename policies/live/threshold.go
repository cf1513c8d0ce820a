package live

import (
	"context"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/policies"
)

// ThresholdQuery selects one threshold.
type ThresholdQuery struct {
	Name    string          `json:"name" jsonschema:"threshold name, e.g. claim_promotion_confidence" rule:"minLength=1,maxLength=200"`
	Scope   string          `json:"scope,omitempty" jsonschema:"scope of a variant" rule:"maxLength=200"`
	Default *policies.Value `json:"default,omitempty" jsonschema:"value if not found"`
	AsOf    string          `json:"as_of,omitempty" jsonschema:"earlier time, version or revision" rule:"maxLength=100"`
}

// Threshold returns a threshold. The default is returned only if there is no such node: never for an unavailable
// database, a duplicate name, or a stored value of a different type. It returns not_found with similar names, and a
// conflict. For an earlier time it returns the errors of AsOf, and the default is not used. A value outside of its
// bounds is returned with a note.
func (s *Store) Threshold(ctx context.Context, q ThresholdQuery) (policies.Node, error) {
	if q.AsOf != "" {
		then, err := s.history.AsOf(ctx, policies.Subject{Kind: "threshold", Name: q.Name}, q.Scope, q.AsOf)
		return then.Node(q.Scope), err
	}
	node, source, err := s.read(ctx, Watched{policies.KindThreshold, q.Name, q.Scope})
	switch {
	case err != nil:
		return policies.Node{}, err
	case node != nil && q.Default != nil && policies.JSONType(node.Properties["value"]) != policies.JSONType(q.Default.Any()):
		return policies.Node{}, apperr.Newf(apperr.Conflict,
			"SYS_Threshold node '%s' holds a %s and the default is a %s", q.Name,
			policies.JSONType(node.Properties["value"]), policies.JSONType(q.Default.Any())).
			WithHint("Use a default of the expected type, or correct the node with `set_threshold`")
	case node != nil:
		answer := node.Node(source, q.Scope)
		if problem := policies.OutOfBounds(node.Properties); problem != "" {
			answer.Reading.Note = "out of bounds: " + problem +
				"; rules and tables that read it fail until it is set to a value within"
		}
		return answer, nil
	case q.Default != nil:
		return policies.Node{Properties: map[string]any{"name": q.Name, "value": q.Default.Any()},
			Reading: policies.Reading{Source: "default", Scope: q.Scope}}, nil
	}
	return policies.Node{}, policies.NotFound(ctx, s.graph, "SYS_Threshold", q.Name, cypher.ThresholdNames)
}

// ThresholdFilter selects a page of thresholds, sorted by name.
type ThresholdFilter struct {
	DecisionTable string   `json:"decision_table,omitempty" jsonschema:"table, such as D10" rule:"maxLength=200"`
	Names         []string `json:"names,omitempty" jsonschema:"names" rule:"maxItems=200"`
	Text          string   `json:"text,omitempty" jsonschema:"text in name, rationale or description" rule:"maxLength=200"`
	policies.Page
}

// ThresholdRow is a threshold in a list, with its properties as stored.
type ThresholdRow struct {
	Name          any `json:"name"`
	Value         any `json:"value"`
	Unit          any `json:"unit"`
	DecisionTable any `json:"decision_table"`
	Scope         any `json:"scope,omitempty"`
	// Properties are description and rationale, for pages.
	Properties map[string]any `json:"-"`
}

// ThresholdList is a page of thresholds.
type ThresholdList struct {
	Thresholds []ThresholdRow `json:"thresholds"`
	Total      int            `json:"total"`
	NextCursor string         `json:"next_cursor,omitempty"`
}

// Thresholds lists thresholds, with the errors of Policies.
func (s *Store) Thresholds(ctx context.Context, f ThresholdFilter) (ThresholdList, error) {
	tables, err := policies.TableIDs(ctx, s.graph, f.DecisionTable)
	if err != nil {
		return ThresholdList{}, err
	}
	params := graph.Params{"tables": tables, "names": policies.NullIfNone(f.Names),
		"text": graph.NullIfEmpty(strings.ToLower(f.Text))}
	rows, total, cursor, err := policies.ReadPage[ThresholdRow](ctx, s.graph, cypher.ThresholdsPage,
		cypher.ThresholdsCount, params, f.Page)
	for i := range rows {
		rows[i].Value = graph.JSON(rows[i].Value)
	}
	return ThresholdList{Thresholds: rows, Total: total, NextCursor: cursor}, err
}

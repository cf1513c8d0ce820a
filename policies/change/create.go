package change

import (
	"cmp"
	"context"
	"maps"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/uid"
	"nomograph/policies"
	"nomograph/policies/history"
)

// ThresholdCreation describes a new threshold.
type ThresholdCreation struct {
	Name          string         `json:"name" jsonschema:"threshold name" rule:"minLength=1,maxLength=200"`
	Value         policies.Value `json:"value" jsonschema:"a number, text or a boolean"`
	Unit          string         `json:"unit,omitempty" jsonschema:"unit, such as percent, ms or ratio" rule:"maxLength=100"`
	Rationale     string         `json:"rationale,omitempty" jsonschema:"reason for the value" rule:"maxLength=2000"`
	DecisionTable string         `json:"decision_table,omitempty" jsonschema:"id of the decision table that uses the threshold" rule:"maxLength=200"`
	Scope         string         `json:"scope,omitempty" jsonschema:"scope of the variant" rule:"maxLength=200"`
	Min           *float64       `json:"min,omitempty" jsonschema:"minimum value"`
	Max           *float64       `json:"max,omitempty" jsonschema:"maximum value"`
	Reason        string         `json:"reason,omitempty" jsonschema:"reason for the history" rule:"maxLength=2000"`
	By            string         `json:"-"`
}

// CreateThreshold creates a threshold and records author and reason, in one transaction. A scope makes the node
// NAME_SCOPE. It returns a conflict for an existing name, and a validation_error for a value outside of its bounds.
func (s *Store) CreateThreshold(ctx context.Context, c ThresholdCreation) (policies.Node, error) {
	value, err := ThresholdChange{Name: c.Name, Value: c.Value}.accept(nil)
	if err != nil {
		return policies.Node{}, err
	}
	names := policies.NamesFor(c.Name, c.Scope)
	name := names[len(names)-1]
	properties := map[string]any{"name": name, "value": value, "unit": graph.NullIfEmpty(c.Unit),
		"rationale":      graph.NullIfEmpty(c.Rationale),
		"decision_table": graph.NullIfEmpty(c.DecisionTable), "domain_scope": graph.NullIfEmpty(c.Scope),
		"min": policies.Nullable(c.Min), "max": policies.Nullable(c.Max)}
	maps.DeleteFunc(properties, func(_ string, value any) bool { return value == nil })
	if err := policies.CheckBounds(name, properties); err != nil {
		return policies.Node{}, err
	}
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		if err := tx.Run(ctx, cypher.PacksLock, nil); err != nil { // prevents duplicates
			return err
		}
		found, err := graph.All[policies.Stored](ctx, tx, cypher.ThresholdByName, graph.Params{"names": []string{name}})
		if err != nil {
			return err
		}
		if len(found) > 0 {
			return apperr.Newf(apperr.Conflict, "SYS_Threshold node '%s' already exists with value %s", name,
				policies.ShowValueOrNone(found[0].Properties["value"])).
				WithHint("Change its value with `set_threshold`")
		}
		return s.create(ctx, tx, "SYS_Threshold", properties, history.Applied(c.By, cmp.Or(c.Reason, "created")))
	})
	return (policies.Stored{Properties: properties}).Node("node", ""), err
}

// create creates a policy or a threshold, and records it.
func (s *Store) create(ctx context.Context, tx *graph.Tx, label string, properties map[string]any,
	made history.Change) error {
	properties["uid"], properties["schema_version"] = uid.New(), int64(1)
	created, err := graph.All[struct{ ID string }](ctx, tx, cypher.NodesCreate, graph.Params{"nodes": []any{
		map[string]any{"label": label, "section": "", "key": properties["name"], "properties": properties}}})
	if err != nil {
		return err
	}
	_, err = s.history.Record(ctx, tx, []string{created[0].ID}, made)
	return err
}

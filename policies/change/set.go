package change

import (
	"context"
	"maps"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/policies"
	"nomograph/policies/history"
)

// ThresholdChange describes a new value of a threshold.
type ThresholdChange struct {
	Name       string         `json:"name" jsonschema:"threshold name" rule:"minLength=1,maxLength=200"`
	Value      policies.Value `json:"value" jsonschema:"the new value"`
	Reason     string         `json:"reason" jsonschema:"reason for the history" rule:"minLength=1,maxLength=2000"`
	Scope      string         `json:"scope,omitempty" jsonschema:"scope of the variant" rule:"maxLength=200"`
	ChangeType bool           `json:"change_type,omitempty" jsonschema:"allow a type that differs from the stored one"`
	IfVersion  string         `json:"if_version,omitempty" jsonschema:"reading.version you read; a different current version is a conflict" rule:"minLength=8,maxLength=64"`
	Confirm    bool           `json:"confirm,omitempty" jsonschema:"allow a value far from the old one: over ten times, under a tenth, 0, or with the other sign"`
	By         string         `json:"-"`
}

// UnusualChange is the key of an error detail that says why a change is unusual. Confirm permits such a change.
const UnusualChange = "unusual_change"

// CurrentVersion is the key of a conflict's detail with the current version.
const CurrentVersion = "current_version"

// ThresholdChanged describes the change. From and To are equal if nothing changed.
type ThresholdChanged struct {
	Name        string         `json:"name"`
	From        policies.Value `json:"from"`
	To          policies.Value `json:"to"`
	FromVersion string         `json:"from_version"`
	ToVersion   string         `json:"to_version"`
	Changed     bool           `json:"changed"`
}

// SetThreshold changes a threshold's value and records author and reason, in one transaction. An integer for a float
// threshold is stored as a float. It returns not_found, a conflict for a duplicate name, and a validation_error for a
// value of a different type unless ChangeType is set, outside of the threshold's bounds, or far from the old value
// unless Confirm is set. A version that does not begin with IfVersion is a conflict, too.
func (s *Store) SetThreshold(ctx context.Context, c ThresholdChange) (ThresholdChanged, error) {
	return writeResult(ctx, s, false, func(tx *graph.Tx) (ThresholdChanged, error) { return s.setThreshold(ctx, tx, c) })
}

func (s *Store) setThreshold(ctx context.Context, tx *graph.Tx, c ThresholdChange) (ThresholdChanged, error) {
	none := ThresholdChanged{}
	node, err := s.take(ctx, tx, "SYS_Threshold", c.Name, c.Scope)
	if err != nil {
		return none, err
	}
	fromVersion := policies.Version(node.Properties, nil)
	if !strings.HasPrefix(fromVersion, c.IfVersion) {
		return none, apperr.Newf(apperr.Conflict, "SYS_Threshold node '%s' has changed since you read it", c.Name).
			WithHint("Read it again before you change it").With(CurrentVersion, fromVersion)
	}
	value, err := c.accept(node.Properties["value"])
	if err != nil {
		return none, err
	}
	after := maps.Clone(node.Properties)
	after["value"] = value
	if err := policies.CheckBounds(c.Name, after); err != nil {
		return none, err
	}
	if why := policies.Unusual(node.Properties["value"], value); why != "" && !c.Confirm {
		return none, apperr.Newf(apperr.Validation, "SYS_Threshold node '%s' would go from %s to %s, %s", c.Name,
			policies.ShowValue(node.Properties["value"]), policies.ShowValue(value), why).
			WithHint("The value is unchanged. Pass `confirm` to change it").With(UnusualChange, why)
	}
	toVersion := policies.Version(after, nil)
	changed := ThresholdChanged{Name: c.Name, From: policies.ValueOf(graph.JSON(node.Properties["value"])),
		To:          policies.ValueOf(value),
		FromVersion: fromVersion, ToVersion: toVersion, Changed: toVersion != fromVersion}
	if !changed.Changed { // a caller who repeats a value may have meant another one
		return none, apperr.Newf(apperr.Validation, "SYS_Threshold node '%s' already has the value %s", c.Name,
			policies.ShowValue(value)).WithHint("Nothing was changed. Pass a different value")
	}
	return changed, s.update(ctx, tx, map[string]map[string]any{node.ID: {"value": value}},
		history.Applied(c.By, c.Reason))
}

// accept validates the new value and returns the value to store.
func (c ThresholdChange) accept(stored any) (any, error) {
	value := c.Value.Any()
	if !slices.Contains([]string{"number", "string", "boolean"}, policies.JSONType(value)) {
		return nil, apperr.New(apperr.Validation, "value must be a number, text or a boolean").
			WithHint("Pass a JSON number, string or boolean")
	}
	if why := policies.OtherType(c.Name, stored, value); why != "" && !c.ChangeType {
		return nil, apperr.New(apperr.Validation, why).
			WithHint("Readers expect the current type. Pass `change_type` to change it")
	}
	if whole, ok := value.(int64); ok {
		if _, ok := stored.(float64); ok {
			return float64(whole), nil
		}
	}
	return value, nil
}

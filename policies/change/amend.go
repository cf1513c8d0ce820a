package change

import (
	"context"
	"maps"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/policies"
	"nomograph/policies/history"
	"nomograph/policies/rule"
)

// PolicySwitch asks to activate or deactivate a policy.
type PolicySwitch struct {
	Name   string `json:"name" jsonschema:"policy name" rule:"minLength=1,maxLength=200"`
	Reason string `json:"reason" jsonschema:"reason for the history" rule:"minLength=1,maxLength=2000"`
	Scope  string `json:"scope,omitempty" jsonschema:"scope of the variant" rule:"maxLength=200"`
	By     string `json:"-"`
}

// PolicyModeChange asks for a new mode of a rule.
type PolicyModeChange struct {
	Name   string `json:"name" jsonschema:"policy name" rule:"minLength=1,maxLength=200"`
	Mode   string `json:"mode" jsonschema:"enforce, shadow (evaluated without effect) or off" rule:"enum=shadow|enforce|off"`
	Reason string `json:"reason" jsonschema:"reason for the history" rule:"minLength=1,maxLength=2000"`
	Scope  string `json:"scope,omitempty" jsonschema:"scope of the variant" rule:"maxLength=200"`
	By     string `json:"-"`
}

// PolicyChanged is the new state of a policy. FromVersion and ToVersion are equal if nothing changed.
type PolicyChanged struct {
	Name                  string `json:"name"`
	policies.PolicyEffect        // after the change
	FromVersion           string `json:"from_version"`
	ToVersion             string `json:"to_version"`
	Changed               bool   `json:"changed"`
}

// SwitchPolicy activates or deactivates a policy, and records author and reason, in one transaction. It returns
// not_found, and a conflict for a duplicate name.
func (s *Store) SwitchPolicy(ctx context.Context, c PolicySwitch, active bool) (PolicyChanged, error) {
	return s.amendPolicy(ctx, c, func(map[string]any) (map[string]any,
		error) {
		return map[string]any{"active": active}, nil
	})
}

// SetPolicyMode is SwitchPolicy for a rule's mode. It returns a conflict for a policy that is data and has no mode,
// and for enforcing earned autonomy.
func (s *Store) SetPolicyMode(ctx context.Context, c PolicyModeChange) (PolicyChanged, error) {
	return s.amendPolicy(ctx, PolicySwitch{c.Name, c.Reason, c.Scope, c.By}, c.edit)
}

// edit returns the properties that the change sets in a policy with the given properties.
func (c PolicyModeChange) edit(properties map[string]any) (map[string]any, error) {
	if !rule.IsGuardrail(properties) {
		return nil, apperr.Newf(apperr.Conflict, "SYS_Policy node '%s' is data and evaluates no actions, so it has no mode", c.Name).
			WithHint("Add requires or forbids_pattern to make it a rule; see docs/guides/rules.md")
	}
	if err := rule.AcceptMode(c.Name, c.Mode, properties); err != nil {
		return nil, err
	}
	return map[string]any{"mode": c.Mode}, nil
}

func (s *Store) amendPolicy(ctx context.Context, c PolicySwitch,
	edit func(map[string]any) (map[string]any, error)) (PolicyChanged, error) {
	return writeResult(ctx, s, false, func(tx *graph.Tx) (PolicyChanged, error) {
		return s.amendPolicyIn(ctx, tx, c, edit)
	})
}

func (s *Store) amendPolicyIn(ctx context.Context, tx *graph.Tx, c PolicySwitch,
	edit func(map[string]any) (map[string]any, error)) (PolicyChanged, error) {
	none := PolicyChanged{}
	node, err := s.take(ctx, tx, "SYS_Policy", c.Name, c.Scope)
	if err != nil {
		return none, err
	}
	set, err := edit(node.Properties)
	if err != nil {
		return none, err
	}
	after := maps.Clone(node.Properties)
	maps.Copy(after, set)
	links := graph.Texts(node.Links)
	changed := PolicyChanged{Name: c.Name, PolicyEffect: rule.PolicyEffect(after, rule.LinkedThresholds(node.Links)),
		FromVersion: policies.Version(node.Properties, links), ToVersion: policies.Version(after, links)}
	if changed.Changed = changed.FromVersion != changed.ToVersion; !changed.Changed {
		return changed, nil
	}
	return changed, s.update(ctx, tx, map[string]map[string]any{node.ID: set}, history.Applied(c.By, c.Reason))
}

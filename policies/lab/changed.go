package lab

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/policies"
	"nomograph/policies/check"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
)

// Change is a change of the current rules that is evaluated but not made.
type Change struct {
	Packs []pack.Source    `json:"packs,omitempty" jsonschema:"packs to evaluate as if applied; their values replace manual edits" rule:"maxItems=50"`
	Set   graph.Parameters `json:"set,omitempty" jsonschema:"thresholds with other values, by name"`
	Mode  graph.Parameters `json:"mode,omitempty" jsonschema:"rules with another mode (enforce, shadow or off), by name"`
}

// apply makes the change in the nodes of rules and returns a description of it. It returns not_found for a rule or
// threshold that is not active, a conflict for an ambiguous name, and a validation_error for an invalid mode or
// value.
func (c Change) apply(ctx context.Context, nodes check.RuleNodes) (check.RuleNodes, []string, error) {
	packs, err := pack.ParseAll(ctx, c.Packs)
	if err != nil {
		return check.RuleNodes{}, nil, err
	}
	nodes = check.RuleNodes{Policies: slices.Clone(nodes.Policies), Thresholds: slices.Clone(nodes.Thresholds)}
	var summary []string
	for _, p := range packs {
		summary = append(summary, fmt.Sprintf("pack %s %s", p.Name, p.Version))
		for _, item := range p.Items {
			switch item.Section.Name {
			case "policies":
				nodes.Policies = withItem(nodes.Policies, item)
			case "thresholds":
				nodes.Thresholds = withItem(nodes.Thresholds, item)
			}
		}
	}
	nodes.Policies = slices.DeleteFunc(nodes.Policies, func(n check.RuleNode) bool {
		return n.Properties["active"] == false || !rule.IsGuardrail(n.Properties)
	})
	for _, name := range slices.Sorted(maps.Keys(c.Set)) {
		node, err := findNode(nodes.Thresholds, name, "SYS_Threshold")
		if err != nil {
			return check.RuleNodes{}, nil, err
		}
		before := node.Properties["value"]
		node.Properties = maps.Clone(node.Properties)
		node.Properties["value"] = c.Set[name]
		if problem := policies.OutOfBounds(node.Properties); problem != "" {
			return check.RuleNodes{}, nil, apperr.Newf(apperr.Validation, "Threshold '%s' cannot be %s: %s", name,
				policies.ShowValue(c.Set[name]), problem).
				WithHint("`get_threshold` shows its bounds")
		}
		summary = append(summary, fmt.Sprintf("threshold %s: %s → %s", name, policies.ShowValue(before),
			policies.ShowValue(c.Set[name])))
	}
	for _, name := range slices.Sorted(maps.Keys(c.Mode)) {
		node, err := findNode(nodes.Policies, name, "SYS_Policy")
		if err != nil {
			return check.RuleNodes{}, nil, err
		}
		mode, _ := c.Mode[name].(string)
		if !slices.Contains([]string{rule.Enforce, rule.Shadow, rule.Off}, mode) {
			return check.RuleNodes{}, nil, apperr.Newf(apperr.Validation, "The mode of '%s' is %s", name,
				policies.ShowValue(c.Mode[name])).
				WithHint("Use enforce, shadow or off")
		}
		if err := rule.AcceptMode(name, mode, node.Properties); err != nil {
			return check.RuleNodes{}, nil, err
		}
		before := cmp.Or(graph.Text(node.Properties, "mode"), rule.Enforce)
		node.Properties = maps.Clone(node.Properties)
		node.Properties["mode"] = mode
		summary = append(summary, fmt.Sprintf("rule %s: %s → %s", name, before, mode))
	}
	return nodes, summary, nil
}

// withItem returns the nodes with an item of a pack, in place of the live node with its name and scope, or added. As
// with `apply --overwrite`, properties with a meaning that the item does not name are removed, and so are the other
// links of the node.
func withItem(nodes []check.RuleNode, item pack.Item) []check.RuleNode {
	scope := func(properties map[string]any) string {
		return fmt.Sprint(properties["domain_scope"], properties["scope"])
	}
	for i, n := range nodes {
		if n.Name() != item.Key || scope(n.Properties) != scope(item.Properties) {
			continue
		}
		properties := maps.Clone(n.Properties)
		maps.DeleteFunc(properties, func(key string, _ any) bool { return item.Reads(key) })
		maps.Copy(properties, item.Properties)
		nodes[i] = check.RuleNode{ID: n.ID, Properties: properties, Links: item.LinkTexts()}
		return nodes
	}
	return append(nodes, check.RuleNode{ID: item.Section.Name + " " + item.Key, Properties: item.Properties,
		Links: item.LinkTexts()})
}

// findNode returns the only node with a name.
func findNode(nodes []check.RuleNode, name, label string) (*check.RuleNode, error) {
	names := lists.Map(nodes, check.RuleNode.Name)
	switch at := slices.Index(names, name); {
	case at >= 0 && slices.Contains(names[at+1:], name):
		return nil, apperr.Newf(apperr.Conflict, "Several %s nodes are called '%s'", label, name).
			WithHint("Change the one you mean in a pack, by its scope")
	case at >= 0:
		return &nodes[at], nil
	}
	missing := apperr.Newf(apperr.NotFound, "%s node '%s' not found among the active rules", label, name)
	if near := apperr.Nearest(name, names); len(near) > 0 {
		return nil, missing.WithHint("Did you mean %s?", strings.Join(near, ", "))
	}
	return nil, missing.WithHint("List names with `list_policies` or `list_thresholds`")
}

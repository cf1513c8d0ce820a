package manifest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nomograph/graph"
	"nomograph/internal/document"
	"nomograph/internal/lists"
	"nomograph/internal/normalize"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
)

// dayOf is the default window of a budget, in seconds.
const dayOf = int64(24 * 60 * 60)

// takePolicies converts each policy to a rule and adds one rule for unknown actions. Rule names consist of the atlas
// and the policy, so two atlases can use the same policy names.
func (a *Atlas) takePolicies(fields map[string]any) {
	list, _ := fields["policies"].([]any)
	var allowed []string // allowed by a separate policy, not only by the declaration
	for i, raw := range list {
		policy, _ := raw.(map[string]any)
		id, kind := graph.Text(policy, "policy_id"), graph.Text(policy, "type")
		if id == "" || kind == "" { // the schema has reported it
			continue
		}
		node := a.root.Get("policies").Item(i)
		name := a.ID + "/" + id
		if a.Item("policies", name) != nil || id == declaredActionsRule {
			a.problems.Add(node.At("policy_id"), "Give each policy its own id", "the policy '%s' already exists", id)
			continue
		}
		properties := map[string]any{"name": name, "active": true, "policy_type": kind}
		over := a.selectedActions(policy, node, id)
		properties["actions"] = graph.List(over)
		if kind == rule.Allow {
			allowed = append(allowed, over...)
		}
		a.message(properties, policy, id, kind)
		a.policyRule(properties, policy, node, id, kind)
		a.Policies++
		a.Items = append(a.Items, pack.Item{Section: pack.SectionOf("policies"), Key: name, Properties: properties,
			Node: node})
	}
	declared := slices.DeleteFunc(slices.Clone(a.Actions),
		func(name string) bool { return slices.Contains(allowed, name) })
	if len(declared) > 0 {
		a.Items = append(a.Items, pack.Item{Section: pack.SectionOf("policies"), Key: a.ID + "/" + declaredActionsRule,
			Node: a.root.Get("actions"), Properties: map[string]any{
				"name": a.ID + "/" + declaredActionsRule, "active": true, "severity": rule.Allow, "requires": "true",
				"actions":     graph.List(declared),
				"description": "Which actions the atlas declares, and so knows.", "policy_type": declaredActionsRule}})
	}
}

// declaredActionsRule is the id of the rule that denies undeclared actions.
const declaredActionsRule = "actions"

// selectedActions returns the declared actions that a policy's patterns select: an atlas governs nothing else. A
// declared action can be a pattern, of which a policy selects a part.
func (a *Atlas) selectedActions(policy map[string]any, node *document.Node, id string) []string {
	var selected []string
	for n, pattern := range graph.Texts(policy["actions"]) {
		found := false
		for _, declared := range a.Actions {
			var name string
			if !fits(pattern, declared) && !fits(declared, pattern) && normalize.Overlap(pattern, declared) {
				a.problems.Add(node.At("actions", strconv.Itoa(n)),
					"Declare the actions one by one, so that the policy covers each of them or not",
					"the policy '%s' covers '%s', which is only a part of the declared '%s'", id, pattern, declared)
				found = true
			}
			switch {
			case fits(pattern, declared):
				name = declared
			case fits(declared, pattern):
				name = pattern
			default:
				continue
			}
			found = true
			if !slices.Contains(selected, name) {
				selected = append(selected, name)
			}
		}
		if !found {
			a.problems.Add(node.At("actions", strconv.Itoa(n)),
				"An atlas governs only its own actions: declare them under actions, or write the rule in a pack",
				"the policy '%s' covers '%s', which the atlas does not declare", id, pattern)
		}
	}
	slices.Sort(selected)
	return selected
}

// fits reports whether a pattern matches a name or everything that another pattern matches; only * is a wildcard.
func fits(pattern, name string) bool { return normalize.Glob(pattern, name) }

func (a *Atlas) message(properties, policy map[string]any, id, kind string) {
	parameters, _ := policy["parameters"].(map[string]any)
	words := map[string]string{"deny": "forbids this", "requires_approval": "asks for the approval of a person",
		"require_approval": "asks for the approval of a person",
		"rate_limit": fmt.Sprintf("allows this %v times in %v seconds", parameters["max_calls"],
			parameters["window_seconds"]),
		"budget": fmt.Sprintf("allows %v of %v in %v seconds, and each action has to say its own", parameters["limit"],
			parameters["parameter"],
			cmp.Or(parameters["window_seconds"], any(dayOf)))}
	if reason, _ := policy["reason"].(string); reason != "" {
		properties["message"] = strings.NewReplacer("{", "(", "}", ")").
			Replace(reason) // braces are placeholders in messages of rules
	} else if kind != rule.Allow {
		properties["message"] = fmt.Sprintf("The policy '%s' of the atlas %s %s", id, a.ID, words[kind])
	}
	if alternatives := graph.Texts(policy["alternatives"]); len(alternatives) > 0 {
		properties["alternatives"] = graph.List(alternatives)
	}
	if policy["mode"] != nil {
		properties["mode"] = policy["mode"]
	}
}

// policyRule converts a policy of a kind to a rule.
func (a *Atlas) policyRule(properties, policy map[string]any, node *document.Node, id, kind string) {
	parameters, _ := policy["parameters"].(map[string]any)
	missing := func(key string) {
		if parameters[key] == nil {
			a.problems.Add(node.At("parameters"), manifestHint,
				"the policy '%s' is of the type %s, and needs parameters.%s", id, kind, key)
		}
	}
	switch kind {
	case "deny":
		properties["requires"] = "false"
	case "requires_approval", "require_approval":
		properties["severity"], properties["requires"] = rule.Approve, "false"
		if parameters["grant_seconds"] != nil {
			properties["grant_seconds"] = parameters["grant_seconds"]
		}
	case "rate_limit":
		missing("max_calls")
		missing("window_seconds")
		properties["limit_of"], properties["limit_most"], properties["limit_seconds"] = rule.LimitCalls,
			parameters["max_calls"], parameters["window_seconds"]
	case "budget":
		missing("limit")
		missing("parameter")
		properties["limit_of"], properties["limit_most"],
			properties["limit_seconds"] = fmt.Sprintf("params.%v", parameters["parameter"]), parameters["limit"], dayOf
		if parameters["window_seconds"] != nil {
			properties["limit_seconds"] = parameters["window_seconds"]
		}
	case "allow":
		properties["severity"], properties["requires"] = rule.Allow, "true"
	}
	var conditions []string
	if when, _ := policy["applies_when"].(string); when != "" {
		conditions = append(conditions, "("+when+")")
	}
	for what, of := range map[string]string{"path": "paths", "command": "commands"} {
		if patterns := graph.Texts(parameters[of]); len(patterns) > 0 {
			conditions = append(conditions, patternCondition(what, of, patterns, kind == rule.Allow))
		}
	}
	slices.Sort(conditions) // map iteration has no order
	if len(conditions) > 0 {
		properties["applies_when"] = strings.Join(conditions, " && ")
	}
}

// patternCondition returns the condition that an action's resources match patterns: any resource for a policy that
// denies, all of them for a policy that allows.
func patternCondition(kind, of string, patterns []string, allows bool) string {
	function := kind + ".like"
	if allows {
		function = kind + ".onlyLike"
	}
	quoted := lists.Map(patterns, strconv.Quote)
	return fmt.Sprintf("%s(action.%s, [%s])", function, of, strings.Join(quoted, ", "))
}

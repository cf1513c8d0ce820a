package manifest

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"

	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/pattern"
	"nomograph/policies"
)

// Live is an atlas as stored in the graph.
type Live struct {
	Atlas    map[string]any
	Contexts []map[string]any
	Policies []map[string]any // the rules that it owns
}

// Tree returns the manifest of a live atlas with the current contexts and the current reasons and modes of its
// policies.
func (l Live) Tree() map[string]any {
	tree := map[string]any{}
	for key, value := range l.Atlas {
		text, ok := value.(string)
		var inside any
		switch {
		case slices.Contains(policies.Identity, key):
		case ok && !slices.Contains(plainTexts, key) &&
			(strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{")) &&
			json.Unmarshal([]byte(text), &inside) == nil:
			tree[key] = inside
		default:
			tree[key] = graph.JSON(value)
		}
	}
	rules := map[string]map[string]any{}
	for _, rule := range l.Policies {
		if name, ok := rule["name"].(string); ok {
			rules[name] = rule
		}
	}
	id, _ := l.Atlas["atlas_id"].(string)
	written, _ := tree["policies"].([]any)
	remaining := []any{}
	for _, raw := range written {
		policy, _ := raw.(map[string]any)
		policyID, _ := policy["policy_id"].(string)
		if rule := rules[id+"/"+policyID]; rule != nil &&
			rule["active"] != false { // removed and inactive rules are left out
			if mode, ok := rule["mode"].(string); ok {
				policy["mode"] = mode
			}
			if message, ok := rule["message"].(string); ok &&
				(policy["reason"] != nil || !strings.HasPrefix(message, "The policy '"+policyID+"'")) {
				policy["reason"] = message
			}
			remaining = append(remaining, policy)
		}
	}
	if delete(tree, "policies"); len(remaining) > 0 {
		tree["policies"] = remaining
	}
	blocks := make([]any, 0, len(l.Contexts))
	for _, context := range l.Contexts {
		block := map[string]any{}
		for key, value := range context {
			if !slices.Contains(policies.Identity, key) && (key != projectKey || value != l.Atlas[projectKey]) {
				block[key] = graph.JSON(value)
			}
		}
		blocks = append(blocks, block)
	}
	if delete(tree, "context_packs"); len(blocks) > 0 {
		tree["context_blocks"] = blocks
	}
	return tree
}

// plainTexts are atlas keys whose values are never JSON, even if they begin like it.
var plainTexts = []string{"atlas_id", "atlas_version", "version", "name", "description", "license", projectKey}

// leadingKeys are the keys that come first, in this order; the others are sorted.
var leadingKeys = []string{"atlas_version", "atlas_id", "context_id", "policy_id", "action_id", "capability_id",
	"version", "name", "type", "description", "authors", "license", "domains",
	"priority", "inject_mode", "keywords", "risk_tiers", "inject_when", "also_inject", "actions", "reason",
	"content_type", "content"}

// YAML formats a manifest for people.
func YAML(tree map[string]any) (string, error) {
	text, err := yaml.MarshalWithOptions(ordered(tree, true), yaml.IndentSequence(true),
		yaml.UseLiteralStyleIfMultiline(true))
	return blank.ReplaceAllString(string(text), "\n"), err
}

var blank = pattern.New(`(?m)^ +\n`)

func ordered(value any, top bool) any {
	switch v := value.(type) {
	case map[string]any:
		rank := func(name string) int {
			at := slices.Index(leadingKeys, name)
			if at < 0 || top && name == "actions" { // the manifest's own long list, not the list of one policy
				return len(leadingKeys)
			}
			return at
		}
		names := slices.SortedFunc(maps.Keys(v), func(a,
			b string) int {
			return cmp.Or(rank(a)-rank(b), strings.Compare(a, b))
		})
		out := make(yaml.MapSlice, len(names))
		for i, name := range names {
			out[i] = yaml.MapItem{Key: name, Value: ordered(v[name], false)}
		}
		return out
	case []any:
		return lists.Map(v, func(item any) any { return ordered(item, false) })
	case float64:
		if v == float64(int64(v)) { // JSON does not distinguish them either
			return int64(v)
		}
	}
	return value
}

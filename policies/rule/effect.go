package rule

import (
	"strings"

	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/policies"
)

// data is the effect of a policy without a rule: it has neither requires nor forbids_pattern.
const data = "data"

// PolicyEffect returns what a policy with these properties and linked thresholds does when it is violated.
func PolicyEffect(properties map[string]any, thresholds []string) policies.PolicyEffect {
	j := policies.PolicyEffect{Effect: data, Thresholds: lists.Union(thresholds)}
	if !IsGuardrail(properties) {
		return j
	}
	rule := GuardrailOf(properties)
	rule.Link(thresholds)
	plain, scoped := rule.Thresholds()
	j.Thresholds = lists.Union(thresholds, plain, scoped)
	if active := properties["active"]; active == nil || active == false {
		j.Effect = Off
		return j
	}
	j.Effect = EffectOf(rule.Mode, rule.Severity)
	if rule.Broken != nil && rule.Mode != Off {
		j.Problem = rule.Broken.Error()
	}
	return j
}

// WithEffect adds the effect of a policy to its reading. Links are those of its version.
func WithEffect(n policies.Node, links []string) policies.Node {
	n.Reading.PolicyEffect = PolicyEffect(n.Properties, LinkedThresholds(graph.List(links)))
	return n
}

// IsGuardrail reports whether a policy is a rule; any other is plain data.
func IsGuardrail(properties map[string]any) bool {
	return properties["requires"] != nil || properties["forbids_pattern"] != nil
}

// LinkedThresholds returns the names of the thresholds among the links of a version.
func LinkedThresholds(links []any) []string {
	var names []string
	for _, link := range graph.Texts(links) {
		if name, ok := strings.CutPrefix(link, "USES_THRESHOLD "); ok {
			names = append(names, name)
		}
	}
	return names
}

// EffectOf returns the effect of a violation.
func EffectOf(mode, severity string) string {
	if mode == Enforce {
		return severity
	}
	return mode
}

package check

import (
	"nomograph/internal/spelling"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
)

// RuleInForce describes an active rule to a person or a program that is about to act, with the live values of thresholds.
type RuleInForce struct {
	Name        string // the element id for a node without a name
	Action      string // block, warn, or shadow, which only reports
	Description string
	Message     string   // empty if it refers to an action and the rule has a description
	Scope       []string // projects; none means all
	AppliesWhen string
	Requires    string
	Pattern     string // Cypher that must return nothing
	Broken      error  // why it cannot be evaluated: it denies every action in its scope
	Breaker     bool   // a circuit breaker
}

// InForce returns the rules of a project that are not off, by name. Without a project it returns all.
func (set *RuleSet) InForce(project string) []RuleInForce {
	found, forms := []RuleInForce{}, spelling.Forms(project)
	now := condition.Facts{Threshold: (&evaluation{set: set}).threshold, Project: spelling.Project(project)}
	for _, r := range set.rules {
		if r.Mode == rule.Off || !r.InScope(forms) {
			continue
		}
		needs := func(key string, program *condition.Program) string {
			if program != nil {
				return program.Needs(now)
			}
			value, _ := r.Properties[key].(string)
			return value
		}
		description, message := r.StaticMessage(now)
		found = append(found, RuleInForce{Name: r.Name, Action: rule.EffectOf(r.Mode, r.Severity), Description: description, Message: message, Scope: r.Scope,
			AppliesWhen: needs("applies_when", r.Applies), Requires: needs("requires", r.Requires), Pattern: r.Pattern, Broken: r.Broken, Breaker: r.Circuit != nil})
	}
	return found
}

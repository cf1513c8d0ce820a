package gate

import (
	"nomograph/internal/spelling"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
)

// RuleInForce is a rule in force, as a person or a program reads it that is about to act: thresholds are there with their live
// values.
type RuleInForce struct {
	Name        string // the node's element id where it has none
	Action      string // what it does where it objects: block, warn, or shadow, which only says that it would
	Description string
	Message     string   // none where it speaks of an action and there is a description
	Scope       []string // projects; none: all
	AppliesWhen string
	Requires    string
	Pattern     string // Cypher that must find nothing
	Broken      error  // why it cannot be evaluated: it objects to everything that it concerns
	Breaker     bool   // whether it is a circuit breaker
}

// InForce gives those that concern a project and are not turned off, by name. Without a project, every rule does.
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

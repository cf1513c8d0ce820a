package briefing

import (
	"context"
	"fmt"
	"slices"
	"time"

	"nomograph/internal/caller"
	"nomograph/internal/render"
	"nomograph/policies/check"
	"nomograph/policies/circuit"
	"nomograph/search"
)

// Effects of guardrails, the strictest first.
const actionBlocks = "block"

var guardrailActions = []string{actionBlocks, "warn", "shadow"}

// readRules reads the active rules, once for both sections that show them.
func (r *reading) readRules(ctx context.Context, c *Sections) {
	guardrails, breakers := r.includes("guardrails"), r.includes("breakers") && !r.asks.OnlyRelevant &&
		!caller.From(ctx).Limited()
	if !guardrails && !breakers {
		return
	}
	rules, err := r.checks.Rules(ctx)
	if guardrails {
		r.section("guardrails", err)
	}
	if guardrails && err == nil {
		r.showGuardrails(rules, c)
	}
	if breakers {
		if err == nil {
			err = r.showBreakers(ctx, rules, c)
		}
		r.section("breakers", err)
	}
}

// showGuardrails adds the guardrails of the project, blocking ones first.
func (r *reading) showGuardrails(rules *check.RuleSet, c *Sections) {
	c.ActiveGuardrails = []Guardrail{}
	fits := func(string, string) bool { return true }
	if r.asks.OnlyRelevant {
		fits = search.Relevance(r.asks.TaskDescription)
	}
	for _, rule := range rules.InForce(r.project()) {
		if rule.Breaker || !fits(rule.ID, rule.Message+"\n"+rule.Description) {
			continue
		}
		g := Guardrail{ID: flatten(rule.ID, render.MaxTitleLength), Action: rule.Action,
			Description: flatten(rule.Description, maxResultLength), Message: flatten(rule.Message, maxResultLength),
			AppliesWhen: flatten(rule.AppliesWhen, maxResultLength), Requires: flatten(rule.Requires, maxResultLength),
			Pattern: flatten(rule.Pattern, maxResultLength)}
		for _, project := range rule.Scope {
			g.Scope = append(g.Scope, flatten(project, render.MaxTitleLength))
		}
		if rule.Broken != "" {
			g.Broken = flatten(rule.Broken, maxResultLength)
			r.addNote(fmt.Sprintf("The guardrail %s cannot be evaluated", g.ID))
		}
		c.ActiveGuardrails = append(c.ActiveGuardrails, g)
	}
	slices.SortStableFunc(c.ActiveGuardrails, func(a,
		b Guardrail) int { // stable: within an action, the order by name remains
		return slices.Index(guardrailActions, a.Action) - slices.Index(guardrailActions, b.Action)
	})
}

// showBreakers adds the circuit breakers that are not off.
func (r *reading) showBreakers(ctx context.Context, rules *check.RuleSet, c *Sections) error {
	breakers, err := circuit.StatesOf(ctx, rules)
	if err != nil {
		return err
	}
	c.CircuitBreakers = []Breaker{}
	for _, b := range breakers {
		if b.Off() {
			continue
		}
		shown := Breaker{Scope: flatten(b.Scope, render.MaxTitleLength), State: b.State, Action: b.Action(),
			Failures:  b.FailureCount,
			Threshold: b.FailureThreshold, ProbeID: b.ProbeID, Error: flatten(b.Error, maxResultLength)}
		if b.State == circuit.Open && b.HalfOpenAt != nil {
			shown.Until = b.HalfOpenAt.Truncate(time.Second)
		}
		c.CircuitBreakers = append(c.CircuitBreakers, shown)
	}
	return nil
}

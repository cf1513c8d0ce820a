package rule

import (
	"fmt"
	"slices"
	"strings"

	"nomograph/graph"
	"nomograph/internal/normalize"
	"nomograph/policies"
	"nomograph/policies/condition"
)

// Breaker makes a guardrail a circuit breaker: its pattern derives from the graph whether its scope had too many
// failures and whether another attempt is allowed. Failures, Window and Cooldown name thresholds: a count, and hours.
type Breaker struct {
	Scope                      string // as in the policy, by which its resets are found
	Kind, name                 string // parts of Scope; empty if Scope is invalid
	failures, Window, Cooldown string
}

// CircuitScopes describes the valid scopes of a circuit breaker.
const CircuitScopes = "global, or category:, stakes:, agent: or tag: and a name, such as stakes:high"

// circuitKeys are the properties that make a policy a circuit breaker.
var circuitKeys = []string{"circuit_scope", "circuit_failures", "circuit_window_hours", "circuit_cooldown_hours"}

// CircuitProperties returns the properties that make the rule a circuit breaker. The shipped pattern reads no others.
func (r *Guardrail) CircuitProperties() map[string]any {
	found := make(map[string]any, len(circuitKeys))
	for _, key := range circuitKeys {
		found[key] = r.Properties[key]
	}
	return found
}

// BreakerOf returns the circuit breaker of a policy and its errors, nil for any other policy.
func BreakerOf(properties map[string]any) (*Breaker, []error) {
	p := &reading{properties: properties}
	return p.breaker(), p.problems
}

func (p *reading) breaker() *Breaker {
	if !slices.ContainsFunc(circuitKeys, func(key string) bool { return p.properties[key] != nil }) {
		return nil
	}
	c := &Breaker{}
	for i, into := range []*string{&c.Scope, &c.failures, &c.Window, &c.Cooldown} {
		*into, _ = p.properties[circuitKeys[i]].(string)
		switch {
		case i > 0 && strings.TrimSpace(*into) == "":
			p.wrong(circuitKeys[i], "must be the name of a threshold")
		case i == 0 && !c.parseScope():
			p.wrong(circuitKeys[i], "must be %s; it is '%s'", CircuitScopes, c.Scope)
		}
	}
	if graph.Text(p.properties, "forbids_pattern") == "" {
		p.wrong("forbids_pattern", "is empty, but a circuit breaker derives its state from it")
	}
	return c
}

// parseScope parses the scope and reports whether it is valid.
func (c *Breaker) parseScope() bool {
	kind, name, _ := strings.Cut(c.Scope, ":")
	name = strings.TrimSpace(name)
	switch kind {
	case "global":
		if c.Scope != kind {
			return false
		}
	case "stakes":
		if _, ok := condition.ParseStakes(name); !ok {
			return false
		}
	case "category": // the pattern compares it exactly as written
		if name == "" || name != normalize.Name(name) {
			return false
		}
	case "agent", "tag":
		if name == "" || strings.ToLower(name) != normalize.Name(name) {
			return false
		}
	default:
		return false
	}
	c.Kind, c.name = kind, name
	return true
}

// thresholds returns the thresholds of the breaker.
func (c *Breaker) thresholds() []string { return NonEmpty(c.failures, c.Window, c.Cooldown) }

// covers reports whether an action is in the breaker's scope. Every action is in an invalid scope, so that a broken
// breaker is as strict as possible.
func (c *Breaker) covers(facts condition.Facts) bool {
	is := func(name string) bool { return normalize.Name(name) == normalize.Name(c.name) }
	switch c.Kind {
	case "category":
		return is(facts.Action.Category)
	case "stakes":
		return is(facts.Action.Stakes.String())
	case "agent":
		return is(facts.Agent)
	case "tag":
		return slices.ContainsFunc(facts.Action.Tags, is)
	}
	return true
}

const (
	// maxReplayed is the number of reviews that a pattern replays; a breaker that needs more failures could never open.
	maxReplayed = 200
	maxHours    = 24 * 366 * 10
)

// Accept returns an error for thresholds with which the breaker would never open or never close, or that are not valid
// numbers.
func (c *Breaker) Accept(values map[string]any) error {
	for _, bound := range []struct {
		name     string
		min, max float64
	}{{c.failures, 1, maxReplayed}, {c.Window, 0, maxHours}, {c.Cooldown, 0, maxHours}} {
		value := graph.Number(values[bound.name])
		if !(value >= bound.min && value <= bound.max && value > 0) {
			return fmt.Errorf("SYS_Threshold node '%s' is %s; a circuit breaker needs more than 0 and at most %v there",
				bound.name,
				policies.ShowValue(values[bound.name]), bound.max)
		}
	}
	return nil
}

// CircuitColumns are the columns of a breaker's pattern. They contain no inputs of an action.
var CircuitColumns = []string{"state", "failures", "failure_threshold", "opened_at", "half_open_at", "probe_id",
	"probe_expires_at", "until", "blocked", "why"}

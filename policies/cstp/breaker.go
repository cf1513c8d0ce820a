package cstp

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"nomograph/internal/document"
	"nomograph/policies/pack"
	"nomograph/policies/rule"
)

// breakerLimits are the settings of a CSTP circuit breaker, in the order of a policy's properties: the key, the
// default, the divisor, and the resulting threshold.
var breakerLimits = []struct {
	key                   string
	defaultValue, divisor float64
	property, unit        string
	min, max              float64
}{
	{"failure_threshold", 5, 1, "failures", "count", 1, 200},
	{"window_ms", 3_600_000, 3_600_000, "window_hours", "hours", 0.0001, 87840},
	{"cooldown_ms", 1_800_000, 3_600_000, "cooldown_hours", "hours", 0.0001, 87840},
}

var nonNameChars = regexp.MustCompile(`[^a-z0-9]+`)

// breakers converts the circuit breakers of a mapping to policies, each with thresholds for its settings. It reports
// whether the mapping has the key.
func (i *guardrailImport) breakers(file string, fields *document.Node) bool {
	const key = "circuit_breakers"
	list := fields.Get(key)
	if list != nil && !list.IsList() {
		i.leave("%s:%d: circuit breakers were left out: they must be a list, not a %s", file, fields.At(key).Line,
			formOf(list.Value()))
		return true
	}
	if list != nil {
		for _, breaker := range list.Items {
			place := fmt.Sprintf("%s:%d", file, breaker.At().Line)
			if err := i.breaker(place, breaker); err != nil {
				i.leave("%s: the circuit breaker '%s' was left out: %s", place, textOf(breaker, "scope"), err)
			}
		}
	}
	return list != nil
}

func (i *guardrailImport) breaker(place string, m *document.Node) error {
	scope := textOf(m, "scope")
	id := "circuit_breaker:" + scope // as in CSTP's violations
	base := "circuit_" + strings.Trim(nonNameChars.ReplaceAllString(strings.ToLower(scope), "_"), "_") + "_"
	switch {
	case i.first[id] != "":
		i.note("%s: '%s' was left out: it already exists at %s, and the first one counts", place, id, i.first[id])
		return nil
	case i.first[base] != "":
		return fmt.Errorf("its thresholds would have the names of those at %s", i.first[base])
	case len(id) > 150:
		return errors.New("its scope is too long")
	}
	policy := pack.GeneratedPolicy{Name: pack.Words(id), Active: true, CircuitScope: pack.Words(scope),
		Severity: rule.Block, Mode: rule.Enforce,
		Message: "The circuit breaker opened after {found.failures} failures, and {found.why}. The next decision may be recorded after {found.until}"}
	properties := map[string]any{"circuit_scope": scope, "forbids_pattern": "RETURN 1"}
	names := []*pack.Words{&policy.CircuitFailures, &policy.CircuitWindowHours, &policy.CircuitCooldownHours}
	var thresholds []pack.GeneratedThreshold
	for n, limit := range breakerLimits {
		value := limit.defaultValue
		if text := textOf(m, limit.key); text != "" {
			var err error
			if value, err = strconv.ParseFloat(text, 64); err != nil {
				return fmt.Errorf("its %s is %s, not a number", limit.key, text)
			}
		}
		value /= limit.divisor
		if !(value >= limit.min && value <= limit.max) {
			return fmt.Errorf("its %s results in %v %s; a circuit breaker allows %v to %v", limit.key, value,
				limit.unit, limit.min, limit.max)
		}
		name := base + limit.property
		thresholds = append(thresholds, pack.GeneratedThreshold{Name: pack.Words(name), Value: value,
			Unit: pack.Words(limit.unit)})
		*names[n], properties["circuit_"+limit.property] = pack.Words(name), name
	}
	if _, problems := rule.BreakerOf(properties); len(problems) > 0 {
		return errors.Join(problems...)
	}
	i.first[id], i.first[base] = place, place
	i.thresholds = append(i.thresholds, thresholds...)
	i.policies = append(i.policies, policy)
	return nil
}

package ofrep

import (
	"fmt"
	"net/http"

	"nomograph/graph"
	"nomograph/policies"
)

// ofPolicy is the prefix of policy keys.
const ofPolicy = "policy:"

// Reasons of OpenFeature that occur here. DISABLED does not: a provider then returns the caller's default instead of
// the value, so a disabled policy could count as active.
const (
	static   = "STATIC"          // the same value for every caller
	targeted = "TARGETING_MATCH" // the value of the requested scope
)

// flag is an evaluated flag.
type flag struct {
	Key      string         `json:"key"`
	Value    any            `json:"value"`
	Reason   string         `json:"reason"`
	Variant  string         `json:"variant"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// unscopedVariant is the variant without a scope.
const unscopedVariant = "default"

// flagOf converts a node to a flag, or returns why that is impossible.
func flagOf(key string, node policies.Node) (flag, *failure) {
	about := map[string]any{"version": node.Reading.Version, "source": node.Reading.Source}
	for _, name := range []string{"unit", "rationale", "description", "decision_table"} {
		if text, ok := node.Properties[name].(string); ok && text != "" {
			about[name] = text
		}
	}
	scope := ""
	if node.Reading.Source == "scoped" {
		scope = node.Reading.Scope
	}
	if node.Reading.Effect != "" {
		about["effect"] = node.Reading.Effect
		return policyFlag(key, node.Properties["active"], scope, about), nil
	}
	return thresholdFlag(key, node.Properties["value"], scope, about)
}

func thresholdFlag(key string, value any, scope string, about map[string]any) (flag, *failure) {
	switch value = graph.JSON(value); value.(type) {
	case int64, float64, string, bool, map[string]any:
	default:
		return flag{}, &failure{Key: key, ErrorCode: general, status: http.StatusBadRequest,
			ErrorDetails: fmt.Sprintf("The threshold '%s' holds a %s, which a flag cannot have", key,
				policies.JSONType(value))}
	}
	f := flag{Key: key, Value: value, Reason: static, Variant: unscopedVariant, Metadata: about}
	if scope != "" {
		f.Reason, f.Variant = targeted, scope
	}
	return f, nil
}

// policyFlag is true only for a policy whose active property is true.
func policyFlag(key string, active any, scope string, about map[string]any) flag {
	f := flag{Key: key, Value: active == true, Reason: static, Variant: "active", Metadata: about}
	if scope != "" {
		f.Reason = targeted
	}
	if active != true {
		f.Variant = "inactive"
	}
	return f
}

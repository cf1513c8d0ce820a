package ofrep

import (
	"fmt"
	"net/http"

	"nomograph/graph"
	"nomograph/policies"
)

// ofPolicy begins the keys of policies.
const ofPolicy = "policy:"

// The reasons of OpenFeature that there is cause for. DISABLED is none: told that, a provider gives the caller's own default instead
// of the value, and a policy that is switched off would be one that counts.
const (
	static   = "STATIC"          // the same for whoever asks
	targeted = "TARGETING_MATCH" // the variant of the scope that was asked for
)

// flag is an evaluated flag.
type flag struct {
	Key      string         `json:"key"`
	Value    any            `json:"value"`
	Reason   string         `json:"reason"`
	Variant  string         `json:"variant"`
	Metadata map[string]any `json:"metadata,omitempty"`
}

// unscoped is the variant of what is there for whoever asks for no scope.
const unscoped = "default"

// evaluated is the flag that a node is, or why it is none.
func evaluated(key string, out any) (flag, *failure) {
	node, _ := out.(policies.Node)
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
	if node.Reading.Judges != "" {
		about["judges"] = node.Reading.Judges
		return policyFlag(key, node.Properties["active"], scope, about), nil
	}
	return thresholdFlag(key, node.Properties["value"], scope, about)
}

func thresholdFlag(key string, value any, scope string, about map[string]any) (flag, *failure) {
	switch value = graph.JSON(value); value.(type) {
	case int64, float64, string, bool, map[string]any:
	default:
		return flag{}, &failure{Key: key, ErrorCode: general, status: http.StatusBadRequest,
			ErrorDetails: fmt.Sprintf("The threshold '%s' holds a %s, which is the value of no flag", key, policies.JSONType(value))}
	}
	f := flag{Key: key, Value: value, Reason: static, Variant: unscoped, Metadata: about}
	if scope != "" {
		f.Reason, f.Variant = targeted, scope
	}
	return f, nil
}

// policyFlag is true only for a policy that says that it is active. What does not say so is in force nowhere.
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

package authzen

import (
	"strings"

	"nomograph/internal/lists"
	"nomograph/policies/check"
)

// decision is the answer to one evaluation.
type decision struct {
	Decision bool           `json:"decision"`
	Context  map[string]any `json:"context,omitempty"`
}

// decisionOf converts a verdict. Violations are listed under the HTTP status that a gateway would return. The user gets
// the message of the rule, the gateway's operator its name and version.
func decisionOf(v check.Verdict) decision {
	context := map[string]any{"verdict_id": v.VerdictID, "policy_version": v.Revision}
	if len(v.Violations) > 0 {
		context["reason_admin"] = map[string]any{"403": strings.Join(lists.Map(v.Violations,
			func(o check.Violation) string { return o.GuardrailID + " (" + o.Version + "): " + o.Message }), "; ")}
		context["reason_user"] = map[string]any{"403": strings.Join(lists.Map(v.Violations,
			func(o check.Violation) string { return o.Message }), "; ")}
		context["policies"] = lists.Map(v.Violations, func(o check.Violation) string { return o.GuardrailID })
	}
	if len(v.Warnings) > 0 {
		context["warnings"] = strings.Join(lists.Map(v.Warnings,
			func(o check.Violation) string { return o.GuardrailID + ": " + o.Message }), "; ")
	}
	return decision{v.Allowed, context}
}

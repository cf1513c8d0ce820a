package pages

import (
	"nomograph/policies/circuit"
)

// resetBreaker closes a breaker, or lets one decision be tried first.
func resetBreaker(v *Visit) (string, error) {
	return v.do("/breakers", "reset_circuit", circuit.ResetRequest{Scope: v.Form("scope"), Reason: v.Form("reason"),
		ProbeFirst: v.Form("probe_first") == "true"})
}

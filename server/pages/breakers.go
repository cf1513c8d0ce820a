package pages

import (
	"time"

	"nomograph/policies/circuit"
)

// breakers is the data of the page of circuit breakers.
type breakers struct{ circuit.BreakerList }

// Wait returns how long a breaker stays open.
func (breakers) Wait(s circuit.State) string {
	if s.CooldownRemainingMS <= 0 {
		return ""
	}
	return (time.Duration(s.CooldownRemainingMS) * time.Millisecond).Round(time.Minute).String()
}

// Hours returns the window in hours.
func (breakers) Hours(s circuit.State) float64 {
	return (time.Duration(s.WindowMS) * time.Millisecond).Hours()
}

func showBreakers(v *Visit) (any, error) {
	list, err := Call[circuit.BreakerList](v, "list_breakers", circuit.BreakersQuery{})
	return breakers{list}, err
}

// resetBreaker closes a breaker, or lets one decision be tried first.
func resetBreaker(v *Visit) (string, error) {
	_, err := Call[circuit.WasReset](v, "reset_circuit",
		circuit.ResetRequest{Scope: v.Form("scope"), Reason: v.Form("reason"),
			ProbeFirst: v.Form("probe_first") == "true"})
	return "/breakers", err
}

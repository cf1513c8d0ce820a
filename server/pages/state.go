package pages

// looks are the classes of badges by state. Every page shows a state with them.
var looks = map[string]string{
	"success": "success", "allowed": "success", "approved": "success", "applied": "success", "active": "success",
	"closed": "success", "passed": "success", "upheld": "success", "holds": "success",
	"partial": "warn", "needs approval": "warn", "stale": "warn", "half_open": "warn", "forced": "warn", "warn": "warn",
	"medium":  "warn",
	"failure": "failure", "denied": "failure", "rejected": "failure", "revoked": "failure", "block": "failure",
	"high": "failure", "overturned": "failure", "violated": "failure", "error": "failure",
	"abandoned": "abandoned", "withdrawn": "abandoned", "expired": "abandoned", "retracted": "abandoned",
}

// look returns the class of the badge of a state.
func look(state string) string {
	if class, ok := looks[state]; ok {
		return class
	}
	return "pending"
}

// breakerLook returns the class of the badge of a circuit breaker, whose state "open" denies actions.
func breakerLook(state string) string {
	if state == "open" || state == "error" {
		return "failure"
	}
	return look(state)
}

package circuit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
	"nomograph/internal/uid"
	"nomograph/policies/rule"
)

// ResetRequest asks to reset the circuit of a scope.
type ResetRequest struct {
	Scope      string `json:"scope" jsonschema:"global, category:x, stakes:x, agent:x or tag:x, or the policy's name" rule:"minLength=1,maxLength=300"`
	Reason     string `json:"reason,omitempty" jsonschema:"reason for the history" rule:"maxLength=2000"`
	ProbeFirst bool   `json:"probe_first,omitempty" jsonschema:"half-open: the next decision is a probe, and its review decides"`
	By         string `json:"-"`
}

// WasReset reports a reset.
type WasReset struct {
	Scope         string   `json:"scope"`
	PreviousState string   `json:"previous_state"`
	NewState      string   `json:"new_state"`
	Message       string   `json:"message"`
	ResetID       string   `json:"reset_id"`
	Policies      []string `json:"policies" jsonschema:"the breakers of that scope"`
}

// Reset closes the circuit of a scope, from any state: earlier reviews no longer count, for all breakers of the scope.
// It returns not_found, and a conflict if the policy's scope is invalid.
func (s *Store) Reset(ctx context.Context, r ResetRequest) (WasReset, error) {
	set, err := s.checks.Rules(ctx)
	if err != nil {
		return WasReset{}, err
	}
	matching, err := breakersOf(set, r.Scope)
	if err != nil {
		return WasReset{}, err
	}
	scope := matching[0].Circuit.Scope
	if matching[0].Circuit.Kind == "" {
		return WasReset{}, apperr.Newf(apperr.Conflict, "Circuit breaker '%s' has an invalid scope", matching[0].Name).
			WithHint("Correct its circuit_scope first: %s", rule.CircuitScopes)
	}
	// A reset covers a scope: naming one breaker by its policy resets all breakers with that scope.
	ofScope := func(rule *rule.Guardrail) bool { return rule.Circuit.Scope == scope }
	matching = lists.Filter(set.Breakers(), ofScope)
	before, err := s.states(ctx, set, matching)
	if err != nil {
		return WasReset{}, err
	}
	reset := WasReset{Scope: scope, PreviousState: strictest(before), ResetID: uid.New(),
		Policies: lists.Map(matching, policyName)}
	reason, _ := redact.Text(strings.TrimSpace(r.Reason))
	by, _ := redact.Text(r.By)
	if _, err := graph.Append[struct{ At time.Time }](ctx, s.graph, cypher.CircuitReset, graph.Params{"scope": scope,
		"reset": map[string]any{"uid": reset.ResetID, "schema_version": 1, "by": by, "reason": reason,
			"probe_first": r.ProbeFirst}}); err != nil {
		return WasReset{}, err
	}
	if set, err = s.checks.Rules(ctx); err != nil { // read again for the current time
		return WasReset{}, err
	}
	after, err := s.states(ctx, set, lists.Filter(set.Breakers(), ofScope))
	if err != nil {
		return WasReset{}, err
	}
	reset.NewState = strictest(after)
	reset.Message = reset.words()
	return reset, nil
}

// strictest returns the strictest state.
func strictest(states []State) string {
	for _, state := range []string{Unknown, Open, HalfOpen} {
		for _, s := range states {
			if s.State == state {
				return state
			}
		}
	}
	return Closed
}

func (r WasReset) words() string {
	described := map[string]string{
		Closed:   "is closed; earlier failures no longer count",
		HalfOpen: "is half-open; the next decision is a probe, and its review decides",
		Open:     "is open again: a decision failed meanwhile",
		Unknown:  "was reset, and its state is unknown; `get_circuit_state` shows why",
	}
	return fmt.Sprintf("The circuit %s %s", r.Scope, described[r.NewState])
}

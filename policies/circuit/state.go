package circuit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/normalize"
	"nomograph/policies"
	"nomograph/policies/check"
	"nomograph/policies/rule"
)

// BreakersQuery asks for all circuit breakers.
type BreakersQuery struct{}

// Query selects one circuit breaker.
type Query struct {
	Scope string `json:"scope" jsonschema:"global, category:x, stakes:x, agent:x or tag:x, or the policy's name" rule:"minLength=1,maxLength=300"`
}

// BreakerList holds all active circuit breakers.
type BreakerList struct {
	Breakers []State `json:"breakers"`
	Total    int     `json:"total"`
}

// State is a circuit breaker with its current state, which its policy's own pattern computes.
type State struct {
	Scope               string      `json:"scope"`
	Policy              string      `json:"policy"`
	State               string      `json:"state" jsonschema:"closed, open, half_open, or error (state unknown)"`
	FailureCount        int64       `json:"failure_count" jsonschema:"failures within the window, or those that opened it"`
	FailureThreshold    int64       `json:"failure_threshold"`
	WindowMS            int64       `json:"window_ms"`
	CooldownMS          int64       `json:"cooldown_ms"`
	CooldownRemainingMS int64       `json:"cooldown_remaining_ms"`
	OpenedAt            *time.Time  `json:"opened_at,omitempty"`
	HalfOpenAt          *time.Time  `json:"half_open_at,omitempty" jsonschema:"end of the cooldown"`
	ProbeInFlight       bool        `json:"probe_in_flight"`
	ProbeID             string      `json:"probe_id,omitempty" jsonschema:"id of the probe decision, whose review closes or reopens the breaker"`
	ProbeExpiresAt      *time.Time  `json:"probe_expires_at,omitempty"`
	Mode                string      `json:"mode" jsonschema:"enforce, shadow or off"`
	Severity            string      `json:"severity" jsonschema:"block or warn"`
	Error               string      `json:"error,omitempty" jsonschema:"reason why the state is unknown; the breaker then blocks"`
	LastReset           *ResetState `json:"last_reset,omitempty"`
}

// ResetState is an earlier reset.
type ResetState struct {
	At         time.Time `json:"at"`
	By         string    `json:"by"`
	Reason     string    `json:"reason,omitempty"`
	ProbeFirst bool      `json:"probe_first,omitempty"`
}

// States of a circuit breaker.
const (
	Closed   = "closed"
	Open     = "open"
	HalfOpen = "half_open"
	Unknown  = "error"
)

// Breakers returns all active circuit breakers, by scope. A broken one reports its error and does not affect the
// others. It returns unavailable or query_timeout if the rules cannot be read.
func (s *Store) Breakers(ctx context.Context, _ BreakersQuery) (BreakerList, error) {
	set, err := s.checks.Rules(ctx)
	if err != nil {
		return BreakerList{}, err
	}
	states, err := s.states(ctx, set, set.Breakers())
	return BreakerList{Breakers: states, Total: len(states)}, err
}

// State returns the state of the circuit breaker of a scope or of a policy. It returns not_found with similar names,
// and a conflict if several breakers have the scope.
func (s *Store) State(ctx context.Context, q Query) (State, error) {
	set, err := s.checks.Rules(ctx)
	if err != nil {
		return State{}, err
	}
	matching, err := breakersOf(set, q.Scope)
	if err != nil {
		return State{}, err
	}
	if len(matching) > 1 {
		names := lists.Map(matching, policyName)
		return State{}, apperr.Newf(apperr.Conflict, "%d circuit breakers have the scope '%s'", len(matching), q.Scope).
			WithHint("Use the name of its policy: %s", strings.Join(names, ", ")).With("policies", names)
	}
	states, err := s.states(ctx, set, matching)
	if err != nil {
		return State{}, err
	}
	return states[0], nil
}

func policyName(breaker *rule.Guardrail) string { return breaker.Name }

func scopeOf(breaker *rule.Guardrail) string { return breaker.Circuit.Scope }

// breakersOf returns the breakers of a scope or of a policy.
func breakersOf(set *check.RuleSet, matching string) ([]*rule.Guardrail, error) {
	all := set.Breakers()
	same := func(a, b string) bool { return normalize.Name(a) == normalize.Name(b) }
	if named := lists.Filter(all, func(r *rule.Guardrail) bool { return same(r.Name, matching) }); len(named) > 0 {
		return named, nil
	}
	if scoped := lists.Filter(all, func(r *rule.Guardrail) bool {
		return same(r.Circuit.Scope, matching)
	}); len(scoped) > 0 {
		return scoped, nil
	}
	scopes := slices.Compact(lists.Map(all, scopeOf)) // sorted by scope
	err := apperr.Newf(apperr.NotFound, "Circuit breaker '%s' not found", matching)
	near := apperr.Nearest(matching, slices.Concat(scopes, lists.Map(all, policyName)))
	switch {
	case len(all) == 0:
		return nil, err.WithHint("No active policy is a circuit breaker; `apply_packs` with core adds two, and docs/guides/circuit-breakers.md shows how to declare one")
	case len(near) == 0:
		return nil, err.WithHint("Use %s", strings.Join(scopes, ", ")).With("breakers", scopes)
	}
	return nil, err.WithHint("Did you mean '%s'? Use one of %s", strings.Join(near, "', '"),
		strings.Join(scopes, ", ")).
		With("nearest", near).With("breakers", scopes)
}

// states runs the breakers' patterns and reads the last reset of each.
func (s *Store) states(ctx context.Context, set *check.RuleSet, breakers []*rule.Guardrail) ([]State, error) {
	states, err := statesOf(ctx, set, breakers)
	if err != nil {
		return nil, err
	}
	resets, err := s.lastResets(ctx, breakers)
	for i := range states {
		if reset, ok := resets[states[i].Scope]; ok {
			states[i].LastReset = &reset
		}
	}
	return states, err
}

// StatesOf returns the states of all circuit breakers in force, by scope, without their last resets.
func StatesOf(ctx context.Context, set *check.RuleSet) ([]State, error) {
	return statesOf(ctx, set, set.Breakers())
}

// statesOf runs the breakers' own patterns. An error of a breaker becomes its state; a returned error means that the
// database is not available.
func statesOf(ctx context.Context, set *check.RuleSet, breakers []*rule.Guardrail) (states []State, unavailable error) {
	set.AskCircuits(ctx, breakers, func(breaker *rule.Guardrail, answer graph.QueryResult, thresholds map[string]any,
		err error) {
		state := State{Scope: breaker.Circuit.Scope, Policy: breaker.Name, State: Unknown, Mode: breaker.Mode,
			Severity: breaker.Severity}
		switch {
		case apperr.Is(err, apperr.Unavailable):
			unavailable = apperr.From(err)
		case breaker.Broken != nil:
			err = breaker.Broken
		case err == nil:
			err = state.addDetails(set, breaker, answer, thresholds)
		}
		if err != nil {
			state.State, state.Error = Unknown, err.Error()
		}
		states = append(states, state)
	})
	return states, unavailable
}

func (s *Store) lastResets(ctx context.Context, breakers []*rule.Guardrail) (map[string]ResetState, error) {
	scopes := lists.Map(breakers, scopeOf)
	rows, err := graph.All[struct {
		Scope      string
		ResetState `mapstructure:",squash"`
	}](ctx, s.graph, cypher.CircuitsReset, graph.Params{"scopes": slices.Compact(scopes)})
	resets := map[string]ResetState{}
	for _, row := range rows {
		resets[row.Scope] = row.ResetState
	}
	return resets, err
}

// addDetails adds the values of the breaker's thresholds and the results of its pattern.
func (c *State) addDetails(set *check.RuleSet, breaker *rule.Guardrail, answer graph.QueryResult,
	values map[string]any) error {
	hours := func(name string) int64 {
		return int64(graph.Number(values[name]) * float64(time.Hour/time.Millisecond))
	}
	c.WindowMS, c.CooldownMS = hours(breaker.Circuit.Window), hours(breaker.Circuit.Cooldown)
	if len(answer.Rows) != 1 {
		return fmt.Errorf("forbids_pattern gives %d rows where $action.phase is 'circuit'; it must return one, with the state", len(answer.Rows))
	}
	row := map[string]any{}
	for i, column := range answer.Columns {
		row[column] = answer.Rows[0][i]
	}
	c.State, _ = row["state"].(string)
	if !slices.Contains([]string{Closed, Open, HalfOpen}, c.State) {
		return fmt.Errorf("forbids_pattern gives the state %s; it must be closed, open or half_open",
			policies.ShowValueOrNone(row["state"]))
	}
	c.FailureCount, _ = row["failures"].(int64)
	c.FailureThreshold, _ = row["failure_threshold"].(int64)
	c.ProbeID, _ = row["probe_id"].(string)
	c.ProbeInFlight = c.ProbeID != ""
	c.OpenedAt, c.HalfOpenAt, c.ProbeExpiresAt = timeOf(row["opened_at"]), timeOf(row["half_open_at"]),
		timeOf(row["probe_expires_at"])
	if c.State == Open && c.HalfOpenAt != nil {
		c.CooldownRemainingMS = max(0, c.HalfOpenAt.Sub(set.Now).Milliseconds())
	}
	return nil
}

// timeOf decodes a time; nil if there is none.
func timeOf(cell any) *time.Time {
	text, _ := cell.(string)
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return nil
	}
	at = at.UTC()
	return &at
}

// Off reports whether the breaker's policy is off.
func (c State) Off() bool { return c.Mode == rule.Off }

// Action returns the breaker's effect while it is not closed: block, warn or shadow.
func (c State) Action() string { return rule.EffectOf(c.Mode, c.Severity) }

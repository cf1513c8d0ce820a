package check

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
)

// maxBreakersPerStatement is the maximum number of breakers in one statement. Its answer then stays far below the limit
// of 256 kB.
const maxBreakersPerStatement = 100

// isCircuitState reports whether a pattern is the shipped one, which all breakers of packs use.
func isCircuitState(pattern string) bool {
	return strings.TrimSpace(pattern) == cypher.CircuitState.Text()
}

// circuitStates returns the statement that evaluates circuit_state for several breakers. It contains the text of
// circuit_state.
var circuitStates = sync.OnceValue(func() string {
	text := cypher.CircuitStates.Text()
	begin := strings.Index(text, "{\n  RETURN") + 2
	length := strings.Index(text[begin:], "\n}")
	each := strings.NewReplacer("$rule", "breaker.rule", "$threshold", "breaker.threshold").Replace(cypher.CircuitState.Text())
	return text[:begin] + each + text[begin+length:]
})

// circuit returns the state of a breaker with the shipped pattern. The pattern reads only the phase of the action, so the
// first of an action's breakers reads all of them, in one statement.
func (e *evaluator) circuit(ctx context.Context, r *rule.Guardrail, params graph.Parameters) (graph.QueryResult, error) {
	if e.circuits == nil {
		e.circuits = map[*rule.Guardrail]graph.QueryResult{}
		for breakers := range slices.Chunk(e.shippedBreakers(r), maxBreakersPerStatement) {
			err := e.readCircuits(ctx, breakers)
			if apperr.Is(err, apperr.Unavailable) || apperr.Is(err, apperr.QueryTimeout) {
				return graph.QueryResult{}, err
			}
		}
	}
	if answer, read := e.circuits[r]; read {
		return answer, nil
	}
	return e.set.run(ctx, r, params) // malformed data of another breaker must not affect this one
}

// shippedBreakers returns r and the other breakers with the shipped pattern that this evaluation asks about.
func (e *evaluator) shippedBreakers(r *rule.Guardrail) []*rule.Guardrail {
	found := []*rule.Guardrail{r}
	for _, other := range e.set.Breakers() {
		asked := slices.Contains(e.breakers, other) || e.breakers == nil && e.concerns(other)
		if asked && other != r && other.Broken == nil && isCircuitState(other.Pattern) {
			found = append(found, other)
		}
	}
	return found
}

// readCircuits reads the states of breakers with one statement.
func (e *evaluator) readCircuits(ctx context.Context, breakers []*rule.Guardrail) error {
	var asked []*rule.Guardrail
	var rows []any
	for _, r := range breakers {
		if thresholds, err := e.numbers(r); err == nil { // the breaker's own evaluation returns the error
			rows = append(rows, map[string]any{"key": int64(len(asked)), "rule": r.CircuitProperties(), "threshold": thresholds})
			asked = append(asked, r)
		}
	}
	read, err := e.set.compiler.graph.RunReadOnly(ctx, graph.ReadQuery{Query: circuitStates(), Limit: len(asked), Timeout: maxQuerySeconds,
		Params:   graph.Parameters{"action": map[string]any{"phase": e.facts.Action.Phase}, "now": graph.UTC(e.facts.Now), "breakers": rows},
		Repeated: true, InForce: true})
	if err != nil {
		return err
	}
	if read.Truncated || len(read.Columns) == 0 {
		return errors.New("the answer is incomplete")
	}
	states := make([]graph.QueryResult, len(asked))
	for _, row := range read.Rows {
		place, ok := row[0].(int64)
		if !ok || place < 0 || int(place) >= len(asked) {
			return fmt.Errorf("the answer is about an unknown circuit breaker %v", row[0])
		}
		states[place].Rows = append(states[place].Rows, row[1:])
	}
	for i, r := range asked {
		states[i].Columns = read.Columns[1:]
		e.circuits[r] = states[i]
	}
	return nil
}

// asksNewCircuit reports whether the action is in the scope of an unplanned circuit.
func (e *evaluator) asksNewCircuit() bool {
	return slices.ContainsFunc(e.set.Breakers(), func(r *rule.Guardrail) bool { return e.set.compiler.unplanned(r) && r.InCircuit(e.facts) })
}

// AskCircuits passes the state of each breaker's circuit by its pattern to take, with the thresholds that it compares with.
func (set *RuleSet) AskCircuits(ctx context.Context, breakers []*rule.Guardrail,
	take func(breaker *rule.Guardrail, answer graph.QueryResult, thresholds map[string]any, err error)) {
	e := &evaluator{set: set, breakers: breakers, facts: condition.Facts{Now: set.Now, Action: &condition.Action{Phase: "circuit"}}}
	for _, breaker := range breakers {
		limit := set.limit
		if set.compiler.unplanned(breaker) {
			limit = max(limit, FirstTimeout)
		}
		inTime, cancel := context.WithTimeout(ctx, limit)
		answer, err := e.ask(inTime, breaker)
		cancel()
		if err != nil {
			err = fmt.Errorf("forbids_pattern: %w", err)
		}
		thresholds, _ := e.numbers(breaker) // asking has returned their error
		take(breaker, answer, thresholds, err)
	}
}

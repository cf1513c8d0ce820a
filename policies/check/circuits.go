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
	"nomograph/internal/caller"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
)

// maxCircuitsPerStatement is the maximum number of states that one statement reads. Its answer then stays below the
// limit of 256 kB.
const maxCircuitsPerStatement = 500

// isShippedCircuit reports whether a rule is a breaker with the shipped pattern, which all breakers of packs use.
func isShippedCircuit(r *rule.Guardrail) bool {
	return r.Circuit != nil && r.Broken == nil && strings.TrimSpace(r.Pattern) == cypher.CircuitState.Text()
}

// circuitStates returns the statement that evaluates circuit_state for several breakers and actions. It contains the
// text of circuit_state.
var circuitStates = sync.OnceValue(func() string {
	text := cypher.CircuitStates.Text()
	begin := strings.Index(text, "{\n  RETURN") + 2
	length := strings.Index(text[begin:], "\n}")
	each := strings.NewReplacer("$rule", "asked.rule", "$threshold", "asked.threshold", "$action", "asked.action",
		"$now", "asked.now",
		"CALL (all, ", "CALL (asked, all, ").Replace(cypher.CircuitState.Text())
	return text[:begin] + each + text[begin+length:]
})

// askedCircuit is the question for the state of a breaker with the shipped pattern when an action happens.
type askedCircuit struct {
	action  *evaluator
	breaker *rule.Guardrail
}

// circuit returns the state of a breaker with the shipped pattern. The pattern reads only the phase of the action, so
// the first of an action's breakers reads all of them, in one statement.
func (e *evaluator) circuit(ctx context.Context, r *rule.Guardrail, params graph.Parameters) (graph.QueryResult,
	error) {
	if e.circuits == nil {
		e.circuits = map[*rule.Guardrail]graph.QueryResult{}
		asked := []askedCircuit{{e, r}}
		for _, other := range e.set.Breakers() {
			concerns := slices.Contains(e.breakers, other) || e.breakers == nil && e.concerns(other)
			if concerns && other != r && isShippedCircuit(other) {
				asked = append(asked, askedCircuit{e, other})
			}
		}
		if err := e.set.readCircuits(ctx, asked); err != nil {
			return graph.QueryResult{}, err
		}
	}
	if answer, read := e.circuits[r]; read {
		return answer, nil
	}
	return e.set.run(ctx, r, params) // malformed data of another breaker must not affect this one
}

// ReadCircuits reads the states of breakers with the shipped pattern for past acts, so that Replay need not read them
// for each act. skip reports whether Replay needs no result of a rule, in the order of Rules.
func (set *RuleSet) ReadCircuits(ctx context.Context, acts []PastAct, skip func(i int) bool) error {
	var asked []askedCircuit
	for i := range set.rules {
		r := &set.rules[i]
		if !isShippedCircuit(r) || skip(i) || !set.queriesInForce(r) && !caller.From(ctx).QueriesAll() {
			continue
		}
		for _, act := range acts {
			if act.evaluated == nil {
				continue
			}
			if act.evaluated.circuits == nil {
				act.evaluated.circuits = map[*rule.Guardrail]graph.QueryResult{}
			}
			e := *act.evaluated
			if e.set = set; e.concerns(r) {
				asked = append(asked, askedCircuit{&e, r})
			}
		}
	}
	return set.readCircuits(ctx, asked)
}

// readCircuits stores the asked states in the evaluators. States that a statement cannot read stay absent.
func (set *RuleSet) readCircuits(ctx context.Context, all []askedCircuit) error {
	for asked := range slices.Chunk(all, maxCircuitsPerStatement) {
		err := set.readSomeCircuits(ctx, asked)
		if apperr.Is(err, apperr.Unavailable) || apperr.Is(err, apperr.QueryTimeout) {
			return err
		}
	}
	return nil
}

func (set *RuleSet) readSomeCircuits(ctx context.Context, all []askedCircuit) error {
	var asked []askedCircuit
	var rows []any
	for _, a := range all {
		if thresholds, err := a.action.numbers(a.breaker); err == nil { // the breaker's own evaluation returns the error
			rows = append(rows, map[string]any{"key": int64(len(asked)), "rule": a.breaker.CircuitProperties(),
				"threshold": thresholds,
				"action":    map[string]any{"phase": a.action.facts.Action.Phase},
				"now":       graph.UTC(a.action.facts.Now)})
			asked = append(asked, a)
		}
	}
	read, err := set.compiler.graph.RunReadOnly(ctx,
		graph.ReadQuery{Query: circuitStates(), Limit: len(asked), Timeout: maxQuerySeconds,
			Params: graph.Parameters{"asked": rows}, Repeated: true, InForce: true})
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
	for i, a := range asked {
		states[i].Columns = read.Columns[1:]
		a.action.circuits[a.breaker] = states[i]
	}
	return nil
}

// asksNewCircuit reports whether the action is in the scope of an unplanned circuit.
func (e *evaluator) asksNewCircuit() bool {
	return slices.ContainsFunc(e.set.Breakers(),
		func(r *rule.Guardrail) bool { return e.set.compiler.unplanned(r) && r.InCircuit(e.facts) })
}

// AskCircuits passes the state of each breaker's circuit by its pattern to take, with the thresholds that it compares
// with.
func (set *RuleSet) AskCircuits(ctx context.Context, breakers []*rule.Guardrail,
	take func(breaker *rule.Guardrail, answer graph.QueryResult, thresholds map[string]any, err error)) {
	e := &evaluator{set: set, breakers: breakers,
		facts: condition.Facts{Now: set.Now, Action: &condition.Action{Phase: "circuit"}}}
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

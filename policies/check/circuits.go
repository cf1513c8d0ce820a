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
	"nomograph/policies/rule"
)

// circuits caches the states of the circuits of one rule set. Concurrent checks share a rule set, so one read of a circuit
// can serve all of them. A check never gets a read that started before the check.
type circuits struct {
	mu      sync.Mutex
	answers map[circuitKey]*circuitAnswer
}

// circuitKey identifies a state. Rules with the same name can be variants, and a replay and a check have different
// times.
type circuitKey struct {
	name, version, phase string
	now                  int64 // nanoseconds
}

type circuitAnswer struct {
	row    map[string]any                                   // parameter of the combined statement
	alone  func(context.Context) (graph.QueryResult, error) // runs the breaker's own statement
	result graph.QueryResult
	err    error
	done   chan struct{}
}

func newCircuits() *circuits { return &circuits{answers: map[circuitKey]*circuitAnswer{}} }

// maxBreakersPerStatement is the maximum number of breakers in one statement. Its answer then stays far below the limit of 256 kB.
const maxBreakersPerStatement = 100

// isCircuitState reports whether a pattern is the shipped one, which all breakers of packs use.
func isCircuitState(pattern string) bool {
	return strings.TrimSpace(pattern) == cypher.CircuitState.Text()
}

// circuitStates returns the statement that evaluates circuit_state for several breakers. It contains the text of circuit_state.
var circuitStates = sync.OnceValue(func() string {
	text := cypher.CircuitStates.Text()
	begin := strings.Index(text, "{\n  RETURN") + 2
	length := strings.Index(text[begin:], "\n}")
	each := strings.NewReplacer("$rule", "breaker.rule", "$threshold", "breaker.threshold").Replace(cypher.CircuitState.Text())
	return text[:begin] + each + text[begin+length:]
})

// circuit returns the state of a breaker with the shipped pattern. The pattern reads only the phase of the action, so one statement
// reads all breakers that apply to the action.
func (e *evaluation) circuit(ctx context.Context, r *rule.Guardrail, alone func(context.Context) (graph.QueryResult, error)) (graph.QueryResult, error) {
	c, key := e.set.circuits, e.circuitKey(r)
	c.mu.Lock()
	answer, ok := c.answers[key]
	if !ok {
		answer = e.newAnswer(r, alone)
		batch := []*circuitAnswer{answer}
		c.answers[key] = answer
		for _, other := range e.readTogether(r) {
			if len(batch) == maxBreakersPerStatement {
				break
			}
			if c.answers[e.circuitKey(other)] != nil {
				continue
			}
			params, err := e.parametersOf(other)
			if err != nil { // the breaker's own evaluation returns the error
				continue
			}
			more := e.newAnswer(other, func(ctx context.Context) (graph.QueryResult, error) { return e.set.run(ctx, other, params) })
			c.answers[e.circuitKey(other)], batch = more, append(batch, more)
		}
		go e.set.readCircuits(ctx, batch, graph.Parameters{"action": map[string]any{"phase": key.phase}, "now": graph.UTC(e.facts.Now)})
	}
	c.mu.Unlock()
	select {
	case <-answer.done:
		return answer.result, answer.err
	case <-ctx.Done():
		return graph.QueryResult{}, graph.AsError(ctx.Err())
	}
}

func (e *evaluation) circuitKey(r *rule.Guardrail) circuitKey {
	return circuitKey{r.Name, r.Version, e.facts.Action.Phase, e.facts.Now.UnixNano()}
}

func (e *evaluation) newAnswer(r *rule.Guardrail, alone func(context.Context) (graph.QueryResult, error)) *circuitAnswer {
	thresholds, _ := e.numbers(r) // the caller has read them before
	return &circuitAnswer{row: map[string]any{"rule": r.CircuitProperties(), "threshold": thresholds}, alone: alone, done: make(chan struct{})}
}

// readTogether returns the other breakers with the shipped pattern that this evaluation asks about.
func (e *evaluation) readTogether(r *rule.Guardrail) []*rule.Guardrail {
	among := e.breakers
	if among == nil {
		for i := range e.set.rules {
			if other := &e.set.rules[i]; other.Circuit != nil && e.concerns(other) {
				among = append(among, other)
			}
		}
	}
	var found []*rule.Guardrail
	for _, other := range among {
		if other != r && other.Broken == nil && isCircuitState(other.Pattern) {
			found = append(found, other)
		}
	}
	return found
}

// readCircuits fills in the states of a batch with one statement. If that fails, each breaker runs its own statement, so
// malformed data of one breaker does not affect the others. Other checks wait for the result, so only the caller's deadline
// ends it, not its cancellation.
func (set *RuleSet) readCircuits(ctx context.Context, batch []*circuitAnswer, params graph.Parameters) {
	for _, a := range batch {
		defer close(a.done)
	}
	defer func() {
		if problem := recover(); problem != nil { // a malformed node must not stop the server
			for _, a := range batch {
				a.result, a.err = graph.QueryResult{}, apperr.From(fmt.Errorf("panic: %v", problem))
			}
		}
	}()
	apart, cancel := context.WithoutCancel(ctx), func() {}
	if deadline, ok := ctx.Deadline(); ok {
		apart, cancel = context.WithDeadline(apart, deadline)
	}
	defer cancel()
	err := set.readTogether(apart, batch, params)
	for _, a := range batch {
		switch {
		case err == nil:
		case apperr.Is(err, apperr.Unavailable), apperr.Is(err, apperr.QueryTimeout):
			a.err = err
		default:
			a.result, a.err = a.alone(apart)
		}
	}
}

func (set *RuleSet) readTogether(ctx context.Context, batch []*circuitAnswer, params graph.Parameters) error {
	rows := make([]any, len(batch))
	for i, a := range batch {
		a.row["key"], rows[i] = int64(i), a.row
	}
	params["breakers"] = rows
	read, err := set.compiler.graph.RunReadOnly(ctx, graph.ReadQuery{Query: circuitStates(), Params: params, Limit: len(batch), Timeout: maxQuerySeconds, Repeated: true, InForce: true})
	if err != nil {
		return err
	}
	if read.Truncated || len(read.Columns) == 0 {
		return errors.New("the answer is incomplete")
	}
	for _, a := range batch {
		a.result = graph.QueryResult{Columns: slices.Clone(read.Columns[1:]), Rows: [][]any{}}
	}
	for _, row := range read.Rows {
		place, ok := row[0].(int64)
		if !ok || place < 0 || int(place) >= len(batch) {
			return fmt.Errorf("the answer is about an unknown circuit breaker %v", row[0])
		}
		a := batch[place]
		a.result.Rows, a.result.RowCount = append(a.result.Rows, row[1:]), a.result.RowCount+1
	}
	return nil
}

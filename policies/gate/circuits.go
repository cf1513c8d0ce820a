package gate

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

// circuits are what the breakers of one rule set were told of their circuits. Those who judge by one set came at once, so a circuit that is
// the same for every action is asked about once for all of them: never before they asked.
type circuits struct {
	mu   sync.Mutex
	told map[string]*told
}

type told struct {
	answer graph.QueryResult
	err    error
	done   chan struct{}
}

// isCircuitState tells the pattern of every breaker that a pack declares.
func isCircuitState(pattern string) bool {
	return strings.TrimSpace(pattern) == cypher.CircuitState.Text()
}

// once gives what ask answers to the first who wants to know of the circuit of that key. The first may leave while others wait, so only
// its deadline counts for ask. Where ctx ends before there is an answer, it gives the fault of that.
func (c *circuits) once(ctx context.Context, key string, ask func(context.Context) (graph.QueryResult, error)) (graph.QueryResult, error) {
	c.mu.Lock()
	t, asked := c.told[key]
	if !asked {
		t = &told{done: make(chan struct{})}
		c.told[key] = t
		go t.tell(ctx, ask)
	}
	c.mu.Unlock()
	select {
	case <-t.done:
		return t.answer, t.err
	case <-ctx.Done():
		return graph.QueryResult{}, graph.AsError(ctx.Err())
	}
}

func (t *told) tell(ctx context.Context, ask func(context.Context) (graph.QueryResult, error)) {
	defer close(t.done)
	defer func() {
		if problem := recover(); problem != nil { // one bad node must not end a server
			t.err = apperr.From(fmt.Errorf("panic: %v", problem))
		}
	}()
	apart, cancel := context.WithoutCancel(ctx), func() {}
	if deadline, ok := ctx.Deadline(); ok {
		apart, cancel = context.WithDeadline(apart, deadline)
	}
	defer cancel()
	t.answer, t.err = ask(apart)
}

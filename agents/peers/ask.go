package peers

import (
	"context"
	"encoding/json"
	"sync"
	"time"

	"nomograph/agents/client"
	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/uid"
)

// CallResult is the result of calling one peer.
type CallResult[T any] struct {
	Peer
	Answer T
	Err    error
	Took   time.Duration
}

// CallOutcome describes the result for a person or a program.
type CallOutcome struct {
	Agent    string  `json:"agent"`
	URL      string  `json:"url"`
	Answered bool    `json:"answered"`
	Error    string  `json:"error,omitempty" jsonschema:"reason for a missing answer"`
	TookMS   float64 `json:"took_ms"`
}

// Outcome describes the result for a person or a program.
func (a CallResult[T]) Outcome() CallOutcome {
	o := CallOutcome{Agent: a.Name, URL: a.URL, Answered: a.Err == nil, TookMS: float64(a.Took.Microseconds()) / 1000}
	if a.Err != nil {
		o.Error = apperr.From(a.Err).Message
	}
	return o
}

const (
	maxConcurrent = 64              // peers that are called in parallel
	seenInterval  = time.Minute     // minimum time between two records of a peer that answers
	recordTimeout = 5 * time.Second // timeout for recording
)

// Call calls a method of one peer.
func (s *Store) Call(ctx context.Context, p Peer, method string, params, result any) error {
	if p.Down {
		return client.BreakerOpen(p.Agent)
	}
	return s.client.Call(ctx, p.Agent, method, params, result)
}

// Each calls peers in parallel, records which of them answered, and returns the results in their order. It takes as
// long as the slowest peer or its timeout.
func Each[T any](ctx context.Context, s *Store, all []Peer,
	ask func(context.Context, Peer) (T, error)) []CallResult[T] {
	asked := each(ctx, all, ask)
	var notes []any
	for _, a := range asked {
		if note := s.availabilityChange(a.Peer, a.Err); note != nil {
			notes = append(notes, note)
		}
	}
	s.storeAvailability(ctx, notes)
	return asked
}

// each is Each without a record, for agents that are not peers.
func each[T any](ctx context.Context, all []Peer, ask func(context.Context, Peer) (T, error)) []CallResult[T] {
	asked := make([]CallResult[T], len(all))
	slots := make(chan struct{}, maxConcurrent)
	var asking sync.WaitGroup
	for i, p := range all {
		asking.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			started := time.Now()
			answer, err := ask(ctx, p)
			asked[i] = CallResult[T]{p, answer, err, time.Since(started)}
		})
	}
	asking.Wait()
	return asked
}

// availabilityChange returns what to record about a called peer, nil if nothing changed.
func (s *Store) availabilityChange(p Peer, err error) any {
	switch {
	case client.IsNoAnswer(err):
		return map[string]any{"url": p.URL, "name": p.Name, "uid": uid.New(), "down": p.Cooldown.Milliseconds()}
	case err == nil && (p.Down || time.Since(p.SeenAt) > seenInterval):
		return map[string]any{"url": p.URL, "name": p.Name, "uid": uid.New(), "down": nil}
	}
	return nil
}

// storeAvailability records which peers answered. A failure to record does not affect the answers.
func (s *Store) storeAvailability(ctx context.Context, notes []any) {
	if len(notes) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	_, _ = graph.Append[struct{}](ctx, s.graph, cypher.PeersSeen, graph.Params{"peers": notes})
}

// RecordCall records a call that was made outside of Each.
func (s *Store) RecordCall(ctx context.Context, p Peer, err error) {
	if note := s.availabilityChange(p, err); note != nil {
		s.storeAvailability(ctx, []any{note})
	}
}

func (r row) peer(a client.Agent) Peer {
	p := Peer{Agent: a, Stored: r.Stored}
	_ = json.Unmarshal([]byte(r.Card), &p.Card) // ignore a card that is not valid JSON
	return p
}

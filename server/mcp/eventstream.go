package mcp

import (
	"context"
	"errors"
	"time"

	"nomograph/events"
	"nomograph/internal/caller"
	"nomograph/trace"
)

// gathered is the wait for further events, so that many events cause a single update.
const (
	gatherDelay  = 100 * time.Millisecond
	maxGathering = time.Second
)

// followEvents is like follow for a resource whose changes are events. While the database is away it retries, and then
// sends an update in case something changed.
func (s *subscriptions) followEvents(life context.Context, known chan struct{}, uri string, first time.Duration,
	send func() error) {
	life = s.server.caller(life, "watch", nil)
	filter, compare := s.filterOf(life, uri)
	before := ""
	for again := false; life.Err() == nil; again = true {
		subscription, err := s.server.runner.Subscribe(life, filter, nil)
		if !again {
			if compare && err == nil {
				// if the resource cannot be read yet, its first readable content counts as a change
				before, _ = s.server.read(life, uri)
			}
			close(known)
			pause(life, first)
		}
		if err != nil {
			pause(life, resendDelay)
			continue
		}
		if again {
			deliver(life, send)
		}
		for err == nil {
			if _, _, err = subscription.Next(life); err != nil {
				break
			}
			for started := time.Now(); err == nil && time.Since(started) < maxGathering; { // collect further events
				wait, cancel := context.WithTimeout(life, gatherDelay)
				_, _, err = subscription.Next(wait)
				cancel()
			}
			if errors.Is(err, context.DeadlineExceeded) && life.Err() == nil {
				err = nil
			}
			if now, readable := s.server.read(life, uri); compare && readable == nil && now == before {
				continue
			} else if compare {
				before = now
			}
			deliver(life, send)
		}
		subscription.Close()
	}
}

// filterOf returns the events that can change a resource, and whether to compare its content: events of atlases do not
// name the atlas.
func (s *subscriptions) filterOf(ctx context.Context, uri string) (filter events.Filter, compare bool) {
	r, name, _ := s.server.resourceAt(uri) // refuse has validated the address
	filter.Types = r.Events
	switch {
	case r.Text != "":
		compare = true
	case r.Argument == "":
		filter.AgentID = trace.Actor("", caller.From(ctx).Name)
	default:
		filter.Session = name
		if who := caller.From(ctx); !who.Trusted { // other callers read only their own sessions
			filter.AgentID = trace.Actor("", who.Name)
		}
	}
	return filter, compare
}

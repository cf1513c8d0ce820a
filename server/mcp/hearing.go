package mcp

import (
	"context"
	"errors"
	"time"

	"nomograph/events"
	"nomograph/internal/caller"
	"nomograph/trace"
)

// gathered is how long further events are waited for, so that many at once make one update.
const (
	gathered     = 100 * time.Millisecond
	maxGathering = time.Second
)

// hear is follow for a resource that events tell of. While the database is away it tries again, and tells afterwards that something may be
// new.
func (s *subscriptions) hear(life context.Context, known chan struct{}, uri string, first time.Duration, send func() error) {
	life = s.door.caller(life, "watch", nil)
	filter, compare := s.filterOf(life, uri)
	before := ""
	for again := false; life.Err() == nil; again = true {
		subscription, err := s.door.runner.Subscribe(life, filter, nil)
		if !again {
			if compare && err == nil {
				before, _ = s.door.read(life, uri) // what cannot be read is told of once it can
			}
			close(known)
			pause(life, first)
		}
		if err != nil {
			pause(life, beforeSendingAgain)
			continue
		}
		if again {
			deliver(life, send)
		}
		for err == nil {
			if _, _, err = subscription.Next(life); err != nil {
				break
			}
			for begun := time.Now(); err == nil && time.Since(begun) < maxGathering; { // what comes at once with it
				wait, cancel := context.WithTimeout(life, gathered)
				_, _, err = subscription.Next(wait)
				cancel()
			}
			if errors.Is(err, context.DeadlineExceeded) && life.Err() == nil {
				err = nil
			}
			if now, readable := s.door.read(life, uri); compare && readable == nil && now == before {
				continue
			} else if compare {
				before = now
			}
			deliver(life, send)
		}
		subscription.Close()
	}
}

// filterOf is what tells of a resource, and whether what it reads decides if something is new: events of an atlas do not say of which.
func (s *subscriptions) filterOf(ctx context.Context, uri string) (filter events.Filter, compare bool) {
	r, name, _ := s.door.resourceAt(uri) // which was read before
	filter.Types = r.events
	switch {
	case r.text != "":
		compare = true
	case r.argument == "":
		filter.AgentID = trace.Actor("", caller.From(ctx).Name)
	default:
		filter.Session = name
		if who := caller.From(ctx); !who.Trusted { // who reads its own sessions only
			filter.AgentID = trace.Actor("", who.Name)
		}
	}
	return filter, compare
}

package federation

import (
	"context"
	"sync"
)

// lanes deliver one agent's announcements to each server in order: a later announcement waits for the earlier ones.
type lanes struct {
	mu   sync.Mutex
	last map[string]chan struct{} // closed when the last announcement was sent
}

// lane is a position in the order.
type lane struct {
	before <-chan struct{} // nil for the first
	done   chan struct{}
}

// enter takes a position in several lanes atomically, so that two concurrent callers have the same order everywhere.
// Each position must be left.
func (l *lanes) enter(keys []string) []lane {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.last == nil {
		l.last = map[string]chan struct{}{}
	}
	places := make([]lane, len(keys))
	for i, key := range keys {
		places[i] = lane{l.last[key], make(chan struct{})}
		l.last[key] = places[i].done
	}
	return places
}

// leave releases a position, whether or not a message was sent. A caller that stopped waiting does not let later ones
// overtake earlier ones.
func (l *lanes) leave(key string, place lane) {
	select {
	case <-place.before:
	default:
		if place.before != nil {
			go func() {
				<-place.before // ends, because the call before has a timeout
				l.end(key, place)
			}()
			return
		}
	}
	l.end(key, place)
}

func (l *lanes) end(key string, place lane) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(place.done)
	if l.last[key] == place.done {
		delete(l.last, key)
	}
}

// wait blocks until the previous announcement in the lane was sent or given up.
func (p lane) wait(ctx context.Context) error {
	if p.before == nil {
		return nil
	}
	select {
	case <-p.before:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

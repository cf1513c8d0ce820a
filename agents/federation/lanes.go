package federation

import (
	"context"
	"sync"
)

// lanes let what one agent announces reach each server in the order in which it was announced: who comes later waits for who came before.
type lanes struct {
	mu   sync.Mutex
	last map[string]chan struct{} // closed when the one that came last has been sent
}

// lane is a place in the order.
type lane struct {
	before <-chan struct{} // nil: nobody is before
	done   chan struct{}
}

// enter takes a place in several lanes at once, so that two who come together stand in one order everywhere. Each place must be left.
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

// leave gives a place up, whether or not anything was sent. Who gave up waiting lets nobody pass who came before.
func (l *lanes) leave(key string, place lane) {
	select {
	case <-place.before:
	default:
		if place.before != nil {
			go func() {
				<-place.before // it leaves: what it waits for has a time-out
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

// wait waits until who came before has left.
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

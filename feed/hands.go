package feed

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"nomograph/fault"
	"nomograph/policies/history"
)

// share bounds what comparing costs: so many times as long as it took there is none.
const share = 10

// hands has what was changed past Nomograph recorded, which makes events of it. It goes on beside the reader, which it may keep waiting
// no longer than it takes to tell of what others changed.
type hands struct {
	history *history.Store
	log     zerolog.Logger
	woken   chan struct{}

	mu    sync.Mutex
	rules map[history.Node]struct{} // that were there when they were compared last; nil: they were not
	next  time.Time                 // when they may be compared again
}

func newHands(store *history.Store, log zerolog.Logger) *hands {
	return &hands{history: store, log: log, woken: make(chan struct{}, 1)}
}

// wake has it look, since something was committed.
func (h *hands) wake() {
	select {
	case h.woken <- struct{}{}:
	default:
	}
}

// follow looks whenever it is woken, until the context ends.
func (h *hands) follow(ctx context.Context) {
	for {
		select {
		case <-h.woken:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(h.wait()):
		case <-ctx.Done():
			return
		}
		if err := h.look(ctx); err != nil && ctx.Err() == nil {
			h.log.Debug().Err(err).Msg("what was changed by hand is not known")
			h.wake() // it is still owed
		}
	}
}

func (h *hands) wait() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return time.Until(h.next)
}

// look compares every rule with what was recorded of it.
func (h *hands) look(ctx context.Context) error {
	const patience = time.Minute
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	h.mu.Lock()
	defer h.mu.Unlock()
	begun := time.Now()
	rules, err := h.history.Observe(ctx, h.rules)
	if fault.Is(err, fault.PermissionDenied) { // whoever may only read tells of what others record
		rules, err = h.rules, nil
	}
	if err == nil {
		h.rules = rules
	}
	h.next = time.Now().Add(share * time.Since(begun))
	if err != nil {
		h.next = time.Now().Add(time.Second)
	}
	return err
}

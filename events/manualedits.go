package events

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"nomograph/internal/apperr"
	"nomograph/policies/history"
)

// Comparing may take one second of ten, so a large graph is compared less often.
const (
	comparingShare = 10
	maxRest        = 10 * time.Second // after a comparison that waited for something else, such as a busy machine
)

// manualEdits detects manual edits and records them, which makes them events. It runs in parallel with the reader of
// events. The reader waits for it only while changes of other writers are published.
type manualEdits struct {
	history *history.Store
	log     zerolog.Logger
	woken   chan struct{}

	mu    sync.Mutex
	rules map[history.Node]struct{} // rules of the last comparison; nil before the first
	next  time.Time                 // time of the next comparison
}

func newManualEdits(store *history.Store, log zerolog.Logger) *manualEdits {
	return &manualEdits{history: store, log: log, woken: make(chan struct{}, 1)}
}

// wake starts a comparison after a commit.
func (h *manualEdits) wake() {
	select {
	case h.woken <- struct{}{}:
	default:
	}
}

// follow compares when it is woken, until the context ends.
func (h *manualEdits) follow(ctx context.Context) {
	for {
		select {
		case <-h.woken:
		case <-ctx.Done():
			return
		}
		select {
		case <-time.After(time.Until(h.after())):
		case <-ctx.Done():
			return
		}
		if err := h.compareRules(ctx); err != nil && ctx.Err() == nil {
			h.log.Debug().Err(err).Msg("manual edits not detected")
			h.wake() // the edits are not recorded yet
		}
	}
}

func (h *manualEdits) after() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.next
}

// compareRules compares every rule with its recorded content.
func (h *manualEdits) compareRules(ctx context.Context) error {
	const timeout = time.Minute
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	h.mu.Lock()
	defer h.mu.Unlock()
	started := time.Now()
	found, err := h.history.Survey(ctx, h.rules)
	// without the time for recording, which depends on the number of changes
	h.next = started.Add(min(comparingShare*time.Since(started), maxRest))
	if err == nil {
		err = h.history.RecordSurvey(ctx, found)
	}
	switch {
	case err == nil:
		h.rules = found.Nodes
	case apperr.Is(err, apperr.PermissionDenied): // a user with read access only publishes what others record
		return nil
	default:
		h.next = time.Now().Add(time.Second)
	}
	return err
}

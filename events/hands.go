package events

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"nomograph/internal/apperr"
	"nomograph/policies/history"
)

// What comparing may cost: of ten seconds one, so that much of a large graph is compared seldom. What was not used is kept for a while: one
// slow comparison, such as one for which the database makes its plans anew, keeps nobody waiting for the next.
const (
	share = 10
	saved = 10 * time.Second
	// dearest is what comparing a node may cost. What took longer waited for something else, as on a machine that is busy: that says nothing of
	// what the next will take.
	dearest = 100 * time.Microsecond
	few     = 200 // nodes, up to which there is as much to send as to compare
)

// pace says when there may be another comparison.
type pace struct{ next time.Time }

// took notes a comparison of so many nodes.
func (p *pace) took(begun time.Time, long time.Duration, nodes int) {
	long = min(long, dearest*time.Duration(nodes+few))
	if earliest := begun.Add(-saved); p.next.Before(earliest) {
		p.next = earliest
	}
	p.next = p.next.Add(share * long)
}

// manualEdits has what was changed past Nomograph recorded, which makes events of it. It goes on beside the reader, which it may keep waiting
// no longer than it takes to tell of what others changed.
type manualEdits struct {
	history *history.Store
	log     zerolog.Logger
	woken   chan struct{}

	mu    sync.Mutex
	rules map[history.Node]struct{} // that were there when they were compared last; nil: they were not
	pace  pace
	again time.Time // after an error: not before
}

func newManualEdits(store *history.Store, log zerolog.Logger) *manualEdits {
	return &manualEdits{history: store, log: log, woken: make(chan struct{}, 1)}
}

// wake has it look, since something was committed.
func (h *manualEdits) wake() {
	select {
	case h.woken <- struct{}{}:
	default:
	}
}

// follow looks whenever it is woken, until the context ends.
func (h *manualEdits) follow(ctx context.Context) {
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

func (h *manualEdits) wait() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(time.Until(h.pace.next), time.Until(h.again))
}

// look compares every rule with what was recorded of it.
func (h *manualEdits) look(ctx context.Context) error {
	const patience = time.Minute
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	h.mu.Lock()
	defer h.mu.Unlock()
	begun := time.Now()
	found, err := h.history.Survey(ctx, h.rules)
	h.pace.took(begun, time.Since(begun), len(found.There)) // without recording, of which there is as much as there are changes
	if err == nil {
		err = h.history.RecordSurvey(ctx, found)
	}
	switch {
	case err == nil:
		h.rules = found.There
	case apperr.Is(err, apperr.PermissionDenied): // whoever may only read tells of what others record
		return nil
	default:
		h.again = time.Now().Add(time.Second)
	}
	return err
}

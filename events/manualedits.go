package events

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"nomograph/internal/apperr"
	"nomograph/policies/history"
)

// Comparing may take one second of ten, so a large graph is compared less often. Unused time accumulates for a while,
// so that one slow comparison, such as one with a new query plan, does not delay the next.
const (
	comparingShare = 10
	maxSavedTime   = 10 * time.Second
	// maxCostPerNode is the maximum cost counted for comparing one node. A slower comparison waited for something
	// else, such as a busy machine, which says nothing about the next one.
	maxCostPerNode  = 100 * time.Microsecond
	readCostInNodes = 200 // number of nodes up to which reading costs as much as comparing
)

// comparisonSchedule says when the next comparison may begin.
type comparisonSchedule struct{ next time.Time }

// record records a comparison of a number of nodes.
func (p *comparisonSchedule) record(started time.Time, long time.Duration, nodes int) {
	long = min(long, maxCostPerNode*time.Duration(nodes+readCostInNodes))
	if earliest := started.Add(-maxSavedTime); p.next.Before(earliest) {
		p.next = earliest
	}
	p.next = p.next.Add(comparingShare * long)
}

// manualEdits detects manual edits and records them, which makes them events. It runs in parallel with the reader of
// events. The reader waits for it only while changes of other writers are published.
type manualEdits struct {
	history *history.Store
	log     zerolog.Logger
	woken   chan struct{}

	mu    sync.Mutex
	rules map[history.Node]struct{} // rules of the last comparison; nil before the first
	pace  comparisonSchedule
	again time.Time // after an error, not before this time
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
		case <-time.After(h.wait()):
		case <-ctx.Done():
			return
		}
		if err := h.compareRules(ctx); err != nil && ctx.Err() == nil {
			h.log.Debug().Err(err).Msg("manual edits not detected")
			h.wake() // the edits are not recorded yet
		}
	}
}

func (h *manualEdits) wait() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	return max(time.Until(h.pace.next), time.Until(h.again))
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
	h.pace.record(started, time.Since(started), len(found.Nodes))
	if err == nil {
		err = h.history.RecordSurvey(ctx, found)
	}
	switch {
	case err == nil:
		h.rules = found.Nodes
	case apperr.Is(err, apperr.PermissionDenied): // a user with read access only publishes what others record
		return nil
	default:
		h.again = time.Now().Add(time.Second)
	}
	return err
}

package hooks

import (
	"context"
	"sync"
	"time"

	"nomograph/internal/apperr"
)

// maxRecent is the maximum number of stored verdicts.
const maxRecent = 1000

// Recent stores verdicts for the short time in which a client may send an action twice. The zero value is empty. It
// is safe for concurrent use.
type Recent struct {
	mu   sync.Mutex
	kept map[string]*recent
}

type recent struct {
	done  chan struct{}
	v     Verdict
	err   error
	until time.Time // zero during the check
}

// Once returns the stored verdict for a key, or else the verdict of check. Concurrent calls share one check. Errors
// are not stored. lasts is how long the verdict is stored, 0 for this call only. check has the full budget even if
// ctx ends, because others may wait for it.
func (r *Recent) Once(ctx context.Context, budget time.Duration, key string, lasts time.Duration,
	check func(context.Context) (Verdict, error)) (Verdict, error) {
	run := func(a *recent) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), budget)
		defer cancel()
		a.v, a.err = check(ctx)
	}
	for {
		a, shared := r.entry(key, lasts, run)
		select {
		case <-a.done:
			if a.err == nil || !shared || ctx.Err() != nil {
				return a.v, a.err
			}
			lasts = 0 // the check of another caller failed, perhaps because its budget was smaller
		case <-ctx.Done():
			return Verdict{}, timeoutError(budget)
		}
	}
}

// entry returns the entry of a key, and whether another caller created it.
func (r *Recent) entry(key string, lasts time.Duration, run func(*recent)) (a *recent, shared bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if a, ok := r.kept[key]; ok && lasts > 0 && (a.until.IsZero() || now.Before(a.until)) {
		return a, true
	}
	if len(r.kept) >= maxRecent {
		for k, a := range r.kept {
			if !a.until.IsZero() && now.After(a.until) {
				delete(r.kept, k)
			}
		}
	}
	a = &recent{done: make(chan struct{})}
	if lasts > 0 && len(r.kept) < maxRecent {
		if r.kept == nil {
			r.kept = map[string]*recent{}
		}
		r.kept[key] = a
	}
	go func() {
		defer close(a.done)
		defer func() {
			if recover() != nil {
				a.err = apperr.New(apperr.Internal, "Nomograph failed while it checked this action").
					WithHint("Report it")
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			if a.until = time.Now().Add(lasts); a.err != nil && r.kept[key] == a {
				delete(r.kept, key)
			}
		}()
		run(a)
	}()
	return a, false
}

package tokens

import (
	"context"
	"sync"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/time/rate"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
)

const (
	pollInterval  = time.Second      // poll interval for commits: a revoked token is refused within this time
	pollTimeout   = 2 * time.Second  // timeout of one poll
	firstTime     = 10 * time.Second // timeout of the first read after the start
	maxStale      = 5 * time.Second  // maximum age of the cache, beyond which a token may have been revoked
	maxNewLookups = 20               // lookups of unknown secrets per second
)

// Registry caches the active tokens. Once a second it asks the database whether anything was committed, and reads them
// again only then. It looks up an unknown secret immediately.
type Registry struct {
	store  *Store
	counts *UsageCounter
	log    zerolog.Logger
	now    func() time.Time
	fresh  *rate.Limiter

	read     chan struct{} // closed after the first read
	readOnce sync.Once

	mu           sync.RWMutex
	grants       map[string]*ActiveToken // by the hash of the secret
	signedOut    map[string]time.Time    // browser sessions, by the hash of their id, until their cookies expire
	browsers     map[string]*browser     // by the hash of their session's id
	lastBookmark string
	day          string    // day of the counted calls
	seen         time.Time // last time the cache was known to be current
}

// ActiveToken is a token in force.
type ActiveToken struct {
	Caller caller.Caller
	budget int64
	others int64 // calls of the day at other servers, at the last read
	day    string
	ends   time.Time // by this machine's clock; zero: never
	read   time.Time // start of the read that found the token
	ended  chan struct{}
	rate   float64 // calls per second at all servers together
	bucket *rate.Limiter
}

// NewRegistry returns an empty registry for a store's tokens.
func NewRegistry(store *Store, counts *UsageCounter, log zerolog.Logger) *Registry {
	return &Registry{store: store, counts: counts, log: log, now: time.Now, read: make(chan struct{}),
		grants: map[string]*ActiveToken{}, signedOut: map[string]time.Time{}, browsers: map[string]*browser{},
		fresh: rate.NewLimiter(maxNewLookups, maxNewLookups)}
}

// Follow updates the registry until the context ends.
func (r *Registry) Follow(ctx context.Context) {
	ticker := time.NewTicker(pollInterval)
	defer ticker.Stop()
	for {
		r.poll(ctx)
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
	}
}

func (r *Registry) poll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(graph.Operation(ctx, "tokens", "register"), pollTimeout)
	defer cancel()
	started := r.now()
	day := started.UTC().Format(time.DateOnly)
	bookmark, err := r.store.graph.PollCommits(ctx)
	if err == nil && (bookmark == "" || bookmark != r.lastBookmark || day != r.day) {
		var found map[string]*ActiveToken
		var signedOut map[string]time.Time
		if found, signedOut, err = r.inForce(ctx, nil, day, started); err == nil {
			r.signOut(signedOut)
			r.replace(found, started, bookmark, day)
		}
	}
	if err != nil {
		r.log.Debug().Err(err).Msg("token revocations and sign-outs not read")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err == nil {
		r.seen = started
		r.readOnce.Do(func() { close(r.read) })
	}
	for hash, g := range r.grants {
		if !g.ends.IsZero() && !started.Before(g.ends) {
			close(g.ended)
			delete(r.grants, hash)
		}
	}
}

// replace replaces the cached tokens by those of a read that started at a time. Requests under a token that remains
// active continue.
func (r *Registry) replace(found map[string]*ActiveToken, started time.Time, bookmark, day string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for hash, old := range r.grants {
		now, stays := found[hash]
		if !stays && old.read.After(started) {
			// created during this read and already cached by a request, or revoked since: the next poll reads again
			found[hash] = old
			bookmark = ""
			continue
		}
		if !stays {
			close(old.ended)
			continue
		}
		now.ended, now.Caller.Ended = old.ended, old.ended
		if now.bucket != nil && old.bucket != nil {
			old.bucket.SetLimit(now.bucket.Limit())
			old.bucket.SetBurst(now.bucket.Burst())
			now.bucket = old.bucket
		}
	}
	r.grants, r.lastBookmark, r.day = found, bookmark, day
}

// inForce reads the active tokens by the hashes of their secrets, and the signed-out browser sessions by the hashes of
// their ids with the expiry of their cookies; or only the entries with one hash.
func (r *Registry) inForce(ctx context.Context, hash any, day string, now time.Time) (map[string]*ActiveToken,
	map[string]time.Time, error) {
	if err := r.counts.writing.Acquire(ctx, 1); err != nil {
		return nil, nil, err
	}
	defer r.counts.writing.Release(1)
	rows, err := graph.All[struct {
		Token  map[string]any
		Left   any
		Used   int64
		Others int64
	}](ctx, r.store.graph, cypher.TokensInForce,
		graph.Params{"hash": hash, "day": day, "server": r.counts.server,
			"alive": int64(announcementLifetime / time.Second)})
	if err != nil {
		return nil, nil, err
	}
	grants, signedOut := make(map[string]*ActiveToken, len(rows)), map[string]time.Time{}
	for _, row := range rows {
		left, ends := row.Left.(int64)
		end := now.Add(time.Duration(left) * time.Millisecond)
		if session, ok := row.Token["signed_out"].(string); ok && row.Token["hash"] == nil {
			signedOut[session] = end
			continue
		}
		stored, _ := row.Token["hash"].(string)
		t := tokenOf(row.Token)
		if stored == "" || t.Name == "" {
			continue
		}
		g := &ActiveToken{read: now, budget: t.Budget,
			others: row.Used - r.counts.wrote(dayKey{caller.Key(t.Name), day}), day: day, ended: make(chan struct{})}
		g.Caller = t.caller(g.ended)
		if ends {
			g.ends = end
		}
		if g.rate = t.Rate; t.Rate > 0 {
			share := t.Rate / float64(1+row.Others)
			g.bucket = rate.NewLimiter(rate.Limit(share), max(1, int(share*2)))
		}
		grants[stored] = g
	}
	return grants, signedOut, nil
}

// Authenticate returns the token of a secret. It returns unauthenticated if the secret is not active, and unavailable
// if the database was away too long to know.
func (r *Registry) Authenticate(ctx context.Context, secret string) (*ActiveToken, error) {
	hash := Hash(secret)
	r.mu.RLock()
	g, ok := r.grants[hash]
	seen, now := r.seen, r.now()
	r.mu.RUnlock()
	switch {
	case ok && !g.ends.IsZero() && !now.Before(g.ends):
		return nil, refusedError()
	case ok && now.Sub(seen) <= maxStale:
		return g, nil
	case ok || r.fresh.Allow():
	case now.Sub(seen) <= maxStale:
		return nil, refusedError()
	default: // the registry is as new as the token, or the database was away
		return nil, unverifiedError()
	}
	// The token or the registry may be new.
	day := now.UTC().Format(time.DateOnly)
	timeout := firstTime
	select {
	case <-r.read:
		timeout = pollTimeout
	default: // a cold database takes longer
	}
	ctx, cancel := context.WithTimeout(graph.Operation(ctx, "tokens", "register"), timeout)
	defer cancel()
	found, _, err := r.inForce(ctx, hash, day, now)
	if err != nil {
		return nil, unverifiedError().Because(err)
	}
	g = found[hash]
	if g == nil {
		return nil, refusedError()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if there := r.grants[hash]; there != nil { // another call read the token meanwhile, or it was known before the database became unavailable
		return there, nil
	}
	r.grants[hash] = g
	return g, nil
}

// HasName reports whether an active token has a name. It waits for the first read after the start, which takes longer
// on a cold database. It returns unavailable if the database does not answer.
func (r *Registry) HasName(ctx context.Context, name string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, firstTime)
	defer cancel()
	select {
	case <-r.read:
	case <-ctx.Done():
		return false, unverifiedError().Because(ctx.Err())
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.now().Sub(r.seen) > maxStale {
		return false, unverifiedError()
	}
	for _, g := range r.grants {
		if g.Caller.Is(name) {
			return true, nil
		}
	}
	return false, nil
}

func unverifiedError() *apperr.Error {
	return apperr.New(apperr.Unavailable, "Cannot verify the token: the database does not answer").
		WithHint("Try again in a moment").With("retry_after_seconds", 1)
}

func refusedError() error {
	return apperr.New(apperr.Unauthenticated, "The token is not valid").
		WithHint("It may be revoked, rotated or expired; create one with `create_token`")
}

// CountCall counts one call against a token's limits. It returns rate_limited with the seconds until a retry makes
// sense.
func (r *Registry) CountCall(g *ActiveToken) error {
	if g.bucket != nil {
		r.counts.recordLimitedCall(caller.Key(g.Caller.Name))
		if wait := g.bucket.Reserve(); wait.Delay() > 0 {
			seconds := max(1, int((wait.Delay()+time.Second-1)/time.Second))
			wait.Cancel()
			return apperr.Newf(apperr.RateLimited, "'%s' exceeds the rate of its token, %g calls per second",
				g.Caller.Name, g.rate).
				WithHint("Try again in %d s, or request a higher rate", seconds).With("retry_after_seconds", seconds)
		}
	}
	now := r.now().UTC()
	today, others := now.Format(time.DateOnly), g.others
	if g.day != today {
		others = 0
	}
	if !r.counts.admit(dayKey{caller.Key(g.Caller.Name), today}, g.budget, others) {
		tomorrow := now.Truncate(24 * time.Hour).Add(24 * time.Hour)
		return apperr.Newf(apperr.RateLimited, "'%s' has used its %d calls of today", g.Caller.Name, g.budget).
			WithHint("Try again after 00:00 UTC").With("retry_after_seconds", int(tomorrow.Sub(now)/time.Second)+1)
	}
	return nil
}

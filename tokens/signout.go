package tokens

import (
	"context"
	"maps"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

// sessionTime is the timeout for reading a session. A page needs the database anyway, and a cold server plans each
// statement first.
const sessionTime = 10 * time.Second

// browser is a browser session with open requests.
type browser struct {
	ended context.Context //nolint:containedctx // ends when the session is signed out
	end   context.CancelFunc
	open  int // requests
}

// SignOut ends a browser session by the id in its cookie, which expires at until: here immediately, at other servers
// within two seconds.
func (r *Registry) SignOut(ctx context.Context, session string, until time.Time) error {
	hash, left := Hash(session), until.Sub(r.now())
	if left <= 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(graph.Operation(ctx, "tokens", "register"), sessionTime)
	defer cancel()
	seconds := int64(left/time.Second) + 1
	if _, err := graph.Append[struct{}](ctx, r.store.graph, cypher.SessionSignOut,
		graph.Params{"hash": hash, "seconds": seconds}); err != nil {
		return apperr.New(apperr.Unavailable, "You are still signed in: the database does not answer").
			WithHint("Try again in a moment, or revoke the token").Because(err)
	}
	r.signOut(map[string]time.Time{hash: until})
	return nil
}

// signOut ends sessions by the hashes of their ids.
func (r *Registry) signOut(found map[string]time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.Copy(r.signedOut, found)
	maps.DeleteFunc(r.signedOut, func(_ string, until time.Time) bool { return until.Before(r.now()) })
	for hash := range found {
		if b := r.browsers[hash]; b != nil {
			b.end()
		}
	}
}

// InSession returns the context of a request in a browser session. The context also ends when the session is signed
// out, until leave is called. It returns unauthenticated for a session that was signed out, and unavailable if the
// database was away too long to know.
func (r *Registry) InSession(ctx context.Context, session string) (_ context.Context, leave func(), err error) {
	hash := Hash(session)
	r.mu.RLock()
	seen, now := r.seen, r.now()
	r.mu.RUnlock()
	if now.Sub(seen) > maxStale {
		asking, cancel := context.WithTimeout(graph.Operation(ctx, "tokens", "register"), sessionTime)
		_, found, err := r.inForce(asking, hash, now.UTC().Format(time.DateOnly), now)
		cancel()
		if err != nil {
			return nil, nil, apperr.New(apperr.Unavailable, "Cannot verify the session: the database does not answer").
				WithHint("Try again in a moment").With("retry_after_seconds", 1).Because(err)
		}
		r.signOut(found)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ended := r.signedOut[hash]; ended {
		return nil, nil, apperr.New(apperr.Unauthenticated, "The session was signed out").WithHint("Sign in again")
	}
	b := r.browsers[hash]
	if b == nil {
		b = &browser{}
		b.ended, b.end = context.WithCancel(context.Background())
		r.browsers[hash] = b
	}
	b.open++
	ctx, cancel := context.WithCancel(ctx)
	stay := context.AfterFunc(b.ended, cancel)
	return ctx, func() {
		stay()
		cancel()
		r.mu.Lock()
		defer r.mu.Unlock()
		if b.open--; b.open == 0 {
			b.end()
			delete(r.browsers, hash)
		}
	}, nil
}

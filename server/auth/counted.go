package auth

import (
	"context"
	"net/http"
	"sync"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/server"
	"nomograph/tokens"
	"nomograph/tools"
)

type useKey struct{}

// requestUsage is the usage of one request, in which several operations may run in parallel.
type requestUsage struct {
	mu  sync.Mutex
	use tokens.Use
}

// Counted records what a caller's requests do. Each further item of a batch counts as a call.
func (a *Auth) Counted(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := caller.From(r.Context())
		if !who.Authenticated {
			handler.ServeHTTP(w, r)
			return
		}
		request := &requestUsage{use: tokens.Use{Name: who.Name, Calls: 1}}
		if again := who.ChargeAgain; again != nil {
			who.ChargeAgain = func() error {
				err := again()
				if err == nil {
					request.mu.Lock()
					defer request.mu.Unlock()
					request.use.Calls++
				}
				return err
			}
		}
		ctx := context.WithValue(caller.With(r.Context(), who), useKey{}, request)
		defer func() {
			request.mu.Lock()
			defer request.mu.Unlock()
			request.use.Bytes = server.Bytes(ctx)
			a.options.Counts.Add(request.use)
		}()
		handler.ServeHTTP(w, r.WithContext(ctx))
	})
}

// ObserveCall is the watch that reports to Counted which operation a request called and with which result.
func ObserveCall(ctx context.Context, o tools.Operation) (context.Context, func(any, error)) {
	request, counted := ctx.Value(useKey{}).(*requestUsage)
	if !counted {
		return ctx, func(any, error) {}
	}
	request.mu.Lock()
	defer request.mu.Unlock()
	if use := &request.use; use.Operation != "" && use.Operation != o.Name {
		return ctx, func(any, error) {}
	}
	request.use.Operation = o.Name
	return ctx, func(answer any, err error) {
		request.mu.Lock()
		defer request.mu.Unlock()
		use := &request.use
		verdict, ok := answer.(interface{ Denied() bool })
		switch {
		case apperr.Is(err, apperr.PermissionDenied), apperr.Is(err, apperr.RateLimited):
			use.Refusals++
		case err == nil && ok && verdict.Denied():
			use.Denials++
		}
	}
}

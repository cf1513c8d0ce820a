package auth

import (
	"context"
	"net/http"

	"nomograph/access"
	"nomograph/fault"
	"nomograph/server"
	"nomograph/tokens"
	"nomograph/tools"
)

type useKey struct{}

// Counted counts what a caller's requests do.
func (a *Auth) Counted(door http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := access.From(r.Context())
		if !who.Proven {
			door.ServeHTTP(w, r)
			return
		}
		use := &tokens.Use{Name: who.Name, Calls: 1}
		ctx := context.WithValue(r.Context(), useKey{}, use)
		defer func() {
			use.Bytes = server.Bytes(ctx)
			a.options.Counts.Add(*use)
		}()
		door.ServeHTTP(w, r.WithContext(ctx))
	})
}

// Noted is the watch by which Counted knows which operation a request called, and how that went.
func Noted(ctx context.Context, o tools.Operation) (context.Context, func(any, error)) {
	use, counted := ctx.Value(useKey{}).(*tokens.Use)
	if !counted || use.Operation != "" {
		return ctx, func(any, error) {}
	}
	use.Operation = o.Name
	return ctx, func(answer any, err error) {
		judged, is := answer.(interface{ Denied() bool })
		switch {
		case fault.Is(err, fault.PermissionDenied), fault.Is(err, fault.RateLimited):
			use.Refusals = 1
		case err == nil && is && judged.Denied():
			use.Denials = 1
		}
	}
}

package server

import (
	"context"
	"net/http"

	"nomograph/internal/caller"
	"nomograph/internal/render"
	"nomograph/tools"
)

// Through passes requests on as those of a transport, under whose name calls are counted and traced.
func Through(transport string, handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who := caller.From(r.Context())
		who.Transport = transport
		handler.ServeHTTP(w, r.WithContext(caller.With(r.Context(), who)))
	})
}

// Run runs an operation and returns its answer; with an error, or for an answer of another type, the zero value.
func Run[Out any](ctx context.Context, runner tools.Runner, o tools.Operation, arguments any) (out Out, err error) {
	text, err := render.JSON(arguments)
	if err != nil {
		return out, err
	}
	answer, err := runner.Run(ctx, o, text)
	out, _ = answer.(Out)
	return out, err
}

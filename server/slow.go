package server

import (
	"context"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/tools"
)

// Slow logs calls that take longer than after; 0 logs none.
func Slow(log zerolog.Logger, after time.Duration) tools.Watch {
	return func(ctx context.Context, o tools.Operation) (context.Context, func(any, error)) {
		started := time.Now()
		return ctx, func(_ any, err error) {
			took := time.Since(started)
			if after <= 0 || took <= after || o.Kind != tools.Call || graph.IsBackground(ctx) {
				return
			}
			event := log.Warn().Str("operation", o.Name).Dur("took", took).Str("request", RequestID(ctx)).
				Str("caller", caller.From(ctx).Name)
			if in := trace.SpanContextFromContext(ctx); in.HasTraceID() {
				event = event.Stringer("trace", in.TraceID())
			}
			if err != nil {
				event = event.Str("error", string(apperr.From(err).Code))
			}
			event.Msg("slow call")
		}
	}
}

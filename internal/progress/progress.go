// Package progress reports the progress of long work to the transport of the caller: a notification over MCP, a line or
// a bar on a terminal, nothing if nobody listens.
package progress

import (
	"context"
	"time"
)

// Step is one progress report. Total is 0 if unknown. Done and Total have the unit that Message implies.
type Step struct {
	Message     string
	Done, Total int64
}

type listenerKey struct{}

// Listen returns a context whose reports go to listener, which must be safe for concurrent use and must not block.
func Listen(ctx context.Context, listener func(Step)) context.Context {
	return context.WithValue(ctx, listenerKey{}, listener)
}

// Report calls the listener of ctx, if there is one.
func Report(ctx context.Context, step Step) {
	if listener, ok := ctx.Value(listenerKey{}).(func(Step)); ok {
		listener(step)
	}
}

// Say reports a message without a count.
func Say(ctx context.Context, message string) { Report(ctx, Step{Message: message}) }

// Milliseconds returns the time since a start time in milliseconds.
func Milliseconds(since time.Time) float64 { return float64(time.Since(since).Microseconds()) / 1000 }

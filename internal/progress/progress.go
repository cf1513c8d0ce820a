// Package progress reports the progress of long work to the transport of the caller: a notification over MCP, a line or
// a bar on a terminal, nothing if nobody listens.
package progress

import (
	"context"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
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

// Each calls work for 0 to n-1 on all processors, and reports progress under message, unless that is empty. It stops
// at the first error, also that of ctx, and returns it.
func Each(ctx context.Context, message string, n int, work func(i int) error) error {
	workers, within := errgroup.WithContext(ctx)
	var next, done atomic.Int64
	for range min(runtime.GOMAXPROCS(0), n) {
		workers.Go(func() error {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				if err := within.Err(); err != nil {
					return err
				}
				if err := work(int(i)); err != nil {
					return err
				}
				if count := done.Add(1); message != "" && count%100 == 0 {
					Report(ctx, Step{Message: message, Done: count, Total: int64(n)})
				}
			}
			return nil
		})
	}
	return workers.Wait()
}

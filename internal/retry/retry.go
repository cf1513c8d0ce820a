// Package retry calls a function again after an error that may pass. The delays grow exponentially and are randomized,
// by github.com/cenkalti/backoff. Deliveries of webhooks do not use it: they wait for hours, in the graph.
//
//	answer, err := retry.Do(ctx, retry.Policy{Attempts: 3, First: time.Second}, func() (Answer, error) {
//		answer, err := ask()
//		if !temporary(err) {
//			return answer, retry.Stop(err)
//		}
//		return answer, err
//	})
package retry

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/cenkalti/backoff/v5"
)

// Policy says how often a function is called and how long Do waits in between.
type Policy struct {
	Attempts int           // calls at most; 0 means no limit
	First    time.Duration // delay after the first error, randomized by plus or minus half; 0 means no delays
	Max      time.Duration // largest delay before randomization; 0 means a minute
	Elapsed  time.Duration // no attempt begins later than this; 0 means no limit
}

// Do calls f until it succeeds, until its error is one of Stop, or until ctx or the policy ends. It returns the last
// result and error of f, also if ctx ended.
func Do[T any](ctx context.Context, p Policy, f func() (T, error)) (answer T, err error) {
	err = Run(ctx, p, func() (err error) {
		answer, err = f()
		return err
	})
	return answer, err
}

// Run is Do for a function without a result.
func Run(ctx context.Context, p Policy, f func() error) error {
	delays := p.Delays()
	var last error
	_, _ = backoff.Retry(ctx, func() (struct{}, error) {
		err := f()
		if last = err; err == nil {
			return struct{}{}, nil
		}
		var stop *stopped
		if errors.As(err, &stop) {
			last = stop.error
			return struct{}{}, backoff.Permanent(last)
		}
		var later *delayed
		if delays.minimum = 0; errors.As(err, &later) {
			last, delays.minimum = later.error, later.minimum
		}
		return struct{}{}, err
	}, backoff.WithBackOff(delays), backoff.WithMaxTries(uint(p.Attempts)),
		backoff.WithMaxElapsedTime(p.Elapsed)) //nolint:gosec // a small constant or setting
	return last
}

// Stop marks an error after which another attempt is pointless. It returns nil for nil.
func Stop(err error) error {
	if err == nil {
		return nil
	}
	return &stopped{err}
}

// After marks an error after which the next attempt has to wait at least d.
func After(err error, d time.Duration) error { return &delayed{err, d} }

type stopped struct{ error }

func (s *stopped) Unwrap() error { return s.error }

type delayed struct {
	error
	minimum time.Duration
}

func (d *delayed) Unwrap() error { return d.error }

// Delays are the delays of a policy, for loops that wait themselves.
type Delays struct {
	backoff.BackOff
	minimum time.Duration
}

// Delays returns the delays of p from the first one.
func (p Policy) Delays() *Delays {
	if p.First <= 0 {
		return &Delays{BackOff: &backoff.ZeroBackOff{}}
	}
	growing := backoff.NewExponentialBackOff()
	growing.InitialInterval, growing.MaxInterval, growing.Multiplier = p.First, cmp.Or(p.Max, time.Minute), 2
	return &Delays{BackOff: growing}
}

// NextBackOff returns the next delay.
func (d *Delays) NextBackOff() time.Duration { return max(d.BackOff.NextBackOff(), d.minimum) }

// Wait waits for the next delay, or until ctx ends.
func (d *Delays) Wait(ctx context.Context) {
	timer := time.NewTimer(d.NextBackOff())
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

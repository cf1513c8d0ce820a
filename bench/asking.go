package main

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// asking is how long at least one statement was under way: what an operation costs the server and the way to it, as its statements are.
type asking struct {
	mutex      sync.Mutex
	under      int // way
	from       time.Time
	taken      time.Duration
	statements int
}

// watch is told of every statement.
func (a *asking) watch(ctx context.Context, _ string) (context.Context, func(error)) {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.under++; a.under == 1 {
		a.from = time.Now()
	}
	a.statements++
	return ctx, func(error) {
		a.mutex.Lock()
		defer a.mutex.Unlock()
		if a.under--; a.under == 0 {
			a.taken += time.Since(a.from)
		}
	}
}

// of gives what some work took of it. What goes on behind earlier answers counts too, as far as it goes on meanwhile.
func (a *asking) of(work func() error) (took time.Duration, statements int, err error) {
	a.mutex.Lock()
	a.taken, a.statements, a.from = 0, 0, time.Now()
	a.mutex.Unlock()
	err = work()
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.under > 0 {
		a.taken += time.Since(a.from)
		a.from = time.Now()
	}
	return a.taken, a.statements, err
}

// asked tells how much of an operation's time its statements take, in process: what is left is its own.
func (g *grown) asked(ctx context.Context, name string, settle func() error, arguments func(i int) map[string]any) error {
	const warmUp, number = 10, 50
	var whole, asking sample
	var most int
	for i := range warmUp + number {
		from := time.Now()
		took, statements, err := g.asking.of(func() error { _, err := inProcess(ctx, g.env, name, arguments(i)); return err })
		if err != nil {
			return err
		}
		if i >= warmUp {
			whole, asking, most = append(whole, time.Since(from)), append(asking, took), max(most, statements)
		}
		if err := settle(); err != nil {
			return err
		}
	}
	fmt.Fprintf(&g.report, "Of the %.2f ms of %s in process (p50 of %d), at least one of its %d statements is under way for %.2f ms.\n", whole.p50(), name, number, most, asking.p50())
	return nil
}

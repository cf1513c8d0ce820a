package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

const (
	callEvery = 10 * time.Second // of one agent: a tool call, which a hook has checked
	teamTime  = 30 * time.Second
)

// team measures one server while agents work: each sends a hook event at its own times, whether or not earlier events
// are answered, so that waiting shows.
func (b *bench) team(ctx context.Context) ([]row, error) {
	if err := b.command(ctx, "policy", "apply", "shell", "git", "files", "mcp", "--mode", "enforce"); err != nil {
		return nil, err
	}
	web, err := b.http(ctx)
	if err != nil {
		return nil, err
	}
	var next atomic.Int64
	check := web.post(ctx, "/hooks/generic?contract=1", `"decision":"allow"`, func(i int) map[string]any {
		return map[string]any{"kind": "shell.run", "command": "make test", "session_id": fmt.Sprint("agent-", i%1000),
			"tool_use_id": fmt.Sprint("team-", next.Add(1))} // an event that is sent again gets its answer again
	})
	for i := range 20 { // plans the statements
		if _, err := check(i); err != nil {
			return nil, err
		}
	}
	var rows []row
	for _, agents := range []int{10, 100, 1000} {
		taken := make([]float64, agents*int(teamTime/callEvery))
		rows = append(rows, row{name: fmt.Sprintf("check of a hook, %d agents", agents), times: len(taken),
			prepare: func() error { return atTheirTimes(ctx, check, taken) },
			work:    func(i int) (float64, error) { return taken[i%len(taken)], nil }},
			once(fmt.Sprintf("memory of the server, %d agents", agents), "MB", b.resident(web.pid)))
	}
	return rows, nil
}

// atTheirTimes runs an operation once for each element of taken, evenly spread over teamTime.
func atTheirTimes(ctx context.Context, work operation, taken []float64) error {
	var group errgroup.Group
	tick := time.NewTicker(teamTime / time.Duration(len(taken)))
	defer tick.Stop()
	for i := range taken {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
		group.Go(func() (err error) {
			taken[i], err = work(i)
			return err
		})
	}
	return group.Wait()
}

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"nomograph/graph/engine"
)

// recovery measures the time from killing the engine during a recording until a server over stdio records again. The
// floor is a bare start: the time until a new engine answers its first Bolt query.
func (b *bench) recovery(ctx context.Context) error {
	const runs, limit = 5, time.Minute
	server, err := start(b.program, b.environ())
	if err != nil {
		return err
	}
	if err := server.initialize(); err != nil {
		return err
	}
	number := 0
	record := func() error {
		number++
		return server.call("log_decision", fmt.Sprintf(`{"decision":"Record number %d while the engine is killed","confidence":0.8,"category":"tooling",`+
			`"reasons":[{"type":"analysis","text":"It measures what a crash costs"}],"tags":["recovery"]}`, number))
	}
	var recorded, answers sample
	failed := 0
	for range runs {
		// A supervisor gives up after several crashes in a row, so each kill uses a new one.
		if err := engine.Stop(ctx, b.options); err != nil {
			return err
		}
		for range 20 {
			if err := record(); err != nil {
				return err
			}
		}
		time.Sleep(10 * time.Second) // background planning after the start has finished
		before, err := engine.Inspect(b.options)
		if err != nil {
			return err
		}
		process, err := os.FindProcess(before.PID)
		if err != nil {
			return err
		}
		var at time.Time
		killed, back := make(chan struct{}), make(chan time.Duration, 1)
		time.AfterFunc(300*time.Millisecond, func() {
			at = time.Now()
			_ = process.Kill()
			close(killed)
			b.awaitAnother(before.PID, at, limit, back)
		})
		for again := true; again; {
			err := record()
			select {
			case <-killed:
				// Recordings up to here may have finished before the kill.
				now := b.pid()
				again = err != nil || now == 0 || now == before.PID
				failed += count(err)
				if time.Since(at) > limit {
					return fmt.Errorf("it does not record again: %w", err)
				}
			default:
				if err != nil {
					return fmt.Errorf("before the engine was killed: %w", err)
				}
			}
		}
		recorded = append(recorded, time.Since(at))
		answers = append(answers, <-back)
	}
	fmt.Fprintf(&b.report, "\n## After the engine is killed while it records (%d runs)\n\n| | p50 | slowest |\n|---|---|---|\n", runs)
	fmt.Fprintf(&b.report, "| the next log_decision is answered, over stdio | %.0f | %.0f |\n", recorded.p50(), recorded.at(1))
	fmt.Fprintf(&b.report, "| of which until the engine answers its first Bolt query | %.0f | %.0f |\n", answers.p50(), answers.at(1))
	fmt.Fprintf(&b.report, "\nCalls that failed meanwhile: %d.\n", failed)
	return server.close()
}

func count(err error) int {
	if err != nil {
		return 1
	}
	return 0
}

// pid returns the process id of the engine.
func (b *bench) pid() int {
	now, err := engine.Inspect(b.options)
	if err != nil || now.State != engine.Running {
		return 0
	}
	return now.PID
}

// awaitAnother returns the time from since until an engine with a process id other than pid answers.
func (b *bench) awaitAnother(pid int, since time.Time, limit time.Duration, shown chan<- time.Duration) {
	for time.Since(since) < limit {
		if now := b.pid(); now != 0 && now != pid {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	shown <- time.Since(since)
}

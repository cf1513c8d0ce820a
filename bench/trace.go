package main

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/google/uuid"
	"github.com/rs/zerolog"

	"nomograph/trace"
)

const (
	thought  = "The registry answers twice as fast as the cache in front of it, so the cache only costs us what it gets wrong."
	writers  = 64
	tracing  = 5 * time.Second
	programs = 4
)

// trace measures how many events a second one session takes, from one process and from several, and that its chain is whole
// then.
func (b *bench) trace(ctx context.Context) error {
	driver, server, env, err := b.doors(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx); _ = env.Close(ctx) }()
	if err := server.close(); err != nil {
		return err
	}
	fmt.Fprintf(&b.report, "\n## Events of one session (%.0f s each)\n\n| | events | a second | the chain |\n|---|---|---|---|\n", tracing.Seconds())

	log := trace.NewLog(b.database(), zerolog.Nop())
	who := trace.Who{Agent: "bench-thinker", Workspace: "bench", SessionID: "bench-" + uuid.NewString()}
	event := trace.Event{Type: "thought", Payload: map[string]any{"text": thought}}
	append1 := func() error { _, err := log.Append(ctx, who, event); return err }
	if err := append1(); err != nil {
		return err
	}
	written, took, err := many(writers, append1)
	if err != nil {
		return err
	}
	if err := b.chained(ctx, fmt.Sprintf("%d goroutines in one process", writers), log, who.SessionID, written+1, took); err != nil {
		return err
	}

	session := "bench-" + uuid.NewString()
	arguments := asJSON(map[string]any{"text": thought, "agent_id": "bench-thinker", "session_id": session})
	servers := make([]*client, programs)
	for i := range servers {
		if servers[i], err = start(b.program, b.environ()); err != nil {
			return err
		}
		if err := servers[i].initialize(); err != nil {
			return err
		}
		if err := servers[i].call("record_thought", string(arguments)); err != nil { // connected from here on
			return err
		}
	}
	var wait sync.WaitGroup
	counts, failures := make([]int, programs), make([]error, programs)
	began := time.Now()
	for i, s := range servers {
		wait.Go(func() { counts[i], failures[i] = s.stream(writers/programs, tracing, "record_thought", arguments) })
	}
	wait.Wait()
	took = time.Since(began)
	total := programs
	for i := range servers {
		if failures[i] != nil {
			return failures[i]
		}
		total += counts[i]
		if err := servers[i].close(); err != nil {
			return err
		}
	}
	return b.chained(ctx, fmt.Sprintf("record_thought over stdio, %d servers with %d calls each at once", programs, writers/programs), log, session, total, took)
}

// chained verifies a session and writes its line.
func (b *bench) chained(ctx context.Context, name string, log *trace.Log, session string, written int, took time.Duration) error {
	found, err := log.Verify(ctx, trace.VerifyRequest{Sessions: []string{session}})
	if err != nil {
		return err
	}
	chain := "whole"
	if !found.Intact || found.Events != int64(written) {
		chain = fmt.Sprintf("**broken**: %d of %d events, %v", found.Events, written, found.Problems)
	}
	fmt.Fprintf(&b.report, "| %s | %d | %.0f | %s |\n", name, written, float64(written)/took.Seconds(), chain)
	return nil
}

// many does work from so many goroutines for a while, and counts.
func many(goroutines int, work func() error) (done int, took time.Duration, err error) {
	counts, failures := make([]int, goroutines), make([]error, goroutines)
	began := time.Now()
	var wait sync.WaitGroup
	for i := range goroutines {
		wait.Go(func() {
			for failures[i] == nil && time.Since(began) < tracing {
				if failures[i] = work(); failures[i] == nil {
					counts[i]++
				}
			}
		})
	}
	wait.Wait()
	for i := range goroutines {
		done += counts[i]
		if failures[i] != nil {
			err = failures[i]
		}
	}
	return done, time.Since(began), err
}

// stream keeps so many calls of a tool under way for a while, and counts the answers.
func (c *client) stream(atOnce int, span time.Duration, tool string, arguments json.RawMessage) (answers int, err error) {
	asked, began := 0, time.Now()
	for asked < atOnce || answers < asked {
		if asked < atOnce || time.Since(began) < span {
			asked++
			if _, err := fmt.Fprintf(c.stdin, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", asked+1, tool, arguments); err != nil {
				return answers, err
			}
			if asked < atOnce {
				continue
			}
		}
		line, err := c.stdout.ReadBytes('\n')
		if err != nil {
			return answers, err
		}
		var answer struct {
			Result struct{ IsError bool }
			Error  any
		}
		if err := json.Unmarshal(line, &answer); err != nil {
			return answers, err
		}
		if answer.Error != nil || answer.Result.IsError {
			return answers, fmt.Errorf("%s: %s", tool, line)
		}
		answers++
	}
	return answers, nil
}

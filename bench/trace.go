package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"nomograph/internal/uid"
	"nomograph/trace"
)

const (
	thought  = "The registry answers twice as fast as the cache in front of it, so the cache only costs us what it gets wrong."
	writers  = 64
	warming  = 2 * time.Second // not measured, because the server plans its statements then
	tracing  = 5 * time.Second
	programs = 4
)

// trace measures the events per second of one session, from one process and from several, and then verifies the chain.
func (b *bench) trace(ctx context.Context) error {
	driver, server, app, err := b.connect(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx); _ = app.Close(ctx) }()
	if err := server.close(); err != nil {
		return err
	}
	fmt.Fprintf(&b.report, "\n## Events of one session (%.0f s each)\n\n| | events | a second | the chain |\n|---|---|---|---|\n", tracing.Seconds())

	log := app.Trace
	who := trace.SessionSelector{Agent: "bench-thinker", Workspace: "bench", SessionID: "bench-" + uid.Random()}
	event := trace.Event{Type: "thought", Payload: map[string]any{"text": thought}}
	append1 := func() error { _, err := log.Append(ctx, who, event); return err }
	warm, _, err := runParallel(writers, warming, append1)
	if err != nil {
		return err
	}
	written, took, err := runParallel(writers, tracing, append1)
	if err != nil {
		return err
	}
	if err := b.chained(ctx, fmt.Sprintf("%d goroutines in one process", writers), log, who.SessionID, warm, written, took); err != nil {
		return err
	}
	small, took, err := runParallel(writers, tracing, func() error {
		return runOnDriver(ctx, driver, bareWrite, map[string]any{"uid": uid.Random(), "text": thought})
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(&b.report, "| for comparison: %d goroutines, each with bare writes of one small node | %d | %.0f | |\n", writers, small, float64(small)/took.Seconds())
	return b.traceOfPrograms(ctx, log)
}

// traceOfPrograms lets several servers write to one session, like several windows of one agent.
func (b *bench) traceOfPrograms(ctx context.Context, log *trace.Log) error {
	session := "bench-" + uid.Random()
	arguments := asJSON(map[string]any{"text": thought, "agent_id": "bench-thinker", "session_id": session})
	servers := make([]*client, programs)
	for i := range servers {
		var err error
		if servers[i], err = start(b.program, b.environ()); err != nil {
			return err
		}
		if err := servers[i].initialize(); err != nil {
			return err
		}
	}
	warm, _, err := stream(servers, warming, arguments)
	if err != nil {
		return err
	}
	written, took, err := stream(servers, tracing, arguments)
	if err != nil {
		return err
	}
	for _, s := range servers {
		if err := s.close(); err != nil {
			return err
		}
	}
	name := fmt.Sprintf("record_thought over stdio, %d servers with %d concurrent calls each", programs, writers/programs)
	return b.chained(ctx, name, log, session, warm, written, took)
}

// chained verifies a session and writes its line of the report.
func (b *bench) chained(ctx context.Context, name string, log *trace.Log, session string, warm, written int, took time.Duration) error {
	found, err := log.Verify(ctx, trace.VerifyRequest{Sessions: []string{session}})
	if err != nil {
		return err
	}
	chain := "whole"
	if !found.Intact || found.Events != int64(warm+written) {
		chain = fmt.Sprintf("**broken**: %d of %d events, %v", found.Events, warm+written, found.Problems)
	}
	fmt.Fprintf(&b.report, "| %s | %d | %.0f | %s |\n", name, written, float64(written)/took.Seconds(), chain)
	return nil
}

// runParallel runs work in parallel goroutines for a while and counts.
func runParallel(goroutines int, span time.Duration, work func() error) (done int, took time.Duration, err error) {
	began := time.Now()
	done, err = together(goroutines, func(int) (n int, err error) {
		for ; err == nil && time.Since(began) < span; n++ {
			err = work()
		}
		return n, err
	})
	return done, time.Since(began), err
}

// stream lets each server record thoughts as fast as possible for a while and counts.
func stream(servers []*client, span time.Duration, arguments json.RawMessage) (done int, took time.Duration, err error) {
	began := time.Now()
	done, err = together(len(servers), func(i int) (int, error) {
		return servers[i].stream(writers/programs, span, "record_thought", arguments)
	})
	return done, time.Since(began), err
}

func together(n int, work func(i int) (int, error)) (done int, err error) {
	counts, failures := make([]int, n), make([]error, n)
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { counts[i], failures[i] = work(i) })
	}
	wait.Wait()
	for _, count := range counts {
		done += count
	}
	return done, errors.Join(failures...)
}

// stream keeps a number of calls in progress for a while and counts the responses.
func (c *client) stream(atOnce int, span time.Duration, tool string, arguments json.RawMessage) (answers int, err error) {
	began := time.Now()
	for asked := 0; asked < atOnce || answers < asked; {
		if asked < atOnce || time.Since(began) < span {
			asked++
			if _, err := fmt.Fprintf(c.stdin, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", asked, tool, arguments); err != nil {
				return answers, err
			}
			if asked < atOnce {
				continue
			}
		}
		line, err := c.stdout.ReadString('\n')
		if err != nil {
			return answers, err
		}
		if _, err := result(tool, line); err != nil {
			return answers, err
		}
		answers++
	}
	return answers, nil
}

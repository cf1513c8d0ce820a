package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"time"

	"nomograph/graph/engine"
)

// engine measures the private Neo4j, its backups, and archives of a graph with the smallest number of decisions.
func (b *bench) engine(ctx context.Context) ([]row, error) {
	dir, err := os.MkdirTemp("", "nomograph-backups-")
	if err != nil {
		return nil, err
	}
	b.atEnd(func() { _ = os.RemoveAll(dir) })
	c, err := readCorpus(*data)
	if err != nil {
		return nil, err
	}
	if err := b.load(ctx, c, *imported); err != nil {
		return nil, err
	}
	archive := filepath.Join(dir, "all.jsonl")
	number := 0
	record := func() error {
		number++
		_, err := b.server.call("log_decision", map[string]any{"decision": "Record while the engine is killed",
			"confidence": 0.8, "category": "tooling",
			"reasons": []any{map[string]any{"type": "analysis", "text": "It measures what a crash costs"}},
			"tags":    []string{"recovery"}, "pr": number})
		return err
	}
	started := func() error { return b.command(ctx, "engine", "start") }
	stopped := func() error { return engine.Stop(ctx, b.options) }
	return []row{
		{name: "`export`", times: 2, work: timed(func(int) error {
			return b.command(ctx, "export", "--overwrite", archive)
		})},
		{name: "`import archive`", times: 1, prepare: func() error { return b.run(ctx, emptyGraph, nil) },
			work: timed(func(int) error { return b.command(ctx, "import", "archive", archive) })},
		{name: "`engine backup`", times: 1, work: timed(func(int) error {
			return b.command(ctx, "engine", "backup", filepath.Join(dir, "neo4j.dump"))
		})},
		{name: "`engine start`", times: 5, prepare: func() error { return errors.Join(stopped(), started()) },
			work: func(i int) (float64, error) {
				if err := stopped(); err != nil {
					return 0, err
				}
				return timed(func(int) error { return started() })(i)
			}},
		{name: "memory of Neo4j after its start", unit: "MB", times: 1, work: func(int) (float64, error) {
			status, err := engine.Inspect(b.options)
			return memoryOf(status.PID, "VmRSS"), err
		}},
		{name: "log_decision after the engine was killed", times: 3, work: func(i int) (float64, error) {
			// A supervisor gives up after several crashes in a row, so each kill has a new one.
			if err := errors.Join(stopped(), started()); err != nil {
				return 0, err
			}
			if err := again(record); err != nil {
				return 0, err
			}
			time.Sleep(10 * time.Second) // background planning after the start has finished
			status, err := engine.Inspect(b.options)
			if err != nil {
				return 0, err
			}
			process, err := os.FindProcess(status.PID)
			if err != nil {
				return 0, err
			}
			if err := process.Kill(); err != nil {
				return 0, err
			}
			return timed(func(int) error { return again(record) })(i)
		}},
	}, nil
}

// again repeats work until it succeeds, for at most a minute.
func again(work func() error) error {
	for from := time.Now(); ; {
		err := work()
		if err == nil || time.Since(from) > time.Minute {
			return err
		}
	}
}

package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"nomograph/graph/engine"
)

// warming measures how an engine gets faster after its start, and its memory and CPU usage meanwhile. The compiler mode
// was chosen from the results.
func (b *bench) warming(ctx context.Context) error {
	return b.inGraphs(ctx, func(g *loadedGraph) []measure { return []measure{g.windows} })
}

func (g *loadedGraph) windows(ctx context.Context) error {
	filtered := map[string]any{"limit": asked, "filters": map[string]any{"category": rareCategory}}
	kinds := []*turn{
		{name: "hybrid", work: func(i int) error {
			return g.asks("query_decisions", map[string]any{"query": g.question(i), "limit": asked})
		}},
		{name: "filter that leaves 1%", work: func(i int) error { filtered["query"] = g.question(i); return g.asks("query_decisions", filtered) }},
		{name: "get_graph, depth 3", work: func(i int) error {
			return g.asks("get_graph", map[string]any{"node_id": idOf(i * 7919 % g.size), "depth": 3})
		}},
		{name: "check_action", work: func(i int) error {
			return g.asks("check_action", map[string]any{"description": fmt.Sprint("step ", i), "stakes": "high", "confidence": 0.9})
		}},
		{name: "log_decision", work: func(i int) error { _, err := g.record(g.decision("warming", i)); return err }},
	}
	if err := engine.Stop(ctx, g.options); err != nil { // the stop writes the class-data archive if it does not exist
		return err
	}
	var starting sample
	if err := starting.timed(func() error { return g.command(ctx, "engine", "start") }); err != nil {
		return err
	}
	status, err := engine.Inspect(g.options)
	if err != nil {
		return err
	}
	fmt.Fprintf(&g.report, "\n### From a start on, over stdio (ms, p50; `engine start` took %.0f ms)\n\n| seconds |", starting.p50())
	for _, k := range kinds {
		fmt.Fprintf(&g.report, " %s |", k.name)
	}
	fmt.Fprintf(&g.report, " calls | CPU s of Neo4j | resident MB |\n|%s\n", strings.Repeat("---|", len(kinds)+4))
	started, number := time.Now(), 0
	for _, seconds := range []int{10, 30, 60, 120, 180, 240} {
		end := time.Duration(seconds) * time.Second
		from, first := time.Since(started), number
		for _, k := range kinds {
			k.taken = nil
		}
		for ; time.Since(started) < end; number++ {
			for _, k := range kinds {
				if err := k.taken.timed(func() error { return k.work(number) }); err != nil {
					return fmt.Errorf("%s: %w", k.name, err)
				}
			}
		}
		fmt.Fprintf(&g.report, "| %.0f to %.0f |", from.Seconds(), time.Since(started).Seconds())
		for _, k := range kinds {
			fmt.Fprintf(&g.report, " %.1f |", k.taken.p50())
		}
		resident, _ := memory(status.PID)
		fmt.Fprintf(&g.report, " %d | %.0f | %.0f |\n", (number-first)*len(kinds), processorTime(status.PID).Seconds(), resident)
	}
	return nil
}

func (g *loadedGraph) asks(tool string, arguments map[string]any) error {
	_, err := g.server.callForResult(tool, arguments)
	return err
}

// processorTime returns the CPU time of a process; 0 if not available.
func processorTime(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	const ticks = 10 * time.Millisecond // Linux counts 100 ticks per second on every machine that Go supports
	fields := strings.Fields(string(text)[strings.LastIndexByte(string(text), ')')+1:])
	var user, system int64
	if len(fields) > 12 {
		_, _ = fmt.Sscan(fields[11], &user)
		_, _ = fmt.Sscan(fields[12], &system)
	}
	return time.Duration(user+system) * ticks
}

// Command bench measures Nomograph against a floor: a bare Bolt round trip through the driver on the same engine in the
// same run, with alternating calls. It prints the results and writes them to bin/bench.md. docs/concepts/performance.md
// is written by hand from it.
//
//	make bench
//	go run ./bench -small 10 -large 100000 -calls 2000
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/bench/agents"
	"nomograph/graph/engine"
	"nomograph/internal/progress"
)

var (
	binary   = flag.String("binary", "bin/nomograph", "the program to measure")
	calls    = flag.Int("calls", 2000, "calls of each kind")
	small    = flag.Int("small", 10, "policies and thresholds in the small graph")
	large    = flag.Int("large", 100_000, "policies and thresholds in the large graph")
	verdicts = flag.Int("verdicts", 1_000_000, "verdicts in the graph when reading them is measured")
	sizes    = flag.String("decisions", "1000,100000", "decisions in the graph when the decision record is measured, rising")
	data     = flag.String("data", "../shared/data", "where the records are (eips.jsonl) that decisions are made from; without it, the bench makes some")
	also     = flag.String("also", "", "more files of records, by commas, in which finding is measured: lines of {id, title, abstract, links: [{type, target}]}")
	kept     = flag.String("home", "", "where the engine is, which stays and may be there already; empty for a new one")
	heap     = flag.String("heap", "", "the engine's largest heap; empty for the one that it chooses")
	cache    = flag.String("page-cache", "", "the engine's page cache")
	compiler = flag.String("compiler", "", "the engine's Java compiler, quick or full")
	only     = flag.String("only", "", "measure only these parts, and write no report: reads, queries, checks, decisions, finding, judgment, trace, cra, limits, memory, imports, memoryimport, surface, http, cstp, events, pages, processes, starts, engine, recovery, warming, agents, learning, replay, facts, hooks")
	loadTime = flag.Duration("load", 10*time.Second, "how long each load on the HTTP server takes")
	edits    = flag.Int("edits", 100, "changes with Cypher that 200 subscribers of events receive")
	connects = flag.Int("connects", 100_000, "streams of events that are opened and left, to see whether anything is left of them")
	intents  = flag.Int("intents", 10_000, "intents that twenty agents announce to twenty servers")
	begins   = flag.Int("starts", 50, "starts of each command")
	results  = flag.String("results", "bin/bench.md", "file for the report; empty for none")
)

func main() {
	flag.Parse()
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	program, err := filepath.Abs(*binary)
	if err != nil {
		return err
	}
	home := *kept
	if home == "" {
		if home, err = os.MkdirTemp("", "nomograph-bench-"); err != nil {
			return err
		}
		defer func() { _ = os.RemoveAll(home) }()
	}
	ctx = progress.Listen(ctx, func(s progress.Step) { fmt.Fprintln(os.Stderr, s.Message) })

	b := &bench{program: program, options: engine.Options{Dir: filepath.Join(home, "engine"), Heap: *heap, PageCache: *cache, Compiler: *compiler, Supervisor: []string{program, "engine", "supervise"}}.Defaults()}
	lease, err := engine.Acquire(ctx, b.options)
	if err != nil {
		return err
	}
	defer func() { _ = engine.Stop(context.WithoutCancel(ctx), b.options) }()
	defer func() { _ = lease.Release() }()
	b.endpoint = lease.Endpoint()

	fmt.Fprintf(&b.report, "# Measured\n\n`make bench` on %s, %d cores, %s, Neo4j %s, %s. Times are milliseconds; p50 and p95 of each kind,\n"+
		"measured alternately with the bare read R of the same run: an indexed auto-commit read through the Go driver.\n\n",
		runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU(), runtime.Version(), b.endpoint.Version, time.Now().UTC().Format(time.DateOnly))
	for _, part := range []struct {
		name string
		run  func(context.Context) error
	}{{"reads", b.reads}, {"queries", b.queries}, {"checks", b.checks}, {"decisions", b.decisions}, {"finding", b.quality}, {"judgment", b.judgment}, {"trace", b.trace}, {"cra", b.cra}, {"limits", b.limits}, {"memory", b.remembered}, {"imports", b.imports}, {"memoryimport", b.memoryImport}, {"surface", b.surface}, {"http", b.http}, {"cstp", b.cstp}, {"events", b.events}, {"pages", b.pages}, {"processes", b.processes}, {"starts", b.starts}, {"engine", b.engineStart}, {"recovery", b.recovery}, {"warming", b.warming}, {"agents", b.agents}, {"learning", b.learning}, {"replay", b.replay}, {"facts", b.facts}, {"hooks", b.hooks}} {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), part.name) {
			continue
		}
		if err := part.run(ctx); err != nil {
			fmt.Print(b.report.String())
			return fmt.Errorf("%s: %w", part.name, err)
		}
	}
	fmt.Print(b.report.String())
	if *results == "" || *only != "" {
		return nil
	}
	return os.WriteFile(*results, []byte(b.report.String()), 0o644)
}

// agents measures the cost of other servers.
func (b *bench) agents(ctx context.Context) error {
	return agents.Measure(ctx, func(ctx context.Context, variables ...string) (string, func(), error) {
		target, err := b.serveHTTP(ctx, variables...)
		if err != nil {
			return "", nil, err
		}
		return target.url, target.stop, nil
	}, *intents, &b.report)
}

type bench struct {
	program  string
	options  engine.Options
	endpoint engine.Endpoint
	report   strings.Builder
}

// environ returns the environment for programs that use the engine of the bench.
func (b *bench) environ() []string {
	return append([]string{"HOME=" + filepath.Dir(b.options.Dir), "PATH=" + os.Getenv("PATH"), "JAVA_HOME=" + os.Getenv("JAVA_HOME")}, b.options.Environ()...)
}

// driverAndServer opens a bare driver for the floor and a server over stdio.
func (b *bench) driverAndServer() (neo4j.DriverWithContext, *client, error) {
	driver, err := neo4j.NewDriverWithContext(b.endpoint.URI, neo4j.BasicAuth(b.endpoint.Username, b.endpoint.Password, ""))
	if err != nil {
		return nil, nil, err
	}
	server, err := start(b.program, b.environ())
	if err != nil {
		return nil, nil, err
	}
	return driver, server, server.initialize()
}

type sample []time.Duration

func (s sample) at(quantile float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(s))
	return float64(sorted[int(quantile*float64(len(sorted)-1))].Microseconds()) / 1000
}

func (s sample) p50() float64 { return s.at(0.5) }

// timed appends the duration of work.
func (s *sample) timed(work func() error) error {
	started := time.Now()
	err := work()
	*s = append(*s, time.Since(started))
	return err
}

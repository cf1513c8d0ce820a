// Command bench measures Nomograph against floors: a bare call of the driver or a bare process in the same run, with
// alternating calls. Each measurement is a row of one table. The command prints the rows and writes them to
// bin/bench.md. docs/concepts/performance.md is written by hand from it.
//
//	make bench
//	go run ./bench -only policies,hooks -calls 1000
//	go run ./bench -only decisions -decisions 10000 -rows 'log_decision|get_graph'
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"nomograph/graph/engine"
	"nomograph/internal/lists"
	"nomograph/internal/progress"
)

var (
	binary   = flag.String("binary", "bin/nomograph", "program to measure; nomograph-hook is in the same directory")
	calls    = flag.Int("calls", 500, "calls of each kind")
	large    = flag.Int("large", 100_000, "policies and thresholds in the large graph")
	verdicts = flag.Int("verdicts", 100_000, "verdicts in the graph when they are read and replayed")
	size     = flag.Int("decisions", 100_000, "decisions in the graph")
	talks    = flag.Int("sessions", 500, "sessions that are imported into memory")
	chunks   = flag.Int("chunks", 100_000, "chunks of memory that searches run over")
	data     = flag.String("data", "../shared/data",
		"directory of eips.jsonl, adrs.jsonl and conversations; bench makes records if they are missing")
	kept     = flag.String("home", "", "directory of engines that stay; empty for new ones")
	heap     = flag.String("heap", "", "maximum heap of the engine")
	cache    = flag.String("page-cache", "", "page cache of the engine")
	only     = flag.String("only", "", "comma-separated parts to measure, without a report: "+names())
	matching = flag.String("rows", "", "regular expression for the names of rows")
	results  = flag.String("results", "bin/bench.md", "file for the report; empty for none")
)

// part is a set of rows that share a graph. Each part has its own engine, because full-text indexes count deleted
// nodes.
type part struct {
	name string
	rows func(*bench, context.Context) ([]row, error)
}

var parts = []part{
	{"starts", (*bench).starts}, {"policies", (*bench).policies}, {"hooks", (*bench).hooks}, {"team", (*bench).team},
	{"decisions", (*bench).decisions}, {"pages", (*bench).pages}, {"finding", (*bench).finding},
	{"memory", (*bench).memory}, {"imports", (*bench).imports}, {"replay", (*bench).replay},
	{"learning", (*bench).learning},
}

func names() string {
	all := lists.Map(parts, func(p part) string { return p.name })
	return strings.Join(all, ", ")
}

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
	wanted, err := regexp.Compile(*matching)
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
	b := &bench{program: program, wanted: wanted, home: home, options: engine.Options{Heap: *heap,
		PageCache: *cache, Supervisor: []string{program, "engine", "supervise"}}}
	b.printf("# Measured\n\n`make bench` on %s, %d cores, %s, %s. Floors are measured alternately in the same run.\n",
		runtime.GOOS+"/"+runtime.GOARCH, runtime.NumCPU(), runtime.Version(), time.Now().UTC().Format(time.DateOnly))
	for _, p := range parts {
		if *only != "" && !slices.Contains(strings.Split(*only, ","), p.name) {
			continue
		}
		if err := b.measurePart(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if *results == "" || *only != "" {
		return nil
	}
	return os.WriteFile(*results, []byte(b.report.String()), 0o644)
}

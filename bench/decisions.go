package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/engine"
	"nomograph/internal/config"
	"nomograph/tools"
)

const (
	bareDecision  = `MATCH (d:Decision {id: $id}) RETURN d`
	withoutChecks = `MATCH (p:SYS_Policy) WHERE p.name STARTS WITH 'bench_rule_' DETACH DELETE p`
)

// decisions measures recording, finding and reading decisions in graphs of several sizes, each against a bare driver
// that runs the same statements.
func (b *bench) decisions(ctx context.Context) error {
	return b.inGraphs(ctx, func(g *loadedGraph) []measure { return []measure{g.recording, g.findable, g.finding, g.reading} })
}

// judgment measures operations before an action and after its outcome in the same graphs.
func (b *bench) judgment(ctx context.Context) error {
	return b.inGraphs(ctx, func(g *loadedGraph) []measure { return []measure{g.counting, g.preparing, g.calibrating, g.reviewing} })
}

type measure func(context.Context) error

// inGraphs runs measurements in graphs of the requested sizes, the smallest first.
func (b *bench) inGraphs(ctx context.Context, measures func(*loadedGraph) []measure) error {
	var asking statementTimer
	driver, server, app, err := b.connect(ctx, asking.watch)
	if err != nil {
		return err
	}
	defer func() { _ = driver.Close(ctx); _ = app.Close(ctx) }()
	if err := runOnDriver(ctx, driver, withoutChecks, nil); err != nil { // delete checks that another part created
		return err
	}
	if err := b.command(ctx, "policy", "apply", "core"); err != nil { // the rules that `make run` applies, too
		return err
	}
	c, err := readCorpus(*data)
	if err != nil {
		return err
	}
	for text := range strings.SplitSeq(*sizes, ",") {
		size, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			return fmt.Errorf("-decisions: %w", err)
		}
		if err := b.load(ctx, driver, c, size); err != nil {
			return err
		}
		fmt.Fprintf(&b.report, "\n## %d decisions made from %s, %s\n", size, map[bool]string{true: "1,195 real records", false: "invented records"}[c.real], b.engineMemory())
		g := &loadedGraph{bench: b, driver: driver, server: server, app: app, asking: &asking, corpus: c, size: size}
		for _, measure := range measures(g) {
			if err := measure(ctx); err != nil {
				return err
			}
		}
	}
	return server.close()
}

// loadedGraph is a graph of a given size with its clients.
type loadedGraph struct {
	*bench
	corpus
	driver neo4j.DriverWithContext
	server *client
	app    *tools.App
	asking *statementTimer // times of app's statements
	size   int
}

// connect opens a bare driver, a server over stdio, and the program's environment in this process with observed
// statements.
func (b *bench) connect(ctx context.Context, watches ...graph.StatementObserver) (neo4j.DriverWithContext, *client, *tools.App, error) {
	driver, server, err := b.driverAndServer()
	if err != nil {
		return nil, nil, nil, err
	}
	app := tools.Open(b.config(), zerolog.Nop(), tools.Options{})
	app.Graph.Watches = watches
	for range 5 { // the first answer of a new engine may exceed the timeout of a call; the graph is migrated afterwards
		if err = server.call("list_policies", `{"limit":1}`); err == nil {
			break
		}
	}
	return driver, server, app, err
}

// config is that of an application on the database of the bench.
func (b *bench) config() config.Config {
	c := config.Defaults()
	c.URI, c.Username, c.Password, c.Database = b.endpoint.URI, b.endpoint.Username, b.endpoint.Password, b.endpoint.Database
	return c
}

// engineMemory describes the heap, the page cache and the compiler of the engine.
func (b *bench) engineMemory() string {
	had := b.options.Memory()
	if status, err := engine.Inspect(b.options); err == nil {
		had = status.Memory
	}
	return fmt.Sprintf("an engine with %s of heap, %s of page cache and the %s compiler", had.Heap, had.PageCache, b.options.Compiler)
}

// inProcess runs an operation as every transport does and returns its result as JSON.
func inProcess(ctx context.Context, app *tools.App, name string, arguments any) (json.RawMessage, error) {
	operation, ok := tools.Find(tools.Catalog, name)
	if !ok {
		return nil, fmt.Errorf("there is no %s", name)
	}
	out, err := operation.Run(ctx, app, asJSON(arguments))
	if err != nil {
		return nil, err
	}
	return json.Marshal(out)
}

func asJSON(value any) json.RawMessage {
	text, err := json.Marshal(value)
	if err != nil { // arguments of this file always encode
		panic(err)
	}
	return text
}

// callForResult calls a tool over stdio and returns its result.
func (c *client) callForResult(tool string, arguments any) (json.RawMessage, error) {
	line, err := c.ask("tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, asJSON(arguments)))
	if err != nil {
		return nil, err
	}
	return result(tool, line)
}

// result parses the response to a tool call.
func result(tool, line string) (json.RawMessage, error) {
	var answer struct {
		Result struct {
			IsError           bool
			StructuredContent json.RawMessage
		}
		Error any
	}
	if err := json.Unmarshal([]byte(line), &answer); err != nil {
		return nil, err
	}
	if answer.Error != nil || answer.Result.IsError {
		return nil, fmt.Errorf("%s: %s", tool, line)
	}
	return answer.Result.StructuredContent, nil
}

// turn is one of several alternating measurements.
type turn struct {
	name   string
	work   func(i int) error
	settle func() error // waits for background work outside of the measured time; may be nil
	taken  sample
}

// inTurn runs each measurement number times after warm-up runs, in a new order each time. A bare call wakes up the
// server for its successor, and one of our calls may leave background work that slows down its successor.
func inTurn(number, warmUp int, turns []*turn) error {
	for i := range number + warmUp {
		if i == warmUp {
			for _, t := range turns {
				t.taken = nil
			}
		}
		for _, k := range rand.Perm(len(turns)) {
			one := turns[k]
			if err := one.taken.timed(func() error { return one.work(i) }); err != nil {
				return fmt.Errorf("%s: %w", one.name, err)
			}
			if one.settle == nil {
				continue
			}
			if err := one.settle(); err != nil {
				return err
			}
		}
	}
	return nil
}

// table writes the measurements with their ratio to the floor.
func (b *bench) table(title string, number int, floor float64, floorName string, turns []*turn) {
	fmt.Fprintf(&b.report, "\n### %s (%d calls of each kind)\n\n| | p50 | p95 | / %s |\n|---|---|---|---|\n", title, number, floorName)
	for _, t := range turns {
		fmt.Fprintf(&b.report, "| %s | %.2f | %.2f | %.2f |\n", t.name, t.taken.p50(), t.taken.at(0.95), t.taken.p50()/floor)
	}
}

// Package graphtest gives a test a clean graph on a real Neo4j. The tests of a machine share two engines; each serves
// one test package at a time. Tests that change the schema share a third engine, because a schema change discards all
// query plans, and planning is most of an engine's work in tests.
package graphtest

import (
	"context"
	_ "embed"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/engine"
	"nomograph/internal/lists"
	"nomograph/internal/progress"
	"nomograph/migrations"
)

//go:embed wipe.cypher
var wipe string

// timeout covers the download of Neo4j by the first test on a machine, and waiting for other packages.
const timeout = 20 * time.Minute

// Graph is a clean, migrated graph. Exec and Rows bypass the product, to arrange and check data.
type Graph struct {
	*graph.DB
	Engine   engine.Options // options of its engine
	Endpoint engine.Endpoint
	Driver   neo4j.DriverWithContext
}

// New returns a graph that contains only the record of its migrations. No other test uses it at the same time. A test
// that takes a second one fails: it would wait for the test of another package, which may wait for this one.
func New(t testing.TB) *Graph {
	t.Helper()
	test, _, _ := strings.Cut(t.Name(), "/")
	if _, taken := holders.LoadOrStore(test, true); taken {
		t.Fatal("the test has a graph already; open a second application or server on it")
	}
	t.Cleanup(func() { holders.Delete(test) })
	return newMigrated(t, engines)
}

// holders holds the names of the tests that use a graph from New.
var holders sync.Map

// Two returns two graphs, each with its own engine. It waits until no other test uses any of them.
func Two(t testing.TB) [2]*Graph {
	t.Helper()
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	all := flock.New(filepath.Join(Dir(t), "all.lock")) // two tests that each hold one of the engines would deadlock
	OK(t, all.Lock())
	t.Cleanup(func() { _ = all.Close() })
	return [2]*Graph{newMigrated(t, engines[:1]), newMigrated(t, engines[1:])}
}

// Alterable returns a graph like New, whose schema the test may change.
func Alterable(t testing.TB) *Graph {
	t.Helper()
	return newMigrated(t, alterable)
}

func newMigrated(t testing.TB, numbers []int) *Graph {
	t.Helper()
	g := open(t, numbers)
	g.dropOutdatedSchema(t)
	db := graph.Open(graph.Options{URI: g.Endpoint.URI, Username: g.Endpoint.Username, Password: g.Endpoint.Password,
		Database: g.Endpoint.Database, Migrate: true, RestoreSchema: slices.Equal(numbers, alterable),
		Log: zerolog.Nop()})
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	Must(db.Connect(t.Context()))(t)
	g.DB = db
	return g
}

// Unmigrated returns a graph without Nomograph's schema and migration records. DB is nil: the test opens its own.
func Unmigrated(t testing.TB) *Graph {
	t.Helper()
	g := open(t, alterable)
	g.dropSchema(t)
	return g
}

// dropOutdatedSchema drops the schema if a migration was edited since it was created: the engine outlives such edits.
func (g *Graph) dropOutdatedSchema(t testing.TB) {
	t.Helper()
	text := ""
	for _, m := range migrations.All() {
		text += m.Text
	}
	path := g.Engine.Dir + ".migrations"
	if applied, err := os.ReadFile(path); err == nil && string(applied) == text {
		return
	}
	g.dropSchema(t)
	OK(t, os.WriteFile(path, []byte(text), 0o600))
}

func (g *Graph) dropSchema(t testing.TB) {
	t.Helper()
	g.Exec(t, "MATCH (n) DETACH DELETE n", nil)
	for _, row := range g.Rows(t, "SHOW CONSTRAINTS YIELD name", nil) {
		g.Exec(t, "DROP CONSTRAINT "+row["name"].(string), nil)
	}
	for _, row := range g.Rows(t, "SHOW INDEXES YIELD name, type WHERE type <> 'LOOKUP'", nil) {
		g.Exec(t, "DROP INDEX "+row["name"].(string), nil)
	}
}

func open(t testing.TB, numbers []int) *Graph {
	t.Helper()
	if testing.Short() && slices.Equal(numbers, alterable) { // a third engine would start for a few tests
		t.Skip("runs in make test-all")
	}
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	ctx = progress.Listen(ctx, func(s progress.Step) { t.Logf("%s (%d of %d)", s.Message, s.Done, s.Total) })

	number, lock, err := takeTurn(ctx, Dir(t), numbers)
	OK(t, err)
	t.Cleanup(func() { _ = lock.Close() })

	options := Options(t)
	options.Dir += strconv.Itoa(number)
	lease := Must(engine.Acquire(ctx, options))(t)
	t.Cleanup(func() { _ = lease.Release() })
	endpoint := lease.Endpoint()
	driver := Must(neo4j.NewDriverWithContext(endpoint.URI,
		neo4j.BasicAuth(endpoint.Username, endpoint.Password, "")))(t)
	t.Cleanup(func() { _ = driver.Close(context.Background()) })
	g := &Graph{Engine: options, Endpoint: endpoint, Driver: driver}
	g.record(t)
	g.Exec(t, wipe, nil)
	return g
}

// Options returns the options of the shared engines. They stay for the next run, which finds their plans made:
// planning takes most of the time of a run.
func Options(t testing.TB) engine.Options {
	return engine.Options{Version: os.Getenv(engine.EnvVersion), Dir: filepath.Join(Dir(t), "engine"),
		Idle: 20 * time.Minute, Heap: "512m", Scratch: true,
		Supervisor: []string{Binary(t), "engine", "supervise"}}
}

// Dir returns the folder that all tests of this machine share for a version of Neo4j.
func Dir(t testing.TB) string {
	t.Helper()
	dir := filepath.Join(os.TempDir(), "nomograph-tests")
	if version := os.Getenv(engine.EnvVersion); version != "" {
		dir += "-" + version
	}
	OK(t, os.MkdirAll(dir, 0o700))
	return dir
}

// Binary builds the program and returns its path. TESTED_NOMOGRAPH names one that is already built.
func Binary(t testing.TB) string {
	t.Helper()
	path := Must(build(Dir(t)))(t)
	return path
}

// build runs go build once per process, which is quick if nothing changed. A lock serializes processes, which share
// the path.
var build = func() func(dir string) (string, error) {
	var once sync.Once
	var path string
	var err error
	return func(dir string) (string, error) {
		once.Do(func() {
			if path = os.Getenv("TESTED_NOMOGRAPH"); path != "" {
				return
			}
			path = filepath.Join(dir, "nomograph")
			lock := flock.New(path + ".lock")
			if err = lock.Lock(); err != nil {
				return
			}
			defer func() { _ = lock.Close() }()
			if out, failed := exec.Command("go", "build", "-o", path, "nomograph/cmd/nomograph").
				CombinedOutput(); failed != nil {
				err = &buildError{string(out), failed}
			}
		})
		return path, err
	}
}()

type buildError struct {
	output string
	cause  error
}

func (e *buildError) Error() string { return e.cause.Error() + ": " + e.output }

// Exec runs any Cypher, bypassing the product.
func (g *Graph) Exec(t testing.TB, query string, params map[string]any) {
	t.Helper()
	for text := range strings.SplitSeq(query, ";\n") {
		if text = strings.TrimSpace(text); text != "" {
			g.Rows(t, text, params)
		}
	}
}

// Rows runs any Cypher, bypassing the product, and returns its rows by column.
func (g *Graph) Rows(t testing.TB, query string, params map[string]any) []map[string]any {
	t.Helper()
	rows, err := g.rows(query, params)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return rows
}

func (g *Graph) rows(query string, params map[string]any) ([]map[string]any, error) {
	session := g.Driver.NewSession(context.Background(), neo4j.SessionConfig{DatabaseName: g.Endpoint.Database})
	defer func() { _ = session.Close(context.Background()) }()
	for try := 1; ; try++ {
		var records []*neo4j.Record
		result, err := session.Run(context.Background(), query, params)
		if err == nil {
			records, err = result.Collect(context.Background())
		}
		if err == nil {
			return lists.Map(records, func(record *neo4j.Record) map[string]any { return record.AsMap() }), nil
		}
		// A server may write the same nodes at the same time, so a deadlock is retried.
		if try == 5 || !strings.Contains(err.Error(), "Neo.TransientError.") {
			return nil, err
		}
	}
}

// Package toolstest provides tests with the environment of the tools on a clean graph, and with common steps: record,
// review, apply, wait.
package toolstest

import (
	"context"
	"testing"
	"time"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/search"
	"nomograph/tools"
)

// Open returns a clean graph and an environment for it with the built-in embedder.
func Open(t testing.TB) (*graphtest.Graph, *tools.Env) {
	t.Helper()
	g := graphtest.New(t)
	return g, Env(t, g.DB)
}

// Env returns an environment for a database with the built-in embedder, like that of a separate process.
func Env(t testing.TB, db *graph.DB) *tools.Env {
	t.Helper()
	return EnvWith(t, db, tools.Options{Embedder: search.Builtin()})
}

// EnvWith returns such an environment with options. Its background work ends with the test; the database stays open.
func EnvWith(t testing.TB, db *graph.DB, o tools.Options) *tools.Env {
	t.Helper()
	env := tools.NewEnv(db, o)
	env.Sessions.Reach.Person = "whoever sits here"
	env.Sessions.Key = func() ([]byte, error) { return []byte("the key of every server in a test"), nil }
	env.Sessions.ApprovalDelay = 0
	env.Gate.Settings.CheckTimeout = time.Minute // planning a statement can take seconds on a busy machine
	t.Cleanup(func() { Finish(env) })
	return env
}

// Finish waits for the background work of an environment. Its database stays open.
func Finish(env *tools.Env) {
	env.Trace.Close(context.Background())
	env.Search.Close(context.Background())
	env.Contexts.Close(context.Background())
	env.Memory.Close(context.Background())
	env.Chunks.Close(context.Background())
	env.Counters.Close(context.Background())
}

// Reopen opens the graph of a test without the right to migrate it, until the test ends.
func Reopen(t testing.TB, g *graphtest.Graph) *graph.DB {
	t.Helper()
	db := graph.Open(graph.Options{URI: g.Endpoint.URI, Username: g.Endpoint.Username, Password: g.Endpoint.Password, Database: g.Endpoint.Database})
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	return db
}

// Nowhere returns a database that does not answer.
func Nowhere(t testing.TB) *graph.DB {
	t.Helper()
	db := graph.Open(graph.Options{URI: "bolt://127.0.0.1:1", Username: "neo4j", Password: "none", Database: "neo4j"})
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	return db
}

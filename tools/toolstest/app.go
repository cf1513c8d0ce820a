// Package toolstest provides tests with the application on a clean graph, and with common steps: record, review, apply,
// wait.
package toolstest

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/config"
	"nomograph/tools"
)

// Open returns a clean graph and an application on it with the built-in embedder.
func Open(t testing.TB) (*graphtest.Graph, *tools.App) {
	t.Helper()
	g := graphtest.New(t)
	return g, App(t, g.DB)
}

// App returns an application on a database with the built-in embedder, like that of a separate process.
func App(t testing.TB, db *graph.DB) *tools.App {
	t.Helper()
	return AppWith(t, Config(), tools.Options{Graph: db})
}

// OpenWithoutEmbedder returns an application on a database, without an embedder.
func OpenWithoutEmbedder(t testing.TB, db *graph.DB) *tools.App {
	t.Helper()
	c := Config()
	c.Embedder = "none"
	return AppWith(t, c, tools.Options{Graph: db})
}

// Config returns the default configuration without the user's files.
func Config() config.Config {
	c := config.Defaults()
	c.AgentsFile = ""
	return c
}

// AppWith returns an application with a configuration and options. Its background work ends with the test; a shared
// graph stays open.
func AppWith(t testing.TB, c config.Config, o tools.Options) *tools.App {
	t.Helper()
	app := tools.Open(c, zerolog.Nop(), o)
	app.Sessions.Reach.Person = "the local user"
	app.Sessions.Key = func() ([]byte, error) { return []byte("the key of every server in a test"), nil }
	app.Sessions.ApprovalDelay = 0
	app.Table.Timeout = time.Minute
	app.Checks.Settings.CheckTimeout = time.Minute // planning a statement can take seconds on a busy machine
	t.Cleanup(func() { _ = app.Close(context.Background()) })
	return app
}

// Reopen opens the graph of a test without the right to migrate it, until the test ends.
func Reopen(t testing.TB, g *graphtest.Graph) *graph.DB {
	t.Helper()
	db := graph.Open(graph.Options{URI: g.Endpoint.URI, Username: g.Endpoint.Username, Password: g.Endpoint.Password,
		Database: g.Endpoint.Database})
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	return db
}

// Statements are the names of the statements that a database sent.
type Statements struct {
	mutex sync.Mutex
	sent  []string
}

// Observe is Reopen, and records the statements that the database sends.
func Observe(t testing.TB, g *graphtest.Graph) (*graph.DB, *Statements) {
	t.Helper()
	db, s := Reopen(t, g), &Statements{}
	db.Watches = append(db.Watches, func(ctx context.Context, statement string) (context.Context, func(error)) {
		s.mutex.Lock()
		defer s.mutex.Unlock()
		s.sent = append(s.sent, statement)
		return ctx, func(error) {}
	})
	return db, s
}

// Take returns the statements in the order in which they were sent, and forgets them.
func (s *Statements) Take() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	sent := s.sent
	s.sent = nil
	return sent
}

// Unavailable returns a database that does not answer.
func Unavailable(t testing.TB) *graph.DB {
	t.Helper()
	db := graph.Open(graph.Options{URI: "bolt://127.0.0.1:1", Username: "neo4j", Password: "none", Database: "neo4j"})
	t.Cleanup(func() { _ = db.Close(context.Background()) })
	return db
}

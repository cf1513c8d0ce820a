package graphtest

import (
	"context"
	"errors"
	"testing"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"
)

// Must returns the value of a call. It fails the test if the call returned an error: Must(store.Read(ctx))(t).
func Must[T any](value T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		OK(t, err)
		return value
	}
}

// OK fails the test if there is an error. It shows the cause, too, which the text of our errors leaves out.
func OK(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("got %v (%v), want no error", err, errors.Unwrap(err))
	}
}

// Hold runs a statement in a transaction that stays open, as another process could. Its locks are held until release is
// called.
func (g *Graph) Hold(t testing.TB, statement string) (release func()) {
	t.Helper()
	session := g.Driver.NewSession(t.Context(), neo4j.SessionConfig{DatabaseName: g.Endpoint.Database})
	t.Cleanup(func() { _ = session.Close(context.Background()) })
	tx := Must(session.BeginTransaction(t.Context()))(t)
	held := Must(tx.Run(t.Context(), statement, nil))(t)
	Must(held.Consume(t.Context()))(t)
	return func() { OK(t, tx.Rollback(t.Context())) }
}

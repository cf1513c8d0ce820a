package graph_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"nomograph/graph"
	"nomograph/graph/graphtest"
	"nomograph/internal/apperr"
	"nomograph/internal/golden"
)

func TestConnect_LostConnection_NextCallReconnects(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in make test-all")
	}
	g := graphtest.New(t)
	p := graphtest.NewProxy(t, g)
	db := open(t, g, func(o *graph.Options) { o.URI = "bolt://" + p.Address })
	read := func() error {
		ctx, cancel := context.WithTimeout(t.Context(), timeout)
		defer cancel()
		_, err := graph.One[struct{ One int }](ctx, db, statement("RETURN 1 AS one"), nil)
		return err
	}
	graphtest.OK(t, read())

	t.Run("cut between two reads", func(t *testing.T) {
		p.Cut()
		if err := read(); err != nil {
			t.Error(err)
		}
	})
	t.Run("cut with many connections open", func(t *testing.T) {
		var all sync.WaitGroup
		for range 12 {
			all.Go(func() {
				_, _ = graph.All[struct{}](t.Context(), db, statement("UNWIND range(1, 300000) AS i RETURN count(DISTINCT i % 1000) AS n"), nil)
			})
		}
		all.Wait()
		if p.Cut() < 4 {
			t.Skip("the driver opened too few connections to tell")
		}
		if err := read(); err != nil {
			t.Error(err)
		}
	})
	t.Run("deadline in the middle of a read", func(t *testing.T) {
		before := db.ConnectionLosses()
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := slow(ctx, db); err == nil {
			t.Error("got no error, want that of the deadline")
		}
		golden.Equal(t, "lost connections", db.ConnectionLosses(), before)
	})
	t.Run("no answer to calls in a row", func(t *testing.T) {
		wait := func(limit time.Duration) int64 {
			t.Helper()
			ctx, cancel := context.WithTimeout(t.Context(), limit)
			defer cancel()
			_, err := graph.One[struct{ One int }](ctx, db, statement("RETURN 1 AS one"), nil)
			wantError(t, err, apperr.QueryTimeout)
			return db.ConnectionLosses()
		}
		const long, short = 1100 * time.Millisecond, 10 * time.Millisecond
		if err := read(); err != nil { // the previous slow read got no answer
			t.Fatal(err)
		}
		before := db.ConnectionLosses()
		p.Mute()
		wait(long)
		golden.Equal(t, "after 2 calls: lost connections", wait(long), before)
		p.Cut() // from here on, the server answers
		graphtest.OK(t, read())
		before = db.ConnectionLosses()
		p.Mute()
		for range 4 {
			wait(short)
		}
		wait(long)
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() { wait(long) })
		}
		all.Wait()
		golden.Equal(t, "after 2 waits, one of them by 3 calls: lost connections", db.ConnectionLosses(), before)
		golden.Equal(t, "after 3 waits: lost connections", wait(long), before+1)
		p.Cut()
		if err := read(); err != nil {
			t.Error(err)
		}
	})
	t.Run("cut before a write", func(t *testing.T) {
		p.Cut()
		err := db.Write(t.Context(), func(tx *graph.Tx) error {
			return tx.Run(t.Context(), writing("CREATE (:Written)"), nil)
		})
		if err != nil {
			t.Error(err)
		}
		golden.Equal(t, "written nodes", len(g.Rows(t, "MATCH (w:Written) RETURN w", nil)), 1)
	})
	t.Run("cut in the middle of a read", func(t *testing.T) {
		answer := make(chan error, 1)
		go func() { answer <- slow(t.Context(), db) }()
		graphtest.Until(t, "the read begins", func() bool {
			return len(g.Rows(t, "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery CONTAINS 'reduce(sum' AND NOT currentQuery CONTAINS 'SHOW' RETURN currentQuery", nil)) > 0
		})
		p.StopListening()
		p.Cut()
		wantError(t, graphtest.Receive(t, "the read that was cut ends", answer), apperr.Unavailable)
		p.Listen(t)
		if err := read(); err != nil {
			t.Error(err)
		}
	})
	t.Run("the server stops and returns", func(t *testing.T) {
		p.StopListening()
		p.Cut()
		for range 2 {
			got := wantError(t, read(), apperr.Unavailable)
			if got.Hint == "" || strings.Contains(got.Error(), g.Endpoint.Password) {
				t.Error(got.Error())
			}
		}
		err := db.Write(t.Context(), func(tx *graph.Tx) error {
			return tx.Run(t.Context(), writing("CREATE (:Never)"), nil)
		})
		wantError(t, err, apperr.Unavailable)
		p.Listen(t)
		if err := read(); err != nil {
			t.Error(err)
		}
		golden.Equal(t, "nodes of a failed write", len(g.Rows(t, "MATCH (n:Never) RETURN n", nil)), 0)
	})
}

// TestCall_DriverReplaced_UsesTheNewDriver: the engine was killed, and another call closed this call's driver.
func TestCall_DriverReplaced_UsesTheNewDriver(t *testing.T) {
	g := graphtest.New(t)
	p := graphtest.NewProxy(t, g)
	db := open(t, g, func(o *graph.Options) { o.URI = "bolt://" + p.Address })
	replaced := true
	db.Watches = []graph.StatementObserver{func(ctx context.Context, statement string) (context.Context, func(error)) {
		if statement == "test/statement" && !replaced {
			replaced = true
			p.Cut()
			if err := db.Lose(ctx); err != nil {
				t.Error(err)
			}
		}
		return ctx, func(error) {}
	}}
	graphtest.Must(db.Connect(t.Context()))(t)
	for name, call := range map[string]func() error{
		"reading": func() error {
			_, err := graph.One[struct{ One int }](t.Context(), db, statement("RETURN 1 AS one"), nil)
			return err
		},
		"one statement that writes": func() error {
			_, err := graph.Append[struct{}](t.Context(), db, writing("CREATE (:Written)"), nil)
			return err
		},
		"a transaction": func() error {
			return db.Write(t.Context(), func(tx *graph.Tx) error {
				return tx.Run(t.Context(), writing("CREATE (:Written)"), nil)
			})
		},
	} {
		replaced = false
		if err := call(); err != nil || !replaced {
			t.Errorf("%s: got %v, %v, want replaced=true", name, err, replaced)
		}
	}
	golden.Equal(t, "written nodes", len(g.Rows(t, "MATCH (w:Written) RETURN w", nil)), 2)
}

func TestConnect_DatabaseDownAtStart_IsFoundLater(t *testing.T) {
	g := graphtest.New(t)
	p := graphtest.NewProxy(t, g)
	p.StopListening()
	db := open(t, g, func(o *graph.Options) { o.URI = "bolt://" + p.Address })
	_, err := db.Connect(t.Context())
	wantError(t, err, apperr.Unavailable)
	p.Listen(t)
	if _, err := db.Connect(t.Context()); err != nil {
		t.Error(err)
	}
}

package graph

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/internal/apperr"
	"nomograph/internal/retry"
)

// Params are the parameters of a statement.
type Params = map[string]any

// Querier runs reading statements: a DB each in a transaction of its own, a Tx all in one.
type Querier interface {
	query(ctx context.Context, s cypher.Statement, p Params) ([]*neo4j.Record, error)
}

// All runs s and decodes each row into a T: a struct with fields named like the columns (or with a `mapstructure`
// tag), or a map.
func All[T any](ctx context.Context, q Querier, s cypher.Statement, p Params) ([]T, error) {
	records, err := q.query(ctx, s, p)
	if err != nil {
		return nil, err
	}
	rows := make([]T, len(records))
	for i, record := range records {
		if err := decode(record, &rows[i]); err != nil {
			return nil, apperr.From(err)
		}
	}
	return rows, nil
}

// One is All for a statement with one row. Without a row it returns the zero T.
func One[T any](ctx context.Context, q Querier, s cypher.Statement, p Params) (T, error) {
	rows, err := All[T](ctx, q, s, p)
	if err != nil || len(rows) == 0 {
		var none T
		return none, err
	}
	return rows[0], nil
}

// Append runs a single writing statement in one round trip and decodes its row into a T. It retries deadlocks and
// statements that were not sent. It does not retry a statement whose answer was lost, because it may have been
// executed.
func Append[T any](ctx context.Context, db *DB, s cypher.Statement, p Params) (T, error) {
	var row T
	err := db.appendRow(ctx, s, p, &row)
	return row, err
}

func (db *DB) appendRow(ctx context.Context, s cypher.Statement, p Params, row any) error {
	again := func(err error) bool { return wasReplaced(err) || transient(err) && !connectivity(err) }
	return db.onConnection(ctx, retry.Policy{Attempts: 5}, again, func(c *connection) error {
		records, err := c.run(ctx, s, p)
		if err != nil {
			return err
		}
		db.wrote(ctx, s.Notifies())
		if len(records) == 0 {
			return nil
		}
		return decode(records[0], row)
	})
}

// query runs a reading statement, and again on a new connection if the old one was dead.
func (db *DB) query(ctx context.Context, s cypher.Statement, p Params) (records []*neo4j.Record, err error) {
	err = db.onConnection(ctx, retry.Policy{Attempts: 3}, connectivity, func(c *connection) (err error) {
		records, err = c.run(ctx, s, p)
		return err
	})
	return records, err
}

// onConnection calls f with the current connection, and again after an error for which again returns true, with a new
// connection if the old one was lost. It returns errors as *apperr.Error, with the error of ctx if that has ended,
// because the driver does not always report it. A connection on which several calls in a row wait in vain until their
// deadlines counts as lost.
func (db *DB) onConnection(ctx context.Context, p retry.Policy, again func(error) bool,
	f func(*connection) error) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	// Deadlocks end soon, and a lost connection is replaced immediately.
	p.First, p.Max = 5*time.Millisecond, 25*time.Millisecond
	return retry.Run(ctx, p, func() error {
		c, err := db.connection(ctx)
		if err != nil {
			return retry.Stop(err)
		}
		began, before := time.Now(), c.unanswered.Load()
		if err = f(c); !connectivity(err) && !errors.Is(err, context.DeadlineExceeded) {
			c.unanswered.Store(0)
		}
		if err == nil {
			return nil
		}
		if connectivity(err) && ctx.Err() == nil || c.hangs(ctx, began,
			before) { // the driver also reports the end of ctx as a lost connection
			db.dropConnection(c)
		}
		passes := ctx.Err() == nil && again(err)
		if err = AsError(errors.Join(ctx.Err(), err)); !passes {
			err = retry.Stop(err)
		}
		return err
	})
}

const (
	maxUnanswered  = 3           // calls in a row
	unansweredWait = time.Second // a call with a shorter wait says nothing about the connection
)

// hangs counts a call that waited in vain until its deadline, and reports whether there were too many in a row. before
// is the count at its start: concurrent calls count once, because a single slow answer can delay all of them.
func (c *connection) hangs(ctx context.Context, began time.Time, before int32) bool {
	return errors.Is(ctx.Err(), context.DeadlineExceeded) && time.Since(began) >= unansweredWait &&
		c.unanswered.CompareAndSwap(before, (before+1)%maxUnanswered) && before+1 == maxUnanswered
}

// run is one auto-commit transaction: one round trip without retries.
func (c *connection) run(ctx context.Context, s cypher.Statement, p Params) ([]*neo4j.Record, error) {
	records, _, err := c.runSummarized(ctx, s, p)
	return records, err
}

func (c *connection) runSummarized(ctx context.Context, s cypher.Statement, p Params) (records []*neo4j.Record,
	summary neo4j.ResultSummary, err error) {
	ctx, end := begin(ctx, c.watches, s.Name)
	defer func() { end(err) }()
	mode := neo4j.AccessModeRead
	if s.Writes || s.Leader {
		mode = neo4j.AccessModeWrite
	}
	session := c.session(ctx, mode)
	defer func() { _ = session.Close(ctx) }()
	limit := serverTimeout(ctx)
	text, all := applyVisibility(ctx, s, p)
	result, err := session.Run(ctx, text, all, neo4j.WithTxTimeout(limit),
		neo4j.WithTxMetadata(metadata(ctx, s.Name, limit)))
	if err != nil {
		return nil, nil, err
	}
	if records, err = result.Collect(ctx); err != nil {
		return nil, nil, err
	}
	summary, err = result.Consume(ctx)
	return records, summary, err
}

// StatementObserver is called before each statement, and the function that it returns after it. It can add to the
// context.
type StatementObserver func(ctx context.Context, statement string) (context.Context, func(error))

func begin(ctx context.Context, watches []StatementObserver, statement string) (context.Context, func(error)) {
	switch len(watches) {
	case 0:
		return ctx, func(error) {}
	case 1:
		return watches[0](ctx, statement)
	}
	ctx, end := watches[0](ctx, statement)
	ctx, others := begin(ctx, watches[1:], statement)
	return ctx, func(err error) {
		others(err)
		end(err)
	}
}

func (c *connection) session(ctx context.Context, mode neo4j.AccessMode) neo4j.SessionWithContext {
	return c.driver.NewSession(ctx, neo4j.SessionConfig{AccessMode: mode, DatabaseName: c.server.Database,
		BookmarkManager: c.bookmarks})
}

// serverTimeout is the time limit for the server: the caller's deadline, at most readTimeout.
func serverTimeout(ctx context.Context) time.Duration {
	if deadline, ok := ctx.Deadline(); ok {
		return max(min(time.Until(deadline), readTimeout), time.Millisecond)
	}
	return readTimeout
}

type operationKey struct{}

// Operation names the operation of the statements under ctx for SHOW TRANSACTIONS.
func Operation(ctx context.Context, name, requestID string) context.Context {
	return context.WithValue(ctx, operationKey{}, [2]string{name, requestID})
}

// metadata describes a transaction for SHOW TRANSACTIONS and for the engine's supervisor, which ends it after its
// limit;
// 0 means no limit.
func metadata(ctx context.Context, statement string, limit time.Duration) map[string]any {
	m := map[string]any{"app": "nomograph", "process": os.Getpid(), "statement": statement}
	if limit > 0 {
		m["limit_ms"] = limit.Milliseconds()
	}
	if operation, ok := ctx.Value(operationKey{}).([2]string); ok {
		m["operation"], m["request"] = operation[0], operation[1]
	}
	return m
}

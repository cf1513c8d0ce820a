package graph

import (
	"context"
	"errors"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/internal/retry"
)

// Tx is a write transaction.
type Tx struct {
	tx      neo4j.ManagedTransaction
	watches []StatementObserver
	made    []string // labels of cypher.EventLabels that its statements create
}

// Write runs work in one transaction. After a deadlock or another transient error, or if the connection was lost before
// the commit and another one is available, work runs again; it must be idempotent.
func (db *DB) Write(ctx context.Context, work func(tx *Tx) error) error {
	const attempts = 3
	sent := false
	again := func(err error) bool { // the driver to another server has retried by itself
		return !sent && (wasReplaced(err) || connectivity(err) && db.Managed())
	}
	return db.onConnection(ctx, attempts, again, func(c *connection) error {
		made, committing, err := c.write(ctx, work)
		if sent = committing; err == nil {
			db.wrote(ctx, made)
		}
		return err
	})
}

// write also returns whether the commit was sent: an error after that does not mean that nothing was written.
func (c *connection) write(ctx context.Context, work func(tx *Tx) error) (made []string, sent bool, err error) {
	session := c.session(ctx, neo4j.AccessModeWrite)
	defer func() { _ = session.Close(ctx) }()
	settings := []func(*neo4j.TransactionConfig){neo4j.WithTxMetadata(metadata(ctx, "transaction", 0))}
	if deadline, ok := ctx.Deadline(); ok { // a process that is killed must not hold its locks forever
		settings = append(settings, neo4j.WithTxTimeout(max(time.Until(deadline), time.Millisecond)))
	}
	delays := retry.Policy{First: 5 * time.Millisecond, Max: 25 * time.Millisecond}.Delays()
	for attempt := 1; ; attempt++ {
		var deadlock error
		_, err = session.ExecuteWrite(ctx, func(tx neo4j.ManagedTransaction) (any, error) {
			t := &Tx{tx: tx, watches: c.watches}
			err := work(t)
			made, sent = t.made, sent || err == nil
			if attempt < quickAttempts && hasCode(err, deadlockDetected) {
				deadlock = err
				return nil, errDeadlock
			}
			return nil, err
		}, settings...)
		if deadlock == nil {
			return made, sent, err
		}
		if delays.Wait(ctx); ctx.Err() != nil {
			return made, sent, deadlock
		}
	}
}

// The driver waits a second before it runs a transaction again, and a deadlock ends when the other transaction does,
// within milliseconds.
const (
	deadlockDetected = "Neo.TransientError.Transaction.DeadlockDetected"
	quickAttempts    = 6
)

// errDeadlock replaces a deadlock error, after which the driver would wait.
var errDeadlock = errors.New("deadlock")

func (tx *Tx) query(ctx context.Context, s cypher.Statement, p Params) (records []*neo4j.Record, err error) {
	ctx, end := begin(ctx, tx.watches, s.Name)
	defer func() { end(err) }()
	text, all := applyVisibility(ctx, s, p)
	result, err := tx.tx.Run(ctx, text, all)
	if err != nil {
		return nil, err
	}
	tx.made = append(tx.made, s.Notifies()...)
	return result.Collect(ctx)
}

// Run runs a statement without rows.
func (tx *Tx) Run(ctx context.Context, s cypher.Statement, p Params) error {
	_, err := tx.query(ctx, s, p)
	return err
}

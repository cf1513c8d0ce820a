package graph

import (
	"context"
	"time"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
	"nomograph/internal/retry"
)

// Tx is a write transaction.
type Tx struct {
	tx      neo4j.ExplicitTransaction
	watches []StatementObserver
	made    []string // labels of cypher.EventLabels that its statements create
}

// Write runs work in one transaction. After a deadlock or another transient error, or if the connection was lost before
// the commit and another one is available, work runs again within some seconds; it must be idempotent.
func (db *DB) Write(ctx context.Context, work func(tx *Tx) error) error {
	sent := false // whether the commit was sent: only an error of the server then means that nothing was written
	again := func(err error) bool {
		return transient(err) && !connectivity(err) ||
			!sent && (neo4j.IsRetryable(err) || connectivity(err))
	}
	return db.onConnection(ctx, retry.Policy{Elapsed: retryTime}, again, func(c *connection) (err error) {
		tx := &Tx{watches: c.watches}
		if sent, err = c.write(ctx, tx, work); err == nil {
			db.wrote(ctx, tx.made)
		}
		return err
	})
}

func (c *connection) write(ctx context.Context, tx *Tx, work func(tx *Tx) error) (sent bool, err error) {
	session := c.session(ctx, neo4j.AccessModeWrite)
	defer func() { _ = session.Close(ctx) }()
	settings := []func(*neo4j.TransactionConfig){neo4j.WithTxMetadata(metadata(ctx, "transaction", 0))}
	if deadline, ok := ctx.Deadline(); ok { // a process that is killed must not hold its locks forever
		settings = append(settings, neo4j.WithTxTimeout(max(time.Until(deadline), time.Millisecond)))
	}
	open, err := session.BeginTransaction(ctx, settings...)
	if err != nil {
		return false, err
	}
	defer func() { _ = open.Close(ctx) }() // rolls back what is not committed
	tx.tx = open
	if err := work(tx); err != nil {
		return false, err
	}
	return true, open.Commit(ctx)
}

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

package graph

import (
	"context"
	"errors"

	"github.com/neo4j/neo4j-go-driver/v5/neo4j"

	"nomograph/cypher"
)

// Each runs a reading statement and passes its rows to visit as they arrive, so their number is not limited. A slow
// visit slows the statement. The statement is never retried, because rows were visited already; an error of visit ends
// it.
func Each[T any](ctx context.Context, db *DB, s cypher.Statement, p Params, visit func(row T) error) error {
	leave, err := db.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	c, err := db.connection(ctx)
	if err != nil {
		return err
	}
	session := c.session(ctx, neo4j.AccessModeRead)
	defer func() { _ = session.Close(ctx) }()
	const noTimeout = 0
	text, all := applyVisibility(ctx, s, p)
	result, err := session.Run(ctx, text, all, neo4j.WithTxTimeout(noTimeout),
		neo4j.WithTxMetadata(metadata(ctx, s.Name, noTimeout)))
	if err != nil {
		return AsError(errors.Join(ctx.Err(), err))
	}
	for result.Next(ctx) {
		var row T
		if err := decode(result.Record(), &row); err != nil {
			return AsError(err)
		}
		if err := visit(row); err != nil {
			return err
		}
	}
	if err := result.Err(); err != nil {
		return AsError(errors.Join(ctx.Err(), err))
	}
	return nil
}

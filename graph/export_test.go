package graph

import "context"

// Room reserves memory for a large query, like a query of this process.
func (db *DB) Room(ctx context.Context, bytes float64) (leave func(), err error) {
	return db.reservations.ReserveMemory(ctx, bytes)
}

// Lose closes the connection, like a call that finds the managed engine gone.
func (db *DB) Lose(ctx context.Context) error { return db.current.Swap(nil).driver.Close(ctx) }

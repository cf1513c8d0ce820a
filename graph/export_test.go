package graph

import "context"

// Room reserves memory as a large query of this process does.
func (db *DB) Room(ctx context.Context, bytes float64) (leave func(), err error) {
	return db.reservations.ReserveMemory(ctx, bytes)
}

// Lose closes the connection, as a call does that finds the managed engine gone.
func (db *DB) Lose(ctx context.Context) error { return db.current.Swap(nil).driver.Close(ctx) }

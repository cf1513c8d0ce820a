package graph

import "context"

// Room takes a turn of large queries, as one of this process would.
func (db *DB) Room(ctx context.Context, bytes float64) (leave func(), err error) {
	return db.rooms.Room(ctx, bytes)
}

// Lose drops the connection as a call does that finds the managed engine gone.
func (db *DB) Lose(ctx context.Context) error { return db.current.Swap(nil).driver.Close(ctx) }

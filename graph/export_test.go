package graph

import "context"

// Room takes a turn of large queries, as one of this process would.
func (db *DB) Room(ctx context.Context, bytes float64) (leave func(), err error) {
	return db.rooms.Room(ctx, bytes)
}

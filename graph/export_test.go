package graph

import "context"

// TakeTurn takes the turn of a large query of this process.
func (db *DB) TakeTurn() (leave func()) {
	db.large <- struct{}{}
	return func() { <-db.large }
}

// Lose closes the connection, as a call does that finds the managed engine gone.
func (db *DB) Lose(ctx context.Context) error { return db.current.Swap(nil).driver.Close(ctx) }

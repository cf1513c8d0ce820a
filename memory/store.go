package memory

import (
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/tokencount"
	"nomograph/internal/worker"
	"nomograph/search"
	"nomograph/trace"
)

// Store builds chunks from what the graph records, and maintains their counts. It is safe for concurrent use, also by
// several processes on one graph.
type Store struct {
	graph  *graph.DB
	search *search.Index // index of chunks
	trace  *trace.Log
	work   *worker.Worker
	count  *tokencount.Counter // used by the worker only
}

const (
	// batchDelay is the delay before recorded data is processed, so that changes are batched.
	batchDelay = 20 * time.Millisecond
	// rest is the time between two updates under constant calls, because each update reads and writes the last turn
	// again.
	rest = 2 * time.Second
)

// NewStore returns a store for a graph.
func NewStore(db *graph.DB, chunks *search.Index, events *trace.Log) *Store {
	s := &Store{graph: db, search: chunks, trace: events, count: tokencount.NewCounter()}
	s.work = worker.New(s.processNext)
	s.work.Debounce, s.work.Rest, s.work.WaitUntilIdle = batchDelay, rest, db.WaitUntilIdle
	// short commands exit without waiting; a server or the next memory query does the rest
	s.work.SkipPendingOnClose = true
	return s
}

// Wake starts the background worker after sessions or decisions were marked.
func (s *Store) Wake() { s.work.Wake() }

// Close stops the background worker. Work that has not started is left to the next process.
func (s *Store) Close(ctx context.Context) { s.work.Close(ctx) }

// CatchUp processes all marked sessions and decisions before it returns. It returns an unavailable error if the
// database does not answer.
func (s *Store) CatchUp(ctx context.Context) error { return graph.AsError(s.work.Drain(ctx)) }

// ImportArchive recounts all projects and processes the sessions and decisions that an archive added.
func (s *Store) ImportArchive(ctx context.Context) error {
	if _, err := graph.Append[struct{}](ctx, s.graph, cypher.ProjectsRecount, nil); err != nil {
		return err
	}
	return s.CatchUp(ctx)
}

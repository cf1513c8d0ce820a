package memory

import (
	"context"
	"time"

	"github.com/rs/zerolog"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/tokencount"
	"nomograph/internal/worker"
	"nomograph/search"
	"nomograph/trace"
)

// Store makes chunks of what the graph records, and keeps count of them. It is safe for concurrent use, also by several processes on one graph.
type Store struct {
	graph  *graph.DB
	search *search.Index // of chunks
	trace  *trace.Log
	log    zerolog.Logger
	work   *worker.Worker
	count  *tokencount.Counter // of who has the turn of the work
}

// soon is the wait before what was recorded becomes memory. What comes meanwhile is taken in together.
const soon = 20 * time.Millisecond

// NewStore gives the store of a graph.
func NewStore(db *graph.DB, chunks *search.Index, events *trace.Log, log zerolog.Logger) *Store {
	s := &Store{graph: db, search: chunks, trace: events, log: log, count: tokencount.NewCounter()}
	s.work = worker.New(s.some)
	s.work.Debounce = soon
	s.work.SkipPendingOnClose = true // a command that recorded something ends at once: a server, or whoever asks memory, does the rest
	return s
}

// Wake says that sessions or decisions were marked. They become chunks in the background.
func (s *Store) Wake() { s.work.Wake() }

// Close ends what goes on in the background. What has not begun is done by whoever is woken next.
func (s *Store) Close(ctx context.Context) { s.work.Close(ctx) }

// CatchUp makes chunks of everything that is marked, now. It returns an unavailable fault where the database does not answer.
func (s *Store) CatchUp(ctx context.Context) error { return graph.AsError(s.work.Drain(ctx)) }

// ImportArchive makes chunks of what an archive brought, and counts those of all projects anew.
func (s *Store) ImportArchive(ctx context.Context) error {
	if _, err := graph.Append[struct{}](ctx, s.graph, cypher.ProjectsRecount, nil); err != nil {
		return err
	}
	return s.CatchUp(ctx)
}

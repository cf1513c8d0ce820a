package search

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/rs/zerolog"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

const (
	settle  = 50 * time.Millisecond // decisions that are recorded at once share a batch
	minWait = time.Second           // after an embedder failed; doubled each time
	maxWait = time.Minute

	rememberedFilters = 1000

	few = 20 // texts, whose vectors are made at once: whoever recorded one may look for it by meaning
)

// timeout is how long more than a few wait until nobody waits for an answer, before each batch.
var timeout = 2 * time.Second

// corpus is what an index is of: the statements that search it, and those that its vectors are made with.
type corpus struct {
	byText, byVector, ofFacets, unindexed, store cypher.Statement
	kept                                         *cypher.Statement // takes marks away where store leaves them
	// upkeep is how the graph knows whose vectors count. Where it is nil, each vector says by which model it was made, and none is the graph's.
	upkeep  *upkeep
	name    string                           // of the node that says whose vectors count
	things  string                           // what it holds, as a note says it
	fields  []string                         // of full text
	vectors string                           // begins the names of the vector indexes
	reads   bool                             // its statements can give what they found, too
	plain   bool                             // texts have one kind of vector
	linked  bool                             // full text can say what it found is linked with
	says    func(row map[string]any) hitText // what a row of Read says; where it is nil, nothing is too far from a question to be found
	said    cypher.Statement                 // reads what hits say, where their search did not
	wide    int                              // what the vector index is asked for at least where full text finds, too; 0 means fusedWide
}

// upkeep are the statements that keep one model for all vectors of a corpus, and make them anew.
type upkeep struct{ state, mark cypher.Statement }

var (
	ofDecisions = corpus{byText: cypher.DecisionsByText, byVector: cypher.DecisionsByVector, ofFacets: cypher.DecisionsOfFacets, unindexed: cypher.Unindexed, store: cypher.VectorsStore, kept: &cypher.VectorsKept,
		upkeep: &upkeep{cypher.SearchState, cypher.DecisionsMark}, name: "decisions", things: "decisions", fields: []string{"decision", "context", "terms"}, vectors: "embedding_", linked: true, says: saysDecision, said: cypher.DecisionsSaid}
	ofContexts = corpus{byText: cypher.ContextsByText, byVector: cypher.ContextsByVector, unindexed: cypher.ContextsUnindexed, store: cypher.ContextVectorsStore,
		things: "contexts", fields: []string{"name", "keywords", "content"}, vectors: "context_embedding_", plain: true, wide: 20, reads: true, says: saysContext}
	ofChunks = corpus{byText: cypher.ChunksByText, byVector: cypher.ChunksByVector, ofFacets: cypher.ChunksOfFacets, unindexed: cypher.ChunksUnindexed, store: cypher.ChunkVectorsStore,
		upkeep: &upkeep{cypher.ChunksState, cypher.ChunksMark}, name: "chunks", things: "chunks of memory", fields: []string{"text", "terms"}, vectors: "chunk_embedding_", plain: true, reads: true}
)

// Index searches the decisions, the contexts or the chunks of one graph and keeps their vectors up to date. It is safe for concurrent use, also by
// several processes on one graph.
type Index struct {
	corpus   corpus
	db       *graph.DB
	embedder Embedder // nil: none
	log      zerolog.Logger

	woken   chan struct{}
	closing chan struct{}
	close   sync.Once
	end     context.CancelFunc
	ended   chan struct{}
	turn    chan struct{} // held by whoever makes vectors
	away    atomic.Int64  // until when, in Unix nanoseconds, the embedder is left alone after it failed

	// Of filters that leave too many decisions to compare all their vectors, the share of the nearest that passed last, so that
	// they need not be counted again. It only saves work: where it is wrong, a search finds that out and counts.
	shares *lru.Cache[string, float64]
	spread atomic.Pointer[spread]    // of the embedder's cosines, once it is known
	left   *lru.Cache[string, int64] // of filters whose vectors are compared, how many they left last
}

// Open gives the index of a graph, without waiting for it: it does nothing until it is asked or woken. Without an embedder
// (nil) it searches by keyword only.
func Open(db *graph.DB, e Embedder, log zerolog.Logger) *Index { return open(ofDecisions, db, e, log) }

// OpenContexts is Open for the contexts of atlases.
func OpenContexts(db *graph.DB, e Embedder, log zerolog.Logger) *Index {
	return open(ofContexts, db, e, log)
}

// OpenChunks is Open for the chunks of memory.
func OpenChunks(db *graph.DB, e Embedder, log zerolog.Logger) *Index {
	return open(ofChunks, db, e, log)
}

func open(of corpus, db *graph.DB, e Embedder, log zerolog.Logger) *Index {
	ctx, end := context.WithCancel(context.Background())
	x := &Index{corpus: of, db: db, embedder: e, log: log, end: end, woken: make(chan struct{}, 1), closing: make(chan struct{}),
		ended: make(chan struct{}), turn: make(chan struct{}, 1)}
	x.shares, _ = lru.New[string, float64](rememberedFilters) // the size is positive
	x.left, _ = lru.New[string, int64](rememberedFilters)
	if e == nil {
		close(x.ended)
		return x
	}
	go x.keepUp(ctx)
	return x
}

// Wake says that decisions were marked. Their vectors are made in the background, within a second.
func (x *Index) Wake() {
	select {
	case x.woken <- struct{}{}:
	default: // it will look anyway
	}
}

// Close waits until what was woken for is done, or the embedder fails, or ctx ends.
func (x *Index) Close(ctx context.Context) {
	x.close.Do(func() { close(x.closing) })
	select {
	case <-x.ended:
	case <-ctx.Done():
	}
	x.end()
	<-x.ended
}

// keepUp makes vectors whenever it is woken. While the embedder or the database is away it tries again, ever more rarely.
func (x *Index) keepUp(ctx context.Context) {
	defer close(x.ended)
	var wait time.Duration // 0 while all is well
	told := false          // that the graph has another model
	retry := time.NewTimer(0)
	retry.Stop()
	for {
		closing := false
		select {
		case <-x.woken:
			if wait > 0 { // the retry finds it
				continue
			}
		case <-retry.C:
		case <-x.closing:
			closing = true
			select {
			case <-x.woken:
			default:
				return
			}
		case <-ctx.Done():
			return
		}
		if !closing && wait == 0 {
			x.pause(settle)
		}
		// The processors take turns with whoever waits for an answer.
		switch err := x.drain(ctx, func(most time.Duration) { x.db.WaitUntilIdle(most, x.closing) }); {
		case closing || ctx.Err() != nil:
			return
		case err == nil:
			if wait > 0 {
				x.log.Info().Msg("vectors are made again")
			}
			wait = 0
		case apperr.Is(err, apperr.Conflict): // only a rebuild helps, and that makes them all
			if !told {
				x.log.Warn().Err(err).Msg("vectors are not made")
			}
			wait, told = 0, true
		default:
			if wait == 0 {
				x.log.Warn().Err(err).AnErr("cause", apperr.From(err).Unwrap()).Msg("vectors wait; decisions are found by keyword meanwhile")
			}
			wait = min(max(2*wait, minWait), maxWait)
			if x.isAway() {
				x.leave(wait)
			}
			retry.Reset(wait)
		}
	}
}

func (x *Index) pause(d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-x.closing:
	}
}

package search

import (
	"context"
	"sync/atomic"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/rs/zerolog"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/worker"
)

const (
	settle  = 50 * time.Millisecond // decisions that are recorded together share a batch
	minWait = time.Second           // after an embedder failed

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

	work *worker.Worker // makes vectors
	turn chan struct{}  // held while vectors are made
	away atomic.Int64   // until when, in Unix nanoseconds, the embedder is not called after it failed

	foreign atomic.Bool // the log has reported that the vectors are another model's

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
	x := &Index{corpus: of, db: db, embedder: e, log: log, turn: make(chan struct{}, 1)}
	x.shares, _ = lru.New[string, float64](rememberedFilters) // the size is positive
	x.left, _ = lru.New[string, int64](rememberedFilters)
	x.work = worker.New(x.step)
	x.work.Debounce, x.work.Persistent, x.work.WaitUntilIdle = settle, true, db.WaitUntilIdle
	failing := false
	x.work.Failed = func(err error, delay time.Duration) {
		if !failing {
			log.Warn().Err(err).AnErr("cause", apperr.From(err).Unwrap()).Msg("vectors delayed; search finds new decisions by keyword only")
		}
		if failing = true; x.isAway() {
			x.leave(delay)
		}
	}
	x.work.Recovered = func() {
		failing = false
		log.Info().Msg("vectors up to date again")
	}
	return x
}

// Wake reports that decisions were marked. Their vectors are made in the background, within a second.
func (x *Index) Wake() {
	if x.embedder != nil {
		x.work.Wake()
	}
}

// Close waits until the vectors of marked decisions are made, at most until the embedder fails, three seconds or the end of ctx.
func (x *Index) Close(ctx context.Context) { x.work.Close(ctx) }

// step makes the vectors of everything that is marked. Between batches it gives way to callers who wait for answers.
func (x *Index) step(ctx context.Context) (more bool, err error) {
	err = x.drain(ctx, func(most time.Duration) { x.db.WaitUntilIdle(most, x.work.Closing()) })
	if !apperr.Is(err, apperr.Conflict) {
		return false, err
	}
	if !x.foreign.Swap(true) { // a retry cannot help, and a rebuild makes all vectors
		x.log.Warn().Err(err).Msg("vectors not made")
	}
	return false, nil
}

package search

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/worker"
)

const (
	batchDelay = 50 * time.Millisecond // decisions recorded within this time share a batch
	minBackoff = time.Second           // minimum delay after an error of the embedder

	immediateTexts = 20 // up to this many texts are embedded immediately, because their author may search for them
)

// timeout is the maximum wait, before each larger batch, for the database to become idle.
var timeout = 2 * time.Second

// corpus is a set of indexed nodes, with the statements that search and update its vectors.
type corpus struct {
	byText, byVector, ofFacets, unindexed, store cypher.Statement
	// removes the marks if the statement that stores vectors does not
	kept *cypher.Statement
	// upkeep records which model's vectors are valid for the graph. If nil, each vector names its own model.
	upkeep  *rebuildStatements
	name    string                           // name of the node that records the model
	things  string                           // plural noun for notes
	fields  []string                         // properties in the full-text index
	vectors string                           // prefix of the vector indexes' names
	reads   bool                             // search statements can also return the texts of hits
	plain   bool                             // one kind of vector per text, without structure and function
	textOf  func(row map[string]any) hitText // text of a row in Read; if nil, no relevance threshold applies
	read    cypher.Statement                 // reads the texts, vectors and links of decisions as byText does
	// minimum candidates from the vector index in hybrid mode; 0 means fusedWide
	minWide int
}

// rebuildStatements holds the statements that record the model of a corpus and mark its nodes for a rebuild.
type rebuildStatements struct{ state, mark cypher.Statement }

var (
	ofDecisions = corpus{byText: cypher.DecisionsByText, byVector: cypher.DecisionsByVector,
		ofFacets: cypher.DecisionsOfFacets, unindexed: cypher.Unindexed, store: cypher.VectorsStore,
		kept:   &cypher.MarkersRemove,
		upkeep: &rebuildStatements{cypher.SearchState, cypher.DecisionsMark}, name: "decisions", things: "decisions",
		fields: []string{"decision", "context", "terms"}, vectors: "embedding_", textOf: decisionText,
		read: cypher.DecisionsRead}
	ofContexts = corpus{byText: cypher.ContextsByText, byVector: cypher.ContextsByVector,
		unindexed: cypher.ContextsUnindexed, store: cypher.ContextVectorsStore,
		things: "contexts", fields: []string{"name", "keywords", "content"}, vectors: "context_embedding_", plain: true,
		minWide: 20, textOf: contextText}
	ofChunks = corpus{byText: cypher.ChunksByText, byVector: cypher.ChunksByVector, ofFacets: cypher.ChunksOfFacets,
		unindexed: cypher.ChunksUnindexed, store: cypher.ChunkVectorsStore,
		upkeep: &rebuildStatements{cypher.ChunksState, cypher.ChunksMark}, name: "chunks", things: "chunks of memory",
		fields: []string{"text", "terms"}, vectors: "chunk_embedding_", plain: true, reads: true}
)

// Index searches the decisions, contexts or chunks of one graph and updates their vectors. It is safe for concurrent
// use, also by several processes on one graph.
type Index struct {
	corpus   corpus
	db       *graph.DB
	embedder Embedder // nil without an embedder
	log      zerolog.Logger

	work *worker.Worker // computes vectors
	turn chan struct{}  // held while a batch is computed and stored
	away atomic.Int64   // time in Unix nanoseconds until which a failed embedder is not called

	foreign atomic.Bool // whether the log already reported vectors of another model

	spread atomic.Pointer[spread] // distribution of the embedder's cosine similarities, once known
}

// Open returns the index of a graph. It does not access the graph before the first call. With a nil embedder, it
// searches by keyword only.
func Open(db *graph.DB, e Embedder, log zerolog.Logger) *Index { return open(ofDecisions, db, e, log) }

// OpenContexts returns the index of the contexts of atlases. See Open.
func OpenContexts(db *graph.DB, e Embedder, log zerolog.Logger) *Index {
	return open(ofContexts, db, e, log)
}

// OpenChunks returns the index of the chunks of memory. See Open.
func OpenChunks(db *graph.DB, e Embedder, log zerolog.Logger) *Index {
	return open(ofChunks, db, e, log)
}

func open(of corpus, db *graph.DB, e Embedder, log zerolog.Logger) *Index {
	x := &Index{corpus: of, db: db, embedder: e, log: log, turn: make(chan struct{}, 1)}
	x.work = worker.New(x.step)
	x.work.Debounce, x.work.Persistent, x.work.WaitUntilIdle = batchDelay, true, db.WaitUntilIdle
	failing := false
	x.work.Failed = func(err error, delay time.Duration) {
		if !failing {
			log.Warn().Err(err).AnErr("cause", apperr.From(err).Unwrap()).
				Msg("vectors delayed; search finds new decisions by keyword only")
		}
		if failing = true; x.embedderDown() {
			x.suspend(delay)
		}
	}
	x.work.Recovered = func() {
		failing = false
		log.Info().Msg("vectors up to date again")
	}
	return x
}

// Wake starts the computation of vectors in the background after nodes were marked.
func (x *Index) Wake() {
	if x.embedder != nil {
		x.work.Wake()
	}
}

// Close waits for the vectors of marked nodes. It stops waiting after an embedder error, three seconds, or the end of
// ctx.
func (x *Index) Close(ctx context.Context) { x.work.Close(ctx) }

// step computes the vectors of all marked nodes. Between batches it yields to foreground queries.
func (x *Index) step(ctx context.Context) (more bool, err error) {
	err = x.drain(ctx, func(limit time.Duration) { x.db.WaitUntilIdle(limit, x.work.Closing()) })
	if !apperr.Is(err, apperr.Conflict) {
		return false, err
	}
	if !x.foreign.Swap(true) { // retrying cannot help; a rebuild computes all vectors
		x.log.Warn().Err(err).Msg("vectors not created")
	}
	return false, nil
}

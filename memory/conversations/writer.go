package conversations

import (
	"cmp"
	"context"
	"slices"
	"sync"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
	"nomograph/internal/tokencount"
	"nomograph/internal/uid"
	"nomograph/memory"
)

const (
	batchBytes       = 1 << 20 // maximum bytes of text in a transaction
	batchChunks      = 400
	maxQueuedBatches = 2       // maximum number of queued batches
	heldBytes        = 8 << 20 // text of a new conversation that is held until its end, since it may be a copy
)

// write is a set of new chunks of one conversation.
type write struct {
	thread         *thread
	growth         memory.SessionChunks
	folder, parent string
}

// writer writes chunks in batches, concurrently with the reader.
type writer struct {
	*Store
	ctx    context.Context
	dry    bool
	tokens *tokencount.Counter // used by the reader's goroutine only

	batch         []write
	bytes, chunks int

	batches chan []write
	idle    sync.WaitGroup // batches that were sent and are not written yet

	mu    sync.Mutex
	err   error
	grown memory.ReplaceResult
}

func newWriter(ctx context.Context, s *Store, dry bool) *writer {
	w := &writer{Store: s, ctx: ctx, dry: dry, tokens: tokencount.NewCounter(),
		batches: make(chan []write, maxQueuedBatches)}
	go w.run()
	return w
}

// add adds chunks to the current batch. It returns the error of an earlier write, if any.
func (w *writer) add(one write) error {
	w.batch = append(w.batch, one)
	w.chunks += len(one.growth.Chunks)
	for _, c := range one.growth.Chunks {
		w.bytes += len(c.Text)
	}
	if w.bytes >= batchBytes || w.chunks >= batchChunks {
		w.send()
	}
	return w.lastError()
}

// send passes the current batch on. Its vectors are computed while the previous one is written.
func (w *writer) send() {
	if len(w.batch) > 0 {
		w.vectors(w.batch)
		w.idle.Add(1)
		w.batches <- w.batch
	}
	w.batch, w.bytes, w.chunks = nil, 0, 0
}

// flush sends the current batch and waits until all batches are written.
func (w *writer) flush() error {
	w.send()
	w.idle.Wait()
	return w.lastError()
}

func (w *writer) close() error {
	err := w.flush()
	close(w.batches)
	return err
}

func (w *writer) lastError() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// run writes the batches.
func (w *writer) run() {
	for batch := range w.batches {
		if w.lastError() == nil {
			if err := w.write(batch); err != nil {
				w.mu.Lock()
				w.err = err
				w.mu.Unlock()
			}
		}
		w.idle.Done()
	}
}

// vectors computes the vectors of a batch, so that they are written in the same transaction. If that fails, the
// background worker computes them later.
func (w *writer) vectors(batch []write) {
	if w.dry {
		return
	}
	for _, one := range batch {
		texts := lists.Map(one.growth.Chunks, func(c memory.Chunk) string { return c.Text })
		made, err := w.search.Prepare(w.ctx, texts)
		if err != nil {
			return
		}
		for i := range made {
			one.growth.Chunks[i].Vectors = made[i]
		}
	}
}

// write writes a batch in one transaction. It retries if a concurrent import created the same session.
func (w *writer) write(batch []write) (err error) {
	if w.dry {
		for _, one := range batch {
			w.grown.Created += int64(len(one.growth.Chunks))
		}
		return nil
	}
	for try := 0; try < maxAttempts; try++ {
		if err = w.transact(batch); err == nil {
			w.search.Wake() // to compute the missing vectors
			return nil
		}
		if !graph.IsUniqueViolation(err) && !apperr.Is(err, apperr.Conflict) {
			return err
		}
	}
	return err
}

// opened is the session of a conversation, locked by the transaction.
type opened struct {
	Source, ExternalID, UID string
	Version                 int64
}

// transact writes a batch, except conversations that another import changed meanwhile.
func (w *writer) transact(batch []write) error {
	var grown memory.ReplaceResult
	var moved []*thread
	var written map[*thread]int
	err := w.graph.Write(w.ctx, func(tx *graph.Tx) error {
		grown, moved, written = memory.ReplaceResult{}, nil, map[*thread]int{}
		rows, err := graph.All[opened](w.ctx, tx, cypher.ConversationsOpen,
			graph.Params{"conversations": w.conversations(batch)})
		if err != nil {
			return err
		}
		sessions := map[key]opened{}
		for _, row := range rows {
			sessions[key{row.Source, row.ExternalID}] = row
		}
		var rounds [][]memory.SessionChunks // each with at most one change of a session
		for _, one := range batch {
			t, session, n := one.thread, sessions[one.thread.key()], written[one.thread]
			if n == 0 && (t.moved.Load() || session.Version != t.version) {
				moved = append(moved, t)
				continue
			}
			if n == len(rounds) {
				rounds = append(rounds, nil)
			}
			one.growth.Session = session.UID
			rounds[n], written[t] = append(rounds[n], one.growth), n+1
		}
		for _, growths := range rounds {
			g, err := w.memory.ReplaceChunks(w.ctx, tx, growths)
			if err != nil {
				return err
			}
			grown.Add(g)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, t := range moved {
		t.moved.Store(true)
	}
	for t, changes := range written {
		t.version += int64(changes)
	}
	w.mu.Lock()
	w.grown.Add(grown)
	w.mu.Unlock()
	return nil
}

func (t *thread) key() key { return key{t.conversation.Source, t.conversation.ExternalID} }

// conversations returns the parameters of cypher.ConversationsOpen. They are sorted, so that concurrent imports lock
// sessions in the same order.
func (w *writer) conversations(batch []write) []any {
	rows := []any{}
	had := map[key]bool{}
	sorted := slices.Clone(batch)
	slices.SortStableFunc(sorted, func(a, b write) int {
		return cmp.Or(cmp.Compare(a.thread.conversation.Source, b.thread.conversation.Source),
			cmp.Compare(a.thread.conversation.ExternalID, b.thread.conversation.ExternalID))
	})
	for _, one := range sorted {
		c := one.thread.conversation
		if had[one.thread.key()] {
			continue
		}
		had[one.thread.key()] = true
		began := one.growth.Chunks
		row := map[string]any{"source": c.Source, "external_id": c.ExternalID, "uid": uid.New(), "id": c.Source + ":" +
			c.ExternalID, "agent": caller.Key(one.growth.Agent),
			"workspace": graph.NullIfEmpty(redact.Mask(one.folder)), "parent": graph.NullIfEmpty(one.parent), "at": nil}
		if len(began) > 0 {
			row["at"] = graph.UTC(began[0].At)
		}
		rows = append(rows, row)
	}
	return rows
}

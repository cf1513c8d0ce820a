package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/lists"
	"nomograph/internal/progress"
	"nomograph/internal/uid"
)

const (
	batch    = 256 // decisions per batch
	maxAtOne = 512 // passages stored per statement, unless a single text has more
)

// source holds the texts that the vectors of a node are computed from. Updated identifies their version.
type source struct{ UID, Updated, Decision, Context, Terms, Structure, Function string }

// texts returns the texts to embed for each passage. The first passage also has the texts for structure (default: the
// decision) and function.
func (s source) texts(plain bool) []map[string]string {
	title, rest, _ := strings.Cut(strings.TrimSpace(s.Decision), "\n")
	var made []map[string]string
	for _, passage := range Passages(title, strings.Join([]string{rest, s.Context, s.Terms}, "\n\n")) {
		made = append(made, map[string]string{"text": passage})
	}
	if plain {
		return made
	}
	made[0]["structure"], made[0]["function"] = cut(cmp.Or(strings.TrimSpace(s.Structure), s.Decision)), cut(s.Function)
	return made
}

// Drain computes all missing vectors before it returns. It returns an unavailable error if the embedder or the database
// does not answer, and a conflict if the graph has vectors of another model. In both cases the marks remain.
func (x *Index) Drain(ctx context.Context) error { return x.drain(ctx, nil) }

// drain is Drain; with rest, it works in the background: it pauses before each large batch, and after each batch for
// the batch's duration.
func (x *Index) drain(ctx context.Context, rest func(limit time.Duration)) error {
	const tries = 3 // attempts without progress; nodes may have changed meanwhile, or another process handles them
	for in := 0; x.embedder != nil; {
		marked, stored, took, err := x.embedBatch(ctx, rest)
		if err != nil || marked == 0 {
			return err
		}
		if in++; stored > 0 {
			in = 0
		}
		if in == tries {
			return apperr.New(apperr.Unavailable, "Cannot create vectors of new decisions").
				WithHint("Nomograph tries again; `get_index_status` shows how many decisions wait")
		}
		if rest != nil {
			rest(took)
		}
	}
	return nil
}

// embedBatch computes the vectors of one batch exclusively. It returns the number of marked nodes, the number of
// stored ones, and the duration.
func (x *Index) embedBatch(ctx context.Context, rest func(limit time.Duration)) (marked int, stored int64,
	took time.Duration, err error) {
	select {
	case x.turn <- struct{}{}:
		defer func() { <-x.turn }()
	case <-ctx.Done():
		return 0, 0, 0, graph.AsError(ctx.Err())
	}
	ctx = graph.InBackground(ctx)
	read := func() ([]source, error) {
		return graph.All[source](ctx, x.db, x.corpus.unindexed,
			graph.Params{"limit": batch, "cut": maxTextLength, "model": x.embedder.Model()})
	}
	all, err := read()
	if err == nil && rest != nil && len(all) > immediateTexts {
		rest(timeout)
		all, err = read() // nodes may have changed meanwhile
	}
	if err != nil || len(all) == 0 {
		return 0, 0, 0, err
	}
	started := time.Now()
	stored, err = x.store(ctx, all)
	return len(all), stored, time.Since(started), err
}

// CatchUp computes the vectors of an import. If that fails, the marks remain and a note says so.
func (x *Index) CatchUp(ctx context.Context) (note string, err error) {
	progress.Report(ctx, progress.Step{Message: "Creating vectors"})
	switch err := x.Drain(ctx); {
	case ctx.Err() != nil:
		return "", graph.AsError(ctx.Err())
	case err != nil:
		return "The vectors are not created yet, so search uses keywords only. The next server that starts creates them: " + apperr.From(err).Message, nil
	}
	return "", nil
}

// store computes and stores the vectors of marked nodes and removes the marks. A node that changed meanwhile keeps its
// mark.
func (x *Index) store(ctx context.Context, marked []source) (int64, error) {
	if err := x.checkModel(ctx, 0); err != nil { // check before calling an endpoint that costs money
		return 0, err
	}
	// Sorted, so that all processes lock nodes in the same order.
	slices.SortFunc(marked, func(a, b source) int { return cmp.Compare(a.UID, b.UID) })
	var stored int64
	for len(marked) > 0 {
		count, passages := 0, 0
		texts := make([][]map[string]string, 0, len(marked))
		for ; count < len(marked) && (count == 0 || passages < maxAtOne); count++ {
			texts = append(texts, marked[count].texts(x.corpus.plain))
			passages += len(texts[count])
		}
		rows, dimensions, err := x.rows(ctx, marked[:count], texts)
		if err != nil {
			return stored, err
		}
		written, err := graph.Append[struct{ Stored int64 }](ctx, x.db, x.corpus.store,
			graph.Params{"rows": rows, "model": x.embedder.Model(), "dimensions": dimensions})
		if err == nil && written.Stored > 0 && x.corpus.kept != nil {
			written, err = graph.Append[struct{ Stored int64 }](ctx, x.db, *x.corpus.kept,
				graph.Params{"rows": marks(marked[:count]), "model": x.embedder.Model(), "dimensions": dimensions})
		}
		if err == nil && written.Stored == 0 { // the nodes changed, another process was faster, or the dimensions differ
			err = x.checkModel(ctx, dimensions)
		}
		if err != nil {
			return stored, err
		}
		stored, marked = stored+written.Stored, marked[count:]
	}
	return stored, nil
}

// marks returns statement rows without vectors.
func marks(of []source) []any {
	return lists.Map(of, func(s source) any { return map[string]any{"uid": s.UID, "updated": s.Updated} })
}

// rows returns the parameters of the store statement for these texts, and the number of dimensions.
func (x *Index) rows(ctx context.Context, marked []source, of [][]map[string]string) ([]any, int, error) {
	var texts []string
	place := map[string]int{} // equal texts are embedded once
	for _, passages := range of {
		for _, sides := range passages {
			for _, text := range sides {
				if _, ok := place[text]; !ok && strings.TrimSpace(text) != "" {
					place[text] = len(texts)
					texts = append(texts, text)
				}
			}
		}
	}
	vectors, err := x.embed(ctx, texts)
	if err != nil {
		return nil, 0, err
	}
	dimensions := 0
	for _, v := range vectors {
		dimensions = max(dimensions, len(v))
	}
	if dimensions == 0 { // no known words, but a new graph needs the dimensions to create its index
		if dimensions, err = x.dimensions(ctx); err != nil {
			return nil, 0, err
		}
	}
	rows := make([]any, len(marked))
	for i, s := range marked {
		made := []any{}
		for _, texts := range of[i] {
			sides, packed := map[string]any{}, any(nil)
			for side, text := range texts {
				if at, ok := place[text]; ok && vectors[at] != nil {
					sides[side] = numbers(vectors[at])
					if side == "text" && !x.corpus.plain {
						packed = PackVector(vectors[at])
					}
				}
			}
			if len(sides) > 0 {
				made = append(made, map[string]any{"uid": uid.New(), "vectors": sides, "packed": packed})
			}
		}
		rows[i] = map[string]any{"uid": s.UID, "updated": s.Updated, "passages": made}
	}
	return rows, dimensions, nil
}

// embed calls the embedder and records whether it answers.
func (x *Index) embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := x.embedder.Embed(ctx, texts)
	if err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) { // cancellation says nothing about the embedder
			x.suspend(minBackoff)
		}
		return nil, apperr.From(err)
	}
	x.away.Store(0)
	return vectors, nil
}

// suspend suspends calls to the embedder for wait. Searches use keywords meanwhile.
func (x *Index) suspend(wait time.Duration) { x.away.Store(time.Now().Add(wait).UnixNano()) }

// dimensions returns the number of dimensions of the embedder's vectors.
func (x *Index) dimensions(ctx context.Context) (int, error) {
	vectors, err := x.embed(ctx, []string{"dimensions"})
	if err != nil {
		return 0, err
	}
	return len(vectors[0]), nil
}

// checkModel returns a conflict if vectors of the embedder with this number of dimensions (0 means any) do not match
// the graph.
func (x *Index) checkModel(ctx context.Context, dimensions int) error {
	if x.corpus.upkeep == nil {
		return nil
	}
	state, err := graph.One[state](ctx, x.db, x.corpus.upkeep.state, nil)
	if err != nil || state.holds(x.embedder.Model(), dimensions) {
		return err
	}
	return apperr.Newf(apperr.Conflict, "The graph has vectors of the model %s with %d dimensions, but the embedder is %s",
		state.Model, state.Dimensions, x.embedder.Model()).
		WithHint("Run `rebuild_index`, or configure the embedder that made them")
}

// numbers converts a vector for Bolt.
func numbers(v []float32) []float64 {
	return lists.Map(v, func(x float32) float64 { return float64(x) })
}

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
	"nomograph/internal/progress"
	"nomograph/internal/uid"
)

const (
	batch    = 256 // decisions whose vectors are made at once
	maxAtOne = 512 // passages whose vectors one statement keeps, unless a single text has more
)

// source is what the vectors of a decision are made from. Updated tells whether it has changed since.
type source struct{ UID, Updated, Decision, Context, Terms, Structure, Function string }

// texts gives for each passage the texts of its vectors: of each, what it says; of the first also what the decision looks like
// (itself, where nobody said), and what it is for.
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

// Drain makes all vectors that are missing, now. It returns an unavailable fault where the embedder or the database does
// not answer, and a conflict where the graph's vectors are another model's; the marks stay then.
func (x *Index) Drain(ctx context.Context) error { return x.drain(ctx, nil) }

// drain is Drain for work that nobody waits for, where there is a rest: before a batch of many, and after each for as long as it took.
func (x *Index) drain(ctx context.Context, rest func(most time.Duration)) error {
	const tries = 3 // of what stays as it is: it may have changed meanwhile, or be another process's turn
	for in := 0; x.embedder != nil; {
		marked, stored, took, err := x.some(ctx, rest)
		if err != nil || marked == 0 {
			return err
		}
		if in++; stored > 0 {
			in = 0
		}
		if in == tries {
			return apperr.New(apperr.Unavailable, "Cannot create vectors of new decisions").WithHint("Nomograph tries again; `get_index_status` counts them")
		}
		if rest != nil {
			rest(took)
		}
	}
	return nil
}

// some makes the vectors of a batch, alone. It tells how many were marked, of how many they are kept, and how long that took.
func (x *Index) some(ctx context.Context, rest func(most time.Duration)) (marked int, stored int64, took time.Duration, err error) {
	select {
	case x.turn <- struct{}{}:
		defer func() { <-x.turn }()
	case <-ctx.Done():
		return 0, 0, 0, graph.AsError(ctx.Err())
	}
	ctx = graph.InBackground(ctx)
	read := func() ([]source, error) {
		return graph.All[source](ctx, x.db, x.corpus.unindexed, graph.Params{"limit": batch, "cut": maxTextLength, "model": x.embedder.Model()})
	}
	all, err := read()
	if err == nil && rest != nil && len(all) > few {
		rest(timeout)
		all, err = read() // what was changed meanwhile as it is now
	}
	if err != nil || len(all) == 0 {
		return 0, 0, 0, err
	}
	started := time.Now()
	stored, err = x.store(ctx, all)
	return len(all), stored, time.Since(started), err
}

// CatchUp makes the vectors of what an import wrote. Where they cannot be made now, the marks stay, and it says so in a note.
func (x *Index) CatchUp(ctx context.Context) (note string, err error) {
	progress.Report(ctx, progress.Step{Message: "making vectors"})
	switch err := x.Drain(ctx); {
	case ctx.Err() != nil:
		return "", graph.AsError(ctx.Err())
	case err != nil:
		return "The vectors are not made yet, so search goes by words; the next server that starts makes them: " + apperr.From(err).Message, nil
	}
	return "", nil
}

// store makes and keeps the vectors of marked decisions and takes their marks away. One that has changed meanwhile keeps
// its mark.
func (x *Index) store(ctx context.Context, marked []source) (int64, error) {
	if err := x.ours(ctx, 0); err != nil { // before an endpoint is paid for nothing
		return 0, err
	}
	// Sorted, so that two processes lock in one order.
	slices.SortFunc(marked, func(a, b source) int { return cmp.Compare(a.UID, b.UID) })
	var stored int64
	for len(marked) > 0 {
		some, passages := 0, 0
		texts := make([][]map[string]string, 0, len(marked))
		for ; some < len(marked) && (some == 0 || passages < maxAtOne); some++ {
			texts = append(texts, marked[some].texts(x.corpus.plain))
			passages += len(texts[some])
		}
		rows, dimensions, err := x.rows(ctx, marked[:some], texts)
		if err != nil {
			return stored, err
		}
		kept, err := graph.Append[struct{ Stored int64 }](ctx, x.db, x.corpus.store,
			graph.Params{"rows": rows, "model": x.embedder.Model(), "dimensions": dimensions, "filtered": x.filtered(ctx)})
		if err == nil && kept.Stored > 0 && x.corpus.kept != nil {
			kept, err = graph.Append[struct{ Stored int64 }](ctx, x.db, *x.corpus.kept, graph.Params{"rows": marks(marked[:some])})
		}
		if err == nil && kept.Stored == 0 { // they changed, another process was quicker, or the dimensions are not the graph's
			err = x.ours(ctx, dimensions)
		}
		if err != nil {
			return stored, err
		}
		stored, marked = stored+kept.Stored, marked[some:]
	}
	return stored, nil
}

// marks are rows of decisions without their vectors.
func marks(of []source) []any {
	rows := make([]any, len(of))
	for i, s := range of {
		rows[i] = map[string]any{"uid": s.UID, "updated": s.Updated}
	}
	return rows
}

// rows gives what VectorsStore keeps of the decisions with these texts, and the length of the vectors.
func (x *Index) rows(ctx context.Context, marked []source, of [][]map[string]string) ([]any, int, error) {
	var texts []string
	place := map[string]int{} // the same text is embedded once
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
	if dimensions == 0 { // no words at all, but the graph may be new and its index be made now
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

// embed asks the embedder and remembers whether it answers.
func (x *Index) embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := x.embedder.Embed(ctx, texts)
	if err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) { // nobody waits any more, which says nothing about the embedder
			x.leave(minWait)
		}
		return nil, apperr.From(err)
	}
	x.away.Store(0)
	return vectors, nil
}

// leave lets the embedder alone for a while; searches go by keyword.
func (x *Index) leave(wait time.Duration) { x.away.Store(time.Now().Add(wait).UnixNano()) }

// dimensions gives the length of the embedder's vectors.
func (x *Index) dimensions(ctx context.Context) (int, error) {
	vectors, err := x.embed(ctx, []string{"dimensions"})
	if err != nil {
		return 0, err
	}
	return len(vectors[0]), nil
}

// ours returns a conflict unless vectors of the embedder, and of so many dimensions (0: any), may stand in the graph.
func (x *Index) ours(ctx context.Context, dimensions int) error {
	if x.corpus.upkeep == nil {
		return nil
	}
	state, err := graph.One[state](ctx, x.db, x.corpus.upkeep.state, nil)
	if err != nil || state.holds(x.embedder.Model(), dimensions) {
		return err
	}
	return apperr.Newf(apperr.Conflict, "The graph has vectors of the model %s with %d dimensions, but the embedder is %s",
		state.Model, state.Dimensions, x.embedder.Model()).WithHint("Run `rebuild_index`, or configure the embedder that made them")
}

// numbers are a vector's as Bolt takes them.
func numbers(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

// filtered tells whether the server has an index that leaves out, inside itself, what a filter does not let through.
func (x *Index) filtered(ctx context.Context) bool {
	server, err := x.db.Connect(ctx)
	return err == nil && server.Capabilities.SearchInIndex && !x.corpus.plain
}

package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph"
	"nomograph/progress"
)

// batch is how many decisions have their vectors made and stored at once.
const batch = 256

// source is what the vectors of a decision are made from. Updated tells whether it has changed since.
type source struct{ UID, Updated, Decision, Context, Terms, Structure, Function string }

// texts gives the text of each side: what the whole says, what it looks like (the decision itself where nobody said), and
// what it is for.
func (s source) texts() map[string]string {
	return map[string]string{
		"text":      strings.Join([]string{s.Decision, s.Context, s.Terms}, "\n"),
		"structure": cmp.Or(strings.TrimSpace(s.Structure), s.Decision),
		"function":  s.Function,
	}
}

// Drain makes all vectors that are missing, now. It returns an unavailable fault where the embedder or the database does
// not answer, and a conflict where the graph's vectors are another model's; the marks stay then.
func (x *Index) Drain(ctx context.Context) error {
	if x.embedder == nil {
		return nil
	}
	select {
	case x.turn <- struct{}{}:
		defer func() { <-x.turn }()
	case <-ctx.Done():
		return graph.Fault(ctx.Err())
	}
	const tries = 3 // of what stays as it is: it may have changed meanwhile, or be another process's turn
	for in := 0; ; {
		marked, err := graph.All[source](ctx, x.db, cypher.Unindexed, graph.Params{"limit": batch, "cut": mostText})
		if err != nil || len(marked) == 0 {
			return err
		}
		stored, err := x.store(ctx, marked)
		if err != nil {
			return err
		}
		if in++; stored > 0 {
			in = 0
		}
		if in == tries {
			return fault.New(fault.Unavailable, "Decisions that are marked could not be given vectors").WithHint("They keep their marks; `get_index_status` counts them")
		}
	}
}

// CatchUp makes the vectors of what an import wrote. Where they cannot be made now, the marks stay, and it says so in a note.
func (x *Index) CatchUp(ctx context.Context) (note string, err error) {
	progress.Report(ctx, progress.Step{Message: "making vectors"})
	switch err := x.Drain(ctx); {
	case ctx.Err() != nil:
		return "", graph.Fault(ctx.Err())
	case err != nil:
		return "The vectors are not made yet, so search goes by words; the next `nomograph serve` makes them: " + fault.From(err).Message, nil
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
	rows, dimensions, err := x.rows(ctx, marked)
	if err != nil {
		return 0, err
	}
	kept, err := graph.Append[struct{ Stored int64 }](ctx, x.db, cypher.VectorsStore,
		graph.Params{"rows": rows, "model": x.embedder.Model(), "dimensions": dimensions})
	if err == nil && kept.Stored == 0 { // they changed, another process was quicker, or the dimensions are not the graph's
		err = x.ours(ctx, dimensions)
	}
	return kept.Stored, err
}

// rows gives what VectorsStore keeps, and the length of the vectors.
func (x *Index) rows(ctx context.Context, marked []source) ([]any, int, error) {
	var texts []string
	place := map[string]int{} // the same text is embedded once
	for _, s := range marked {
		for _, text := range s.texts() {
			if text = cut(text); strings.TrimSpace(text) != "" {
				if _, had := place[text]; !had {
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
		sides := map[string]any{}
		for side, text := range s.texts() {
			if at, ok := place[cut(text)]; ok && vectors[at] != nil {
				sides[side] = numbers(vectors[at])
			}
		}
		rows[i] = map[string]any{"uid": s.UID, "updated": s.Updated, "embedding": uuid.Must(uuid.NewV7()).String(), "vectors": sides}
	}
	return rows, dimensions, nil
}

// embed asks the embedder and remembers whether it answers.
func (x *Index) embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors, err := x.embedder.Embed(ctx, texts)
	if err != nil {
		if !errors.Is(ctx.Err(), context.Canceled) { // nobody waits any more, which says nothing about the embedder
			x.leave(shortestWait)
		}
		return nil, fault.From(err)
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
	state, err := graph.One[state](ctx, x.db, cypher.SearchState, nil)
	if err != nil || state.holds(x.embedder.Model(), dimensions) {
		return err
	}
	return fault.Newf(fault.Conflict, "The graph's vectors are those of the model %s with %d dimensions, and the embedder is %s",
		state.Model, state.Dimensions, x.embedder.Model()).WithHint("Run `rebuild_index`, or set the embedder that made them")
}

// numbers are a vector's as Bolt takes them.
func numbers(v []float32) []float64 {
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = float64(x)
	}
	return out
}

package search

import (
	"cmp"
	"context"
	"slices"

	"nomograph/graph"
)

// Prepare computes the vectors of texts before the transaction that stores them (see Store), each nil or a list of the
// passages' vectors. It does so only for the built-in embedder. Other embedders may be slow or unavailable, so the
// background worker calls them later.
func (x *Index) Prepare(ctx context.Context, texts []string) ([]any, error) {
	made := make([]any, len(texts))
	if !x.builtin() || len(texts) == 0 {
		return made, nil
	}
	sources, passages := make([]source, len(texts)), make([][]map[string]string, len(texts))
	for i, text := range texts {
		sources[i].Context = text
		passages[i] = sources[i].texts(x.corpus.plain)
	}
	rows, _, err := x.rows(ctx, sources, passages)
	for i, row := range rows {
		made[i] = row.(map[string]any)["passages"]
	}
	return made, err
}

// Store stores prepared vectors and removes the marks of their texts, which the same transaction created. rows are
// {uid, updated, passages}; updated is the version of the text in the mark, and passages are from Prepare. The marks
// remain if the graph has vectors of another model.
func (x *Index) Store(ctx context.Context, tx *graph.Tx, rows []any) error {
	if len(rows) == 0 {
		return nil
	}
	slices.SortFunc(rows, func(a, b any) int {
		return cmp.Compare(graph.Text(a.(map[string]any), "uid"), graph.Text(b.(map[string]any), "uid"))
	})
	return tx.Run(ctx, x.corpus.store,
		graph.Params{"rows": rows, "model": x.embedder.Model(), "dimensions": table().dimensions})
}

package search

import (
	"cmp"
	"context"
	"slices"

	"nomograph/graph"
)

// PreparedVectors holds the vectors of a text that is not in the graph yet.
type PreparedVectors struct {
	passages   any // statement parameter; nil if the background worker must compute the vectors
	dimensions int
}

// StoredVectors is a stored text with its vectors. Updated is the version of the text in the mark that requests the
// vectors.
type StoredVectors struct {
	UID, Updated string
	Vectors      PreparedVectors
}

// Prepare computes the vectors of texts before the transaction that stores them (see Store). It does so only for the
// built-in embedder. Other embedders may be slow or unavailable, so the background worker calls them later.
func (x *Index) Prepare(ctx context.Context, texts []string) ([]PreparedVectors, error) {
	made := make([]PreparedVectors, len(texts))
	if !x.builtin() || len(texts) == 0 {
		return made, nil
	}
	sources, passages := make([]source, len(texts)), make([][]map[string]string, len(texts))
	for i, text := range texts {
		sources[i].Context = text
		passages[i] = sources[i].texts(x.corpus.plain)
	}
	rows, dimensions, err := x.rows(ctx, sources, passages)
	if err != nil {
		return nil, err
	}
	for i, row := range rows {
		made[i] = PreparedVectors{row.(map[string]any)["passages"], dimensions}
	}
	return made, nil
}

// Store stores prepared vectors and removes the marks of their texts, which the same transaction created. The marks
// remain if the graph has vectors of another model, or if the vectors were not prepared.
func (x *Index) Store(ctx context.Context, tx *graph.Tx, texts []StoredVectors) error {
	rows, dimensions := []any{}, 0
	slices.SortFunc(texts, func(a, b StoredVectors) int { return cmp.Compare(a.UID, b.UID) })
	for _, text := range texts {
		if text.Vectors.passages == nil {
			continue
		}
		rows, dimensions = append(rows, map[string]any{"uid": text.UID, "updated": text.Updated,
			"passages": text.Vectors.passages}), text.Vectors.dimensions
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.Run(ctx, x.corpus.store, graph.Params{"rows": rows, "model": x.embedder.Model(), "dimensions": dimensions})
}

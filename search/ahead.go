package search

import (
	"cmp"
	"context"
	"slices"

	"nomograph/graph"
)

// PreparedVectors are the vectors of a text that is not in the graph yet.
type PreparedVectors struct {
	passages   any // as the statement takes them; nil: they are made later, from the mark
	dimensions int
}

// StoredVectors is a text that is kept with its vectors. Updated is what its mark says of it.
type StoredVectors struct {
	UID, Updated string
	Vectors      PreparedVectors
}

// Prepare makes the vectors of texts, for whoever keeps them in the transaction in which it keeps the texts (Keep). Only the built-in embedder's
// are made ahead: another may be slow, or away, and a text does not wait for it.
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

// Store keeps vectors that were made ahead, and takes the marks of their texts away, which the transaction has made. Where the graph's vectors
// are another model's, or vectors were not made, the marks stay.
func (x *Index) Store(ctx context.Context, tx *graph.Tx, texts []StoredVectors) error {
	rows, dimensions := []any{}, 0
	slices.SortFunc(texts, func(a, b StoredVectors) int { return cmp.Compare(a.UID, b.UID) })
	for _, text := range texts {
		if text.Vectors.passages == nil {
			continue
		}
		rows, dimensions = append(rows, map[string]any{"uid": text.UID, "updated": text.Updated, "passages": text.Vectors.passages}), text.Vectors.dimensions
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.Run(ctx, x.corpus.store, graph.Params{"rows": rows, "model": x.embedder.Model(), "dimensions": dimensions, "filtered": false})
}

package search

import (
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"nomograph/graph"
)

// maxExact is the maximum number of decisions that a filter may match for an exact comparison of all vectors.
const maxExact = 1000

// exactly compares all vectors that match Lucene clauses, unless there are too many.
func (s *search) exactly(ctx context.Context, clauses string, params graph.Params) (rows, error) {
	exact := maps.Clone(params)
	exact["query"], exact["side"], exact["most"] = clauses+unretracted, s.Side, maxExact
	all, err := graph.One[rows](ctx, s.db, s.corpus.ofFacets, exact)
	if err != nil {
		return rows{}, indexError("full-text", err)
	}
	all.Hits = s.rankCompared(all.Hits, params["limit"].(int))
	return all, nil
}

// rankCompared returns the best hits, each once with its best passage. It computes the score of rows that contain
// packed vectors.
func (s *search) rankCompared(left []any, limit int) []any {
	best := make(map[any][]any, len(left))
	for _, one := range left {
		row := one.([]any) // as returned by the statements
		if packed, ok := row[1].([]byte); ok {
			if cosine, comparable := productPacked(s.vector, packed); comparable {
				row[1] = (1 + cosine) / 2
			}
		}
		if _, scored := row[1].(float64); !scored { // different dimensions, or a value edited by hand
			continue
		}
		if had := best[row[0]]; had == nil || had[1].(float64) < row[1].(float64) {
			best[row[0]] = row
		}
	}
	hits := make([]any, 0, len(best))
	for row := range maps.Values(best) {
		hits = append(hits, row)
	}
	slices.SortFunc(hits, compareHits)
	return hits[:min(len(hits), limit)]
}

// compareHits is the order of hits [uid, score]: descending score, then uid, as in the statements.
func compareHits(a, b any) int {
	left, right := a.([]any), b.([]any)
	return cmp.Or(cmp.Compare(right[1].(float64), left[1].(float64)), cmp.Compare(left[0].(string), right[0].(string)))
}

// PackVector encodes a vector as little-endian IEEE 754 numbers of four bytes.
func PackVector(v []float32) []byte {
	packed := make([]byte, 0, 4*len(v))
	for _, x := range v {
		packed = binary.LittleEndian.AppendUint32(packed, math.Float32bits(x))
	}
	return packed
}

// productPacked returns the cosine similarity of a normalized vector and a packed one. It returns false if their
// dimensions differ.
func productPacked(v []float64, packed []byte) (cosine float64, comparable bool) {
	if len(packed) != 4*len(v) {
		return 0, false
	}
	for i, x := range v {
		cosine += x * float64(math.Float32frombits(binary.LittleEndian.Uint32(packed[4*i:])))
	}
	return cosine, true
}

// measure sets the cosine similarity of full-text hits from the vectors that the query returned.
func (s *search) measure(hits []Hit, read []map[string]any) {
	if s.vector == nil {
		return
	}
	packed := make(map[any][]any, len(read))
	for _, row := range read {
		packed[row["uid"]], _ = row["packed"].([]any)
	}
	for i := range hits {
		for _, one := range packed[hits[i].UID] {
			bytes, _ := one.([]byte)
			cosine, comparable := productPacked(s.vector, bytes)
			if comparable && (hits[i].Semantic == nil || *hits[i].Semantic < cosine) {
				distance := 1 - cosine
				hits[i].Semantic, hits[i].Distance = &cosine, &distance
			}
		}
	}
}

// measureLinked sets the cosine similarity of hits that were reached only over links.
func (s *search) measureLinked(ctx context.Context, hits []Hit) error {
	uids := []string{}
	for _, hit := range hits {
		if hit.Semantic == nil {
			uids = append(uids, hit.UID)
		}
	}
	if len(uids) == 0 || s.vector == nil {
		return nil
	}
	read, err := s.readDecisions(ctx, uids)
	s.measure(hits, read)
	return err
}

// readDecisions reads decisions as full text does, for hits that it did not return.
func (s *search) readDecisions(ctx context.Context, uids []string) ([]map[string]any, error) {
	params := s.params(0)
	params["uids"] = uids
	rows, err := graph.All[struct{ Read map[string]any }](ctx, s.db, s.corpus.read, params)
	read := make([]map[string]any, len(rows))
	for i, row := range rows {
		read[i] = row.Read
	}
	return read, err
}

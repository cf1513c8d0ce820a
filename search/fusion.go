package search

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"

	"nomograph/graph"
)

// fusionConstant is the constant k of reciprocal rank fusion (Cormack, Clarke and Büttcher 2009). They recommend 60
// for many rankings. With two rankings of different quality, agreement on low ranks would then outweigh a clear first
// place.
const fusionConstant = 10

// Weights of the vector ranking. The built-in embedder ranks less well than full text; the model of an endpoint
// ranks as well.
const (
	builtinWeight  = 0.2
	endpointWeight = 1.0
)

// Parameters for links. Each of the best minLiftRank hits adds to the scores of linked decisions. The amount is
// linkWeight times its score, divided by the square root of the number of its links (at most maxLinksFollowed).
// Measured (decision
// 0056): `go run ./bench -only finding`.
const (
	minLiftRank      = 20
	maxLinksFollowed = 30
	linkWeight       = 0.4
)

// exactMatchCosine is the minimum cosine similarity at which a decision counts as equal to the question and ranks
// first.
const exactMatchCosine = 0.9

func (x *Index) builtin() bool { return x.embedder != nil && x.embedder.Model() == builtinModel }

func (x *Index) weight() float64 {
	if x.builtin() {
		return builtinWeight
	}
	return endpointWeight
}

// fuse merges two rankings by weighted reciprocal rank fusion. A decision equal to the question comes first.
func fuse(text, vector Results, weight float64) Results {
	byUID := map[string]*Hit{}
	for rank, hit := range text.Hits {
		hit.Score = 1 / float64(fusionConstant+rank+1)
		byUID[hit.UID] = &hit
	}
	for rank, hit := range vector.Hits {
		had := byUID[hit.UID]
		if had == nil {
			hit.Score = 0
			had = &hit
			byUID[hit.UID] = had
		}
		had.Semantic, had.Distance = hit.Semantic, hit.Distance
		had.Score += weight / float64(fusionConstant+rank+1)
	}
	found := Results{Hits: sortHits(byUID), Mode: Hybrid, Notes: append(text.Notes, vector.Notes...),
		Read: append(text.Read, vector.Read...), Texts: vector.Texts}
	if len(vector.Hits) > 0 && *vector.Hits[0].Semantic >= exactMatchCosine {
		found.Hits = withFirst(byUID, vector.Hits[0].UID)
	}
	return found
}

// withFirst returns the hit with this uid first, followed by the others in order.
func withFirst(byUID map[string]*Hit, uid string) []Hit {
	first := byUID[uid]
	delete(byUID, uid)
	rest := sortHits(byUID)
	if len(rest) > 0 {
		first.Score = max(first.Score, rest[0].Score)
	}
	return append([]Hit{*first}, rest...)
}

func sortHits(byUID map[string]*Hit) []Hit {
	hits := make([]Hit, 0, len(byUID))
	for hit := range maps.Values(byUID) {
		hits = append(hits, *hit)
	}
	slices.SortFunc(hits, func(a, b Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.UID, b.UID))
	})
	return hits
}

// liftLinked reorders the hits by their links. Linked decisions pass the same filter.
func (s *search) liftLinked(ctx context.Context, found Results) (Results, error) {
	linked := map[string][]string{}
	for _, row := range found.Read {
		if leads, ok := row["leads"].([]any); ok && len(leads) > 0 {
			linked[graph.Text(row, "uid")] = graph.Texts(leads)
		}
	}
	if len(found.Hits) == 0 || len(linked) == 0 {
		found.Hits = found.Hits[:min(len(found.Hits), s.Limit)]
		return found, nil
	}
	found.Hits = addLinked(found.Hits, linked)
	found.Hits = found.Hits[:min(len(found.Hits), s.Limit)]
	return found, s.measureLinked(ctx, found.Hits)
}

// addLinked adds linked decisions to hits, which must not be empty, and reorders them. The first hit stays first: a
// question with the text of a decision finds that decision, whatever the links.
func addLinked(hits []Hit, linked map[string][]string) []Hit {
	byUID := map[string]*Hit{}
	for _, hit := range hits {
		byUID[hit.UID] = &hit
	}
	for _, hit := range hits[:min(len(hits), minLiftRank)] {
		for _, to := range linked[hit.UID] {
			if byUID[to] == nil {
				byUID[to] = &Hit{UID: to, Linked: true}
			}
			byUID[to].Score += linkWeight * hit.Score / math.Sqrt(float64(len(linked[hit.UID])))
		}
	}
	return withFirst(byUID, hits[0].UID)
}

package search

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

const (
	// minimum candidates from a vector index; the index is approximate and can miss the nearest vector with fewer
	minWide      = 100
	fusedWide    = 40              // minimum in hybrid mode
	firstWide    = 10              // multiple of the limit for the first query with a filter
	maxWide      = 4000            // maximum candidates
	queryTimeout = 5 * time.Second // timeout for computing the question's vector, since the caller waits
)

// matchAll is the Lucene query that matches all documents.
const matchAll = "*:*"

// rows is the result of the search statements. Found is the number of candidates in the index, if known.
type rows struct {
	Model      string
	Dimensions int64
	Found      int64
	Passages   int64 // number of passages in the graph, returned by the full-text statements
	// [uid, score], for chunks also the session; in an exact comparison [uid, bytes] for a packed vector
	Hits []any
	Read []any
}

// byText queries the full-text index for up to limit hits. It asks for more candidates while fewer than enough pass the
// filter.
func (s *search) byText(ctx context.Context, limit, enough int) (Results, error) {
	found := Results{Hits: []Hit{}, Mode: Keyword}
	if s.Side != "both" && s.Mode == Keyword {
		found.Notes = append(found.Notes, "Keywords are searched in the whole text: a side of the bridge needs semantic or hybrid mode")
	}
	if len(s.words) == 0 {
		found.Notes = append(found.Notes, "The query has only words that full text leaves out, so no keyword was searched")
		return found, nil
	}
	params := s.params(limit)
	params["query"] = fullText(slices.Concat(s.words, compounds(cmp.Or(s.Words, s.Text))), s.clauses+unretracted,
		s.corpus.fields...)
	fetch, maximum := limit, limit
	if s.Filter.ranged() {
		fetch, maximum = min(max(minWide, firstWide*limit), maxWide), maxWide
	}
	got, looked, err := s.widen(ctx, s.corpus.byText, params, fetch, maximum, enough)
	if err != nil {
		return Results{}, indexError("full-text", err)
	}
	for _, hit := range got.hits() {
		score := hit.Score
		hit.Keyword = &score
		found.Hits = append(found.Hits, hit)
	}
	found.Texts, found.Read = got.Passages, got.read()
	s.measure(found.Hits, found.Read)
	if len(found.Hits) < enough && looked == maxWide {
		found.Notes = append(found.Notes, fmt.Sprintf("Of the best %d decisions with these words, %d passed the filter",
			looked, len(found.Hits)))
	}
	return found, nil
}

// byVector compares vectors: exactly if the filter matches few decisions, otherwise with the vector index. It returns a
// conflict if the graph has no comparable vectors.
func (s *search) byVector(ctx context.Context, limit, enough int) (Results, error) {
	params := s.params(limit)
	params["vector"] = s.vector
	wide := minWide
	if s.Mode == Hybrid {
		wide = cmp.Or(s.corpus.minWide, fusedWide)
	}
	fetch := max(wide, limit)
	if s.clauses != "" {
		got, err := s.exactly(ctx, s.clauses, params)
		if err != nil {
			return Results{}, err
		}
		if got.Found <= maxExact {
			return s.toCosine(got)
		}
		fetch = min(max(wide, firstWide*limit), maxWide)
	}
	params["index"], params["groups"] = s.corpus.vectors+"text", s.Filter.tokens()
	if s.Side != "both" {
		params["index"] = s.corpus.vectors + s.Side
	}
	got, looked, err := s.widen(ctx, s.corpus.byVector, params, fetch, maxWide, enough)
	if err != nil {
		return Results{}, indexError("vector", err)
	}
	if s.clauses == "" && got.Found <= int64(looked) && len(got.Hits) < enough && s.corpus.ofFacets.Name != "" {
		// In small indexes, the approximate graph search can miss a vector, because its links can pass through deleted
		// vectors. Its scores are approximate, too.
		if all, err := s.exactly(ctx, matchAll, params); err == nil { // if full text is unavailable, the result of the vector index remains
			got = all
		}
	}
	return s.result(got, looked, enough)
}

// result converts the result and notes if there may be further matches.
func (s *search) result(got rows, result, enough int) (Results, error) {
	found, err := s.toCosine(got)
	if err == nil && len(found.Hits) < enough && got.Found > int64(result) {
		found.Notes = append(found.Notes, fmt.Sprintf("Only the nearest %d were compared; %d passed the filter", result,
			len(found.Hits)))
	}
	return found, err
}

// widen repeats a query with more candidates, up to most, while fewer than enough pass the filter. It also returns the
// last number of candidates.
func (s *search) widen(ctx context.Context, statement cypher.Statement, params graph.Params, fetch, limit,
	enough int) (rows, int, error) {
	for {
		params["fetch"] = fetch
		got, err := graph.One[rows](ctx, s.db, statement, params)
		exhausted := got.Found > 0 && got.Found <= int64(fetch)
		if err != nil || len(got.Hits) >= enough || exhausted || fetch >= limit {
			return got, fetch, err
		}
		fetch = min(fetch*10, limit)
	}
}

func (s *search) params(limit int) graph.Params {
	f := s.Filter
	p := graph.Params{"limit": limit, "min_confidence": nullable(f.MinConfidence),
		"max_confidence": nullable(f.MaxConfidence), "after": nil, "before": nil, "cut": maxReadLength, "model": nil}
	if s.vector != nil {
		p["model"] = s.embedder.Model()
	}
	for name, bound := range map[string]*time.Time{"after": f.After, "before": f.Before} {
		if bound != nil {
			p[name] = graph.UTC(*bound)
		}
	}
	if s.corpus.reads {
		p["read"] = s.Read
	}
	if s.corpus.read.Name != "" {
		p["groups"], p["most"] = f.tokens(), 0
		if s.Mode == Hybrid {
			p["most"] = maxLinksFollowed
		}
	}
	if s.corpus.name == "" {
		p["atlases"] = nil
		if s.Within != nil {
			p["atlases"] = s.Within
		}
	}
	return p
}

func nullable[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

// toCosine converts the scores of a vector index, (1 + cosine) / 2, into cosine similarity and distance.
func (s *search) toCosine(got rows) (Results, error) {
	switch {
	case got.Model == "":
		return Results{}, apperr.Newf(apperr.Conflict, "No vectors for %s yet; searched by keyword only",
			s.corpus.things)
	case got.Model != s.embedder.Model() || got.Dimensions != int64(len(s.vector)):
		return Results{}, apperr.New(apperr.Conflict, rebuildNote)
	}
	found := Results{Hits: []Hit{}, Mode: Semantic}
	for _, hit := range got.hits() {
		cosine := 2*hit.Score - 1
		distance := 1 - cosine
		hit.Score, hit.Semantic, hit.Distance = cosine, &cosine, &distance
		found.Hits = append(found.Hits, hit)
	}
	found.Texts, found.Read = got.Found, got.read()
	return found, nil
}

func (r rows) read() []map[string]any {
	var read []map[string]any
	for _, one := range r.Read {
		if row, ok := one.(map[string]any); ok {
			read = append(read, row)
		}
	}
	return read
}

func (r rows) hits() []Hit {
	hits := make([]Hit, 0, len(r.Hits))
	for _, one := range r.Hits {
		if row, ok := one.([]any); ok && len(row) >= 2 {
			hit := Hit{}
			hit.UID, _ = row[0].(string)
			hit.Score, _ = row[1].(float64)
			if len(row) > 2 {
				hit.Group, _ = row[2].(string)
			}
			hits = append(hits, hit)
		}
	}
	return hits
}

// queryVector embeds a question. It does not call an embedder that failed recently.
func (x *Index) queryVector(ctx context.Context, text string) ([]float64, error) {
	if x.embedder == nil {
		return nil, apperr.New(apperr.Unavailable, "No embedder is configured").
			WithHint("Set embedder.kind to builtin or openai")
	}
	if x.embedderDown() {
		return nil, apperr.New(apperr.Unavailable, "The embedder does not answer").
			WithHint("Check embedder.url and the service")
	}
	short, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	texts := []string{cut(text)}
	if !x.builtin() && x.spread.Load() == nil {
		texts = append(texts, unrelatedTexts...)
	}
	vectors, err := x.embed(short, texts)
	if err != nil {
		return nil, err
	}
	if len(texts) > 1 {
		its := spreadOf(vectors[1:])
		x.spread.Store(&its)
	}
	if vectors[0] == nil {
		return nil, apperr.New(apperr.Unavailable, "The embedder knows none of the words in the query")
	}
	return numbers(vectors[0]), nil
}

func (x *Index) embedderDown() bool { return time.Now().UnixNano() < x.away.Load() }

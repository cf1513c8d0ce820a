package search

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
)

const (
	minWide      = 100             // what the vector index is asked for: it is approximate, and may miss the nearest where it is asked for few
	fusedWide    = 40              // likewise where full text finds, too
	firstWide    = 10              // times the limit: what an index is asked for first where a filter throws away nobody knows how much of it
	spare        = 1.5             // times what should do, where it is known: the next question may have fewer near
	maxWide      = 4000            // and at most
	queryTimeout = 5 * time.Second // for the vector of a question: a person waits
)

// everything is the Lucene query that leaves all.
const everything = "*:*"

// rows is what each of the three statements answers with. Found is how many there are to look at, where that is known.
type rows struct {
	Model      string
	Dimensions int64
	Found      int64
	Passed     int64 // of those that the vector index gave
	Filtered   bool  // whether the vectors have the facets of a filtered index
	Hits       []any // [uid, score], of a chunk also its session; of what a filter leaves, [uid, bytes] where the vector is packed
	Read       []any
	Led        []any // [uid, uids], of the best that full text found: what each is linked with
}

// byText asks the full text index for the best, up to limit; with fewer than enough it asks again.
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
	params["query"] = fullText(s.words, s.clauses+unretracted, s.corpus.fields...)
	params["cut"], params["model"] = maxReadLength, nil
	if s.vector != nil {
		params["model"] = s.embedder.Model()
	}
	if s.corpus.linked {
		params["groups"], params["most"], params["lifting"] = s.Filter.tokens(), maxLeads, 0
		if s.Mode == Hybrid {
			params["lifting"] = lifting
		}
	}
	fetch, most := limit, limit
	if s.Filter.ranged() {
		fetch, most = min(max(minWide, firstWide*limit), maxWide), maxWide
	}
	got, looked, err := s.widen(ctx, ofText, s.corpus.byText, params, fetch, most, enough)
	if err != nil {
		return Results{}, unanswered("full-text", err)
	}
	for _, hit := range got.hits() {
		score := hit.Score
		hit.Keyword = &score
		found.Hits = append(found.Hits, hit)
	}
	found.Read = got.read()
	s.measure(found.Hits, found.Read)
	found.led = leads(got.Led)
	if len(found.Hits) < enough && looked == maxWide {
		found.Notes = append(found.Notes, fmt.Sprintf("Of the decisions with these words, at most the best %d, %d passed the filter", looked, len(found.Hits)))
	}
	return found, nil
}

// byVector compares vectors: exactly, where the filter leaves few decisions, else by the vector index. It returns a
// conflict where the graph has no vectors that can be compared.
func (s *search) byVector(ctx context.Context, limit, enough int) (Results, error) {
	params := s.params(limit)
	params["vector"], params["model"] = s.vector, s.embedder.Model()
	wide := minWide
	if s.Mode == Hybrid {
		wide = cmp.Or(s.corpus.wide, fusedWide)
	}
	fetch, known := max(wide, limit), false
	if left, counted := s.left.Get(everything); s.clauses == "" && counted && left <= int64(fetch) {
		// Few, when they were last counted: the index would be asked first, and then all be compared all the same.
		if got, err := s.exactly(ctx, everything, params); err == nil && got.Found <= int64(fetch) {
			return s.nearest(got)
		}
	}
	if low, high, some := s.Filter.bounds(); some && s.Side == "both" && s.filtered(ctx) {
		params["low"], params["high"], params["groups"] = low, high, s.Filter.tokens()
		got, looked, err := s.widen(ctx, ofVector, cypher.DecisionsByVectorFiltered, params, fetch, maxWide, enough)
		if err == nil && got.Filtered {
			return s.looked(got, looked, enough)
		}
		delete(params, "low")
		delete(params, "high")
	}
	if s.clauses != "" {
		var share float64
		share, known = s.shares.Get(s.clauses)
		if !known {
			got, err := s.exactly(ctx, s.clauses, params)
			if err != nil {
				return Results{}, err
			}
			if got.Found <= maxExact {
				return s.nearest(got)
			}
			share = spare / firstWide
		}
		fetch = min(max(wide, int(spare*float64(limit)/share)), maxWide)
	}
	params["index"], params["groups"] = s.corpus.vectors+"text", s.Filter.tokens()
	if s.Side != "both" {
		params["index"] = s.corpus.vectors + s.Side
	}
	got, looked, err := s.widen(ctx, ofVector, s.corpus.byVector, params, fetch, maxWide, enough)
	if err != nil {
		return Results{}, unanswered("vector", err)
	}
	switch {
	case s.clauses == "" && got.Found <= int64(looked) && len(got.Hits) < enough && s.corpus.ofFacets.Name != "":
		// Among few the index may miss one: it walks from vector to vector, also over removed ones, and they need not lead everywhere.
		if all, err := s.exactly(ctx, everything, params); err == nil { // else full text is away, and the index's answer stands
			got = all
		}
	case s.clauses == "":
	case got.Passed >= int64(enough):
		s.shares.Add(s.clauses, float64(got.Passed)/float64(looked))
	case known: // the graph is another by now
		s.shares.Remove(s.clauses)
		return s.byVector(ctx, limit, enough)
	}
	return s.looked(got, looked, enough)
}

// looked gives what was found among so many, and says where there may be more.
func (s *search) looked(got rows, looked, enough int) (Results, error) {
	found, err := s.nearest(got)
	if err == nil && len(found.Hits) < enough && got.Found > int64(looked) {
		found.Notes = append(found.Notes, fmt.Sprintf("Only the nearest %d were looked at, and %d passed the filter", looked, len(found.Hits)))
	}
	return found, err
}

// widen asks again for more, up to most, while fewer than enough pass the filter. It says how many the index was asked for.
func (s *search) widen(ctx context.Context, place int, statement cypher.Statement, params graph.Params, fetch, most, enough int) (rows, int, error) {
	for {
		params["fetch"] = fetch
		got, err := s.one(ctx, place, statement, params)
		exhausted := got.Found > 0 && got.Found <= int64(fetch)
		if err != nil || len(got.Hits) >= enough || exhausted || fetch >= most {
			return got, fetch, err
		}
		fetch = min(fetch*10, most)
	}
}

func (s *search) params(limit int) graph.Params {
	p := graph.Params{"limit": limit, "min_confidence": nil, "max_confidence": nil, "after": nil, "before": nil}
	if s.corpus.reads {
		p["read"] = s.Read
		if s.corpus.says != nil {
			p["read"] = maxLimit
		}
	}
	if s.corpus.name == "" {
		p["atlases"] = nil
		if s.Within != nil {
			p["atlases"] = s.Within
		}
	}
	if f := s.Filter; f.ranged() {
		if f.MinConfidence != nil {
			p["min_confidence"] = *f.MinConfidence
		}
		if f.MaxConfidence != nil {
			p["max_confidence"] = *f.MaxConfidence
		}
		if f.After != nil {
			p["after"] = graph.UTC(*f.After)
		}
		if f.Before != nil {
			p["before"] = graph.UTC(*f.Before)
		}
	}
	return p
}

// nearest turns the score of a vector index, (1 + cos) / 2, into cosine and distance.
func (s *search) nearest(got rows) (Results, error) {
	switch {
	case got.Model == "":
		return Results{}, apperr.Newf(apperr.Conflict, "No vectors for %s yet; searched by keyword only", s.corpus.things)
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
	found.Read = got.read()
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

// queryVector embeds a question. While the embedder is known to be away it is not asked.
func (x *Index) queryVector(ctx context.Context, text string) ([]float64, error) {
	if x.embedder == nil {
		return nil, apperr.New(apperr.Unavailable, "No embedder is configured").WithHint("Set embedder.kind to builtin or openai")
	}
	if x.isAway() {
		return nil, apperr.New(apperr.Unavailable, "The embedder does not answer").WithHint("Check embedder.url and the service")
	}
	short, cancel := context.WithTimeout(ctx, queryTimeout)
	defer cancel()
	texts := []string{cut(text)}
	if !x.builtin() && x.spread.Load() == nil {
		texts = append(texts, unrelated...)
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
		return nil, apperr.New(apperr.Unavailable, "The embedder knows no word of the query")
	}
	return numbers(vectors[0]), nil
}

func (x *Index) isAway() bool { return time.Now().UnixNano() < x.away.Load() }

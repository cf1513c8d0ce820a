package search

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"unicode"

	"nomograph/graph"
	"nomograph/internal/apperr"
)

// Search modes.
const (
	Hybrid   = "hybrid"
	Semantic = "semantic"
	Keyword  = "keyword"
)

// Question is a search request.
type Question struct {
	Text    string
	Words   string // words for the full-text query; empty means Text
	Mode    string // Hybrid (default), Semantic or Keyword
	Side    string // vectors to compare: structure, function, or both (default), which is the whole text
	Limit   int    // 1 to 500; 0 means 10
	Deep    int    // results per index in hybrid mode; 0 means twice the limit, at least 20
	Read    int    // number of best chunks of the full-text query whose texts are returned
	Filter  Filter
	Nearest bool     // also return hits below the relevance threshold
	Within  []string // atlases of contexts; nil means all
}

// Hit is a decision, context or chunk that was found.
type Hit struct {
	UID      string
	Score    float64  // sort key: cosine similarity, BM25, or the fused score in hybrid mode
	Distance *float64 // cosine distance of the nearest passage, 0 to 2; nil without vectors
	Semantic *float64 // cosine similarity of the nearest passage; nil without vectors
	Group    string   // session uid of a chunk
	// BM25 score; nil if full text did not find it. In hybrid mode, Semantic and Keyword are nil for hits found only
	// over links
	Keyword *float64
	Linked  bool // found only over a link of a better hit, so it may say nothing about the question
}

// Results lists the hits, best first. Mode is the mode that was used; Notes explain why it differs from the request.
type Results struct {
	Hits  []Hit
	Mode  string
	Notes []string
	// texts of the best hits, as rows of their search statement; hits of both indexes occur twice
	Read  []map[string]any
	Texts int64 // number of passages that were searched
}

const (
	defaultLimit = 10
	maxLimit     = 500
	// minimum results per index for fusion, at least twice the limit: a low rank in one index can be a high rank in
	// the other
	minDeep = 20
)

// Search finds the nodes of the index that match a question. Without an available embedder, it searches by keyword and
// adds a note. It returns a validation_error for an empty text, an unknown mode or side, or an invalid limit.
func (x *Index) Search(ctx context.Context, q Question) (Results, error) {
	clauses, err := q.check()
	if err != nil {
		return Results{}, err
	}
	s := search{Index: x, Question: q, clauses: clauses, words: terms(cmp.Or(q.Words, q.Text))}
	if !strings.ContainsFunc(cut(q.Text), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return Results{Hits: []Hit{}, Mode: q.Mode, Notes: []string{"The query has no letter or digit, so nothing can be found"}}, nil
	}
	if x.corpus.textOf != nil && len(s.words) > 0 {
		if s.words = subject(s.words); len(s.words) == 0 {
			return Results{Hits: []Hit{}, Mode: q.Mode, Notes: []string{"The query has only words that every question has. Add a more specific word"}}, nil
		}
	}
	var notes []string
	if q.Mode != Keyword {
		if s.vector, err = x.queryVector(ctx, q.Text); err != nil {
			s.Mode, notes = Keyword, []string{apperr.From(err).Message + "; searched by keyword only"}
		}
	}
	found, err := s.run(ctx)
	if err != nil {
		return Results{}, err
	}
	found.Notes = append(notes, found.Notes...)
	return found, err
}

// check sets defaults and returns the filter as Lucene clauses.
func (q *Question) check() (clauses string, err error) {
	if strings.TrimSpace(q.Text) == "" {
		return "", apperr.New(apperr.Validation, "The query is empty").
			WithHint("Describe in a few words what to look for")
	}
	q.Mode, q.Side, q.Limit = cmp.Or(q.Mode, Hybrid), cmp.Or(q.Side, "both"), cmp.Or(q.Limit, defaultLimit)
	switch {
	case q.Mode != Hybrid && q.Mode != Semantic && q.Mode != Keyword:
		return "", apperr.Newf(apperr.Validation, "Unknown mode '%s'", q.Mode).
			WithHint("Use semantic, keyword or hybrid")
	case q.Side != "both" && q.Side != "structure" && q.Side != "function":
		return "", apperr.Newf(apperr.Validation, "Unknown side '%s'", q.Side).
			WithHint("Use structure, function or both")
	case q.Limit < 1 || q.Limit > maxLimit:
		return "", apperr.Newf(apperr.Validation, "The limit %d is not between 1 and %d", q.Limit, maxLimit).
			WithHint("Use a limit in this range")
	}
	return q.Filter.clauses()
}

// search is the state of one search.
type search struct {
	*Index
	Question
	clauses string
	words   []term
	vector  []float64
}

func (s *search) run(ctx context.Context) (Results, error) {
	switch s.Mode {
	case Keyword:
		found, err := s.byText(ctx, s.Limit, s.Limit)
		if err != nil {
			return Results{}, err
		}
		return s.onlyRelevant(ctx, found)
	case Semantic:
		found, err := s.byVector(ctx, s.Limit, s.Limit)
		if concernsOneIndex(err) {
			return s.byTextOnly(ctx, err)
		}
		if err != nil {
			return Results{}, err
		}
		return s.onlyRelevant(ctx, found)
	}
	depth := cmp.Or(s.Deep, max(2*s.Limit, minDeep))
	enough := min(s.Limit, (depth+1)/2) // several passages of a text become one hit
	var text, vector Results
	var textErr, vectorErr error
	var both sync.WaitGroup
	both.Go(func() { text, textErr = s.byText(ctx, depth, enough) })
	both.Go(func() { vector, vectorErr = s.byVector(ctx, depth, enough) })
	both.Wait()
	switch {
	case concernsOneIndex(vectorErr):
		return s.byTextOnly(ctx, vectorErr)
	case vectorErr != nil:
		return Results{}, vectorErr
	case concernsOneIndex(textErr):
		vector, err := s.onlyRelevant(ctx, vector)
		vector.Hits = vector.Hits[:min(len(vector.Hits), s.Limit)]
		vector.Notes = append([]string{apperr.From(textErr).Message + "; searched by vectors only"}, vector.Notes...)
		return vector, err
	case textErr != nil:
		return Results{}, textErr
	}
	found, err := s.onlyRelevant(ctx, fuse(text, vector, s.weight()))
	if err != nil {
		return Results{}, err
	}
	return s.liftLinked(ctx, found)
}

// concernsOneIndex reports whether an error concerns only one index, so that the other one can still answer.
func concernsOneIndex(err error) bool {
	return apperr.Is(err, apperr.Conflict) || graph.ProcedureFailed(err)
}

// indexError adds a hint to the error of an unavailable index.
func indexError(index string, err error) error {
	if !graph.ProcedureFailed(err) {
		return err
	}
	return apperr.Newf(apperr.Unavailable, "The %s index of decisions does not answer", index).
		WithHint("A server migrates the schema and recreates a dropped index when it starts").Because(err)
}

func (s *search) byTextOnly(ctx context.Context, because error) (Results, error) {
	s.Mode = Keyword
	found, err := s.byText(ctx, s.Limit, s.Limit)
	if err != nil {
		return Results{}, err
	}
	found.Notes = append([]string{apperr.From(because).Message}, found.Notes...)
	return s.onlyRelevant(ctx, found)
}

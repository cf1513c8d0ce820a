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

// The modes of a search.
const (
	Hybrid   = "hybrid"
	Semantic = "semantic"
	Keyword  = "keyword"
)

// Question is what to search for.
type Question struct {
	Text    string
	Words   string // what full text looks for; Text itself where empty
	Mode    string // Hybrid (also where empty), Semantic or Keyword
	Side    string // what vectors are compared: structure, function, or both (also where empty), which is the whole text
	Limit   int    // 1 to 500; 0 means 10
	Deep    int    // in hybrid mode: how many each of full text and vectors gives; 0 means twice the limit, and 20 at least
	Read    int    // of how many, of the first that are found, what they say comes with the answer: of chunks what full text finds, of contexts also what vectors do
	Filter  Filter
	Nearest bool // what is nearest, also where it is not relevant
	// Together has text and vectors searched in one statement instead of two at the same time, for callers that ask for more things meanwhile.
	// Decisions that only links led to then come without a cosine.
	Together bool
	Within   []string // of contexts: the atlases that they may be of; nil means any
}

// Hit is a decision, or a context, that was found.
type Hit struct {
	UID      string
	Score    float64  // what the order comes from: the cosine, BM25, or in hybrid mode what fusion.go makes of both
	Distance *float64 // cosine distance of the nearest passage, 0 to 2; absent without vectors
	Semantic *float64 // cosine similarity of the nearest passage, likewise
	Group    string   // of a chunk: the uid of its session
	Keyword  *float64 // BM25, where full text found it; in hybrid mode both are absent where only links led to it
}

// Results is the answer: the best first. Mode is what was really done, and Notes say why where that is not what was asked.
type Results struct {
	Hits  []Hit
	Mode  string
	Notes []string
	Read  []map[string]any    // what the first that were found say, as ChunksTold gives it, and ContextsMeant; what both found stands there twice
	led   map[string][]string // what the best that full text found are linked with, by uid
}

const (
	defaultLimit = 10
	maxLimit     = 500
	minDeep      = 20 // that a fusion sees of both lists, and twice the limit: what stands far down in one may be high in the other
)

// Search finds decisions. Without an embedder, or while it is away, it searches by keyword and says so. It returns a
// validation_error for an empty text, an unknown mode or side, or a limit out of bounds.
func (x *Index) Search(ctx context.Context, q Question) (Results, error) {
	clauses, err := q.check()
	if err != nil {
		return Results{}, err
	}
	s := search{Index: x, Question: q, clauses: clauses, words: terms(cmp.Or(q.Words, q.Text))}
	if !strings.ContainsFunc(cut(q.Text), func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
		return Results{Hits: []Hit{}, Mode: q.Mode, Notes: []string{"The query has no letter or digit, so nothing can be found"}}, nil
	}
	if x.corpus.says != nil && len(s.words) > 0 {
		if s.words = subject(s.words); len(s.words) == 0 {
			return Results{Hits: []Hit{}, Mode: q.Mode, Notes: []string{"The query has only words that every question has, so nothing can be found"}}, nil
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

// check completes the question and gives its filter as Lucene clauses.
func (q *Question) check() (clauses string, err error) {
	if strings.TrimSpace(q.Text) == "" {
		return "", apperr.New(apperr.Validation, "The query is empty").WithHint("Describe in a few words what to look for")
	}
	if q.Mode == "" {
		q.Mode = Hybrid
	}
	if q.Side == "" {
		q.Side = "both"
	}
	if q.Limit == 0 {
		q.Limit = defaultLimit
	}
	switch {
	case q.Mode != Hybrid && q.Mode != Semantic && q.Mode != Keyword:
		return "", apperr.Newf(apperr.Validation, "Unknown mode '%s'", q.Mode).WithHint("Use semantic, keyword or hybrid")
	case q.Side != "both" && q.Side != "structure" && q.Side != "function":
		return "", apperr.Newf(apperr.Validation, "Unknown side '%s'", q.Side).WithHint("Use structure, function or both")
	case q.Limit < 1 || q.Limit > maxLimit:
		return "", apperr.Newf(apperr.Validation, "The limit %d is not between 1 and %d", q.Limit, maxLimit).WithHint("Use a limit in this range")
	}
	return q.Filter.clauses()
}

// search is one question under way.
type search struct {
	*Index
	Question
	clauses string
	words   []term
	vector  []float64
	pair    *pair // of a hybrid search in one statement
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
		if oneSided(err) {
			return s.byTextOnly(ctx, err)
		}
		if err != nil {
			return Results{}, err
		}
		return s.onlyRelevant(ctx, found)
	}
	depth := cmp.Or(s.Deep, max(2*s.Limit, minDeep))
	enough := min(s.Limit, (depth+1)/2) // several passages of one text are one hit
	var text, vector Results
	var textErr, vectorErr error
	var both sync.WaitGroup
	if s.Together {
		s.pair = newPair()
	}
	both.Go(func() {
		defer s.pair.end(ctx, s.db, ofText)
		text, textErr = s.byText(ctx, depth, enough)
	})
	both.Go(func() {
		defer s.pair.end(ctx, s.db, ofVector)
		vector, vectorErr = s.byVector(ctx, depth, enough)
	})
	both.Wait()
	switch {
	case oneSided(vectorErr):
		return s.byTextOnly(ctx, vectorErr)
	case vectorErr != nil:
		return Results{}, vectorErr
	case oneSided(textErr):
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
	return s.lifted(ctx, found)
}

// oneSided tells whether a failure concerns one index alone, so that the other may still answer.
func oneSided(err error) bool { return apperr.Is(err, apperr.Conflict) || graph.ProcedureFailed(err) }

// unanswered says of an index that could not be asked what to do.
func unanswered(index string, err error) error {
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

// questionWords are the words that questions and requests are made of. They say nothing about the subject of a question, so a text that has only
// these in common with a question does not match it. Words that the full-text index drops (stopWords) are not repeated.
var questionWords = wordSet(`what when where who whom whose which why how did do does doing done has have had having am been being were can could would should may might must shall
	i me my mine we us our ours you your yours he him his she her hers its
	about from than so some any both between during after before again also just only very too
	tell show please remember recall find look give get got let know think want need use uses used using like make made
	decide decides decided decision decisions handle handles handled deal deals go goes going happen happens happened say says said explain mean means work works
	anything something everything nothing thing things way ways possible currently exactly best`)

// IsQuestionWord reports whether a word in lower case belongs to the wording of a question rather than to its subject: question words, pronouns,
// auxiliary verbs, and the words that the full-text index drops.
func IsQuestionWord(word string) bool { return questionWords[word] || stopWords[word] }

package recall

import (
	"cmp"
	"context"
	"slices"

	"nomograph/internal/apperr"
	"nomograph/internal/tokencount"
)

// Limits restricts a query and its result. Several operations share these arguments.
type Limits struct {
	Project   string `json:"project,omitempty" jsonschema:"project (default all); see list-projects" rule:"maxLength=200"`
	Agent     string `json:"agent,omitempty" jsonschema:"filter by agent" rule:"maxLength=200"`
	MaxTokens int    `json:"max_tokens,omitempty" jsonschema:"maximum number of tokens of the answer" rule:"minimum=100,maximum=100000"`
}

// RecallQuery asks for chunks about something.
type RecallQuery struct {
	Query string `json:"query" jsonschema:"what to look up in memory; be specific about what context you need" rule:"minLength=1,maxLength=20000"`
	Range string `json:"range,omitempty" jsonschema:"short favors recent context; long weighs all of history equally" rule:"enum=short|long,default=\"short\""`
	Limits
}

// ExplainQuery asks for the history of a topic.
type ExplainQuery struct {
	Topic string `json:"topic" jsonschema:"what to explain, such as why we chose React" rule:"minLength=1,maxLength=20000"`
	Range string `json:"range,omitempty" jsonschema:"short covers recent context, long the full history" rule:"enum=short|long,default=\"long\""`
	Limits
}

// PredictQuery asks for chunks that may be useful next.
type PredictQuery struct {
	Context string `json:"context" jsonschema:"current context or topic being discussed" rule:"minLength=1,maxLength=20000"`
	Limits
}

// SearchQuery asks for the best matches.
type SearchQuery struct {
	Query string `json:"query" jsonschema:"what to search for" rule:"minLength=1,maxLength=20000"`
	Limits
}

const (
	short = "short"
	long  = "long"
)

// Recall returns the chunks relevant to a query and those that precede them, best first. It returns a validation_error
// for a query without words, and a conflict for an ambiguous project.
func (s *Store) Recall(ctx context.Context, q RecallQuery) (Recalled, error) {
	answer, err := s.ask(ctx, request{text: q.Query, within: q.Limits, recent: cmp.Or(q.Range, short) == short,
		walks: true,
		how:   presentation{head: chunkHeading, whole: func(a Answer) string { return Recalled{a}.String() }}})
	return Recalled{answer}, err
}

// Explain is Recall in chronological order, with all times weighted equally by default.
func (s *Store) Explain(ctx context.Context, q ExplainQuery) (Recalled, error) {
	answer, err := s.ask(ctx, request{text: q.Topic, within: q.Limits, recent: cmp.Or(q.Range, long) == short,
		walks: true,
		how: presentation{head: chunkHeading, byTime: true,
			whole: func(a Answer) string { return Recalled{a}.String() }}})
	return Recalled{answer}, err
}

// Predict returns what followed similar situations. Its default token budget is half of the others'.
func (s *Store) Predict(ctx context.Context, q PredictQuery) (Predicted, error) {
	answer, err := s.ask(ctx, request{text: q.Context, within: q.Limits, recent: true, walks: true, forward: true,
		how: presentation{head: chunkHeading, whole: func(a Answer) string { return Predicted{a}.String() }}})
	return Predicted{answer}, err
}

// Search returns the best matches without linked chunks.
func (s *Store) Search(ctx context.Context, q SearchQuery) (Searched, error) {
	answer, err := s.ask(ctx, request{text: q.Query, within: q.Limits,
		how: presentation{head: match, whole: func(a Answer) string { return Searched{a}.String() }}})
	return Searched{answer}, err
}

// minBest is the minimum relative score for Best.
const minBest = 0.5

// Best returns at most limit of the best chunks for a question, each reduced to its best message; a first message is
// followed by its answer. It omits decisions, which callers search as precedents.
func (s *Store) Best(ctx context.Context, q Question, limit int) ([]ChunkResult, error) {
	q.noDecisions = true
	got, err := s.Find(ctx, q)
	if err != nil {
		return nil, err
	}
	chunks := slices.DeleteFunc(got.Chunks, func(c foundChunk) bool {
		return !c.relevant || c.asked || c.score < minBest
	})
	chunks = chunks[:min(limit, len(chunks))]
	if err := s.markDenials(ctx, pointers(chunks, func(c *foundChunk) *row { return &c.row })); err != nil {
		return nil, err
	}
	best := []ChunkResult{}
	for i, c := range chunks {
		t := chunks[i].result(q.Project)
		spoken := 0
		for j, m := range c.messages {
			if m.score > c.messages[spoken].score {
				spoken = j
			}
		}
		t.Text = c.messages[spoken].text
		if spoken == 0 && len(c.messages) > 1 { // a question without its answer says little
			t.Text += "\n\n" + c.messages[1].text
		}
		best = append(best, t)
	}
	return best, nil
}

// request is a query with its presentation.
type request struct {
	text                   string
	within                 Limits
	recent, walks, forward bool
	how                    presentation
}

func (s *Store) ask(ctx context.Context, a request) (Answer, error) {
	limit, err := s.tokenBudget(a.within.MaxTokens, a.forward)
	if err != nil {
		return Answer{}, err
	}
	got, err := s.Find(ctx, Question{Text: a.text, Project: a.within.Project, Agent: a.within.Agent, Recent: a.recent})
	if err != nil {
		return Answer{}, err
	}
	chunks := slices.DeleteFunc(got.Chunks, func(c foundChunk) bool { return !c.relevant })
	if a.forward && !got.listed { // what may come next is as probable as its beginning is relevant, however it ranks
		for i := range chunks {
			chunks[i].score = min(max(got.bearing.score(&chunks[i]), 0), 1)
		}
		inOrder(chunks)
	}
	if a.walks && !got.listed {
		if chunks, err = s.addLinked(ctx, chunks, a.forward, got.bearing); err != nil {
			return Answer{}, err
		}
	}
	chunks, changes, err := s.rankNewestStatements(ctx, chunks, a.text)
	if err != nil {
		return Answer{}, err
	}
	if a.how.byTime {
		got.changes = changes
	}
	if err := s.markDenials(ctx, pointers(chunks, func(c *foundChunk) *row { return &c.row })); err != nil {
		return Answer{}, err
	}
	counter := s.counters.Get().(*tokencount.Counter)
	defer s.counters.Put(counter)
	a.how.most, a.how.counter, a.how.question = limit, counter, map[string]float64{}
	for _, word := range stemsOf(content(a.text)) {
		a.how.question[word]++
	}
	return composeAnswer(got, diverse(chunks), a.within.Project, a.how), nil
}

// tokenBudget returns the token budget of an answer.
func (s *Store) tokenBudget(asked int, half bool) (int, error) {
	limit := cmp.Or(s.Settings.MaxTokens, DefaultTokens)
	if half {
		limit /= 2
	}
	limit = cmp.Or(asked, limit)
	if limit < MinTokens/2 || asked != 0 && asked < MinTokens {
		return 0, apperr.Newf(apperr.Validation, "A budget of %d tokens is too small for any result", limit).
			WithHint("Set `max_tokens` or the setting tokens.mcpMaxResponse to %d or more", MinTokens)
	}
	return limit, nil
}

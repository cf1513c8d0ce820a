package sessions

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"time"
	"unicode"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/pattern"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/internal/uid"
)

// SuggestQuery asks for improvements of atlases.
type SuggestQuery struct {
	AtlasID string `json:"atlas_id,omitempty" jsonschema:"filter by atlas" rule:"maxLength=200"`
	Days    int    `json:"days,omitempty" jsonschema:"number of days to look back" rule:"minimum=1,maximum=3650,default=90"`
	Limit   int    `json:"limit,omitempty" jsonschema:"maximum number per kind" rule:"minimum=1,maximum=200,default=20"`
}

// Suggestions follow from feedback and requests.
type Suggestions struct {
	Rewrite  []Rewrite    `json:"rewrite" jsonschema:"contexts that helped in less than half of their ratings, worst first"`
	Keywords []NewKeyword `json:"keywords" jsonschema:"words of needs that the context helped with and that are not among its keywords"`
	Unmet    []Unmet      `json:"unmet" jsonschema:"needs without results over all atlases, most frequent first"`
	Unused   []Unused     `json:"unused" jsonschema:"contexts never requested"`
}

// Rewrite is a context with negative feedback.
type Rewrite struct {
	AtlasID    string    `json:"atlas_id"`
	ContextID  string    `json:"context_id"`
	Name       string    `json:"name"`
	Helpful    int64     `json:"helpful_count" mapstructure:"helpful"`
	NotHelpful int64     `json:"not_helpful_count" mapstructure:"not_helpful"`
	Reasons    []Counted `json:"reasons" jsonschema:"reasons why the context did not help"`
}

// Counted is a text and how often it occurred.
type Counted struct {
	Text  string `json:"text"`
	Times int64  `json:"times"`
}

// NewKeyword is a proposed keyword of a context.
type NewKeyword struct {
	AtlasID   string   `json:"atlas_id"`
	ContextID string   `json:"context_id"`
	Keyword   string   `json:"keyword"`
	Agents    int      `json:"agents" jsonschema:"agents that the context helped"`
	Needs     []string `json:"needs" jsonschema:"examples of needs"`
}

// Unmet is a need without any relevant context.
type Unmet struct {
	Need   string    `json:"need" jsonschema:"latest wording"`
	Times  int64     `json:"times"`
	Agents int       `json:"agents"`
	LastAt time.Time `json:"last_at"`
}

// Unused is a context that was never delivered.
type Unused struct {
	AtlasID    string `json:"atlas_id"`
	ContextID  string `json:"context_id"`
	Name       string `json:"name"`
	InjectMode string `json:"inject_mode"`
}

const (
	minNegativeVotes = 2 // negative votes, for a rewrite
	minSources       = 2 // agents or needs, for a keyword
	maxExamples      = 3
)

// Suggest proposes improvements of atlases. It returns not_found for an unknown atlas.
func (s *Store) Suggest(ctx context.Context, q SuggestQuery) (Suggestions, error) {
	limit, since := cmp.Or(q.Limit, 20), time.Now().Add(-time.Duration(cmp.Or(q.Days, 90))*24*time.Hour).UTC()
	out := Suggestions{}
	if q.AtlasID != "" {
		if _, _, err := s.tree(ctx, q.AtlasID); err != nil {
			return out, err
		}
	}
	params := graph.Params{"atlas": graph.NullIfEmpty(q.AtlasID), "since": since, "limit": limit}
	rated, err := graph.All[ratedContext](ctx, s.graph, cypher.ContextsRated, params)
	if err != nil {
		return out, err
	}
	for _, c := range rated {
		if c.NotHelpful >= minNegativeVotes && c.NotHelpful > c.Helpful {
			out.Rewrite = append(out.Rewrite, c.Rewrite)
		}
		out.Keywords = append(out.Keywords, c.keywords()...)
	}
	slices.SortStableFunc(out.Rewrite, func(a, b Rewrite) int {
		return cmp.Compare(b.NotHelpful-b.Helpful, a.NotHelpful-a.Helpful)
	})
	slices.SortStableFunc(out.Keywords, func(a, b NewKeyword) int {
		return cmp.Or(cmp.Compare(b.Agents, a.Agents), cmp.Compare(a.ContextID, b.ContextID),
			cmp.Compare(a.Keyword, b.Keyword))
	})
	out.Rewrite, out.Keywords = out.Rewrite[:min(len(out.Rewrite), limit)], out.Keywords[:min(len(out.Keywords), limit)]
	if out.Unmet, err = graph.All[Unmet](ctx, s.graph, cypher.NeedsUnmet, params); err != nil {
		return out, err
	}
	out.Unused, err = graph.All[Unused](ctx, s.graph, cypher.ContextsUnused, params)
	return out, err
}

// ratedContext is a context with its feedback.
type ratedContext struct {
	Rewrite  `mapstructure:",squash"`
	Keywords []any
	Needs    []struct {
		Text   string
		Agents []any
	}
}

// keywords proposes new keywords for the context: words that occur in helpful needs of several agents, or in several
// helpful needs, and not yet in its name or keywords.
func (c ratedContext) keywords() []NewKeyword {
	known := words(c.Name + " " + strings.Join(graph.Texts(c.Keywords), " "))
	type use struct {
		agents map[any]bool
		needs  []string
	}
	uses := map[string]*use{}
	for _, need := range c.Needs {
		for word := range words(need.Text) {
			if known[word] {
				continue
			}
			if uses[word] == nil {
				uses[word] = &use{agents: map[any]bool{}}
			}
			for _, agent := range need.Agents {
				uses[word].agents[agent] = true
			}
			uses[word].needs = append(uses[word].needs, need.Text)
		}
	}
	var found []NewKeyword
	for _, word := range slices.Sorted(maps.Keys(uses)) {
		if u := uses[word]; max(len(u.agents), len(u.needs)) >= minSources {
			found = append(found, NewKeyword{c.AtlasID, c.ContextID, word, len(u.agents),
				u.needs[:min(len(u.needs), maxExamples)]})
		}
	}
	return found
}

// minWord is the minimum length of a meaningful word.
const minWord = 3

// stopWords are words that do not describe a need.
var stopWords = pattern.Words{Text: `about and any are but can could does for from get had has have her his how into its just like make may might more most much must need not now
	off our out over please same shall should show some such tell than that the their them then there these they this those too use using want was way were what when
	where which while who why will with would you your`}

// words returns the meaningful words of a text in lower case.
func words(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsFuncSeq(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(word) >= minWord && !stopWords.Has(word) {
			set[word] = true
		}
	}
	return set
}

const maxNeedKeyLength = 500

// recordUnmet counts a need without results. Needs with the same words count as one.
func (s *Store) recordUnmet(ctx context.Context, need, event string) error {
	need = redact.Mask(need)
	key := cmp.Or(strings.Join(slices.Sorted(maps.Keys(words(need))), " "), strings.ToLower(strings.TrimSpace(need)))
	_, err := graph.Append[struct{}](ctx, s.graph, cypher.NeedUnmet,
		graph.Params{"key": render.Cut(key, maxNeedKeyLength), "need": need, "event": event, "uid": uid.New()})
	return err
}

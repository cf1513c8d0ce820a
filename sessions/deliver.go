package sessions

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/normalize"
	"nomograph/internal/redact"
	"nomograph/internal/tokencount"
	"nomograph/search"
	"nomograph/trace"
)

// Request asks for the contexts that fit a need.
type Request struct {
	Need      string   `json:"need" jsonschema:"what information would help you right now; be specific" rule:"minLength=1,maxLength=10000"`
	Hints     []string `json:"hints,omitempty" jsonschema:"keywords or context ids; on-demand contexts are given only if hinted" rule:"maxItems=50"`
	Action    string   `json:"action,omitempty" jsonschema:"action you are about to take, such as git.push; adds contexts for it" rule:"maxLength=200"`
	Limit     int      `json:"limit,omitempty" jsonschema:"maximum number of results" rule:"minimum=1,maximum=50,default=5"`
	MaxTokens int      `json:"max_tokens,omitempty" jsonschema:"maximum number of tokens of all contents" rule:"minimum=100,maximum=100000,default=4000"`
	Caller
}

// Given holds the contexts for a need, best first.
type Given struct {
	MatchedContexts []Context `json:"matched_contexts"`
	LeftOut         []LeftOut `json:"left_out,omitempty" jsonschema:"contexts left out to fit max_tokens"`
	TraceID         string    `json:"trace_id" jsonschema:"session event that records the given contexts"`
	SessionID       string    `json:"session_id"`
	Notes           []string  `json:"notes,omitempty"`
}

// Context is a context as it is delivered to an agent.
type Context struct {
	ContextID  string  `json:"context_id"`
	Name       string  `json:"name"`
	AtlasID    string  `json:"atlas_id"`
	Priority   int64   `json:"priority"`
	MatchScore float64 `json:"match_score" jsonschema:"match score, 0 to 1"`
	Content    string  `json:"content"`
	Version    string  `json:"version,omitempty" jsonschema:"content hash"`

	uid    string
	always bool
}

// LeftOut names a context that did not fit into the answer.
type LeftOut struct {
	ContextID  string  `json:"context_id"`
	Name       string  `json:"name"`
	MatchScore float64 `json:"match_score"`
	Tokens     int     `json:"tokens"`
}

// Request delivers contexts and records in the session which were delivered for which need. It returns not_found for an
// unknown session, and a conflict for one that has ended or belongs to another agent.
func (s *Store) Request(ctx context.Context, q Request) (Given, error) {
	if strings.TrimSpace(q.Need) == "" {
		return Given{}, apperr.New(apperr.Validation, "`need` is empty").
			WithHint("Describe the information that would help you now")
	}
	session, err := s.governed(ctx, q.Caller)
	if err != nil {
		return Given{}, err
	}
	n := need{text: q.Need, hints: q.Hints, action: q.Action, limit: cmp.Or(q.Limit, defaultLimit), tokens: q.MaxTokens,
		event: "context.given", atlases: session.active(), risk: session.RiskTier}
	found, err := s.findContexts(ctx, n)
	if err != nil {
		return Given{}, err
	}
	delivered, err := s.deliver(ctx, s.selectorOf(q.Caller, session), n, found)
	if err == nil && !delivered.met {
		delivered.Notes = s.noResults(ctx, append(delivered.Notes,
			"No context matches this need; `suggest_atlas_changes` lists unmet needs"))
		err = s.recordUnmet(ctx, q.Need, delivered.TraceID)
	}
	return delivered.Given, err
}

const (
	defaultLimit  = 5
	defaultTokens = 4000
	maxSearched   = 30 // contexts that a search returns; the best of them are delivered
	maxHits       = 20 // maximum results of each search, full-text and vector
)

// need is the purpose for which an agent requests contexts.
type need struct {
	text, action, risk, event string
	hints, atlases            []string // atlases: nil means all
	always                    bool     // also contexts with the mode "always"
	limit, tokens             int
}

type given struct {
	Given
	met bool // whether a context is relevant to the need
}

// candidate is a context that can be delivered.
type candidate struct {
	UID, ContextID, Name, Content, InjectMode, Atlas, Version string
	Priority                                                  any // another program may have written any value
	Keywords, AlsoInject, InjectWhen, By                      []any
	// sums of the weights of helpful votes and of all
	Voices []float64
}

func (c candidate) by(source string) bool { return slices.Contains(c.By, any(source)) }

// findContexts searches contexts for a need.
func (s *Store) findContexts(ctx context.Context, n need) (search.Results, error) {
	return s.contexts.Search(ctx, search.Question{Text: strings.Join(append([]string{n.text}, n.hints...), "\n"),
		Limit: maxSearched, Deep: maxHits, Within: n.atlases})
}

// deliver selects contexts from the search results, records the delivery in the session, and returns them.
func (s *Store) deliver(ctx context.Context, who trace.SessionSelector, n need, found search.Results) (given, error) {
	ranked, met, notes, err := s.rank(ctx, n, found)
	if err != nil {
		return given{}, err
	}
	out := given{Given{Notes: notes}, met}
	left, taken := cmp.Or(n.tokens, defaultTokens), 0
	for _, c := range ranked {
		if !c.always && taken == n.limit {
			continue
		}
		tokens := tokencount.Tokens(c.Content)
		if tokens > left {
			out.LeftOut = append(out.LeftOut, LeftOut{c.ContextID, c.Name, c.MatchScore, tokens})
			continue
		}
		left -= tokens
		if !c.always {
			taken++
		}
		out.MatchedContexts = append(out.MatchedContexts, c)
	}
	listed, rows := make([]any, len(out.MatchedContexts)), make([]trace.GivenContext, len(out.MatchedContexts))
	for i, c := range out.MatchedContexts {
		listed[i] = map[string]any{"context_id": c.ContextID, "atlas_id": c.AtlasID, "version": c.Version,
			"match_score": c.MatchScore}
		rows[i] = trace.GivenContext{UID: c.uid, Score: c.MatchScore}
	}
	// the same order for all processes, against deadlocks
	slices.SortFunc(rows, func(a, b trace.GivenContext) int { return strings.Compare(a.UID, b.UID) })
	stored, err := s.trace.Append(ctx, who, trace.Event{Type: n.event,
		Payload:   map[string]any{"need": n.text, "hints": n.hints, "contexts": listed},
		WithEvent: trace.WithEvent{Given: rows, Need: redact.Mask(n.text)}})
	if err != nil {
		return given{}, err
	}
	out.TraceID, out.SessionID = stored.Events[0].UID, stored.SessionID
	return out, nil
}

// rank returns the contexts for a need, best first.
func (s *Store) rank(ctx context.Context, n need, found search.Results) (ranked []Context, met bool, notes []string,
	err error) {
	candidates, scores, notes, err := s.readCandidates(ctx, n, found.Hits)
	met = len(found.Hits) > 0 || // the search returns only relevant hits
		slices.ContainsFunc(candidates, func(c candidate) bool { return c.by("hint") || c.isForAction(n) })
	return order(candidates, scores, n), met, append(found.Notes, notes...), err
}

// readCandidates reads the contexts found, those selected by name, action or mode, and those that they bring along. It
// also returns the scores of those found, relative to the best.
func (s *Store) readCandidates(ctx context.Context, n need, found []search.Hit) (candidates []candidate,
	scores map[string]float64, notes []string, err error) {
	hints, uids := make([]string, len(n.hints)), make([]string, len(found))
	for i, hint := range n.hints {
		hints[i] = strings.ToLower(strings.TrimSpace(hint))
	}
	scores = map[string]float64{}
	for i, hit := range found {
		uids[i], scores[hit.UID] = hit.UID, hit.Score/found[0].Score
	}
	params := graph.Params{"uids": uids, "always": n.always, "risk": graph.NullIfEmpty(n.risk), "hints": hints,
		"ids": n.hints, "words": search.LuceneQuery(hints, "name", "keywords"),
		"action": graph.NullIfEmpty(n.action), "atlases": nullIfEmpty(n.atlases)}
	candidates, err = graph.All[candidate](ctx, s.graph, cypher.ContextsSelected, params)
	if graph.ProcedureFailed(err) { // no full-text index
		params["words"], notes = "", []string{"The full-text index does not answer, so hints count as ids only"}
		candidates, err = graph.All[candidate](ctx, s.graph, cypher.ContextsSelected, params)
	}
	return candidates, scores, notes, err
}

// order scores the candidates and returns those to deliver.
func order(candidates []candidate, scores map[string]float64, n need) []Context {
	var limit int64 // highest priority of the candidates
	words, included := strings.ToLower(n.text+"\n"+strings.Join(n.hints, "\n")), map[string]float64{}
	for _, c := range candidates {
		limit = max(limit, c.priority())
	}
	fit := make([]float64, len(candidates))
	for i, c := range candidates { // 1 - the product of (1 - half the score) over the contexts that include another
		if fit[i] = c.score(scores[c.UID], words, limit, c.isForAction(n)); !c.allowed(n) {
			continue
		}
		for _, id := range graph.Texts(c.AlsoInject) {
			included[id] = 1 - (1-included[id])*(1-includedShare*fit[i])
		}
	}
	chosen := []Context{}
	for i, c := range candidates {
		share, ok := included[c.ContextID]
		if !ok && !c.allowed(n) {
			continue
		}
		chosen = append(chosen, Context{ContextID: c.ContextID, Name: c.Name, AtlasID: c.Atlas, Priority: c.priority(),
			MatchScore: max(fit[i], share), Content: c.Content, Version: c.Version, uid: c.UID,
			always: n.always && (c.InjectMode == "always" || c.by("risk"))})
	}
	slices.SortFunc(chosen, func(a, b Context) int {
		return cmp.Or(cmp.Compare(rankOf(b), rankOf(a)), cmp.Compare(b.Priority, a.Priority),
			cmp.Compare(a.ContextID, b.ContextID))
	})
	return slices.CompactFunc(chosen, func(a, b Context) bool { return a.ContextID == b.ContextID })
}

// rankOf sorts contexts with the mode "always" before all others.
func rankOf(c Context) float64 {
	if c.always {
		return 2
	}
	return c.MatchScore
}

// allowed reports whether a candidate's inject mode allows the way in which it was found.
func (c candidate) allowed(n need) bool {
	switch {
	case c.by("hint"), c.isForAction(n):
		return true
	case n.always && (c.by("always") || c.by("risk")):
		return true
	case c.by("risk"):
		return c.by("found")
	case c.InjectMode == "on_demand", c.InjectMode == "risk_based":
		return false
	}
	return c.by("found")
}

// isForAction reports whether a candidate is for the action.
func (c candidate) isForAction(n need) bool {
	return c.by("action") && slices.ContainsFunc(graph.Texts(c.InjectWhen),
		func(pattern string) bool { return matches(pattern, n.action) })
}

// matches reports whether an action's name matches a pattern; * matches any text.
func matches(pattern, name string) bool {
	return normalize.Glob(strings.ToLower(pattern), strings.ToLower(strings.TrimSpace(name)))
}

// Weights of a context's score; docs/concepts/ranking.md has the formula.
const (
	hinted          = 1.0 // requested by name or for the action
	noKeywordFactor = 0.8 // the need has none of its keywords
	unimportant     = 0.9 // at priority 0; the factor is 1 at the highest priority found
	includedShare   = 0.5 // share of the score of the context that includes it
)

// score is the fit of a context from 0 to 1: its search score, lowered if the need has none of its keywords or other
// contexts have a higher priority, and adjusted by feedback.
func (c candidate) score(found float64, words string, limit int64, acts bool) float64 {
	if c.by("hint") || acts {
		found = max(found, hinted)
	}
	named := noKeywordFactor
	for _, word := range graph.Texts(c.Keywords) {
		if word = strings.ToLower(strings.TrimSpace(word)); word != "" && containsPhrase(words, word) {
			named = 1
		}
	}
	important := 1.0
	if limit > 0 {
		important = unimportant + (1-unimportant)*float64(max(c.priority(), 0))/float64(limit)
	}
	return min(1, max(0, found*named*important*c.feedbackFactor()))
}

// containsPhrase reports whether a text contains a word or phrase as whole words.
func containsPhrase(text, word string) bool {
	found, err := regexp.MatchString(`(^|[^\pL\p{Nd}])`+regexp.QuoteMeta(word)+`([^\pL\p{Nd}]|$)`, text)
	return found && err == nil
}

// feedbackFactor is the feedback factor of a score: 1 without feedback, from 0.5 to 1.5. It is 0.5 plus the share of
// helpful votes, with a prior of two for and two against. The weight of a vote halves every 90 days.
func (c candidate) feedbackFactor() float64 {
	if len(c.Voices) != 2 {
		return 1
	}
	return 0.5 + (c.Voices[0]+2)/(c.Voices[1]+4)
}

func (c candidate) priority() int64 { return int64(graph.Number(c.Priority)) }

// SearchQuery searches contexts by text.
type SearchQuery struct {
	Query string `json:"query" jsonschema:"search text for contents and keywords" rule:"minLength=1,maxLength=10000"`
	Limit int    `json:"limit,omitempty" jsonschema:"maximum number of results" rule:"minimum=1,maximum=50,default=10"`
}

// ContextsFound are the results, best first.
type ContextsFound struct {
	Contexts []Context `json:"contexts"`
	Notes    []string  `json:"notes,omitempty"`
}

// SearchContexts searches the contexts of all atlases, in any mode. It needs no session and records no delivery.
func (s *Store) SearchContexts(ctx context.Context, q SearchQuery) (ContextsFound, error) {
	found, err := s.contexts.Search(ctx, search.Question{Text: q.Query, Limit: cmp.Or(q.Limit, 10)})
	if err != nil {
		return ContextsFound{}, err
	}
	candidates, scores, _, err := s.readCandidates(ctx, need{}, found.Hits)
	if err != nil {
		return ContextsFound{}, err
	}
	candidates = slices.DeleteFunc(candidates, func(c candidate) bool { return !c.by("found") })
	for i := range candidates {
		candidates[i].InjectMode = "on_match" // an explicit search covers every mode
	}
	if len(candidates) == 0 {
		found.Notes = s.noResults(ctx, found.Notes)
	}
	return ContextsFound{order(candidates, scores, need{text: q.Query}), found.Notes}, nil
}

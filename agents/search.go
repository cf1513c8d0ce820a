package agents

import (
	"cmp"
	"context"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/decisions/precedents"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/progress"
	"nomograph/internal/redact"
	"nomograph/internal/timeparse"
	"nomograph/search"
)

// Query searches decisions that their owners share.
type Query struct {
	Query         string   `json:"query" jsonschema:"what you are about to decide" rule:"minLength=1,maxLength=20000"`
	Limit         int      `json:"limit,omitempty" jsonschema:"maximum number of results" rule:"minimum=1,maximum=50,default=10"`
	RetrievalMode string   `json:"retrieval_mode,omitempty" jsonschema:"by meaning, by words, or both" rule:"enum=semantic|keyword|hybrid,default=\"semantic\""`
	Filters       *Filters `json:"filters,omitempty" jsonschema:"filters"`
}

// Filters select decisions by their shared fields only: filters on other fields would reveal what is not shared.
type Filters struct {
	Category string   `json:"category,omitempty" rule:"enum=architecture|process|integration|tooling|security"`
	Stakes   []string `json:"stakes,omitempty" rule:"maxItems=4"`
	Outcome  []string `json:"outcome,omitempty" jsonschema:"success, partial, failure, abandoned" rule:"maxItems=4"`
	// HasOutcome selects decisions with or without a known outcome.
	HasOutcome *bool `json:"has_outcome,omitempty" jsonschema:"with (true) or without (false) an outcome"`
	precedents.Confidences
	timeparse.Range
}

func (f *Filters) precedents() *precedents.Filters {
	if f == nil {
		return nil
	}
	return &precedents.Filters{Category: f.Category, Stakes: f.Stakes, Outcome: f.Outcome, HasOutcome: f.HasOutcome,
		Confidences: f.Confidences, Range: f.Range}
}

// SearchResult is the answer, nearest first.
type SearchResult struct {
	Decisions   []Shared `json:"decisions"`
	Total       int      `json:"total" jsonschema:"number of decisions"`
	QueryTimeMS float64  `json:"query_time_ms"`
	Notes       []string `json:"notes,omitempty"`
}

const defaultResults = 10

// Search finds decisions that their owners share with the caller in ctx. It returns a validation_error for a query
// without letters or digits, and unavailable.
func (s *Store) Search(ctx context.Context, q Query) (SearchResult, error) {
	started := time.Now()
	found, err := s.searchShared(ctx, precedents.Query{Query: q.Query, Limit: cmp.Or(q.Limit, defaultResults),
		RetrievalMode: cmp.Or(q.RetrievalMode, "semantic"), Filters: q.Filters.precedents()})
	if err != nil {
		return SearchResult{}, err
	}
	found.Total, found.QueryTimeMS = len(found.Decisions), progress.Milliseconds(started)
	return found, nil
}

// maxCandidates is the maximum number of decisions that one search ranks.
const maxCandidates = 100

// searchShared finds decisions that are shared with the caller. The whole text selects the candidates. Rank and
// distance depend only on the title, which is shared anyway: otherwise a caller could probe for words in text that is
// not shared.
func (s *Store) searchShared(ctx context.Context, q precedents.Query) (SearchResult, error) {
	who := caller.From(ctx)
	audience, limit := AudienceOf(who), min(q.Limit, s.limit())
	q.Limit = maxCandidates
	who.Projects = nil // visibility is wider than the caller's own projects: the statement below decides
	hits, err := s.precedents.Hits(caller.With(ctx, who), q, audience.facets()...)
	if err != nil {
		return SearchResult{}, err
	}
	out := SearchResult{Notes: hits.Notes}
	if len(hits.Hits) == 0 {
		return out, nil
	}
	uids := lists.Map(hits.Hits, func(hit search.Hit) string { return hit.UID })
	rows, err := graph.All[struct {
		Position int
		Decision map[string]any
	}](ctx, s.graph, cypher.DecisionsShared, graph.Params{"uids": uids, "audience": audience.param()})
	if err != nil {
		return SearchResult{}, err
	}
	all := make([]Shared, len(rows))
	for i, row := range rows {
		all[i] = SharedView(decisions.SummaryOf(row.Decision), 0)
	}
	all, note := s.byTitle(ctx, redact.Mask(q.Query), hits.Mode, all)
	if note != "" {
		out.Notes = append(out.Notes, note)
	}
	for _, d := range all {
		if 1-d.Distance >= s.Settings.MinScore && len(out.Decisions) < limit {
			out.Decisions = append(out.Decisions, d)
		}
	}
	return out, nil
}

// byTitle ranks decisions by their titles: in keyword mode by words, leaving out titles without any of them, else by
// meaning.
func (s *Store) byTitle(ctx context.Context, question, mode string, all []Shared) (ordered []Shared, note string) {
	titles := lists.Map(all, func(d Shared) string { return d.Title })
	var near []float64
	if mode != search.Keyword {
		var err error
		if near, err = search.Similarities(ctx, s.embedder, question, titles); err != nil {
			note = apperr.From(err).Message + "; ordered by words only"
		}
	}
	for i, d := range all {
		words := search.WordCoverage(question, d.Title)
		switch {
		case near != nil:
			d.Distance = 1 - near[i]
		case words > 0:
			d.Distance = 1 - words
		default:
			continue
		}
		ordered = append(ordered, d)
	}
	slices.SortStableFunc(ordered, func(a, b Shared) int {
		return cmp.Or(cmp.Compare(a.Distance, b.Distance), b.Date.Compare(a.Date), cmp.Compare(a.ID, b.ID))
	})
	return ordered, note
}

func (s *Store) limit() int {
	if n := s.Settings.MaxResults; n > 0 && n < maxResults {
		return n
	}
	return maxResults
}

package precedents

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/decisions"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/progress"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/internal/timeparse"
	"nomograph/search"
	"nomograph/trace"
)

// Query searches earlier decisions.
type Query struct {
	Query         string   `json:"query" jsonschema:"what you are about to decide" rule:"minLength=1,maxLength=20000"`
	Limit         int      `json:"limit,omitempty" jsonschema:"maximum results" rule:"minimum=1,maximum=50,default=5"`
	RetrievalMode string   `json:"retrieval_mode,omitempty" jsonschema:"by meaning, words or both" rule:"enum=semantic|keyword|hybrid,default=\"hybrid\""`
	BridgeSide    string   `json:"bridge_side,omitempty" jsonschema:"search by structure or by function" rule:"enum=structure|function|both,default=\"both\""`
	Filters       *Filters `json:"filters,omitempty" jsonschema:"filters"`
	NoLinks       bool     `json:"no_links,omitempty" jsonschema:"leave out linked decisions"`
	Nearest       bool     `json:"-"` // nearest decisions, even if they are not relevant
	AgentID       string   `json:"agent_id,omitempty" jsonschema:"asking agent (default the caller)" rule:"maxLength=200" claim:"agent"`
	decisions.Session
}

// Confidences selects decisions by a closed range of confidence.
type Confidences struct {
	MinConfidence *float64 `json:"min_confidence,omitempty" jsonschema:"0.0 to 1.0" rule:"minimum=0,maximum=1"`
	MaxConfidence *float64 `json:"max_confidence,omitempty" jsonschema:"0.0 to 1.0" rule:"minimum=0,maximum=1"`
}

// Filters select decisions. One value of a list must match; of Tags all must.
type Filters struct {
	Category   string   `json:"category,omitempty" rule:"enum=architecture|process|integration|tooling|security"`
	Stakes     []string `json:"stakes,omitempty" jsonschema:"any of low, medium, high, critical" rule:"maxItems=4"`
	Status     []string `json:"status,omitempty" jsonschema:"pending, reviewed" rule:"maxItems=4"`
	Outcome    []string `json:"outcome,omitempty" jsonschema:"success, partial, failure, abandoned" rule:"maxItems=4"`
	HasOutcome *bool    `json:"has_outcome,omitempty"`
	Project    string   `json:"project,omitempty" jsonschema:"owner/repo" rule:"maxLength=200"`
	AgentID    string   `json:"agent_id,omitempty" jsonschema:"deciding agent" rule:"maxLength=200"`
	Tags       []string `json:"tags,omitempty" jsonschema:"tags" rule:"maxItems=20"`
	Feature    string   `json:"feature,omitempty" jsonschema:"feature or epic" rule:"maxLength=200"`
	PR         int64    `json:"pr,omitempty" jsonschema:"pull request" rule:"minimum=1"`
	Confidences
	timeparse.Range
}

// Matches holds the decisions that a query found, best first.
type Matches struct {
	Decisions     []Match           `json:"decisions"`
	Linked        []Linked          `json:"linked" jsonschema:"decisions linked to the results, with the link"`
	Total         int               `json:"total" jsonschema:"number of decisions"`
	Query         string            `json:"query"`
	RetrievalMode string            `json:"retrieval_mode" jsonschema:"search mode used; keyword without vectors"`
	Scores        map[string]Scores `json:"scores" jsonschema:"by id"`
	QueryTimeMS   float64           `json:"query_time_ms"`
	Agent         string            `json:"agent"`
	Notes         []string          `json:"notes,omitempty"`
}

// Match is a decision with its reasons, its bridge and its review.
type Match struct {
	decisions.Summary
	UID          string             `json:"-"`
	Linked       bool               `json:"-"` // found only over a link of a better match
	Whole        map[string]any     `json:"-"` // whole decision and context, of the best wholeTexts on pages
	Distance     *float64           `json:"distance,omitempty" jsonschema:"cosine distance, 0 to 2; absent without vectors"`
	Score        float64            `json:"score"`
	Reasons      []decisions.Reason `json:"reasons,omitempty"`
	Bridge       *decisions.Bridge  `json:"bridge,omitempty"`
	ActualResult string             `json:"actual_result,omitempty"`
	Lessons      string             `json:"lessons,omitempty"`
	SupersededBy []string           `json:"superseded_by,omitempty" jsonschema:"ids of superseding decisions"`
}

// Scores are the parts of a score. Semantic is the cosine similarity, Keyword the BM25 score; Combined determines the
// order: for hybrid, the sum of weighted reciprocal ranks.
type Scores struct {
	Semantic *float64 `json:"semantic,omitempty"`
	Keyword  *float64 `json:"keyword,omitempty"`
	Combined float64  `json:"combined"`
}

// Linked is a linked decision that was not found itself.
type Linked struct {
	decisions.Summary
	Because string  `json:"linked_by" jsonschema:"link to a result"`
	Weight  float64 `json:"weight"`
}

const (
	defaultMatches = 5
	wholeTexts     = 8 // best results whose whole texts a page shows parts of
)

// Query searches decisions and records the query with its results in the session. It returns a validation_error for a
// query without letters or digits, and unavailable.
func (s *Store) Query(ctx context.Context, q Query) (Matches, error) {
	started := time.Now()
	m, payload, err := s.Find(ctx, q)
	if err != nil {
		return Matches{}, err
	}
	s.decisions.Note(ctx, decisions.Caller{AgentID: q.AgentID, Session: q.Session}, "query", payload)
	m.QueryTimeMS = progress.Milliseconds(started)
	return m, nil
}

// Find is Query without recording; it returns what would be recorded.
func (s *Store) Find(ctx context.Context, q Query) (Matches, map[string]any, error) {
	q.Query = redact.Mask(q.Query) // an external service may compute the vector
	found, err := s.Hits(ctx, q)
	if err != nil {
		return Matches{}, nil, err
	}
	m := matchesOf(q, found)
	if len(found.Hits) > 0 {
		err = s.readDetails(ctx, &m, found.Hits, q)
	}
	return m, queryPayload(&m), err
}

func matchesOf(q Query, found search.Results) Matches {
	return Matches{Query: render.Cut(q.Query, 1000),
		RetrievalMode: found.Mode,
		Scores:        map[string]Scores{}, Agent: trace.Actor(q.AgentID, q.By), Notes: found.Notes}
}

// Hits is the search of Find alone, for packages that read the decisions themselves. A decision must also have a facet
// of each group in also. It returns the errors of Query.
func (s *Store) Hits(ctx context.Context, q Query, also ...[]string) (search.Results, error) {
	q.Query = redact.Mask(q.Query)
	q.Limit = cmp.Or(q.Limit, defaultMatches)
	filter, err := q.Filters.filter()
	if err != nil {
		return search.Results{}, err
	}
	filter.Any = append(filter.Any, also...)
	if who := caller.From(ctx); who.Limited() { // the statements hide other projects, so the search is limited to visible ones
		tokens := lists.Map(who.Projects, func(project string) string { return search.Facet("project", project) })
		filter.Any = append(filter.Any, tokens)
	}
	return s.search.Search(ctx, search.Question{Text: q.Query, Mode: q.RetrievalMode, Side: q.BridgeSide,
		Limit: q.Limit, Filter: filter, Nearest: q.Nearest})
}

// readDetails reads the found decisions with reasons, current review, and linked decisions on request. A decision that
// was deleted meanwhile is omitted.
func (s *Store) readDetails(ctx context.Context, m *Matches, hits []search.Hit, q Query) error {
	uids, seen := make([]string, len(hits)), map[string]bool{}
	for i, hit := range hits {
		uids[i], seen[hit.UID] = hit.UID, true
	}
	whole := 0
	if caller.From(ctx).ViewsPage {
		whole = wholeTexts
	}
	rows, err := graph.All[detailsRow](ctx, s.graph, cypher.DecisionsDetails,
		graph.Params{"uids": uids, "links": !q.NoLinks, "limit": maxLinkedOfOne, "whole": whole})
	if err != nil {
		return err
	}
	for _, row := range rows {
		hit := hits[row.Position]
		match := Match{Summary: decisions.SummaryOf(row.Decision), UID: hit.UID, Linked: hit.Linked, Whole: row.Whole,
			Distance: hit.Distance, Score: hit.Score, Bridge: decisions.BridgeOf(row.Decision),
			Reasons: row.Reasons, ActualResult: row.ActualResult, Lessons: row.Lessons, SupersededBy: row.SupersededBy}
		m.Decisions = append(m.Decisions, match)
		m.Scores[match.ID] = Scores{hit.Semantic, hit.Keyword, hit.Score}
		for _, link := range row.Links {
			uid, _ := link.Decision["uid"].(string)
			if seen[uid] || len(m.Linked) == maxLinked {
				continue
			}
			seen[uid] = true
			m.Linked = append(m.Linked, Linked{decisions.SummaryOf(link.Decision),
				because(match.ID, link.Type, link.Outgoing), link.Weight})
		}
	}
	m.putSupersededLast()
	m.Total = len(m.Decisions)
	return nil
}

// detailsRow is a found decision with its reasons, review and links.
type detailsRow struct {
	Position              int
	Decision              map[string]any
	Reasons               []decisions.Reason
	ActualResult, Lessons string
	SupersededBy          []string
	Whole                 map[string]any
	Links                 []struct {
		Decision map[string]any
		Type     string
		Outgoing bool
		Weight   float64
	}
}

// putSupersededLast moves each superseded decision below the decisions that supersede it, with at most their score.
func (m *Matches) putSupersededLast() {
	for moves := len(m.Decisions) * len(m.Decisions); moves > 0; moves-- { // superseding may form a cycle
		older, newer := m.superseded()
		if older < 0 {
			return
		}
		match := m.Decisions[older]
		match.Score = min(match.Score, m.Decisions[newer].Score)
		scores := m.Scores[match.ID]
		scores.Combined = match.Score
		m.Scores[match.ID] = scores
		m.Decisions = slices.Insert(slices.Delete(m.Decisions, older, older+1), newer, match)
	}
}

// superseded returns the indexes of a decision and of a later one in the list that supersedes it, or -1.
func (m *Matches) superseded() (older, newer int) {
	for i, match := range m.Decisions {
		for j := len(m.Decisions) - 1; j > i; j-- {
			if slices.Contains(match.SupersededBy, m.Decisions[j].ID) {
				return i, j
			}
		}
	}
	return -1, -1
}

const (
	maxLinked      = 10
	maxLinkedOfOne = 3
)

// because describes how a decision is linked to the one with this id.
func because(id, kind string, outgoing bool) string {
	words := map[string][2]string{
		"SUPERSEDES":  {"superseded by ", "supersedes "},
		"DEPENDS_ON":  {"a basis of ", "depends on "},
		"CONTRADICTS": {"contradicted by ", "contradicts "},
		"BLOCKS":      {"blocked by ", "blocks "},
		"RELATES_TO":  {"related to ", "related to "},
	}[kind]
	if outgoing {
		return words[0] + id
	}
	return words[1] + id
}

// queryPayload returns what the session records of a query.
func queryPayload(m *Matches) map[string]any {
	results := make([]any, len(m.Decisions))
	for i, match := range m.Decisions {
		result := map[string]any{"id": match.ID, "uid": match.UID, "title": match.Title}
		if match.ExternalID != "" {
			result["external_id"] = match.ExternalID
		}
		if semantic := m.Scores[match.ID].Semantic; semantic != nil {
			result["similarity"] = *semantic
		}
		results[i] = result
	}
	return map[string]any{"query": m.Query, "mode": m.RetrievalMode, "results": results}
}

// filter converts the filters to facets.
func (f *Filters) filter() (search.Filter, error) {
	if f == nil {
		return search.Filter{}, nil
	}
	if err := errors.Join(decisions.OneOf("stakes", f.Stakes, decisions.StakesValues),
		decisions.OneOf("status", f.Status, decisions.StatusValues),
		decisions.OneOf("outcome", f.Outcome, decisions.OutcomeValues)); err != nil {
		return search.Filter{}, apperr.From(err)
	}
	out := search.Filter{MinConfidence: f.MinConfidence, MaxConfidence: f.MaxConfidence}
	after, before, err := f.Times(Earliest, latest)
	if err != nil {
		return search.Filter{}, err
	}
	if f.DateAfter != "" {
		out.After = &after
	}
	if f.DateBefore != "" {
		out.Before = &before
	}
	all := func(kind, value string) {
		if value != "" {
			out.All = append(out.All, search.Facet(kind, value))
		}
	}
	anyOf := func(kind string, values []string) {
		if len(values) == 0 {
			return
		}
		tokens := lists.Map(values, func(value string) string { return search.Facet(kind, value) })
		out.Any = append(out.Any, tokens)
	}
	all("category", f.Category)
	all("project", f.Project)
	all("agent", f.AgentID)
	all("feature", f.Feature)
	for _, tag := range f.Tags {
		all("tag", tag)
	}
	if f.PR > 0 {
		all("pr", decisions.Decimal(f.PR))
	}
	if f.HasOutcome != nil {
		all("has_outcome", map[bool]string{true: "yes", false: "no"}[*f.HasOutcome])
	}
	anyOf("stakes", f.Stakes)
	anyOf("status", f.Status)
	anyOf("outcome", f.Outcome)
	return out, nil
}

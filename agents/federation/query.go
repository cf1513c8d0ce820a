package federation

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/agents"
	"nomograph/agents/peers"
	"nomograph/decisions/precedents"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/progress"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/search"
)

// Query searches decisions on several servers.
type Query struct {
	Query         string   `json:"query" jsonschema:"what you are about to decide, in your own words; sent to the other servers" rule:"minLength=1,maxLength=20000"`
	Limit         int      `json:"limit,omitempty" jsonschema:"maximum number of results" rule:"minimum=1,maximum=50,default=10"`
	Category      string   `json:"category,omitempty" jsonschema:"filter by category" rule:"enum=architecture|process|integration|tooling|security"`
	MinConfidence *float64 `json:"min_confidence,omitempty" jsonschema:"0.0 to 1.0" rule:"minimum=0,maximum=1"`
	DateAfter     string   `json:"date_after,omitempty" jsonschema:"a date or a time, such as 2026-01-01" rule:"maxLength=40"`
	Own           bool     `json:"own,omitempty" jsonschema:"include decisions of this server"`
	peers.Selection
}

// Ranking is the merged ranking of several servers.
type Ranking struct {
	Decisions   []Decision          `json:"decisions" jsonschema:"best first"`
	Agents      []peers.CallOutcome `json:"agents" jsonschema:"result per server"`
	Total       int                 `json:"total" jsonschema:"number of decisions"`
	QueryTimeMS float64             `json:"query_time_ms"`
	Notes       []string            `json:"notes,omitempty"`
}

// Decision is a decision of any server with its sources. Its content comes from that server and is untrusted.
type Decision struct {
	ID         string   `json:"id" jsonschema:"id at its server"`
	Title      string   `json:"title"`
	Category   string   `json:"category,omitempty"`
	Stakes     string   `json:"stakes,omitempty"`
	Confidence *float64 `json:"confidence,omitempty"`
	Outcome    string   `json:"outcome,omitempty"`
	Date       string   `json:"date,omitempty" jsonschema:"time by its server's clock"`
	Distance   *float64 `json:"distance,omitempty" jsonschema:"distance as measured by its server; not comparable between servers"`
	Sources    []Source `json:"sources" jsonschema:"servers that have it"`
	Score      float64  `json:"score" jsonschema:"sum of reciprocal ranks; results are sorted by it"`
}

// Source is a server that returned a decision, and its rank there.
type Source struct {
	Agent string `json:"agent"`
	URL   string `json:"url,omitempty"`
	Rank  int    `json:"rank"`
}

const (
	defaultResults = 10
	maxPerServer   = 50
	ownName        = "here" // this server among sources
	// rankConstant is the k of reciprocal rank fusion. Cormack, Clarke and Büttcher (2009) chose 60 for systems of
	// similar quality.
	rankConstant = 60
)

// Query queries servers in parallel and merges their results. Scores of different servers are not comparable, so only
// ranks count: the score of a decision is the sum of 1 / (60 + rank) over the servers that returned it and over a
// local ranking by the similarity of its title and the query. Without the local ranking, the first result of a server
// that has nothing relevant would equal that of a server that has much.
func (s *Store) Query(ctx context.Context, q Query) (Ranking, error) {
	started := time.Now()
	q.Query = redact.Mask(q.Query)
	limit := cmp.Or(q.Limit, defaultResults)
	var chosen []peers.Peer
	if q.All || len(q.Agents) > 0 || !q.Own { // without a selection, only this server's own results are wanted
		var err error
		if chosen, err = s.peers.Select(ctx, q.Selection); err != nil {
			return Ranking{}, err
		}
	}
	filters := map[string]any{}
	if q.Category != "" {
		filters["category"] = q.Category
	}
	if q.MinConfidence != nil {
		filters["minConfidence"] = *q.MinConfidence
	}
	if q.DateAfter != "" {
		filters["dateAfter"] = q.DateAfter
	}
	params := map[string]any{"query": q.Query, "limit": limit}
	if len(filters) > 0 {
		params["filters"] = filters
	}
	var ours []Decision
	var ownErr error
	var background sync.WaitGroup
	if q.Own {
		background.Go(func() { ours, ownErr = s.searchOwn(ctx, q, limit) })
	}
	asked := peers.Each(ctx, s.peers, chosen, func(ctx context.Context, p peers.Peer) ([]Decision, error) {
		var answer struct{ Decisions []Decision }
		if err := s.peers.Call(ctx, p, "cstp.queryDecisions", params, &answer); err != nil {
			return nil, err
		}
		return sanitize(answer.Decisions), nil
	})
	background.Wait()
	if ownErr != nil {
		return Ranking{}, ownErr
	}
	out := Ranking{}
	lists := []list{{Source{Agent: ownName}, ours}}
	for _, a := range asked {
		out.Agents = append(out.Agents, a.Outcome())
		lists = append(lists, list{Source{Agent: a.Name, URL: a.URL}, a.Answer})
	}
	fused := fuse(lists)
	if err := s.vote(ctx, q.Query, fused); err != nil {
		out.Notes = append(out.Notes, "Titles were not compared with the question: "+apperr.From(err).Message)
	}
	sortDecisions(fused)
	out.Decisions = fused[:min(len(fused), limit)]
	out.Total, out.QueryTimeMS = len(out.Decisions), progress.Milliseconds(started)
	if len(chosen) == 0 {
		out.Notes = append(out.Notes, noServerKnown)
	}
	return out, nil
}

const noServerKnown = "No other server is known; `add_agent` adds one"

// searchOwn searches this server for what the caller may see and returns the shareable part.
func (s *Store) searchOwn(ctx context.Context, q Query, limit int) ([]Decision, error) {
	filters := &precedents.Filters{Category: q.Category}
	filters.MinConfidence, filters.DateAfter = q.MinConfidence, q.DateAfter
	var shared []agents.Shared
	if caller.From(ctx).May(caller.Read) {
		found, _, err := s.precedents.Find(ctx, precedents.Query{Query: q.Query, Limit: limit, Filters: filters,
			NoLinks: true})
		if err != nil {
			return nil, err
		}
		for _, d := range found.Decisions {
			scores := found.Scores[d.ID]
			shared = append(shared, agents.SharedView(d.Summary, agents.Distance(scores.Semantic, scores.Keyword)))
		}
	} else {
		asked := &agents.Filters{Category: q.Category}
		asked.MinConfidence, asked.DateAfter = q.MinConfidence, q.DateAfter
		found, err := s.agents.Search(ctx, agents.Query{Query: q.Query, Limit: limit, Filters: asked})
		if err != nil {
			return nil, err
		}
		shared = found.Decisions
	}
	return lists.Map(shared, toDecision), nil
}

// toDecision converts a decision of this server to the merged form.
func toDecision(d agents.Shared) Decision {
	return Decision{ID: d.ID, Title: d.Title, Category: d.Category, Stakes: d.Stakes, Confidence: d.Confidence,
		Outcome: d.Outcome, Date: d.Date.UTC().Format(time.RFC3339), Distance: &d.Distance}
}

// sanitize makes results of other servers safe to show: shortened, on one line, without control sequences.
func sanitize(all []Decision) []Decision {
	out := make([]Decision, 0, min(len(all), maxPerServer))
	for _, d := range all[:min(len(all), maxPerServer)] {
		for text, maxLength := range map[*string]int{&d.ID: 100, &d.Title: 200, &d.Category: 100, &d.Stakes: 20,
			&d.Outcome: 20, &d.Date: 40} {
			*text = render.Cut(render.OneLine(redact.Mask(*text)), maxLength)
		}
		if d.Confidence != nil && (*d.Confidence < 0 || *d.Confidence > 1) {
			d.Confidence = nil
		}
		if d.Title != "" {
			d.Sources, d.Score = nil, 0
			out = append(out, d)
		}
	}
	return out
}

// list holds the ranked results of one server.
type list struct {
	Source
	decisions []Decision
}

// dayOf returns the UTC day of a date. Servers give times with or without fractions of a second, or only a day.
func dayOf(date string) string {
	if at, err := time.Parse(time.RFC3339, date); err == nil {
		return at.UTC().Format(time.DateOnly)
	}
	return date[:min(len(date), len(time.DateOnly))]
}

// fuse merges the lists. The same decision from two servers counts as one; this happens if one server has two names or
// passes decisions on.
func fuse(lists []list) (all []Decision) {
	places := map[[3]string]int{}
	for _, l := range lists {
		for i, d := range l.decisions {
			key := [3]string{d.ID, d.Title, dayOf(d.Date)}
			at, ok := places[key]
			if !ok {
				at = len(all)
				places[key] = at
				all = append(all, d)
			}
			source := l.Source
			source.Rank = i + 1
			if slices.ContainsFunc(all[at].Sources, func(s Source) bool {
				return s.Agent == source.Agent && s.URL == source.URL
			}) {
				continue // a server that repeats a decision counts once
			}
			all[at].Sources = append(all[at].Sources, source)
			all[at].Score += 1 / float64(rankConstant+source.Rank)
		}
	}
	return all
}

// vote adds the local ranking by the similarity of titles to the query.
func (s *Store) vote(ctx context.Context, question string, all []Decision) error {
	if s.embedder == nil || len(all) == 0 {
		return nil
	}
	titles, byNearness := make([]string, len(all)), make([]int, len(all))
	for i, d := range all {
		titles[i], byNearness[i] = d.Title, i
	}
	near, err := search.Similarities(ctx, s.embedder, question, titles)
	if err != nil {
		return err
	}
	slices.SortStableFunc(byNearness, func(a, b int) int { return cmp.Compare(near[b], near[a]) })
	for rank, i := range byNearness {
		all[i].Score += 1 / float64(rankConstant+rank+1)
	}
	return nil
}

// sortDecisions sorts by score, then by source and rank, so the result is deterministic.
func sortDecisions(all []Decision) {
	slices.SortStableFunc(all, func(a, b Decision) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Sources[0].Rank, b.Sources[0].Rank),
			strings.Compare(a.Sources[0].Agent, b.Sources[0].Agent))
	})
}

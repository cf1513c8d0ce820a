package recall

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/redact"
	"nomograph/internal/timeparse"
	"nomograph/memory"
	"nomograph/search"
)

// Question is a query to memory.
type Question struct {
	Text    string
	Project string // name or suffix; empty for all projects
	Agent   string // empty for all agents
	Recent  bool   // prefer recent chunks

	noDecisions bool // leave decisions out before the ranking
}

// Found is the ranked result for a question.
type Found struct {
	Chunks   []foundChunk
	Sessions []string // session ids, best first
	Messages []Message
	Mode     string // search mode, see package search
	Notes    []string

	bearing *relevanceScores
	listed  bool // the question only names a time
	changes [][]Change
}

// Message is a message in a chunk that was found.
type Message struct {
	Chunk   string // chunk uid
	Session string // session id
	Text    string
	Score   float64 // 0 to 1
}

const (
	candidates      = 100 // chunks per index, used to score sessions
	fullTextResults = 50  // chunks whose text the full-text query returns; this takes no longer than the vector query
	ranked          = 30  // chunks that are ranked: the best of both indexes
	eventLimit      = 10  // chunks among which a named event is searched
	inTime          = 20  // additional chunks within the time that the question names
	minCosine       = 0.3 // minimum cosine similarity of a chunk that has no word of the question
)

// kept returns the chunks that the question asks for.
func (q Question) kept(rows []row) []row {
	return slices.DeleteFunc(rows, func(r row) bool { return q.noDecisions && r.Kind == memory.Decision })
}

// Find ranks the chunks for a question, as the package comment describes. An unknown project returns nothing and a
// note. It returns a validation_error for a text without a letter or digit, and a conflict for an ambiguous project.
func (s *Store) Find(ctx context.Context, q Question) (Found, error) {
	if strings.TrimSpace(q.Text) == "" {
		return Found{}, apperr.New(apperr.Validation, "The question is empty").
			WithHint("Describe in a few words what to look for")
	}
	q.Text = redact.Mask(q.Text) // the text may go to a third party's embedding endpoint
	project, err := memory.FindProject(ctx, s.graph, q.Project)
	if err != nil {
		return Found{}, err
	}
	if q.Project != "" && project.Name == "" {
		return Found{Notes: []string{"There is no project '" + q.Project +
			"' in memory; `list-projects` lists the existing ones"}}, nil
	}
	named, rest, note, err := s.time(ctx, q, project)
	if err != nil {
		return Found{}, err
	}
	if content(rest) == "" {
		return s.chunksOfTime(ctx, q, project, named, note)
	}
	hits, err := s.search(ctx, q, project, named, rest)
	if err != nil {
		return Found{}, err
	}
	if note != "" {
		hits.Notes = append(hits.Notes, note)
	}
	out := Found{Mode: hits.Mode, Notes: hits.Notes}
	if len(hits.Hits) == 0 {
		return out, nil
	}
	rows, err := s.read(ctx, hits)
	if err != nil {
		return Found{}, err
	}
	out.Chunks = s.rank(q.kept(rows), hits.Hits,
		ranking{question: rest, named: named, recent: q.Recent, texts: hits.Texts}, &out)
	return out, nil
}

// chunksOfTime returns the chunks of a time, newest first, for a question that names only a time, such as "what
// happened today". A question that names neither a topic nor a time returns nothing and a note.
func (s *Store) chunksOfTime(ctx context.Context, q Question, project memory.ProjectMatch, named *timeparse.Span,
	note string) (Found, error) {
	out := Found{listed: true}
	if named == nil {
		out.Notes = []string{"The question names nothing to look for: say what it is about, or a time such as yesterday"}
		return out, nil
	}
	if note != "" {
		out.Notes = []string{note}
	}
	rows, err := s.readSpan(ctx, span{project: project.Name, agent: q.Agent, from: named.From, to: named.To,
		limit: ranked, newest: true})
	if err != nil {
		return Found{}, err
	}
	out.bearing = &relevanceScores{}
	rows = q.kept(rows)
	for i, r := range slices.Backward(rows) {
		c := readChunk(r)
		c.score, c.relevant = 1-float64(len(rows)-1-i)/float64(2*ranked), true
		c.asked = matchesOnlyQuestions(&c, nil)
		out.Chunks = append(out.Chunks, c)
		for _, m := range c.messages {
			out.Messages = append(out.Messages, Message{c.UID, c.SessionID, m.text, c.score})
		}
		if !slices.Contains(out.Sessions, c.SessionID) {
			out.Sessions = append(out.Sessions, c.SessionID)
		}
	}
	inOrder(out.Chunks)
	return out, nil
}

// search queries the index of chunks. If the question names a time, it also queries only the chunks of that time.
func (s *Store) search(ctx context.Context, q Question, project memory.ProjectMatch, named *timeparse.Span,
	rest string) (search.Results, error) {
	filter := search.Filter{}
	if project.Name != "" {
		filter.All = append(filter.All, search.Facet("project", project.Name))
	}
	if q.Agent != "" {
		filter.All = append(filter.All, search.Facet("agent", q.Agent))
	}
	if who := caller.From(ctx); who.Limited() { // statements hide what the caller may not see, so search only the visible projects
		tokens := lists.Map(who.Projects, func(p string) string { return search.Facet("project", p) })
		filter.Any = append(filter.Any, tokens)
	}
	question := search.Question{Text: q.Text, Words: keywords(rest), Limit: candidates, Deep: candidates,
		Read: fullTextResults, Filter: filter}
	if named == nil {
		all, err := s.chunks.Search(ctx, question)
		return bestOf(all), err
	}
	var all, of search.Results
	var allErr, ofErr error
	var both sync.WaitGroup
	both.Go(func() { all, allErr = s.chunks.Search(ctx, question) })
	both.Go(func() {
		within := question
		within.Limit, within.Deep, within.Read = inTime, 0, inTime
		within.Filter.After, within.Filter.Before = boundsOf(*named)
		of, ofErr = s.chunks.Search(ctx, within)
	})
	both.Wait()
	if err := cmp.Or(allErr, ofErr); err != nil {
		return search.Results{}, err
	}
	all = bestOf(all)
	all.Hits, all.Read = append(excluding(of.Hits, all.Hits), all.Hits...), append(all.Read, of.Read...)
	return all, nil
}

// bestOf keeps the texts of the chunks that both indexes together rank best.
func bestOf(found search.Results) search.Results {
	place := map[any]int{}
	for i, hit := range found.Hits {
		place[hit.UID] = i - len(found.Hits)
	}
	slices.SortStableFunc(found.Read, func(a, b map[string]any) int {
		return cmp.Compare(place[a["uid"]], place[b["uid"]])
	})
	found.Read = found.Read[:min(len(found.Read), ranked)]
	return found
}

// read returns the chunks to rank, best first: those that the full-text query returned, and if these are too few, those
// that the vector query found.
func (s *Store) read(ctx context.Context, found search.Results) ([]row, error) {
	place, rows := map[string]int{}, map[string]row{}
	for i, hit := range found.Hits {
		place[hit.UID] = i
	}
	for _, read := range found.Read {
		r := rowOf(read)
		rows[r.UID] = r
	}
	if len(rows) < ranked {
		var unread []string
		for _, hit := range found.Hits {
			if _, ok := rows[hit.UID]; !ok {
				unread = append(unread, hit.UID)
			}
		}
		texts, err := s.readChunks(ctx, unread[:min(len(unread), ranked-len(rows))])
		if err != nil {
			return nil, err
		}
		for _, r := range texts {
			rows[r.UID] = r
		}
	}
	return slices.SortedFunc(maps.Values(rows), func(a,
		b row) int {
		return cmp.Or(cmp.Compare(place[a.UID], place[b.UID]), cmp.Compare(a.UID, b.UID))
	}), nil
}

// excluding returns the hits that are not among others.
func excluding(hits, others []search.Hit) []search.Hit {
	return slices.DeleteFunc(slices.Clone(hits), func(hit search.Hit) bool {
		return slices.ContainsFunc(others, func(other search.Hit) bool { return other.UID == hit.UID })
	})
}

func boundsOf(named timeparse.Span) (after, before *time.Time) {
	if !named.From.IsZero() {
		after = &named.From
	}
	if !named.To.IsZero() {
		until := named.To.Add(-time.Nanosecond)
		before = &until
	}
	return after, before
}

// time returns the time that a question names, the question without it, and a note. An event is dated to the chunk that
// contains most of its words.
func (s *Store) time(ctx context.Context, q Question, project memory.ProjectMatch) (*timeparse.Span, string, string, error) {
	now := s.now().In(time.Local)
	named, ok := timeparse.FindInText(q.Text, now)
	// In a project that ended long ago, "in May" means a May of that time.
	if last := project.LastAt.In(time.Local); ok && !named.Relative && !project.LastAt.IsZero() &&
		now.Sub(last) > 60*24*time.Hour {
		named, ok = timeparse.FindInText(q.Text, last)
	}
	if !ok {
		return nil, q.Text, "", nil
	}
	if named.Event == "" {
		return &named, named.Rest, "", nil
	}
	filter := search.Filter{}
	if project.Name != "" {
		filter.All = append(filter.All, search.Facet("project", project.Name))
	}
	// The full-text index is updated asynchronously after commits, by several threads. Its first hits can be deleted
	// chunks, and new chunks can be missing for a while.
	hits, err := s.chunks.Search(ctx, search.Question{Text: named.Event, Words: keywords(named.Event),
		Mode: search.Keyword, Limit: eventLimit, Read: eventLimit, Filter: filter})
	if err != nil {
		return nil, q.Text, "", err
	}
	limit, known := chunkOfEvent(hits.Read, named.Event)
	if !known {
		return nil, q.Text, "The time of '" + named.Event + "' is unknown, so the search covers all times", nil
	}
	at := limit.At
	note := "'" + named.Event + "' is assumed to be on " + at.In(time.Local).Format("Jan 2, 2006") +
		", about which memory has most"
	if named.Later {
		return &timeparse.Span{From: limit.EndsAt}, named.Rest, note, nil
	}
	return &timeparse.Span{To: at}, named.Rest, note, nil
}

// chunkOfEvent returns the chunk that describes an event: the first one with the most words of the event.
func chunkOfEvent(read []map[string]any, event string) (best row, ok bool) {
	words := map[string]bool{}
	for word := range wordsOf(keywords(event)) {
		words[search.Stem(word)] = true
	}
	limit := len(words) / 2 // more than half of them are required
	for _, one := range read {
		r, contained := rowOf(one), map[string]bool{}
		for word := range wordsOf(r.Text) {
			if word = search.Stem(word); words[word] {
				contained[word] = true
			}
		}
		if len(contained) > limit {
			best, ok, limit = r, true, len(contained)
		}
	}
	return best, ok
}

// readChunks reads chunks by uid.
func (s *Store) readChunks(ctx context.Context, uids []string) ([]row, error) {
	if len(uids) == 0 {
		return nil, nil
	}
	return graph.All[row](ctx, s.graph, cypher.ChunksByUID, graph.Params{"uids": uids})
}

// span selects the chunks of a time.
type span struct {
	project, session, agent string
	from, to                time.Time
	limit                   int
	newest                  bool
}

// readSpan returns the newest or oldest chunks of a session or project, in chronological order.
func (s *Store) readSpan(ctx context.Context, of span) ([]row, error) {
	statement := cypher.ChunksOldest
	if of.newest {
		statement = cypher.ChunksNewest
	}
	if of.to.IsZero() {
		of.to = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	rows, err := graph.All[row](ctx, s.graph, statement,
		graph.Params{"project": graph.NullIfEmpty(of.project), "session": graph.NullIfEmpty(of.session),
			"agent": graph.NullIfEmpty(caller.Key(of.agent)),
			"from":  graph.UTC(of.from), "to": graph.UTC(of.to), "limit": of.limit})
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Position, b.Position),
			cmp.Compare(a.UID, b.UID))
	})
	return rows, err
}

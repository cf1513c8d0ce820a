package recall

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"nomograph/access"
	"nomograph/cypher"
	"nomograph/fault"
	"nomograph/graph"
	"nomograph/search"
	"nomograph/trace"
	"nomograph/when"
)

// Question is what memory is asked for.
type Question struct {
	Text    string
	Project string // as people write it; empty: all
	Agent   string // empty: all
	Recent  bool   // what is new counts for more
}

// Found is what memory has on a question, best first.
type Found struct {
	Chunks   []found
	Sessions []string // ids of the sessions of what was found, the one that fits best first
	Messages []Message
	Mode     string // as of search
	Notes    []string
}

// Message is a message in a chunk that was found.
type Message struct {
	Chunk   string // its uid
	Session string // id
	Text    string
	Score   float64 // 0 to 1
}

const (
	candidates = 100 // chunks that each index finds: they say which sessions fit
	told       = 50  // of what full text finds, those that come with its answer, which takes no longer than to ask the vectors
	ranked     = 30  // of these, those that both find best
	inTime     = 20  // besides, of the time that the question names
	leastAlike = 0.3 // cosine from which on a chunk without any word of the question is found by what it means
)

// Find ranks what memory has on a question, as the package says. A project that is not there gives nothing, with a note. It returns a
// validation_error for a text without a letter or digit, and a conflict for a project that may be several.
func (s *Store) Find(ctx context.Context, q Question) (Found, error) {
	d := s.desk()
	defer s.desks.Put(d)
	return s.find(ctx, q, d)
}

func (s *Store) find(ctx context.Context, q Question, d *desk) (Found, error) {
	if strings.TrimSpace(q.Text) == "" {
		return Found{}, fault.New(fault.Validation, "The question is empty").WithHint("Say in a few words what to look for")
	}
	q.Text = trace.Masked(q.Text) // an endpoint that makes vectors is somebody else's
	project, err := s.project(ctx, q.Project)
	if err != nil {
		return Found{}, err
	}
	if q.Project != "" && project.Name == "" {
		return Found{Notes: []string{"There is no project '" + q.Project + "' in memory; `list-projects` shows those there are"}}, nil
	}
	named, rest, note, err := s.time(ctx, q, project)
	if err != nil {
		return Found{}, err
	}
	hits, err := s.search(ctx, q, project, named, rest)
	if err != nil {
		return Found{}, err
	}
	if note != "" {
		hits.Notes = append(hits.Notes, note)
	}
	out := Found{Mode: hits.Mode, Notes: hits.Notes}
	if len(hits.Hits) == 0 && named == nil {
		return out, nil
	}
	rows, err := s.read(ctx, hits)
	if err != nil {
		return Found{}, err
	}
	if len(rows) == 0 && named != nil && project.Name != "" { // nothing but a time was said
		recent, err := s.between(ctx, span{project: project.Name, agent: q.Agent, from: named.From, to: named.To, limit: ranked, newest: true})
		if err != nil {
			return Found{}, err
		}
		rows = recent
	}
	out.Chunks = s.rank(rows, hits.Hits, ranking{question: rest, named: named, recent: q.Recent}, d, &out)
	return out, nil
}

// search asks the index of chunks, and where the question names a time, also for the chunks of that time alone.
func (s *Store) search(ctx context.Context, q Question, project meant, named *when.Span, rest string) (search.Found, error) {
	filter := search.Filter{}
	if project.Name != "" {
		filter.All = append(filter.All, search.Facet("project", project.Name))
	}
	if q.Agent != "" {
		filter.All = append(filter.All, search.Facet("agent", q.Agent))
	}
	if who := access.From(ctx); who.Limited() { // the statements leave out what it may not see; so they look among what it may
		tokens := make([]string, len(who.Projects))
		for i, p := range who.Projects {
			tokens[i] = search.Facet("project", p)
		}
		filter.Any = append(filter.Any, tokens)
	}
	question := search.Question{Text: q.Text, Words: keywords(rest), Limit: candidates, Deep: candidates, Read: told, Filter: filter}
	if named == nil {
		all, err := s.chunks.Search(ctx, question)
		return best(all), err
	}
	var all, of search.Found
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
		return search.Found{}, err
	}
	all = best(all)
	all.Hits, all.Read = append(without(of.Hits, all.Hits), all.Hits...), append(all.Read, of.Read...)
	return all, nil
}

// best leaves, of what full text told, what both indexes together find best.
func best(found search.Found) search.Found {
	place := map[any]int{}
	for i, hit := range found.Hits {
		place[hit.UID] = i - len(found.Hits)
	}
	slices.SortStableFunc(found.Read, func(a, b map[string]any) int { return cmp.Compare(place[a["uid"]], place[b["uid"]]) })
	found.Read = found.Read[:min(len(found.Read), ranked)]
	return found
}

// read gives what the chunks say that full text found, and where these are fewer than are ranked, those that vectors found; best first.
func (s *Store) read(ctx context.Context, found search.Found) ([]row, error) {
	place, rows := map[string]int{}, map[string]row{}
	for i, hit := range found.Hits {
		place[hit.UID] = i
	}
	for _, read := range found.Read {
		r := rowOf(read)
		rows[r.UID] = r
	}
	if len(rows) < ranked {
		unread := slices.DeleteFunc(slices.Clone(found.Hits), func(hit search.Hit) bool { _, had := rows[hit.UID]; return had })
		told, err := s.told(ctx, unread[:min(len(unread), ranked-len(rows))])
		if err != nil {
			return nil, err
		}
		for _, r := range told {
			rows[r.UID] = r
		}
	}
	return slices.SortedFunc(maps.Values(rows), func(a, b row) int { return cmp.Or(cmp.Compare(place[a.UID], place[b.UID]), cmp.Compare(a.UID, b.UID)) }), nil
}

// without gives the hits that are not among others.
func without(hits, others []search.Hit) []search.Hit {
	return slices.DeleteFunc(slices.Clone(hits), func(hit search.Hit) bool {
		return slices.ContainsFunc(others, func(other search.Hit) bool { return other.UID == hit.UID })
	})
}

func boundsOf(named when.Span) (after, before *time.Time) {
	if !named.From.IsZero() {
		after = &named.From
	}
	if !named.To.IsZero() {
		until := named.To.Add(-time.Nanosecond)
		before = &until
	}
	return after, before
}

// time is the time that a question names, and the question without it. That of an event is when memory knows most of it.
func (s *Store) time(ctx context.Context, q Question, project meant) (*when.Span, string, string, error) {
	now := s.now().In(time.Local)
	if !project.LastAt.IsZero() && project.LastAt.Before(now) { // "in May" of what ended long ago is a May of then
		if last := project.LastAt.In(time.Local); now.Sub(last) > 60*24*time.Hour {
			now = last
		}
	}
	named, is := when.Said(q.Text, now)
	if !is {
		return nil, q.Text, "", nil
	}
	if named.Event == "" {
		return &named, named.Rest, "", nil
	}
	filter := search.Filter{}
	if project.Name != "" {
		filter.All = append(filter.All, search.Facet("project", project.Name))
	}
	hits, err := s.chunks.Search(ctx, search.Question{Text: named.Event, Words: keywords(named.Event), Mode: search.Keyword, Limit: 1, Read: 1, Filter: filter})
	if err != nil || len(hits.Read) == 0 {
		return nil, q.Text, "", err
	}
	most := rowOf(hits.Read[0])
	at := most.At
	note := "'" + named.Event + "' is taken for " + at.In(time.Local).Format("Jan 2, 2006") + ", when memory knows most of it"
	if named.Later {
		return &when.Span{From: most.EndsAt}, named.Rest, note, nil
	}
	return &when.Span{To: at}, named.Rest, note, nil
}

// told reads chunks that a search found.
func (s *Store) told(ctx context.Context, hits []search.Hit) ([]row, error) {
	if len(hits) == 0 {
		return nil, nil
	}
	uids := make([]string, len(hits))
	for i, hit := range hits {
		uids[i] = hit.UID
	}
	return graph.All[row](ctx, s.graph, cypher.ChunksTold, graph.Params{"uids": uids})
}

// span asks for what is remembered of a time.
type span struct {
	project, session, agent string
	from, to                time.Time
	limit                   int
	newest                  bool
}

// between reads the newest or the oldest chunks of a session, or of a project, in their order.
func (s *Store) between(ctx context.Context, of span) ([]row, error) {
	statement := cypher.ChunksOldest
	if of.newest {
		statement = cypher.ChunksNewest
	}
	if of.to.IsZero() {
		of.to = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	rows, err := graph.All[row](ctx, s.graph, statement, graph.Params{"project": graph.OrNull(of.project), "session": graph.OrNull(of.session), "agent": graph.OrNull(access.Key(of.agent)),
		"from": graph.UTC(of.from), "to": graph.UTC(of.to), "limit": of.limit})
	slices.SortFunc(rows, func(a, b row) int {
		if a.Session == b.Session && a.Session != "" {
			return cmp.Or(cmp.Compare(a.Position, b.Position), a.At.Compare(b.At), cmp.Compare(a.UID, b.UID))
		}
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.UID, b.UID))
	})
	return rows, err
}

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
	"nomograph/internal/redact"
	"nomograph/internal/timeparse"
	"nomograph/search"
)

// Question is what memory is asked for.
type Question struct {
	Text    string
	Project string // as people write it; empty: all
	Agent   string // empty: all
	Recent  bool   // what is new counts for more

	Together bool                         // as of search.Question
	Meant    func() (projectMatch, error) // the project, where ReadProject has read it
}

// Found is what memory has on a question, best first.
type Found struct {
	Chunks   []found
	Sessions []string // ids of the sessions of what was found, the one that fits best first
	Messages []Message
	Mode     string // as of search
	Notes    []string

	bearing *relevanceScores
	listed  bool // nothing was asked for but a time
	changes [][]Change
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
	eventLimit = 10  // chunks among which the one that tells of an event is sought
	inTime     = 20  // besides, of the time that the question names
	minAlike   = 0.3 // cosine from which on a chunk without any word of the question is found by what it means
)

// Find ranks what memory has on a question, as the package says. A project that is not there gives nothing, with a note. It returns a
// validation_error for a text without a letter or digit, and a conflict for a project that may be several.
func (s *Store) Find(ctx context.Context, q Question) (Found, error) {
	d := s.tokenizer()
	defer s.desks.Put(d)
	return s.find(ctx, q, d)
}

func (s *Store) find(ctx context.Context, q Question, d *tokenizer) (Found, error) {
	if strings.TrimSpace(q.Text) == "" {
		return Found{}, apperr.New(apperr.Validation, "The question is empty").WithHint("Describe in a few words what to look for")
	}
	q.Text = redact.Mask(q.Text) // an endpoint that makes vectors is somebody else's
	meant := q.Meant
	if meant == nil {
		meant = func() (projectMatch, error) { return s.project(ctx, q.Project) }
	}
	project, err := meant()
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
	if content(rest) == "" {
		return s.happened(ctx, q, project, named, note, d)
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
	out.Chunks = s.rank(rows, hits.Hits, ranking{question: rest, named: named, recent: q.Recent, chunks: project.Chunks}, d, &out)
	return out, nil
}

// happened gives what is remembered of a time where a question asks for nothing else, such as "what happened today": the newest first. A question
// that names neither a thing nor a time finds nothing, and a note says why.
func (s *Store) happened(ctx context.Context, q Question, project projectMatch, named *timeparse.Span, note string, d *tokenizer) (Found, error) {
	out := Found{listed: true}
	if named == nil {
		out.Notes = []string{"The question names nothing to look for: say what it is about, or a time such as yesterday"}
		return out, nil
	}
	if note != "" {
		out.Notes = []string{note}
	}
	rows, err := s.between(ctx, span{project: project.Name, agent: q.Agent, from: named.From, to: named.To, limit: ranked, newest: true})
	if err != nil {
		return Found{}, err
	}
	out.bearing = newRelevanceScores(nil, nil, nil, 0, d)
	for i, r := range slices.Backward(rows) {
		c := d.read(r)
		c.score, c.relevant = 1-float64(len(rows)-1-i)/float64(2*ranked), true
		c.asked = onlyAsked(&c, nil)
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

// search asks the index of chunks, and where the question names a time, also for the chunks of that time alone.
func (s *Store) search(ctx context.Context, q Question, project projectMatch, named *timeparse.Span, rest string) (search.Results, error) {
	filter := search.Filter{}
	if project.Name != "" {
		filter.All = append(filter.All, search.Facet("project", project.Name))
	}
	if q.Agent != "" {
		filter.All = append(filter.All, search.Facet("agent", q.Agent))
	}
	if who := caller.From(ctx); who.Limited() { // the statements leave out what it may not see; so they look among what it may
		tokens := make([]string, len(who.Projects))
		for i, p := range who.Projects {
			tokens[i] = search.Facet("project", p)
		}
		filter.Any = append(filter.Any, tokens)
	}
	question := search.Question{Text: q.Text, Words: keywords(rest), Limit: candidates, Deep: candidates, Read: told, Filter: filter, Together: q.Together}
	if named == nil {
		all, err := s.chunks.Search(ctx, question)
		return best(all), err
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
	all = best(all)
	all.Hits, all.Read = append(without(of.Hits, all.Hits), all.Hits...), append(all.Read, of.Read...)
	return all, nil
}

// best leaves, of what full text told, what both indexes together find best.
func best(found search.Results) search.Results {
	place := map[any]int{}
	for i, hit := range found.Hits {
		place[hit.UID] = i - len(found.Hits)
	}
	slices.SortStableFunc(found.Read, func(a, b map[string]any) int { return cmp.Compare(place[a["uid"]], place[b["uid"]]) })
	found.Read = found.Read[:min(len(found.Read), ranked)]
	return found
}

// read gives what the chunks say that full text found, and where these are fewer than are ranked, those that vectors found; best first.
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
		unread := slices.DeleteFunc(slices.Clone(found.Hits), func(hit search.Hit) bool { _, ok := rows[hit.UID]; return ok })
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

// time is the time that a question names, and the question without it. That of an event is when memory knows most of it.
func (s *Store) time(ctx context.Context, q Question, project projectMatch) (*timeparse.Span, string, string, error) {
	now := s.now().In(time.Local)
	named, ok := timeparse.FindInText(q.Text, now)
	if last := project.LastAt.In(time.Local); ok && !named.Relative && !project.LastAt.IsZero() && now.Sub(last) > 60*24*time.Hour { // "in May" of what ended long ago is a May of then
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
	// Full text is updated behind commits, by several threads: its first hits may be of chunks that are gone, and a chunk may be missing for a while.
	hits, err := s.chunks.Search(ctx, search.Question{Text: named.Event, Words: keywords(named.Event), Mode: search.Keyword, Limit: eventLimit, Read: eventLimit, Filter: filter})
	if err != nil {
		return nil, q.Text, "", err
	}
	most, known := eventIn(hits.Read, named.Event)
	if !known {
		return nil, q.Text, "When '" + named.Event + "' was is not known, so no time was left out", nil
	}
	at := most.At
	note := "'" + named.Event + "' is taken for " + at.In(time.Local).Format("Jan 2, 2006") + ", when memory knows most of it"
	if named.Later {
		return &timeparse.Span{From: most.EndsAt}, named.Rest, note, nil
	}
	return &timeparse.Span{To: at}, named.Rest, note, nil
}

// eventIn gives the chunk that tells of an event: the first that has most of the event's words.
func eventIn(read []map[string]any, event string) (best row, known bool) {
	words := map[string]bool{}
	for word := range wordsOf(keywords(event)) {
		words[stem(word)] = true
	}
	most := len(words) / 2 // at least more than half of them
	for _, one := range read {
		r, has := rowOf(one), map[string]bool{}
		for word := range wordsOf(r.Text) {
			if word = stem(word); words[word] {
				has[word] = true
			}
		}
		if len(has) > most {
			best, known, most = r, true, len(has)
		}
	}
	return best, known
}

// told reads chunks that a search found.
func (s *Store) told(ctx context.Context, hits []search.Hit) ([]row, error) {
	uids := make([]string, len(hits))
	for i, hit := range hits {
		uids[i] = hit.UID
	}
	return s.toldOf(ctx, uids)
}

// toldOf reads chunks.
func (s *Store) toldOf(ctx context.Context, uids []string) ([]row, error) {
	if len(uids) == 0 {
		return nil, nil
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
	rows, err := graph.All[row](ctx, s.graph, statement, graph.Params{"project": graph.NullIfEmpty(of.project), "session": graph.NullIfEmpty(of.session), "agent": graph.NullIfEmpty(caller.Key(of.agent)),
		"from": graph.UTC(of.from), "to": graph.UTC(of.to), "limit": of.limit})
	slices.SortFunc(rows, func(a, b row) int {
		return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Session, b.Session), cmp.Compare(a.Position, b.Position), cmp.Compare(a.UID, b.UID))
	})
	return rows, err
}

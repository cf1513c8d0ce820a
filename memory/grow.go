package memory

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/internal/uid"
)

// SessionChunks replaces the chunks of a session from a position on.
type SessionChunks struct {
	Session    string // session uid
	Project    string
	Agent      string
	Visibility string
	From       int64
	Chunks     []Chunk        // with kind, times, text, tokens, first, last and title
	Ends       bool           // delete stored chunks after the last new chunk
	Set        map[string]any // properties to set on the session
}

// ReplaceResult counts the changes to chunks.
type ReplaceResult struct{ Created, Updated, Removed, Unchanged int64 }

// Add adds the changes of another replacement.
func (r *ReplaceResult) Add(o ReplaceResult) {
	r.Created, r.Updated, r.Removed, r.Unchanged = r.Created+o.Created, r.Updated+o.Updated, r.Removed+o.Removed,
		r.Unchanged+o.Unchanged
}

// existingChunk is a stored chunk, or the tombstone of a forgotten one, at or after the position from which chunks are
// replaced.
type existingChunk struct {
	Session, UID, Hash, Project string
	Position, Tokens            int64
	Forgotten                   bool
}

// place is the position of a chunk.
type place struct {
	session  string
	position int64
}

// ReplaceChunks writes the new chunks of sessions, which the transaction must have locked. It does not touch unchanged
// chunks and does not restore forgotten ones.
func (s *Store) ReplaceChunks(ctx context.Context, tx *graph.Tx, growths []SessionChunks) (ReplaceResult, error) {
	g := chunkUpdate{there: map[place]existingChunk{}, forgotten: map[[2]string]bool{}, names: map[string]string{},
		projects: map[string]*tally{}}
	if err := g.read(ctx, tx, growths); err != nil {
		return ReplaceResult{}, err
	}
	for _, growth := range growths {
		g.plan(growth)
	}
	if err := g.write(ctx, tx); err != nil {
		return ReplaceResult{}, err
	}
	if err := s.search.Store(ctx, tx, g.vectors); err != nil {
		return ReplaceResult{}, err
	}
	return g.done, g.updateProjects(ctx, tx)
}

// tally is the change to the counts of a project or session.
type tally struct {
	name           string
	chunks, tokens int64
	from, to       time.Time
}

func (t *tally) add(chunks, tokens int64, times ...time.Time) {
	t.chunks, t.tokens = t.chunks+chunks, t.tokens+tokens
	for _, at := range times {
		if t.from.IsZero() || at.Before(t.from) {
			t.from = at
		}
		if at.After(t.to) {
			t.to = at
		}
	}
}

// row returns the change as a statement parameter.
func (t *tally) row() map[string]any {
	row := map[string]any{"chunks": t.chunks, "tokens": t.tokens, "from": nil, "to": nil}
	if !t.from.IsZero() {
		row["from"], row["to"] = graph.UTC(t.from), graph.UTC(t.to)
	}
	return row
}

type chunkUpdate struct {
	there     map[place]existingChunk
	forgotten map[[2]string]bool // by session and hash
	names     map[string]string  // project names by key
	projects  map[string]*tally
	done      ReplaceResult

	create, update, remove, chain, sessions, vectors []any
}

func (g *chunkUpdate) read(ctx context.Context, tx *graph.Tx, growths []SessionChunks) error {
	from, keys := make([]any, len(growths)), []string{}
	for i, growth := range growths {
		from[i] = map[string]any{"session": growth.Session, "from": growth.From}
		keys = append(keys, caller.Key(growth.Project))
	}
	rows, err := graph.All[existingChunk](ctx, tx, cypher.ChunksExisting, graph.Params{"sessions": from})
	if err != nil {
		return err
	}
	for _, row := range rows {
		if g.there[place{row.Session, row.Position}] = row; row.Forgotten {
			g.forgotten[[2]string{row.Session, row.Hash}] = true
		}
	}
	names, err := graph.All[struct{ Key, Name string }](ctx, tx, cypher.ProjectNames, graph.Params{"keys": keys})
	for _, row := range names {
		g.names[row.Key] = row.Name
	}
	return err
}

// count adds chunks, tokens and times to the counts of a project.
func (g *chunkUpdate) count(project string, chunks, tokens int64, at ...time.Time) {
	key := caller.Key(project)
	if g.projects[key] == nil {
		g.projects[key] = &tally{name: project}
	}
	g.projects[key].add(chunks, tokens, at...)
}

func (g *chunkUpdate) plan(growth SessionChunks) {
	project := growth.Project
	if name, ok := g.names[caller.Key(project)]; ok { // keep the spelling that is already stored
		project = name
	}
	var session tally
	for i, c := range growth.Chunks {
		at := place{growth.Session, growth.From + int64(i)}
		c.Session, c.Position, c.Project, c.Agent, c.Visibility, c.Hash = growth.Session, at.position, project,
			growth.Agent, growth.Visibility, HashOf(c.Text)
		old, ok := g.there[at]
		switch {
		case c.Kind != FactKind && g.forgotten[[2]string{growth.Session, c.Hash}] || ok &&
			old.Forgotten: // a forgotten fact can be remembered again
			g.done.Unchanged++
			continue
		case ok && old.Hash == c.Hash && old.Project == project:
			g.done.Unchanged++
			continue
		case ok:
			c.UID = old.UID
			session.add(-1, -old.Tokens)
			g.count(old.Project, -1, -old.Tokens)
			g.update = append(g.update, c.row())
			g.done.Updated++
		default:
			c.UID = cmp.Or(c.UID, uid.New())
			g.create = append(g.create, c.row())
			g.chain = append(g.chain, map[string]any{"session": c.Session, "position": c.Position})
			g.done.Created++
		}
		if c.Vectors != nil {
			g.vectors = append(g.vectors, map[string]any{"uid": c.UID, "updated": c.Hash, "passages": c.Vectors})
		}
		session.add(1, c.Tokens, c.At, c.EndsAt)
		g.count(project, 1, c.Tokens, c.At, c.EndsAt)
	}
	if growth.Ends {
		for at, old := range g.there {
			if at.session == growth.Session && at.position >= growth.From+int64(len(growth.Chunks)) && !old.Forgotten {
				g.remove = append(g.remove, old.UID)
				g.count(old.Project, -1, -old.Tokens)
				session.add(-1, -old.Tokens)
				g.done.Removed++
			}
		}
	}
	set := map[string]any{"project": project}
	maps.Copy(set, growth.Set)
	row := session.row()
	row["uid"], row["set"] = growth.Session, set
	g.sessions = append(g.sessions, row)
}

// row returns a chunk as a statement parameter.
func (c Chunk) row() map[string]any {
	p := c.properties()
	p["session"], p["position"] = c.Session, c.Position
	row := map[string]any{"uid": c.UID, "session": c.Session, "properties": p, "decisions": graph.List(c.Decisions),
		"event": nil}
	if c.Kind == Events {
		row["event"] = c.First
	}
	return row
}

func (g *chunkUpdate) write(ctx context.Context, tx *graph.Tx) error {
	for _, step := range []struct {
		statement cypher.Statement
		name      string
		rows      []any
	}{{cypher.ChunksRemove, "uids", g.remove}, {cypher.ChunksCreate, "chunks", g.create},
		{cypher.ChunksChain, "places", g.chain},
		{cypher.ChunksUpdate, "chunks", g.update}, {cypher.SessionsAddCounts, "sessions", g.sessions}} {
		if len(step.rows) == 0 {
			continue
		}
		if err := tx.Run(ctx, step.statement, graph.Params{step.name: step.rows}); err != nil {
			return err
		}
	}
	return nil
}

// updateProjects updates the counts of projects, sorted, so that all processes lock them in the same order. It runs
// last in a transaction, because other transactions wait for its locks.
func (g *chunkUpdate) updateProjects(ctx context.Context, tx *graph.Tx) error {
	rows := []any{}
	for _, key := range slices.Sorted(maps.Keys(g.projects)) {
		t := g.projects[key]
		row := t.row()
		row["key"], row["name"] = key, t.name
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	return tx.Run(ctx, cypher.ProjectsAddCounts, graph.Params{"projects": rows})
}

package memory

import (
	"context"
	"maps"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/internal/uid"
	"nomograph/search"
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

// tally is the change to the counts of a project.
type tally struct {
	name           string
	chunks, tokens int64
	from, to       time.Time
}

type chunkUpdate struct {
	there     map[place]existingChunk
	forgotten map[[2]string]bool // by session and hash
	names     map[string]string  // project names by key
	projects  map[string]*tally
	done      ReplaceResult

	create, update, remove, chain, sessions []any
	vectors                                 []search.StoredVectors
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
	t := g.projects[key]
	if t == nil {
		t = &tally{name: project}
		g.projects[key] = t
	}
	t.chunks, t.tokens = t.chunks+chunks, t.tokens+tokens
	for _, at := range at {
		if t.from.IsZero() || at.Before(t.from) {
			t.from = at
		}
		if at.After(t.to) {
			t.to = at
		}
	}
}

func (g *chunkUpdate) plan(growth SessionChunks) {
	project := growth.Project
	if name, ok := g.names[caller.Key(project)]; ok { // keep the spelling that is already stored
		project = name
	}
	var chunks, tokens int64
	var from, to time.Time
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
			chunks, tokens = chunks-1, tokens-old.Tokens
			g.count(old.Project, -1, -old.Tokens)
			g.update = append(g.update, c.row())
			g.done.Updated++
		default:
			if c.UID == "" {
				c.UID = uid.New()
			}
			g.create = append(g.create, c.row())
			g.chain = append(g.chain, map[string]any{"session": c.Session, "position": c.Position})
			g.done.Created++
		}
		g.vectors = append(g.vectors, search.StoredVectors{UID: c.UID, Updated: c.Hash, Vectors: c.Vectors})
		chunks, tokens = chunks+1, tokens+c.Tokens
		g.count(project, 1, c.Tokens, c.At, c.EndsAt)
		if from.IsZero() || c.At.Before(from) {
			from = c.At
		}
		if c.EndsAt.After(to) {
			to = c.EndsAt
		}
	}
	if growth.Ends {
		for at, old := range g.there {
			if at.session == growth.Session && at.position >= growth.From+int64(len(growth.Chunks)) && !old.Forgotten {
				g.remove = append(g.remove, old.UID)
				g.count(old.Project, -1, -old.Tokens)
				chunks, tokens = chunks-1, tokens-old.Tokens
				g.done.Removed++
			}
		}
	}
	set := map[string]any{"project": project}
	maps.Copy(set, growth.Set)
	row := map[string]any{"uid": growth.Session, "set": set, "chunks": chunks, "tokens": tokens, "from": nil, "to": nil}
	if !from.IsZero() {
		row["from"], row["to"] = graph.UTC(from), graph.UTC(to)
	}
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

// updateProjects updates the counts of projects. It runs last in a transaction, because other transactions wait for
// its locks.
func (g *chunkUpdate) updateProjects(ctx context.Context, tx *graph.Tx) error {
	rows := projectRows(g.projects)
	if len(rows) == 0 {
		return nil
	}
	return tx.Run(ctx, cypher.ProjectsAddCounts, graph.Params{"projects": rows})
}

// projectRows returns tallies as statement parameters, sorted, so that all processes lock projects in the same order.
func projectRows(projects map[string]*tally) []any {
	rows := []any{}
	for _, key := range slices.Sorted(maps.Keys(projects)) {
		t := projects[key]
		row := map[string]any{"key": key, "name": t.name, "chunks": t.chunks, "tokens": t.tokens, "from": nil,
			"to": nil}
		if !t.from.IsZero() {
			row["from"], row["to"] = graph.UTC(t.from), graph.UTC(t.to)
		}
		if t.chunks != 0 || t.tokens != 0 || !t.from.IsZero() {
			rows = append(rows, row)
		}
	}
	return rows
}

package recall

import (
	"context"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
)

// projectMatch is a project of memory.
type projectMatch struct {
	Name, Key string
	LastAt    time.Time
	Chunks    int64
}

// project finds the project that a name means: the one of that name, or the only one that ends with it, best behind a slash. An empty Name
// says that there is none. It returns a conflict, with the names, where several end with it.
func (s *Store) project(ctx context.Context, name string) (projectMatch, error) {
	key := caller.Key(name)
	if key == "" {
		return projectMatch{}, nil
	}
	all, err := graph.All[projectMatch](ctx, s.graph, cypher.ProjectsMeant, graph.Params{"name": key})
	if err != nil {
		return projectMatch{}, err
	}
	var behindSlash []projectMatch
	for _, p := range all {
		if p.Key == key {
			return p, nil
		}
		if strings.HasSuffix(p.Key, "/"+key) {
			behindSlash = append(behindSlash, p)
		}
	}
	if len(behindSlash) > 0 {
		all = behindSlash
	}
	switch len(all) {
	case 0:
		return projectMatch{}, nil
	case 1:
		return all[0], nil
	}
	names := make([]string, len(all))
	for i, p := range all {
		names[i] = p.Name
	}
	return projectMatch{}, apperr.Newf(apperr.Conflict, "Several projects in memory end with '%s'", name).
		WithHint("Say which: %s", strings.Join(names, ", ")).With("projects", names)
}

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

// projectMatch is a project that matches a name.
type projectMatch struct {
	Name, Key string
	LastAt    time.Time
	Chunks    int64
}

// project returns the project with this name, or the only one whose name ends with it. Endings after a slash are
// preferred. Without a match, the result has an empty Name. It returns a conflict that lists the names if several
// match.
func (s *Store) project(ctx context.Context, name string) (projectMatch, error) {
	key := caller.Key(name)
	if key == "" {
		return projectMatch{}, nil
	}
	all, err := graph.All[projectMatch](ctx, s.graph, cypher.ProjectsByName, graph.Params{"name": key})
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
		WithHint("Use the full name: %s", strings.Join(names, ", ")).With("projects", names)
}

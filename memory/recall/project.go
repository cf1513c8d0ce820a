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
	return meantBy(name, all)
}

// ReadProject asks for the project that a name means, for Question.Meant, and answers once the part is read.
func ReadProject(name string) (graph.Part, func() (projectMatch, error)) {
	key := caller.Key(name)
	part, rows := graph.PartOf[projectMatch](cypher.ProjectsMeant, graph.Params{"name": graph.NullIfEmpty(key)})
	return part, func() (projectMatch, error) {
		if rows.Err != nil || key == "" {
			return projectMatch{}, rows.Err
		}
		return meantBy(name, rows.All)
	}
}

// meantBy chooses among the projects that a name may mean.
func meantBy(name string, all []projectMatch) (projectMatch, error) {
	key := caller.Key(name)
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

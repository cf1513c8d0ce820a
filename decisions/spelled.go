package decisions

import (
	"cmp"
	"context"

	"nomograph/cypher"
	"nomograph/graph"
)

// Spelled gives the agent and the project the spelling by which decisions know them; what is empty stays so.
func (s *Store) Spelled(ctx context.Context, agent, project string) (knownAgent, knownProject string, err error) {
	if agent == "" && project == "" {
		return "", "", nil
	}
	names, err := graph.One[struct{ Agent, Project string }](ctx, s.graph, cypher.NamesFirst, graph.Params{"agent": Key(agent), "project": Key(project)})
	return cmp.Or(names.Agent, agent), cmp.Or(names.Project, project), err
}

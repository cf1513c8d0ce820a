package gate

import (
	"nomograph/graph"
	"nomograph/internal/spelling"
	"nomograph/policies/rule"
)

// written are the names by which rules choose, as the caller wrote them; those that are not given are null.
func (c ActionCheck) written() map[string]any {
	return map[string]any{"category": graph.OrNull(c.Category), "name": graph.OrNull(c.Name), "project": graph.OrNull(c.Project), "agent": graph.OrNull(c.agent()),
		"session": graph.OrNull(c.SessionID), "tags": listOrNull(c.Tags)}
}

func listOrNull(list []string) any {
	if len(list) == 0 {
		return nil
	}
	return graph.List(list)
}

// namesOf makes each of a list one, without those that show nothing.
func namesOf(list []string) []string {
	var names []string
	for _, item := range rule.Given(list...) {
		names = append(names, spelling.Name(item))
	}
	return names
}

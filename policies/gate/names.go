package gate

import (
	"nomograph/graph"
	"nomograph/internal/spelling"
	"nomograph/policies/rule"
)

// written returns the names that select rules, in the caller's spelling; absent ones are null.
func (c ActionCheck) written() map[string]any {
	return map[string]any{"category": graph.NullIfEmpty(c.Category), "name": graph.NullIfEmpty(c.Name), "project": graph.NullIfEmpty(c.Project), "agent": graph.NullIfEmpty(c.agent()),
		"session": graph.NullIfEmpty(c.SessionID), "tags": listOrNull(c.Tags)}
}

func listOrNull(list []string) any {
	if len(list) == 0 {
		return nil
	}
	return graph.List(list)
}

// namesOf normalizes a list and removes empty names.
func namesOf(list []string) []string {
	var names []string
	for _, item := range rule.NonEmpty(list...) {
		names = append(names, spelling.Name(item))
	}
	return names
}

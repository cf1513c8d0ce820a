package policies

import (
	"nomograph/policies/spelling"
)

// written are the names by which rules choose, as the caller wrote them; those that are not given are null.
func (c ActionCheck) written() map[string]any {
	return map[string]any{"category": nullIfEmpty(c.Category), "name": nullIfEmpty(c.Name), "project": nullIfEmpty(c.Project), "agent": nullIfEmpty(c.agent()),
		"session": nullIfEmpty(c.SessionID), "tags": listOrNull(c.Tags)}
}

func listOrNull(list []string) any {
	if len(list) == 0 {
		return nil
	}
	return anyList(list)
}

// namesOf makes each of a list one, without those that show nothing.
func namesOf(list []string) []string {
	var names []string
	for _, item := range given(list...) {
		names = append(names, spelling.Name(item))
	}
	return names
}

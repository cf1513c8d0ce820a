package policies

import (
	"reflect"

	"nomograph/policies/condition"
	"nomograph/policies/spelling"
	"nomograph/trace"
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

// judgeBy makes what judges the action by a rule set. Its names are made one: spelling is no way around a rule.
func (c ActionCheck) judgeBy(s *Store, force *inForce, action *condition.Action) *judge {
	return &judge{store: s, force: force, projects: spelling.Forms(c.Project), written: c.written(), facts: condition.Facts{Action: action,
		Agent: spelling.Name(c.agent()), Project: spelling.Project(c.Project), Session: c.SessionID, Now: force.now}}
}

// judgedAs are the names that rules saw in another spelling than the caller's, without secrets.
func (j *judge) judgedAs() map[string]any {
	a := j.facts.Action
	seen := map[string]any{"category": nullIfEmpty(a.Category), "name": nullIfEmpty(a.Name), "project": nullIfEmpty(j.facts.Project), "agent": nullIfEmpty(j.facts.Agent),
		"tags": listOrNull(a.Tags)}
	for name, value := range seen {
		if reflect.DeepEqual(value, j.written[name]) {
			delete(seen, name)
		}
	}
	if len(seen) == 0 {
		return nil
	}
	masked, _ := trace.Redact(seen)
	return masked.(map[string]any)
}

// namesOf makes each of a list one, without those that show nothing.
func namesOf(list []string) []string {
	var names []string
	for _, item := range given(list...) {
		names = append(names, spelling.Name(item))
	}
	return names
}

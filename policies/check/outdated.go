package check

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/lists"
	"nomograph/internal/render"
	"nomograph/policies"
	"nomograph/policies/rule"
)

// Outdated says for each of these verdicts why its denial no longer holds: a violated rule, its mode or one of its
// thresholds has changed, or a person overturned the denial. It leaves out verdicts that allowed, that still hold, and
// that the caller may not see. It returns the errors of Rules.
func (s *Store) Outdated(ctx context.Context, uids []string) (map[string]string, error) {
	out := map[string]string{}
	if len(uids) == 0 {
		return out, nil
	}
	denials, err := graph.All[storedVerdict](ctx, s.graph, cypher.DenialsByUID, graph.Params{"uids": uids})
	if err != nil || len(denials) == 0 {
		return out, err
	}
	set, err := s.Rules(ctx)
	if err != nil {
		return nil, err
	}
	for _, denial := range denials {
		e, err := explanationOf(denial)
		if err != nil {
			return nil, err
		}
		changes := set.changesSince(e.Violations)
		if e.Appeal != nil && e.Appeal.State == AppealOverturned {
			changes = append(changes, "a person overturned it after an appeal")
		}
		if len(changes) == 0 {
			continue
		}
		answer, err := set.answerToday(ctx, StoredAction{At: e.At, Agent: e.AgentID, Inputs: string(e.Action),
			InputsKept: e.InputsKept, Facts: e.Facts})
		if err != nil {
			return nil, err
		}
		out[e.VerdictID] = strings.Join(changes, "; ") + "; " + answer
	}
	return out, nil
}

// changesSince says how the rules of violations, their modes and their thresholds differ today.
func (set *RuleSet) changesSince(violations []Violation) (changes []string) {
	for _, v := range violations {
		at := slices.IndexFunc(set.rules, func(r rule.Guardrail) bool {
			return r.Name == v.GuardrailID && r.Version == v.Version
		})
		if at < 0 { // a variant for another scope has the same name
			at = slices.IndexFunc(set.rules, func(r rule.Guardrail) bool { return r.Name == v.GuardrailID })
		}
		switch name := render.OneLine(v.GuardrailID); {
		case at < 0:
			changes = append(changes, "rule "+name+" is no longer active")
		case set.rules[at].Mode != v.Mode:
			changes = append(changes, fmt.Sprintf("the mode of rule %s was %s and is %s", name, v.Mode,
				set.rules[at].Mode))
		case set.rules[at].Version != v.Version:
			changes = append(changes, "rule "+name+" has changed")
		}
		for name, use := range v.Thresholds {
			nodes := set.thresholds[name]
			switch {
			case slices.ContainsFunc(nodes, func(n policies.Stored) bool {
				return policies.Version(n.Properties, nil) == use.Version
			}):
			case len(nodes) == 1:
				changes = append(changes, fmt.Sprintf("threshold %s was %s and is %s", render.OneLine(name),
					shortValue(use.Value), shortValue(nodes[0].Properties["value"])))
			default:
				changes = append(changes, "threshold "+render.OneLine(name)+" has changed")
			}
		}
	}
	return lists.Union(changes) // rules of one verdict share thresholds
}

// shortValue shows a value alike whether it was stored as an integer or as JSON.
func shortValue(value any) string {
	if number, ok := policies.ToFloat(value); ok {
		return strconv.FormatFloat(number, 'g', -1, 64)
	}
	return policies.ShowValue(value)
}

// answerToday says whether the rules of the set allow a stored action.
func (set *RuleSet) answerToday(ctx context.Context, was StoredAction) (string, error) {
	results, err := set.Replay(ctx, was.Read(), false, nil)
	if err != nil {
		return "", err
	}
	answer := "today's rules allow it"
	for i, r := range set.Rules() {
		switch {
		case !r.Denies():
		case results[i].Violates():
			return "today's rules deny it, too", nil
		case results[i].Exactness == NotReplayable:
			answer = "check again whether today's rules allow it"
		}
	}
	return answer, nil
}

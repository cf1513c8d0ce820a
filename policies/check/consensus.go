package check

import (
	"cmp"
	"context"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/normalize"
	"nomograph/internal/redact"
	"nomograph/policies"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
	"nomograph/trace"
)

// ConsensusKey identifies the subject of a consensus: an action of an agent, by its description, category and stakes in
// any spelling. A consensus is valid for no other action and no other agent.
func ConsensusKey(agent, description, category, stakes string) string {
	parts := []string{normalize.Name(agent), normalize.Name(description), normalize.Name(category),
		cmp.Or(stakes, "medium")}
	return policies.Hash(strings.Join(parts, "\x00"))
}

// addConsensus adds the current consensus to the action if a rule reads it. If it cannot be read, the check fails.
func (s *Store) addConsensus(ctx context.Context, set *RuleSet, c ActionCheck, action *condition.Action) error {
	masked := redact.Mask(c.Description)
	if !set.consensus || masked != c.Description { // a consensus about a masked description is not valid
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.checkTimeout())
	defer cancel()
	found, err := graph.All[map[string]any](ctx, s.graph, cypher.ConsensusInForce,
		graph.Params{"key": ConsensusKey(trace.Actor(c.AgentID, c.By), masked, c.Category, c.Stakes)})
	if err != nil || len(found) == 0 {
		return err
	}
	action.Consensus = found[0]
	for _, key := range []string{"at", "valid_until"} {
		action.Consensus[key] = graph.Time(action.Consensus, key)
	}
	return nil
}

// asksConsensus reports whether a rule may read a consensus, so that a consensus is read only if a rule needs it.
func asksConsensus(r *rule.Guardrail) bool {
	const word = "consensus"
	return r.Mode != rule.Off && (r.Applies != nil && strings.Contains(r.Applies.Text, word) || r.Requires != nil &&
		strings.Contains(r.Requires.Text, word) ||
		strings.Contains(r.Pattern, word))
}

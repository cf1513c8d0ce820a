package gate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/redact"
	"nomograph/internal/spelling"
	"nomograph/policies/condition"
	"nomograph/policies/rule"
	"nomograph/trace"
)

// ConsensusKey says what a consensus is about: an action of an agent, by its description, category and stakes, however they are spelled. What
// others agreed to is no leave to do anything else, or for anybody else.
func ConsensusKey(agent, description, category, stakes string) string {
	if stakes == "" {
		stakes = "medium"
	}
	parts := []string{spelling.Name(agent), spelling.Name(description), spelling.Name(category), stakes}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\x00")))
	return hex.EncodeToString(sum[:])
}

// agreed gives the action the consensus that it has, where a rule asks for one. That it cannot be read denies, as for rules.
func (s *Store) agreed(ctx context.Context, set *RuleSet, c ActionCheck, action *condition.Action) error {
	masked := redact.Mask(c.Description)
	if !set.consensus || masked != c.Description { // nobody agreed to what they did not see
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, s.checkTimeout())
	defer cancel()
	found, err := graph.All[struct {
		ID               string
		Quorum           int64
		Agreed, Objected []any
		At, ValidUntil   time.Time
	}](ctx, s.graph, cypher.ConsensusInForce, graph.Params{"key": ConsensusKey(trace.Actor(c.AgentID, c.By), masked, c.Category, c.Stakes)})
	if err != nil || len(found) == 0 {
		return err
	}
	f := found[0]
	action.Consensus = map[string]any{"id": f.ID, "quorum": f.Quorum, "agreed": f.Agreed, "objected": f.Objected, "at": f.At.UTC(), "valid_until": f.ValidUntil.UTC()}
	return nil
}

// asksConsensus tells whether a rule may look at a consensus: few do, and the others need not pay for it.
func asksConsensus(r *rule.Guardrail) bool {
	const word = "consensus"
	return r.Mode != rule.Off && (r.Applies != nil && strings.Contains(r.Applies.Text, word) || r.Requires != nil && strings.Contains(r.Requires.Text, word) ||
		strings.Contains(r.Pattern, word))
}

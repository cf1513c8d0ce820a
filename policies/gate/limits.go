package gate

import (
	"context"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/internal/spelling"
)

// counts tells whether limits count a verdict: it allows, or an approval or whoever recorded the decision made up for a denial.
func (v Verdict) counts() bool { return v.Allowed || v.Forced != "" }

// countedFor is the agent under which limits count the verdict: as verdicts store it, so without secrets.
func (v Verdict) countedFor() string { return spelling.Name(v.AgentID) }

// Limited tells whether limits must have room for the verdict, should it allow.
func (j *Evaluation) Limited() bool {
	return slices.ContainsFunc(j.Counted, func(c Counted) bool { return c.holds != nil })
}

// Uses are the limits that must have room where the verdict is stored. Whoever stores it holds them, and tells Exceed where they
// have none. A denial uses nothing.
func (j *Evaluation) Uses() []limits.Use {
	if !j.counts() {
		return nil
	}
	var uses []limits.Use
	for _, c := range j.Counted {
		if c.holds != nil {
			uses = append(uses, limits.Use{Rule: c.Rule, Agent: j.countedFor(), Amount: c.Amount, Most: c.holds.Limit.Most, Seconds: c.holds.Limit.Seconds, At: j.At})
		}
	}
	return uses
}

// Exceed makes the verdict one that denies, since limits had no room when it was to be stored.
func (j *Evaluation) Exceed(over *limits.Error) {
	j.Violations = slices.Clone(j.Violations)
	j.Counted = slices.Clone(j.Counted)
	j.Allowed = false
	j.Override("", "")
	for _, l := range over.Limits {
		for i, c := range j.Counted {
			if c.holds == nil || c.Rule != l.Rule || c.holds.Limit.Most != l.Most || c.holds.Limit.Seconds != l.Seconds {
				continue
			}
			row := map[string]any{"used": l.Used, "amount": l.Amount, "most": l.Most, "seconds": l.Seconds} // as the pattern returns
			j.Violations = append(j.Violations, *j.by.objectionTo(c.holds, []map[string]any{j.by.showable(c.holds, row)}))
			j.Counted[i].holds = nil
			j.exceeded(c.Rule)
			break
		}
	}
	slices.SortStableFunc(j.Violations, func(a, b Violation) int { return strings.Compare(a.GuardrailID, b.GuardrailID) })
}

// pendingVerdict is a verdict on its way into the graph, for which limits must have room.
type pendingVerdict struct {
	row     map[string]any
	act     limits.Act
	refused error // why it was not stored, where others were
}

// hold stores the verdicts for which limits have room, in the order in which they came.
func (s *Store) hold(ctx context.Context, verdicts []*pendingVerdict) (struct{}, error) {
	ctx, cancel := context.WithTimeout(ctx, recordTimeout)
	defer cancel()
	acts := make([]limits.Act, len(verdicts))
	for i, v := range verdicts {
		acts[i] = v.act
	}
	return struct{}{}, s.graph.Write(ctx, func(tx *graph.Tx) error {
		held, err := limits.Hold(ctx, tx, acts)
		if err != nil {
			return err
		}
		var rows []any
		for _, v := range verdicts {
			if v.refused, err = held.Admit(ctx, v.act); err != nil {
				return err
			}
			if v.refused == nil {
				rows = append(rows, v.row)
			}
		}
		if len(rows) == 0 {
			return nil
		}
		return tx.Run(ctx, cypher.VerdictsRecord, graph.Params{"verdicts": rows})
	})
}

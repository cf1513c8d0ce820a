package check

import (
	"context"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/internal/spelling"
)

// counts reports whether limits count a verdict: it allows, or its denial was overridden.
func (v Verdict) counts() bool { return v.Allowed || v.Forced != "" }

// countedFor returns the agent under which limits count the verdict, in the stored form.
func (v Verdict) countedFor() string { return spelling.Name(v.AgentID) }

// Limited reports whether storing the verdict, if it allows, must check limits.
func (j *Evaluation) Limited() bool {
	return slices.ContainsFunc(j.Counted, func(c Counted) bool { return c.holds != nil })
}

// Uses returns the limits that must be checked when the verdict is stored. The caller locks them, and calls Exceed if
// one is exceeded. A denial uses nothing.
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

// Exceed turns the verdict into a denial because a limit was exceeded when it was stored.
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
			row := map[string]any{"used": l.Used, "amount": l.Amount, "most": l.Most, "seconds": l.Seconds} // the form of a row of the pattern
			j.Violations = append(j.Violations, *j.by.patternViolation(c.holds, []map[string]any{j.by.showable(c.holds, row)}))
			j.Counted[i].holds = nil
			j.exceeded(c.Rule)
			break
		}
	}
	slices.SortStableFunc(j.Violations, func(a, b Violation) int { return strings.Compare(a.GuardrailID, b.GuardrailID) })
}

// pendingVerdict is a verdict to be stored under limits.
type pendingVerdict struct {
	row     map[string]any
	act     limits.Act
	refused error // why this verdict was not stored although others of the batch were
}

// storeLimited stores the verdicts whose limits allow it, in the order of their arrival.
func (s *Store) storeLimited(ctx context.Context, verdicts []*pendingVerdict) (struct{}, error) {
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

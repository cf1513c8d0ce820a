package check

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/internal/caller"
	"nomograph/internal/lists"
	"nomograph/internal/normalize"
	"nomograph/policies"
	"nomograph/policies/rule"
)

// counts reports whether limits count a verdict: it allows, or its denial was overridden.
func (v Verdict) counts() bool { return v.Allowed || v.Forced != "" }

// countedFor returns the agent under which limits count the verdict, in the stored form.
func (v Verdict) countedFor() string { return normalize.Name(v.AgentID) }

// Limited reports whether storing the verdict, if it allows, must check limits.
func (j *Evaluation) Limited() bool {
	return slices.ContainsFunc(j.Counted, func(c Counted) bool { return c.holds != nil })
}

// CountsUnder reports whether a rule is a limit that counts the action.
func (j *Evaluation) CountsUnder(name string) bool {
	return slices.ContainsFunc(j.Counted, func(c Counted) bool { return c.Rule == name })
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
			c.use.Agent = j.countedFor() // as it is stored
			uses = append(uses, c.use)
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
			if c.holds == nil || c.Rule != l.Rule || c.use.Most != l.Most || c.use.Seconds != l.Seconds ||
				c.use.Scope != l.Scope {
				continue
			}
			row := limitRow(l.Used, l.Amount, l.Most, l.Seconds)
			j.Violations = append(j.Violations, *j.by.patternViolation(c.holds,
				[]map[string]any{j.by.showable(c.holds, row)}))
			j.Counted[i].holds = nil
			j.exceeded(c.Rule)
			break
		}
	}
	slices.SortStableFunc(j.Violations, func(a, b Violation) int {
		return strings.Compare(a.GuardrailID, b.GuardrailID)
	})
}

// isLimitState reports whether a pattern is the shipped one, in this version's text or an earlier one's. The check then
// counts by itself.
func isLimitState(pattern string) bool {
	return strings.HasPrefix(strings.TrimSpace(pattern), "// A limit: ")
}

// use returns what the action uses of a limit. stated is false if the action does not say how much.
func (e *evaluator) use(r *rule.Guardrail) (use limits.Use, stated bool, err error) {
	l := r.Limit
	use = limits.Use{Rule: r.Name, Scope: l.Scope, Agent: e.facts.Agent, Project: e.facts.Project, Most: l.Most,
		Seconds: l.Seconds, At: e.set.Now}
	use.Amount, stated = l.Amount(e.facts.Action.Params)
	if l.Threshold != "" {
		scope := ""
		if l.Scoped {
			scope = e.facts.Project
		}
		value, err := e.threshold(l.Threshold, scope)
		if err != nil {
			return use, stated, fmt.Errorf("limit_most: %w", err)
		}
		var number bool
		if use.Most, number = policies.ToFloat(value); !number || use.Most < 0 || !policies.Finite(use.Most) {
			return use, stated, fmt.Errorf("limit_most: SYS_Threshold node '%s' is not a number of 0 or more",
				l.Threshold)
		}
	}
	if e.once != nil {
		use.Unit, err = e.once()
	}
	return use, stated, err
}

// evaluateLimit evaluates a limit with the shipped pattern.
func (e *evaluator) evaluateLimit(ctx context.Context, r *rule.Guardrail) (result string, found []map[string]any,
	err error) {
	use, stated, err := e.use(r)
	if err != nil {
		return Failed, nil, err
	}
	used, err := limits.Used(ctx, e.set.compiler.graph, use)
	if err != nil {
		return Failed, nil, err
	}
	if stated && limits.Left(use.Most, used) >= use.Amount {
		return Passed, nil, nil
	}
	row := limitRow(used, use.Amount, use.Most, use.Seconds)
	if !stated {
		row["amount"] = nil
	}
	return Violated, []map[string]any{e.showable(r, row)}, nil
}

// limitRow returns what a limit found. A whole number has no fraction, so that a message says "3 used".
func limitRow(used, amount, most float64, seconds int64) map[string]any {
	row := map[string]any{"used": used, "amount": amount, "most": most, "seconds": seconds}
	for name, value := range row {
		if f, ok := value.(float64); ok && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			row[name] = int64(f)
		}
	}
	return row
}

// Once returns the check of an action that is repeated without being executed: identical checks of one session use a
// limit once. Reports and recordings are acts of their own.
func (c ActionCheck) Once(ctx context.Context) ActionCheck {
	c.once, c.window = true, caller.From(ctx).Connection
	return c
}

// unit returns the unit of a check, which identical checks of one session share; "" for an act of its own.
func (c ActionCheck) unit() (string, error) {
	if !c.once || c.SessionID == "" && c.window == "" {
		return "", nil
	}
	stored, err := storedAction{c, nil}.masked()
	return policies.Hash(stored.text + c.agent() + c.window), err
}

// pendingVerdict is a verdict to be stored under limits.
type pendingVerdict struct {
	row     map[string]any
	act     limits.Act
	refused error // why this verdict was not stored although others of the batch were
}

// storeLimited stores the verdicts whose limits allow it, in the order of their arrival.
func (s *Store) storeLimited(ctx context.Context, verdicts []*pendingVerdict) (struct{}, error) {
	ctx, cancel := context.WithTimeout(ctx, s.within(recordTimeout, &s.stored))
	defer cancel()
	acts := lists.Map(verdicts, func(v *pendingVerdict) limits.Act { return v.act })
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

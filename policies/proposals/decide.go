package proposals

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/internal/uid"
	"nomograph/policies"
	"nomograph/trace"
)

// Decision is a person's decision about a proposal.
type Decision struct {
	Query
	Reason string `json:"reason" jsonschema:"reason, stored with the proposal" rule:"minLength=1,maxLength=2000"`
	By     string `json:"-"`
}

func (d Decision) params(state string) graph.Params {
	return graph.Params{"properties": map[string]any{"state": state, "decision_reason": redact.Mask(d.Reason)},
		"decided": true}
}

// Approval approves the plan that a person saw.
type Approval struct {
	Decision
	Plan string `json:"plan,omitempty" jsonschema:"plan that you saw, or its beginning; refused if the proposal has another plan" rule:"minLength=8,maxLength=64"`
}

// Step names a proposal to apply, withdraw or open.
type Step struct {
	Query
	By string `json:"-"`
}

// staleError rolls back; the proposal becomes stale in a transaction of its own. why says what differs.
type staleError struct {
	why   string
	cause error
}

// Error returns why. There is no Unwrap, because the transaction would return the cause in place of the staleError.
func (e *staleError) Error() string { return e.why }

const rulesChanged = "the rules have changed since its replay"

// checkRevision returns an error if the rules are not those that the proposal was replayed with.
func (s *Store) checkRevision(ctx context.Context, tx *graph.Tx, p stored) error {
	revision, err := s.checks.RevisionIn(ctx, tx, p.concern())
	if err == nil && revision != p.text("base_revision") {
		err = &staleError{why: rulesChanged}
	}
	return err
}

// Approve approves an open proposal; Apply makes the change. It returns permission_denied to the proposer, and a
// conflict if the proposal is stale or in a different state, or its plan is not the one that the approver saw.
func (s *Store) Approve(ctx context.Context, d Approval) (Proposal, error) {
	by := trace.Actor("", d.By)
	return s.changeState(ctx, d.ProposalID, "approve", []string{StateOpen}, by,
		func(ctx context.Context, tx *graph.Tx, p stored) (graph.Params, error) {
			if p.text("proposer") == caller.Identity(by) {
				return nil, apperr.Newf(apperr.PermissionDenied, "'%s' made the proposal and cannot approve it", by).
					WithHint("Another person has to approve it")
			}
			if err := p.comparePlan(d.Plan); err != nil {
				return nil, err
			}
			if err := s.checkRevision(ctx, tx, p); err != nil {
				return nil, err
			}
			return d.params(StateApproved), nil
		})
}

// Reject rejects a proposal. It returns a conflict for a proposal in a final state.
func (s *Store) Reject(ctx context.Context, d Decision) (Proposal, error) {
	return s.changeState(ctx, d.ProposalID, "reject", []string{StateOpen, StateApproved, StateStale},
		trace.Actor("", d.By), func(context.Context, *graph.Tx, stored) (graph.Params, error) {
			return d.params(StateRejected), nil
		})
}

// Withdraw takes a proposal back. It returns permission_denied to callers who are not the proposer and may not govern.
func (s *Store) Withdraw(ctx context.Context, w Step) (Proposal, error) {
	by := trace.Actor("", w.By)
	return s.changeState(ctx, w.ProposalID, "withdraw", reopenableStates, by,
		func(ctx context.Context, _ *graph.Tx, p stored) (graph.Params, error) {
			if err := requireProposer(ctx, p, by, "withdraw"); err != nil {
				return nil, err
			}
			return graph.Params{"properties": map[string]any{"state": StateWithdrawn}}, nil
		})
}

func requireProposer(ctx context.Context, p stored, by, verb string) error {
	if p.text("proposer") == caller.Identity(by) || caller.From(ctx).May(caller.Govern) {
		return nil
	}
	return apperr.Newf(apperr.PermissionDenied, "'%s' did not make the proposal and cannot %s it", by, verb).
		WithHint("The proposer can, or a holder of the permission govern")
}

// Apply makes the change of an approved proposal, if the rules and the change are those that were replayed and
// approved. Otherwise it returns a conflict, and the proposal is stale.
func (s *Store) Apply(ctx context.Context, a Step) (Proposal, error) {
	by := trace.Actor("", a.By)
	return s.changeState(ctx, a.ProposalID, "apply", []string{StateApproved}, by,
		func(ctx context.Context, tx *graph.Tx, p stored) (graph.Params, error) {
			if err := s.checkRevision(ctx, tx, p); err != nil {
				return nil, err
			}
			in, err := p.input()
			if err != nil {
				return nil, err
			}
			rows, err := s.change.ApplyChanges(ctx, tx, in.changes("proposal "+p.text("uid")+": "+p.text("reason"), by))
			if apperr.Is(err, apperr.Conflict) || apperr.Is(err, apperr.NotFound) {
				return nil, &staleError{"it cannot be applied now: " + apperr.From(err).Message, err}
			}
			if err != nil {
				return nil, err
			}
			plan, err := planOf(rows)
			if err != nil {
				return nil, err
			}
			if policies.Hash(plan) != p.text("plan") {
				return nil, &staleError{why: "it would now change other values: " +
					describeDifference(p.text("rows"), plan)}
			}
			params := links(concernOf(rows))
			params["properties"] = map[string]any{"state": StateApplied}
			return params, nil
		})
}

// changeState changes the state of a proposal in one transaction.
func (s *Store) changeState(ctx context.Context, id, verb string, from []string, by string,
	decide func(context.Context, *graph.Tx, stored) (graph.Params, error)) (Proposal, error) {
	found, err := s.find(ctx, id)
	if err != nil {
		return Proposal{}, err
	}
	id = stored(found.Proposal).text("uid")
	put := func(tx *graph.Tx, params graph.Params) error {
		all := graph.Params{"uid": id, "by": by, "key": caller.Key(by), "policies": []string{},
			"thresholds": []string{}, "tables": []string{}, "step": uid.New(), "decided": false}
		maps.Copy(all, params)
		return tx.Run(ctx, cypher.ProposalChangeState, all)
	}
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		p, err := lock(ctx, tx, id)
		if err != nil {
			return err
		}
		if state := p.text("state"); !slices.Contains(from, state) {
			return wrongState(id, state, verb)
		}
		params, err := decide(ctx, tx, p)
		if err != nil {
			return err
		}
		return put(tx, params)
	})
	var stale *staleError
	if errors.As(err, &stale) {
		if err := s.graph.Write(ctx, func(tx *graph.Tx) error {
			p, err := lock(ctx, tx, id)
			if err != nil || !slices.Contains(from, p.text("state")) { // another caller decided it meanwhile
				return err
			}
			return put(tx, graph.Params{"properties": map[string]any{"state": StateStale}})
		}); err != nil {
			return Proposal{}, err
		}
		return Proposal{}, isStale(id, stale.why).Because(stale.cause)
	}
	if err != nil {
		return Proposal{}, err
	}
	return s.Get(ctx, Query{ProposalID: id})
}

// lock locks a proposal until the transaction ends, and returns its properties with its replays, newest first.
func lock(ctx context.Context, tx *graph.Tx, id string) (stored, error) {
	row, err := graph.One[struct {
		Proposal map[string]any
		Replays  []any
	}](ctx, tx, cypher.ProposalLock, graph.Params{"uid": id})
	if err != nil {
		return nil, err
	}
	row.Proposal["replays"] = row.Replays
	return row.Proposal, nil
}

// comparePlan returns a conflict that says what changed, if the proposal's plan is not the one that a person saw.
func (p stored) comparePlan(seen string) error {
	if seen == "" {
		return nil
	}
	id := p.text("uid")
	seen = strings.ToLower(strings.TrimSpace(seen))
	switch {
	case seen == "": // the empty text is a prefix of every plan
		return apperr.New(apperr.Validation, "`plan` is blank").
			WithHint("`get_proposal` shows the plan: %s", p.planID()[:PlanShown])
	case strings.HasPrefix(p.planID(), seen):
		return nil
	}
	replays, _ := p["replays"].([]any)
	for _, one := range replays {
		replay, _ := one.(map[string]any)
		before := stored(replay)
		if before.text("rows") == "" || !strings.HasPrefix(before.planID(), seen) {
			continue
		}
		changed := describeDifference(before.text("rows"), p.text("rows"))
		if before.text("base_revision") != p.text("base_revision") {
			changed = cmp.Or(changed, "its values are the same") + ", and the other rules changed"
		}
		return apperr.Newf(apperr.Conflict, "Proposal '%s' was replayed again after you saw it, by '%s': %s", id,
			p.text("opened_by"), changed).
			WithHint("Read it again with `get_proposal`, and approve the plan %s", p.planID()[:PlanShown])
	}
	return apperr.Newf(apperr.Conflict, "Proposal '%s' never had the plan '%s'", id, seen).
		WithHint("`get_proposal` shows its plan: %s", p.planID()[:PlanShown])
}

func isStale(id, why string) *apperr.Error {
	return apperr.Newf(apperr.Conflict, "Proposal '%s' is stale: %s", id, why).
		WithHint("Replay it with `open_proposal`; then it needs approval again")
}

func wrongState(id, state, verb string) error {
	if state == StateStale {
		return isStale(id, rulesChanged)
	}
	err := apperr.Newf(apperr.Conflict, "Proposal '%s' is %s, so you cannot %s it", id, state, verb)
	switch {
	case verb == "apply" && state == StateOpen:
		return err.WithHint("Another person has to approve it with `approve_proposal` first")
	case state == StateDraft:
		return err.WithHint("Open it with `open_proposal` first")
	}
	return err.WithHint("`get_proposal` shows it. Propose the change again if it is still needed")
}

var reopenableStates = []string{StateDraft, StateOpen, StateApproved, StateStale}

// Opening replays a proposal.
type Opening struct {
	Step
	DateAfter string `json:"date_after,omitempty" jsonschema:"start of the replayed window: a time, or an age such as 4w (default that of the last replay)" rule:"maxLength=100"`
}

// Reopen replays a draft, stale or open proposal with today's rules and asks for approval. An earlier approval ends. It
// returns permission_denied to others than the proposer who may not govern, and the errors of Propose.
func (s *Store) Reopen(ctx context.Context, o Opening) (Proposal, error) {
	found, err := s.find(ctx, o.ProposalID)
	if err != nil {
		return Proposal{}, err
	}
	p, by := stored(found.Proposal), trace.Actor("", o.By)
	if err := requireProposer(ctx, p, by, "open"); err != nil {
		return Proposal{}, err
	}
	if !slices.Contains(reopenableStates, p.text("state")) {
		return Proposal{}, wrongState(p.text("uid"), p.text("state"), "open")
	}
	in, err := p.input()
	if err != nil {
		return Proposal{}, err
	}
	since := o.DateAfter
	if since == "" && len(found.Replays) > 0 {
		if from := graph.Time(found.Replays[0], "from_time"); !from.IsZero() {
			since = from.Format(time.RFC3339)
		}
	}
	return s.write(ctx, p.text("uid"), in, by, []string{}, since,
		map[string]any{"state": StateOpen, "proposer_queries": p["proposer_queries"]})
}

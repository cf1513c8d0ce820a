package proposals

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/trace"
)

// Decision is a person's decision about a proposal.
type Decision struct {
	Query
	Reason string `json:"reason" jsonschema:"reason, stored with the proposal" rule:"minLength=1,maxLength=2000"`
	By     string `json:"-"`
}

// Step names a proposal to apply, withdraw or open.
type Step struct {
	Query
	By string `json:"-"`
}

// errStale rolls back; the proposal becomes stale in a transaction of its own.
var errStale = errors.New("stale")

// Approve approves an open proposal; Apply makes the change. It returns permission_denied to the proposer, and a conflict
// for a stale proposal or one in another state.
func (s *Store) Approve(ctx context.Context, d Decision) (Proposal, error) {
	by := trace.Actor("", d.By)
	return s.settle(ctx, d.ProposalID, "approve", []string{Open}, by, func(ctx context.Context, tx *graph.Tx, p stored) (graph.Params, error) {
		if p.text("proposer") == caller.Identity(by) {
			return nil, apperr.Newf(apperr.PermissionDenied, "'%s' made the proposal and cannot approve it", by).WithHint("Another person has to approve it")
		}
		if revision, err := s.checks.RevisionIn(ctx, tx); err != nil || revision != p.text("base_revision") {
			return nil, cmp.Or(err, errStale)
		}
		return graph.Params{"properties": map[string]any{"state": Approved, "decision_reason": redact.Mask(d.Reason)}, "decided": true}, nil
	})
}

// Reject rejects a proposal. It returns a conflict for one in a final state.
func (s *Store) Reject(ctx context.Context, d Decision) (Proposal, error) {
	return s.settle(ctx, d.ProposalID, "reject", []string{Open, Approved, Stale}, trace.Actor("", d.By), func(context.Context, *graph.Tx, stored) (graph.Params, error) {
		return graph.Params{"properties": map[string]any{"state": Rejected, "decision_reason": redact.Mask(d.Reason)}, "decided": true}, nil
	})
}

// Withdraw takes a proposal back. It returns permission_denied to others than the proposer who may not govern.
func (s *Store) Withdraw(ctx context.Context, w Step) (Proposal, error) {
	by := trace.Actor("", w.By)
	return s.settle(ctx, w.ProposalID, "withdraw", reopenable, by, func(ctx context.Context, _ *graph.Tx, p stored) (graph.Params, error) {
		if err := own(ctx, p, by, "withdraw"); err != nil {
			return nil, err
		}
		return graph.Params{"properties": map[string]any{"state": Withdrawn}, "decided": false}, nil
	})
}

func own(ctx context.Context, p stored, by, what string) error {
	if p.text("proposer") == caller.Identity(by) || caller.From(ctx).May(caller.Govern) {
		return nil
	}
	return apperr.Newf(apperr.PermissionDenied, "'%s' did not make the proposal and cannot %s it", by, what).WithHint("The proposer can, or a holder of the permission govern")
}

// Apply makes the change of an approved proposal, if the rules and the change are those that were replayed and approved.
// Otherwise it returns a conflict, and the proposal is stale.
func (s *Store) Apply(ctx context.Context, a Step) (Proposal, error) {
	by := trace.Actor("", a.By)
	return s.settle(ctx, a.ProposalID, "apply", []string{Approved}, by, func(ctx context.Context, tx *graph.Tx, p stored) (graph.Params, error) {
		if revision, err := s.checks.RevisionIn(ctx, tx); err != nil || revision != p.text("base_revision") {
			return nil, cmp.Or(err, errStale)
		}
		in, err := p.input()
		if err != nil {
			return nil, err
		}
		rows, err := s.change.MakeTogether(ctx, tx, in.together("proposal "+p.text("uid")+": "+p.text("reason"), by))
		if apperr.Is(err, apperr.Conflict) || apperr.Is(err, apperr.NotFound) {
			return nil, errors.Join(errStale, err)
		}
		if err != nil {
			return nil, err
		}
		plan, err := planOf(rows)
		if err != nil || hashOf(plan) != p.text("plan") {
			return nil, cmp.Or(err, errStale)
		}
		params := links(rows)
		maps.Copy(params, graph.Params{"properties": map[string]any{"state": Applied}, "decided": false})
		return params, nil
	})
}

// settle changes the state of a proposal in one transaction.
func (s *Store) settle(ctx context.Context, id, what string, from []string, by string, decide func(context.Context, *graph.Tx, stored) (graph.Params, error)) (Proposal, error) {
	found, err := s.find(ctx, id)
	if err != nil {
		return Proposal{}, err
	}
	id = stored(found.Proposal).text("uid")
	put := func(tx *graph.Tx, params graph.Params) error {
		all := graph.Params{"uid": id, "by": by, "key": caller.Key(by), "policies": []string{}, "thresholds": []string{}, "tables": []string{}}
		maps.Copy(all, params)
		return tx.Run(ctx, cypher.ProposalSettle, all)
	}
	err = s.graph.Write(ctx, func(tx *graph.Tx) error {
		locked, err := graph.One[struct{ Proposal map[string]any }](ctx, tx, cypher.ProposalLock, graph.Params{"uid": id})
		if err != nil {
			return err
		}
		p := stored(locked.Proposal)
		if state := p.text("state"); !slices.Contains(from, state) {
			return wrongState(id, state, what)
		}
		params, err := decide(ctx, tx, p)
		if err != nil {
			return err
		}
		return put(tx, params)
	})
	if errors.Is(err, errStale) {
		if err := s.graph.Write(ctx, func(tx *graph.Tx) error {
			locked, err := graph.One[struct{ Proposal map[string]any }](ctx, tx, cypher.ProposalLock, graph.Params{"uid": id})
			if err != nil || !slices.Contains(from, stored(locked.Proposal).text("state")) { // another caller decided it meanwhile
				return err
			}
			return put(tx, graph.Params{"properties": map[string]any{"state": Stale}, "decided": false})
		}); err != nil {
			return Proposal{}, err
		}
		return Proposal{}, wrongState(id, Stale, what)
	}
	if err != nil {
		return Proposal{}, err
	}
	return s.Get(ctx, Query{ProposalID: id})
}

func wrongState(id, state, what string) error {
	if state == Stale {
		return apperr.Newf(apperr.Conflict, "Proposal '%s' is stale: the rules have changed since its replay", id).
			WithHint("Replay it with `open_proposal`; then it needs approval again")
	}
	err := apperr.Newf(apperr.Conflict, "Proposal '%s' is %s, so you cannot %s it", id, state, what)
	switch {
	case what == "apply" && state == Open:
		return err.WithHint("Another person has to approve it with `approve_proposal` first")
	case state == Draft:
		return err.WithHint("Open it with `open_proposal` first")
	}
	return err.WithHint("`get_proposal` shows it. Propose the change again if it is still needed")
}

var reopenable = []string{Draft, Open, Approved, Stale}

// Opening replays a proposal.
type Opening struct {
	Step
	DateAfter string `json:"date_after,omitempty" jsonschema:"start of the replayed window: a time, or an age such as 4w (default all)" rule:"maxLength=100"`
}

// Reopen replays a draft, stale or open proposal with today's rules and asks for approval. An earlier approval ends. It
// returns permission_denied to others than the proposer who may not govern, and the errors of Propose.
func (s *Store) Reopen(ctx context.Context, o Opening) (Proposal, error) {
	found, err := s.find(ctx, o.ProposalID)
	if err != nil {
		return Proposal{}, err
	}
	p, by := stored(found.Proposal), trace.Actor("", o.By)
	if err := own(ctx, p, by, "open"); err != nil {
		return Proposal{}, err
	}
	if !slices.Contains(reopenable, p.text("state")) {
		return Proposal{}, wrongState(p.text("uid"), p.text("state"), "open")
	}
	in, err := p.input()
	if err != nil {
		return Proposal{}, err
	}
	return s.write(ctx, p.text("uid"), in, strings.TrimSpace(p.text("proposed_by")), []string{}, o.DateAfter, map[string]any{"state": Open})
}

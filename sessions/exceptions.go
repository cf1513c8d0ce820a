package sessions

import (
	"cmp"
	"context"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/policies/lab"
	"nomograph/trace"
)

// Exception is a time-limited approval: until it ends, one action of one agent may violate the rules.
type Exception struct {
	ExceptionID   string            `json:"exception_id" mapstructure:"uid" jsonschema:"id of the approval"`
	State         string            `json:"state" jsonschema:"active, approving (effective from effective_at), stale (a rule has changed, so it lifts nothing), expired or revoked"`
	AgentID       string            `json:"agent_id" mapstructure:"agent"`
	Action        string            `json:"action"`
	Params        string            `json:"params" jsonschema:"parameters as JSON, secrets masked; it covers exactly these"`
	Hidden        []string          `json:"hidden,omitempty" jsonschema:"paths of masked values"`
	Project       string            `json:"project,omitempty"`
	Rules         []ExceptionRule   `json:"rules" jsonschema:"rules that it lifts"`
	ApprovedBy    string            `json:"approved_by" mapstructure:"answered_by"`
	ApprovedAt    *time.Time        `json:"approved_at,omitempty" mapstructure:"answered_at"`
	Reason        string            `json:"reason"`
	EffectiveAt   *time.Time        `json:"effective_at,omitempty"`
	ValidUntil    *time.Time        `json:"valid_until,omitempty"`
	Renewals      []Renewal         `json:"renewals" jsonschema:"oldest first"`
	RevokedBy     string            `json:"revoked_by,omitempty"`
	RevokedAt     *time.Time        `json:"revoked_at,omitempty"`
	RevokedReason string            `json:"revoked_reason,omitempty"`
	Used          int64             `json:"used" jsonschema:"number of uses"`
	Outcomes      ExceptionOutcomes `json:"outcomes" jsonschema:"outcomes of decisions that used it"`
}

// ExceptionRule is a version of a rule that an action may violate under an exception.
type ExceptionRule struct {
	Rule    string `json:"rule"`
	Version string `json:"version"`
	Current string `json:"current_version,omitempty" jsonschema:"current version, if it differs; removed if the rule no longer exists or is off"`
}

// Renewal extends an exception.
type Renewal struct {
	By     string    `json:"by"`
	At     time.Time `json:"at"`
	Until  time.Time `json:"until"`
	Reason string    `json:"reason"`
}

// ExceptionOutcomes counts decisions by outcome.
type ExceptionOutcomes = lab.Outcomes

// ExceptionsQuery selects exceptions.
type ExceptionsQuery struct {
	State   string `json:"state,omitempty" jsonschema:"filter by state (default all that have not ended)" rule:"enum=active|approving|stale|expired|revoked"`
	Rule    string `json:"rule,omitempty" jsonschema:"filter by rule" rule:"maxLength=200"`
	AgentID string `json:"agent_id,omitempty" jsonschema:"filter by agent" rule:"maxLength=200"`
	Limit   int    `json:"limit,omitempty" jsonschema:"maximum number of results" rule:"minimum=1,maximum=500,default=50"`
}

// ExceptionList holds exceptions: those in force first, by their end; then ended ones, newest first.
type ExceptionList struct {
	Exceptions []Exception `json:"exceptions"`
}

// Exceptions lists time-limited approvals. It returns the errors of reading the rules.
func (s *Store) Exceptions(ctx context.Context, q ExceptionsQuery) (ExceptionList, error) {
	var agent any
	if q.AgentID != "" {
		agent = caller.Identity(q.AgentID)
	}
	found, err := s.exceptions(ctx, graph.Params{"uid": nil, "agent": agent, "rule": graph.NullIfEmpty(q.Rule),
		"state": graph.NullIfEmpty(storedState(q.State)),
		"ended": q.State == "expired" || q.State == "revoked", "limit": cmp.Or(q.Limit, 50)})
	return ExceptionList{found}, err
}

func (s *Store) exceptions(ctx context.Context, p graph.Params) ([]Exception, error) {
	var err error
	if p["rules"], p["versions"], err = s.ruleVersions(ctx); err != nil {
		return nil, err
	}
	found, err := graph.All[Exception](ctx, s.graph, cypher.ExceptionsFound, p)
	for i := range found {
		found[i].State = shownState(found[i].State)
	}
	return found, err
}

// ruleVersions returns the rules in force that can require approval, and their versions, in two lists of equal length.
func (s *Store) ruleVersions(ctx context.Context) (rules, versions []string, err error) {
	rules, versions = []string{}, []string{}
	set, err := s.checks.Rules(ctx)
	if err != nil {
		return nil, nil, err
	}
	for _, r := range set.Rules() {
		if r.Mode != "off" {
			rules, versions = append(rules, r.Name), append(versions, r.Version)
		}
	}
	return rules, versions, nil
}

// ExceptionQuery selects one exception.
type ExceptionQuery struct {
	ExceptionID string `json:"exception_id" jsonschema:"exception id: that of its approval" rule:"minLength=1,maxLength=200"`
}

// Exception returns one exception. It returns not_found, also for a single-use approval.
func (s *Store) Exception(ctx context.Context, q ExceptionQuery) (Exception, error) {
	found, err := s.exceptions(ctx, graph.Params{"uid": q.ExceptionID, "agent": nil, "rule": nil, "state": nil,
		"ended": true, "limit": 1})
	if err != nil {
		return Exception{}, err
	}
	if len(found) == 0 {
		return Exception{}, noException(q.ExceptionID)
	}
	return found[0], nil
}

func noException(id string) error {
	return apperr.Newf(apperr.NotFound, "Exception '%s' not found", id).
		WithHint("List exceptions with `list_exceptions`; `get_approval` shows approvals that are valid once")
}

// ExceptionRenewal asks to extend an exception.
type ExceptionRenewal struct {
	ExceptionID string `json:"exception_id" jsonschema:"exception id" rule:"minLength=1,maxLength=200"`
	Reason      string `json:"reason" jsonschema:"reason, stored with the renewal" rule:"minLength=1,maxLength=2000"`
	ForSeconds  int64  `json:"for_seconds,omitempty" jsonschema:"duration from now in seconds (default the previous duration)" rule:"minimum=1,maximum=2592000"`
	DryRun      bool   `json:"dry_run,omitempty" jsonschema:"show the effect and change nothing"`
	By          string `json:"-"`
}

// ExceptionRevocation asks to end an exception now.
type ExceptionRevocation struct {
	ExceptionID string `json:"exception_id" jsonschema:"exception id, or id of an unused approval that is valid once" rule:"minLength=1,maxLength=200"`
	Reason      string `json:"reason" jsonschema:"reason, stored with the exception" rule:"minLength=1,maxLength=2000"`
	DryRun      bool   `json:"dry_run,omitempty" jsonschema:"show the effect and change nothing"`
	By          string `json:"-"`
}

// ExceptionChanged is the answer to a renewal or revocation.
type ExceptionChanged struct {
	ExceptionID string     `json:"exception_id"`
	State       string     `json:"state"`
	AgentID     string     `json:"agent_id"`
	Action      string     `json:"action"`
	Params      string     `json:"params"`
	Rules       []string   `json:"rules"`
	ValidUntil  *time.Time `json:"valid_until,omitempty"`
	Renewals    int64      `json:"renewals"`
	Used        int64      `json:"used"`
	DryRun      bool       `json:"dry_run"`
}

// exceptionChange is the result of a statement that renews or revokes.
type exceptionChange struct {
	Approval            approvalRow
	Renewals            int64
	Same, Usable, Asked bool
	Until               time.Time
}

func (r exceptionChange) result(dryRun bool) ExceptionChanged {
	a := r.Approval.approval()
	return ExceptionChanged{ExceptionID: a.ApprovalID, State: a.State, AgentID: a.AgentID, Action: a.Action,
		Params: a.Params, Rules: a.Rules, ValidUntil: a.ValidUntil, Renewals: r.Renewals, Used: a.Used, DryRun: dryRun}
}

// changeException runs a statement that renews or revokes, and returns why it can do neither.
func (s *Store) changeException(ctx context.Context, statement cypher.Statement, id, by string,
	p graph.Params) (exceptionChange, error) {
	p["uid"], p["by"], p["identity"] = id, by, caller.Identity(by)
	row, err := graph.Append[exceptionChange](ctx, s.graph, statement, p)
	if err != nil {
		return row, err
	}
	return row, row.refusal(id, by)
}

// RenewException extends an exception that is in effect. It returns not_found, permission_denied to the agent that it
// is for and to the requester, and a conflict if it has ended, a rule has changed, or it would end earlier.
func (s *Store) RenewException(ctx context.Context, q ExceptionRenewal) (ExceptionChanged, error) {
	rules, versions, err := s.ruleVersions(ctx)
	if err != nil {
		return ExceptionChanged{}, err
	}
	by, reason := trace.Actor("", q.By), redact.Mask(q.Reason)
	row, err := s.changeException(ctx, cypher.ExceptionRenew, q.ExceptionID, by, graph.Params{"reason": reason,
		"seconds": q.ForSeconds, "dry_run": q.DryRun, "rules": rules, "versions": versions})
	if err != nil {
		return ExceptionChanged{}, err
	}
	switch {
	case row.Approval.Once:
		return ExceptionChanged{}, noException(q.ExceptionID)
	case row.Usable:
	case !row.Same:
		return ExceptionChanged{}, apperr.Newf(apperr.Conflict,
			"Exception '%s' lifts a version of a rule that is no longer in force", row.Approval.ApprovalID).
			WithHint("The agent has to request a new approval, so that a person sees the changed rule")
	default:
		return ExceptionChanged{}, apperr.Newf(apperr.Conflict,
			"Exception '%s' is valid until %s, longer than with the renewal", row.Approval.ApprovalID,
			instant(row.Approval.ValidUntil)).
			WithHint("Use a longer duration, or end it with `revoke_exception`")
	}
	out := row.result(q.DryRun)
	if q.DryRun {
		out.ValidUntil = &row.Until
		return out, nil
	}
	s.recordInSession(ctx, row.Approval, "approval.renewed",
		map[string]any{"renewed_by": by, "reason": reason, "valid_until": instant(out.ValidUntil)})
	return out, nil
}

// RevokeException ends an exception, or an unused single-use approval, now. It returns not_found, permission_denied to
// the agent that it is for and to the requester, and a conflict if it has ended.
func (s *Store) RevokeException(ctx context.Context, q ExceptionRevocation) (ExceptionChanged, error) {
	by, reason := trace.Actor("", q.By), redact.Mask(q.Reason)
	row, err := s.changeException(ctx, cypher.ExceptionRevoke, q.ExceptionID, by,
		graph.Params{"reason": reason, "dry_run": q.DryRun})
	if err != nil {
		return ExceptionChanged{}, err
	}
	if !row.Usable {
		return ExceptionChanged{}, apperr.Newf(apperr.Conflict, "Approval '%s' is valid once and was used",
			row.Approval.ApprovalID).WithHint("An approval that was used cannot be revoked")
	}
	if !q.DryRun {
		s.recordInSession(ctx, row.Approval, "approval.revoked",
			map[string]any{"revoked_by": by, "reason": reason})
	}
	return row.result(q.DryRun), nil
}

// refusal returns why an exception can be neither renewed nor revoked; nil if it can.
func (r exceptionChange) refusal(id, by string) error {
	switch {
	case r.Approval.ApprovalID == "":
		return noException(id)
	case r.Asked:
		return apperr.Newf(apperr.PermissionDenied, "'%s' requested the approval and can neither renew nor revoke it",
			by).WithHint("Another person has to do that")
	case r.Approval.State == "granting":
		return apperr.Newf(apperr.Conflict, "Approval '%s' takes effect at %s", r.Approval.ApprovalID,
			instant(r.Approval.EffectiveAt)).WithHint("Until then `undo_approval` cancels it")
	case r.Approval.State == "revoked" && r.Usable:
		return nil
	case r.Approval.State != "granted":
		return apperr.Newf(apperr.Conflict, "Approval '%s' is %s", r.Approval.ApprovalID, shownState(r.Approval.State)).
			WithHint("The agent can request it again")
	case !r.Usable && r.Approval.ValidUntil != nil && !r.Approval.ValidUntil.After(r.Approval.Now):
		return apperr.Newf(apperr.Conflict, "Exception '%s' ended at %s", r.Approval.ApprovalID,
			instant(r.Approval.ValidUntil)).WithHint("The agent can request it again")
	}
	return nil
}

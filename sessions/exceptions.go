package sessions

import (
	"cmp"
	"context"
	"slices"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/trace"
)

// Exception is a time-limited approval: until it ends, one action of one agent may violate the rules.
type Exception struct {
	ExceptionID   string            `json:"exception_id" jsonschema:"id of the approval"`
	State         string            `json:"state" jsonschema:"active, approving (effective from effective_at), stale (a rule has changed, so it lifts nothing), expired or revoked"`
	AgentID       string            `json:"agent_id"`
	Action        string            `json:"action"`
	Params        string            `json:"params" jsonschema:"parameters as JSON, secrets masked; it covers exactly these"`
	Hidden        []string          `json:"hidden,omitempty" jsonschema:"paths of masked values"`
	Project       string            `json:"project,omitempty"`
	Rules         []ExceptionRule   `json:"rules" jsonschema:"rules that it lifts"`
	ApprovedBy    string            `json:"approved_by"`
	ApprovedAt    *time.Time        `json:"approved_at,omitempty"`
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
type ExceptionOutcomes struct {
	Success    int `json:"success"`
	Partial    int `json:"partial"`
	Failure    int `json:"failure"`
	Abandoned  int `json:"abandoned"`
	Unreviewed int `json:"unreviewed"`
}

// exceptionRow is a time-limited approval node, with its renewals and outcomes.
type exceptionRow struct {
	Approval                           approvalRow
	Renewals                           int64
	RenewedBy, RenewedAt, RenewedUntil []any
	RenewalReasons, Outcomes           []any
	RevokedBy, RevokedReason           string
	RevokedAt                          *time.Time
	Valid, Same, Usable, Asked         bool
	Until                              time.Time
}

// exception decodes a row. current has the versions of each rule in force.
func (r exceptionRow) exception(current map[string][]string) Exception {
	e := Exception{ExceptionID: r.Approval.ApprovalID, AgentID: r.Approval.AgentID, Action: r.Approval.Action,
		Params: r.Approval.Params, Hidden: r.Approval.Hidden, Project: r.Approval.Project, Rules: []ExceptionRule{},
		ApprovedBy: r.Approval.AnsweredBy,
		ApprovedAt: inUTC(r.Approval.AnsweredAt), Reason: r.Approval.Reason, EffectiveAt: inUTC(r.Approval.EffectiveAt),
		ValidUntil: inUTC(r.Approval.ValidUntil), Renewals: []Renewal{}, RevokedBy: r.RevokedBy,
		RevokedAt:     inUTC(r.RevokedAt),
		RevokedReason: r.RevokedReason, Used: r.Approval.Used}
	stale, versions := false, r.Approval.Versions
	for i, name := range r.Approval.Rules {
		lifted := ExceptionRule{Rule: name}
		if i < len(versions) {
			lifted.Version = versions[i]
		}
		if now := current[name]; lifted.Version != "" && !slices.Contains(now, lifted.Version) {
			stale, lifted.Current = true, "removed"
			if len(now) > 0 {
				lifted.Current = now[0]
			}
		}
		e.Rules = append(e.Rules, lifted)
	}
	switch {
	case r.Approval.State == "revoked", r.Approval.State == "granting":
		e.State = shownState(r.Approval.State)
	case !r.Valid:
		e.State = "expired"
	case stale:
		e.State = "stale"
	default:
		e.State = "active"
	}
	by, reasons := graph.Texts(r.RenewedBy), graph.Texts(r.RenewalReasons)
	for i := range min(len(by), len(reasons), len(r.RenewedAt), len(r.RenewedUntil)) {
		at, _ := r.RenewedAt[i].(time.Time)
		until, _ := r.RenewedUntil[i].(time.Time)
		e.Renewals = append(e.Renewals, Renewal{By: by[i], At: at.UTC(), Until: until.UTC(), Reason: reasons[i]})
	}
	for _, outcome := range graph.Texts(r.Outcomes) {
		switch outcome {
		case "success":
			e.Outcomes.Success++
		case "partial":
			e.Outcomes.Partial++
		case "failure":
			e.Outcomes.Failure++
		case "abandoned":
			e.Outcomes.Abandoned++
		default:
			e.Outcomes.Unreviewed++
		}
	}
	return e
}

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
	return ExceptionList{Exceptions: append([]Exception{}, found...)}, err
}

func (s *Store) exceptions(ctx context.Context, p graph.Params) ([]Exception, error) {
	current, err := s.ruleVersions(ctx)
	if err != nil {
		return nil, err
	}
	p["rules"], p["versions"] = pairs(current)
	rows, err := graph.All[exceptionRow](ctx, s.graph, cypher.ExceptionsFound, p)
	found := make([]Exception, len(rows))
	for i, row := range rows {
		found[i] = row.exception(current)
	}
	return found, err
}

// pairs returns rules and their versions in two lists of equal length.
func pairs(current map[string][]string) (rules, versions []string) {
	rules, versions = []string{}, []string{}
	for name, all := range current {
		for _, version := range all {
			rules, versions = append(rules, name), append(versions, version)
		}
	}
	return rules, versions
}

// ruleVersions returns the versions in force of each rule that can require approval.
func (s *Store) ruleVersions(ctx context.Context) (map[string][]string, error) {
	set, err := s.checks.Rules(ctx)
	if err != nil {
		return nil, err
	}
	versions := map[string][]string{}
	for _, r := range set.Rules() {
		if r.Mode != "off" {
			versions[r.Name] = append(versions[r.Name], r.Version)
		}
	}
	return versions, nil
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

func (r exceptionRow) changed(dryRun bool) ExceptionChanged {
	return ExceptionChanged{ExceptionID: r.Approval.ApprovalID, State: shownState(r.Approval.State),
		AgentID: r.Approval.AgentID, Action: r.Approval.Action, Params: r.Approval.Params, Rules: r.Approval.Rules,
		ValidUntil: inUTC(r.Approval.ValidUntil),
		Renewals:   r.Renewals, Used: r.Approval.Used, DryRun: dryRun}
}

// RenewException extends an exception that is in effect. It returns not_found, permission_denied to the agent that it
// is for and to the requester, and a conflict if it has ended, a rule has changed, or it would end earlier.
func (s *Store) RenewException(ctx context.Context, q ExceptionRenewal) (ExceptionChanged, error) {
	current, err := s.ruleVersions(ctx)
	if err != nil {
		return ExceptionChanged{}, err
	}
	rules, versions := pairs(current)
	by := trace.Actor("", q.By)
	row, err := graph.Append[exceptionRow](ctx, s.graph, cypher.ExceptionRenew,
		graph.Params{"uid": q.ExceptionID, "by": by, "identity": caller.Identity(by), "reason": redact.Mask(q.Reason),
			"seconds": q.ForSeconds, "dry_run": q.DryRun, "rules": rules, "versions": versions})
	if err != nil {
		return ExceptionChanged{}, err
	}
	if err := row.refusal(q.ExceptionID, by); err != nil {
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
	out := row.changed(q.DryRun)
	if q.DryRun {
		until := row.Until.UTC()
		out.ValidUntil = &until
		return out, nil
	}
	s.recordInSession(ctx, row.Approval, "approval.renewed",
		map[string]any{"renewed_by": by, "reason": redact.Mask(q.Reason),
			"valid_until": instant(row.Approval.ValidUntil)})
	return out, nil
}

// RevokeException ends an exception, or an unused single-use approval, now. It returns not_found, permission_denied to
// the agent that it is for and to the requester, and a conflict if it has ended.
func (s *Store) RevokeException(ctx context.Context, q ExceptionRevocation) (ExceptionChanged, error) {
	by := trace.Actor("", q.By)
	row, err := graph.Append[exceptionRow](ctx, s.graph, cypher.ExceptionRevoke,
		graph.Params{"uid": q.ExceptionID, "by": by, "identity": caller.Identity(by), "reason": redact.Mask(q.Reason),
			"dry_run": q.DryRun})
	if err != nil {
		return ExceptionChanged{}, err
	}
	if err := row.refusal(q.ExceptionID, by); err != nil {
		return ExceptionChanged{}, err
	}
	if !row.Usable {
		return ExceptionChanged{}, apperr.Newf(apperr.Conflict, "Approval '%s' is valid once and was used",
			row.Approval.ApprovalID).WithHint("An approval that was used cannot be revoked")
	}
	if !q.DryRun {
		s.recordInSession(ctx, row.Approval, "approval.revoked",
			map[string]any{"revoked_by": by, "reason": redact.Mask(q.Reason)})
	}
	return row.changed(q.DryRun), nil
}

// refusal returns why an exception can be neither renewed nor revoked; nil if it can.
func (r exceptionRow) refusal(id, by string) error {
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

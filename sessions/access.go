package sessions

import (
	"context"
	"errors"
	"strings"
	"time"

	"nomograph/cypher"
	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/redact"
	"nomograph/policies/check"
	"nomograph/trace"
)

// Access is an action that a gateway checks on behalf of its user.
type Access struct {
	Check    check.ActionCheck
	Subject  string           // the acting user; neither it nor the gateway can answer its request
	Exactly  graph.Parameters // facts that a grant covers, in addition to the action's name
	Approval string           // the presented grant; empty without one
}

// AccessRequestTime is how long after a denial a person can be asked to approve it.
const AccessRequestTime = 15 * time.Minute

// CheckAccess checks an action with an optional grant. If the grant covers exactly this action, it is used and the
// verdict allows. It returns the errors of check, which say allowed: false.
func (s *Store) CheckAccess(ctx context.Context, a Access) (v check.Verdict, granted bool, err error) {
	evaluated, err := s.checks.Evaluate(ctx, a.Check)
	if err != nil {
		return v, false, err
	}
	var grant func(context.Context, *graph.Tx) (bool, error)
	if a.Approval != "" && evaluated.NeedsApproval() {
		q, asks := a.report(evaluated.Verdict)
		c := claim{verdict: evaluated.VerdictID, use: !evaluated.Limited(), only: a.Approval, project: a.Check.Project,
			stakes: evaluated.Stakes(), risk: evaluated.Risk()}
		found, err := s.claim(ctx, q, asks, evaluated.Violations, c)
		if err != nil {
			return v, false, err
		}
		if found.State == "granted" {
			evaluated.Override(check.ByApproval, "approval "+found.ApprovalID)
			if evaluated.Limited() {
				grant = s.useGrant(q, asks, c)
			}
		}
	}
	err = s.checks.StoreApproved(ctx, &evaluated, grant)
	if errors.Is(err, limits.ErrGrant) {
		evaluated.Override("", "")
		err = s.checks.StoreVerdict(ctx, &evaluated)
	}
	if err != nil {
		return v, false, err
	}
	return evaluated.Verdict, evaluated.Forced != "", nil
}

// RequestAccess requests an approval after the denial evaluation. It returns a validation_error if the denial is older
// than AccessRequestTime or was for another check or caller, and a conflict if an approval cannot change it.
func (s *Store) RequestAccess(ctx context.Context, a Access, evaluation string) (Approval, error) {
	denials, err := graph.All[struct {
		Agent, Name, Description string
		Allowed                  bool
		At                       time.Time
	}](ctx, s.graph, cypher.VerdictAction, graph.Params{"uid": evaluation})
	if err != nil {
		return Approval{}, err
	}
	masked, _ := redact.Text(a.Check.Description)
	name, _ := redact.Text(a.Check.Name)
	bound := len(denials) == 1 && !denials[0].Allowed && time.Since(denials[0].At) < AccessRequestTime &&
		caller.SameAgent(denials[0].Agent, trace.Actor("", a.Check.By)) &&
		denials[0].Name == name && (denials[0].Description == masked ||
		strings.HasPrefix(denials[0].Description, "[not kept")) // a masked text cannot be compared
	if !bound {
		return Approval{}, apperr.New(apperr.Validation,
			"The evaluation is not a denial of this request from the last 15 minutes").
			WithHint("Evaluate again, then send the same subject, action and resource with its `evaluation_id`")
	}
	evaluated, err := s.checks.Evaluate(ctx, a.Check)
	if err != nil {
		return Approval{}, err
	}
	if !evaluated.NeedsApproval() {
		return Approval{}, apperr.New(apperr.Conflict, "With the current rules, no person can approve this").
			WithHint("Evaluate again: the action is now allowed or denied for another reason")
	}
	q, asks := a.report(evaluated.Verdict)
	found, err := s.claim(ctx, q, asks, evaluated.Violations,
		claim{verdict: evaluation, create: true, project: a.Check.Project, stakes: evaluated.Stakes(),
			risk: evaluated.Risk()})
	return found.approval(), err
}

// AccessRequest returns a request by the given requester. It returns not_found for a request by another requester.
func (s *Store) AccessRequest(ctx context.Context, id, by string) (Approval, error) {
	rows, err := graph.All[approvalRow](ctx, s.graph, cypher.ApprovalsFound,
		graph.Params{"uid": id, "state": "", "limit": 1})
	if err != nil {
		return Approval{}, err
	}
	if len(rows) == 0 || !caller.SameAgent(rows[0].AskedBy, trace.Actor("", by)) {
		return Approval{}, NoApproval(id)
	}
	return rows[0].approval(), nil
}

// report converts the access to the report that an agent would send.
func (a Access) report(v check.Verdict) (Report, approvalRules) {
	var asks approvalRules
	for _, o := range v.Violations {
		asks.add(o.GuardrailID, o.Version)
	}
	return Report{Action: a.Check.Name, Params: a.Exactly, Caller: Caller{AgentID: a.Subject, By: a.Check.By}}, asks
}

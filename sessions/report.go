package sessions

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"nomograph/graph"
	"nomograph/graph/limits"
	"nomograph/internal/apperr"
	"nomograph/internal/redact"
	"nomograph/internal/render"
	"nomograph/policies/check"
	"nomograph/policies/rule"
	"nomograph/trace"
)

// Report describes the action that an agent is about to take.
type Report struct {
	Action      string           `json:"action" jsonschema:"name of the action, such as git.push or write_file" rule:"minLength=1,maxLength=200"`
	Params      graph.Parameters `json:"params,omitempty" jsonschema:"parameters of the action; rules see them, and an approval covers exactly these"`
	Stakes      string           `json:"stakes,omitempty" jsonschema:"importance of the action" rule:"enum=low|medium|high|critical,default=\"medium\""`
	Confidence  *float64         `json:"confidence,omitempty" jsonschema:"confidence that the action is right, 0.0 to 1.0; rules can require it" rule:"minimum=0,maximum=1"`
	WaitSeconds int              `json:"wait_seconds,omitempty" jsonschema:"seconds to wait for a person's answer" rule:"minimum=0,maximum=120"`
	Project     string           `json:"project,omitempty" jsonschema:"owner/repo (default the server's project)" rule:"maxLength=200"`
	Model       string           `json:"model,omitempty" jsonschema:"language model" rule:"maxLength=200"`
	DecisionID  string           `json:"decision_id,omitempty" jsonschema:"id of the decision that the action carries out (at least 4 characters); links the action to the outcome" rule:"maxLength=200"`
	Caller
	// Decision is the uid of the decision with the id DecisionID.
	Decision string `json:"-"`
	// Ask shows a request to the user of the client and returns nil if the user does not answer. Ask itself is nil if
	// nobody can be asked.
	Ask func(ctx context.Context, a ApprovalDetails) (*UserAnswer, error) `json:"-"`
}

// The decisions on a reported action.
const (
	Approved      = "approved"
	DeniedAction  = "denied"
	NeedsApproval = "needs_approval"
)

// Reported is the answer to a report.
type Reported struct {
	Decision     string     `json:"decision" jsonschema:"approved, denied or needs_approval (do not act yet)"`
	TraceID      string     `json:"trace_id" jsonschema:"session event that records report and answer"`
	PolicyNotes  []string   `json:"policy_notes"`
	Reason       string     `json:"reason,omitempty" jsonschema:"reason"`
	Alternatives []string   `json:"alternatives,omitempty" jsonschema:"alternatives"`
	ApprovalID   string     `json:"approval_id,omitempty" jsonschema:"id of the approval request; report again with the same action and params"`
	Hidden       []string   `json:"hidden,omitempty" jsonschema:"paths of values hidden from the approver"`
	ExpiresAt    *time.Time `json:"expires_at,omitempty" jsonschema:"time until which a person can answer"`
	EffectiveAt  *time.Time `json:"effective_at,omitempty" jsonschema:"time when the approval takes effect unless undone"`
	Precedents   []Answered `json:"precedents,omitempty" jsonschema:"earlier answers to requests for the same action, those with the same parameters first"`
	VerdictID    string     `json:"verdict_id"`
	SessionID    string     `json:"session_id"`
}

// Answered is the answer to an earlier request for the same action, with the outcome.
type Answered struct {
	State      string     `json:"state" jsonschema:"approved or rejected"`
	AnsweredBy string     `json:"answered_by"`
	AnsweredAt *time.Time `json:"answered_at,omitempty"`
	Reason     string     `json:"reason"`
	Params     string     `json:"params"`
	Done       int        `json:"done" jsonschema:"number of uses"`
	Outcomes   []string   `json:"outcomes,omitempty" jsonschema:"outcomes of decisions carried out by it"`
}

const (
	maxPrecedentsShown = 3   // precedents in an answer
	maxBeforeLength    = 500 // characters of the parameters of each
)

// answersOf converts precedents to the form of an agent's answer.
func answersOf(precedents []Precedent) []Answered {
	var shown []Answered
	for _, p := range precedents[:min(len(precedents), maxPrecedentsShown)] {
		a := Answered{State: p.State, AnsweredBy: p.AnsweredBy, AnsweredAt: p.AnsweredAt, Reason: p.Reason,
			Params: render.Cut(p.Params, maxBeforeLength), Done: len(p.Done)}
		for _, done := range p.Done {
			for _, o := range done.Outcomes {
				if o.Outcome != "" {
					a.Outcomes = append(a.Outcomes, o.Outcome)
				}
			}
		}
		shown = append(shown, a)
	}
	return shown
}

// ReportedLater returns the answer to an earlier report after a person answered its request, or could not any more. It
// uses nothing up.
func ReportedLater(a Approval) Reported {
	out := Reported{Decision: DeniedAction, ApprovalID: a.ApprovalID, Hidden: a.Hidden,
		VerdictID: a.VerdictID, SessionID: a.SessionID}
	switch a.State {
	case "approved":
		out.Decision = NeedsApproval
		out.Reason = fmt.Sprintf("Approved by %s: %s. Report the same action again to use the approval", a.AnsweredBy,
			a.Reason)
	case "rejected":
		out.Reason = fmt.Sprintf("Rejected by %s: %s", a.AnsweredBy, a.Reason)
	default:
		out.Reason = fmt.Sprintf("The request is %s. Report the action again to request an approval", a.State)
	}
	return out
}

// Denied reports whether the caller must stop.
func (r Reported) Denied() bool { return r.Decision != Approved }

// How an action without a rule is answered.
const (
	UnknownAsk   = "ask"
	UnknownDeny  = "deny"
	UnknownAllow = "allow"
)

// unknownRule is listed among the rules of an approval if only the default requires it.
const unknownRule = "sessions.unknown_action"

// Report evaluates the rules for an action, in this order: rules that block, rules that require approval, exceeded
// limits, rules that allow, then sessions.unknown_action. The verdict and the event are stored before the answer, both
// or neither. It returns the errors of check, which say allowed: false, and the session errors of Request.
func (s *Store) Report(ctx context.Context, q Report) (Reported, error) {
	if strings.TrimSpace(q.Action) == "" {
		return Reported{}, apperr.New(apperr.Validation, "`action` is empty").
			WithHint("Name the planned action, such as git.push or write_file").Deny()
	}
	until := time.Now().Add(time.Duration(q.WaitSeconds) * time.Second)
	for first := true; ; first = false {
		out, err := s.report(ctx, q)
		for errors.Is(err, limits.ErrGrant) { // another action used the grant first: ask a person again
			out, err = s.report(ctx, q)
		}
		if err != nil || out.Decision != NeedsApproval {
			return out, err
		}
		answered := false
		if first {
			answered, err = s.askUser(ctx, q, out)
		}
		if err == nil && !answered && q.WaitSeconds > 0 {
			answered, err = s.await(ctx, out.ApprovalID, until)
		}
		if err != nil || !answered {
			return s.withPrecedents(ctx, out, err)
		}
	}
}

// withPrecedents adds earlier answers to an answer that needs an approval.
func (s *Store) withPrecedents(ctx context.Context, out Reported, err error) (Reported, error) {
	if err != nil {
		return Reported{}, err
	}
	shown, err := s.Approval(ctx, ApprovalQuery{ApprovalID: out.ApprovalID})
	if err != nil {
		return Reported{}, apperr.From(err).Deny()
	}
	out.Precedents = answersOf(shown.Precedents)
	return out, nil
}

// report evaluates and stores one report.
func (s *Store) report(ctx context.Context, q Report) (Reported, error) {
	session, err := s.governed(ctx, q.Caller)
	if err != nil {
		return Reported{}, apperr.From(err).Deny()
	}
	evaluated, err := s.checks.Evaluate(ctx, check.ActionCheck{Description: q.Action, Name: q.Action, Params: q.Params,
		Stakes: q.Stakes, Confidence: q.Confidence, Project: q.Project, Model: q.Model,
		AgentID: q.AgentID, By: q.By, SessionID: session.ID})
	if err != nil {
		return Reported{}, apperr.From(err).Deny()
	}
	for {
		out, err := s.reportEvaluated(ctx, q, session, &evaluated)
		over := (*limits.Error)(nil)
		if !errors.As(err, &over) {
			return out, err
		}
		evaluated.Exceed(over)
	}
}

// reportEvaluated answers a report from an evaluation and stores the verdict and the event. It returns *limits.Error
// if a limit is exceeded, and limits.ErrGrant: then nothing was stored and no grant was used.
func (s *Store) reportEvaluated(ctx context.Context, q Report, session governed, evaluated *check.Evaluation) (Reported,
	error) {
	out := Reported{Decision: Approved, VerdictID: evaluated.VerdictID}
	for _, o := range slices.Concat(evaluated.Warnings, evaluated.Shadow) {
		out.PolicyNotes = append(out.PolicyNotes, o.GuardrailID+": "+o.Message)
	}
	asks, over, blocks := objections(evaluated)
	reached := true
	act := limits.Act{}
	if len(evaluated.Violations) == 0 && len(evaluated.Permits) == 0 {
		switch s.UnknownAction {
		case UnknownAllow:
			out.PolicyNotes = append(out.PolicyNotes, "Action permitted under default policy: no rule covers it, and sessions.unknown_action allows it")
		case UnknownDeny:
			out.Decision, out.Reason = DeniedAction, fmt.Sprintf("No rule covers the action '%s', and sessions.unknown_action denies it", redact.Mask(q.Action))
			evaluated.Allowed = false
		default:
			asks.add(unknownRule, "")
			evaluated.Allowed = false
			var err error
			if reached, err = s.canBeApproved(ctx, q.Caller, q.Ask != nil); err != nil {
				return Reported{}, apperr.From(err).Deny()
			}
		}
	}
	switch {
	case len(blocks) > 0:
		out.deny(blocks)
	case len(asks.rules) > 0:
		c := claim{verdict: out.VerdictID, use: len(over) == 0 && !evaluated.Limited(), create: reached,
			project: cmp.Or(q.Project, s.checks.Settings.Project), session: session, stakes: evaluated.Stakes(),
			risk: evaluated.Risk()}
		if err := s.ask(ctx, &out, q, asks, evaluated.Violations, c); err != nil {
			return Reported{}, err
		}
		if out.Decision == Approved {
			if len(over) > 0 {
				out.deny(over)
			} else {
				evaluated.Override(check.ByApproval, "approval "+out.ApprovalID)
				if c.only = out.ApprovalID; evaluated.Limited() {
					act.Grant = s.useGrant(q, asks, c)
				}
				out.PolicyNotes = append(out.PolicyNotes, out.Reason)
				out.Reason = ""
			}
		}
	case len(over) > 0:
		out.deny(over)
	}
	if out.Decision == Approved {
		for _, name := range evaluated.Permits {
			out.PolicyNotes = append(out.PolicyNotes, "Permitted by "+name)
		}
	}
	act.Uses, evaluated.CarriesOut = evaluated.Uses(), q.Decision
	return s.storeReport(ctx, q, session, evaluated, out, act)
}

// objections returns the rules that require approval, the exceeded limits, and the other violations.
func objections(evaluated *check.Evaluation) (asks approvalRules, over, blocks []check.Violation) {
	for _, o := range evaluated.Violations {
		switch {
		case o.Severity == rule.Approve && o.Result != "error":
			asks.add(o.GuardrailID, o.Version)
		case evaluated.CountsUnder(o.GuardrailID):
			over = append(over, o)
		default:
			blocks = append(blocks, o)
		}
	}
	return asks, over, blocks
}

// storeReport stores the verdict and the event of an answer, and adds the ids of event and session to the answer.
func (s *Store) storeReport(ctx context.Context, q Report, session governed, evaluated *check.Evaluation, out Reported,
	act limits.Act) (Reported, error) {
	verdict, err := evaluated.Row()
	if err != nil {
		return Reported{}, apperr.From(err).Deny()
	}
	event := trace.Event{Type: "action.reported",
		Payload: map[string]any{"action": q.Action, "params": map[string]any(q.Params), "decision": out.Decision,
			"reason":     out.Reason,
			"verdict_id": out.VerdictID, "approval_id": out.ApprovalID}, Decision: q.Decision,
		WithEvent: trace.WithEvent{Verdict: verdict, Act: act}}
	if out.ApprovalID != "" {
		event.Under = &trace.ReportedApproval{Approval: out.ApprovalID, Decision: out.Decision, Verdict: out.VerdictID}
	}
	stored, err := s.trace.Append(ctx, s.selectorOf(q.Caller, session), event)
	full := (*limits.Error)(nil)
	switch {
	case errors.Is(err, limits.ErrGrant), errors.As(err, &full):
		return Reported{}, err
	case err != nil:
		return Reported{}, apperr.From(err).Deny()
	}
	out.TraceID, out.SessionID = stored.Events[0].UID, stored.SessionID
	return out, nil
}

// deny denies with the given violations.
func (r *Reported) deny(violations []check.Violation) {
	r.Decision = DeniedAction
	var reasons []string
	for _, o := range violations {
		reasons = append(reasons, fmt.Sprintf("Policy '%s': %s", o.GuardrailID, o.Message))
		r.Alternatives = append(r.Alternatives, o.Alternatives...)
	}
	r.Reason = strings.Join(reasons, "; ")
}

// approvalRules lists the rules that require approval with their versions, sorted.
type approvalRules struct{ rules, versions []string }

func (a *approvalRules) add(name, version string) {
	a.rules, a.versions = append(a.rules, name), append(a.versions, version)
}

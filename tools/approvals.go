package tools

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"nomograph/internal/apperr"
	"nomograph/internal/caller"
	"nomograph/internal/render"
	"nomograph/internal/terminal"
	"nomograph/sessions"
)

var approvalOperations = inToolset("manage",
	define(Operation{
		Name:        "cra_report_action",
		Title:       "Report an action",
		Toolset:     "cra",
		Use:         "Report an action before you take it. Returns whether it is approved, denied or needs a person. The session's trail records it.",
		Permission:  Decide,
		Scope:       OfProject,
		Command:     "session report ACTION",
		REST:        "POST /v1/action/report",
		FailsClosed: true,
	}, reportAction),
	define(Operation{
		Name:       "list_approvals",
		Title:      "Approvals",
		Use:        "List approval requests, newest first.",
		Permission: Govern,
		Scope:      Filtered,
		Command:    "approval list",
		REST:       "GET /v1/approvals",
	}, method((*sessions.Store).Approvals)),
	define(Operation{
		Name:       "get_approval",
		Title:      "Approval",
		Toolset:    "cra",
		Use:        "Show an approval request with state, answer and reason. Also shows how similar requests were answered. Without the permission govern, shows only your own requests.",
		Permission: Decide,
		Scope:      Filtered,
		Command:    "approval show APPROVAL_ID",
		REST:       "GET /v1/approvals/{approval_id}",
	}, func(ctx context.Context, app *App, in sessions.ApprovalQuery) (sessions.ApprovalDetails, error) {
		a, err := app.Sessions.Approval(ctx, in)
		who := caller.From(ctx)
		if err != nil || who.May(Govern) {
			return a, err
		}
		if !who.Is(a.AgentID) && a.AskedBy != caller.Identity(who.Name) {
			return sessions.ApprovalDetails{}, sessions.NoApproval(in.ApprovalID)
		}
		a.Precedents = []sessions.Precedent{} // requests of others; a report has what an agent may see of them
		return a, nil
	}),
	define(Operation{
		Name:       "approve_request",
		Title:      "Approve a request",
		Use:        "Approve a request for exactly its action and parameters. Valid once or for a limited time. Takes effect after ten seconds; `undo_approval` cancels it until then. The requester cannot approve.",
		Permission: Govern,
		Hints:      destructive,
		Command:    "approval approve APPROVAL_ID REASON",
		REST:       "POST /v1/approvals/{approval_id}/approve",
	}, method((*sessions.Store).Approve)),
	define(Operation{
		Name:       "reject_request",
		Title:      "Reject a request",
		Use:        "Reject an approval request immediately. The reason is stored and shown to the agent.",
		Permission: Govern,
		Hints:      destructive,
		Command:    "approval reject APPROVAL_ID REASON",
		REST:       "POST /v1/approvals/{approval_id}/reject",
	}, method((*sessions.Store).Reject)),
	define(Operation{
		Name:       "undo_approval",
		Title:      "Undo an approval",
		Use:        "Cancel an approval before it takes effect. The request is pending again.",
		Permission: Govern,
		Hints:      destructive,
		Command:    "approval undo APPROVAL_ID",
		REST:       "POST /v1/approvals/{approval_id}/undo",
	}, method((*sessions.Store).Undo)),
	define(Operation{
		Name:       "list_exceptions",
		Title:      "Exceptions",
		Use:        "List exceptions: time-limited approvals. Returns the rule versions that each lifts, its end, renewals, uses and outcomes. For requests: `list_approvals`.",
		Permission: Govern,
		Scope:      Filtered,
		Command:    "exception list",
		REST:       "GET /v1/exceptions",
	}, method((*sessions.Store).Exceptions)),
	define(Operation{
		Name:       "get_exception",
		Title:      "Exception",
		Use:        "Show an exception with its rules and renewals. Also shows the outcomes of the decisions that used it.",
		Permission: Govern,
		Scope:      Filtered,
		Command:    "exception show EXCEPTION_ID",
		REST:       "GET /v1/exceptions/{exception_id}",
	}, method((*sessions.Store).Exception)),
	define(Operation{
		Name:       "renew_exception",
		Title:      "Renew an exception",
		Use:        "Extend an exception that is in effect. Its agent and its requester cannot do this. If a rule has changed, the agent has to request a new approval. `dry_run` shows the new end.",
		Permission: Govern,
		Hints:      destructive,
		Command:    "exception renew EXCEPTION_ID REASON",
		REST:       "POST /v1/exceptions/{exception_id}/renew",
	}, method((*sessions.Store).RenewException)),
	define(Operation{
		Name:       "revoke_exception",
		Title:      "Revoke an exception",
		Use:        "End an exception immediately. Also ends an unused approval that is valid once. Its agent and its requester cannot do this. `dry_run` shows what would end.",
		Permission: Govern,
		Hints:      destructive,
		Command:    "exception revoke EXCEPTION_ID REASON",
		REST:       "POST /v1/exceptions/{exception_id}/revoke",
	}, method((*sessions.Store).RevokeException)),
)

func reportAction(ctx context.Context, app *App, in sessions.Report) (sessions.Reported, error) {
	if in.DecisionID != "" {
		decision, err := app.Decisions.Resolve(ctx, in.DecisionID)
		if err != nil {
			return sessions.Reported{}, err
		}
		in.Decision = decision.UID
	}
	if mayAskUser(ctx, app) {
		in.Ask = askUser
	}
	return app.Sessions.Report(ctx, in)
}

// mayAskUser reports whether the client's user can be asked for approval, and whether the settings allow that.
func mayAskUser(ctx context.Context, app *App) bool { return asksUser(ctx) && app.trustsClient(ctx) }

// trustsClient reports whether the settings allow that the client's user answers, whom the client could invent.
func (a *App) trustsClient(ctx context.Context) bool {
	return a.Sessions.AskClient == sessions.AskAlways ||
		a.Sessions.AskClient != sessions.AskNever && caller.From(ctx).Trusted
}

// approvalForm is the form for the client's user.
type approvalForm struct {
	Answer     string `json:"answer" jsonschema:"approve or reject" rule:"enum=approve|reject"`
	Reason     string `json:"reason,omitempty" jsonschema:"reason, stored and shown with later requests" rule:"maxLength=2000"`
	ForSeconds int64  `json:"for_seconds,omitempty" jsonschema:"duration in seconds for the same action and parameters (default once)" rule:"minimum=0,maximum=2592000"`
}

// askUser asks the user of the agent's client. It returns nil without an answer; the request then stays in the queue.
func askUser(ctx context.Context, a sessions.ApprovalDetails) (*sessions.UserAnswer, error) {
	reply, asked, err := ask[approvalForm](ctx, fmt.Sprintf("approval %s %d", a.ApprovalID, a.Undone),
		approvalQuestion(a))
	var refused *apperr.Error
	switch {
	case errors.As(err, &refused) && refused.Code != apperr.PermissionDenied: // declined, or an invalid answer
		return nil, nil //nolint:nilerr // the request stays in the queue
	case err != nil: // the client got the question and calls again with the answer
		return nil, err
	case !asked:
		return nil, nil
	}
	return &sessions.UserAnswer{Approve: reply.Answer == "approve", Reason: reply.Reason, ForSeconds: reply.ForSeconds,
		By: "user of " + callerName(ctx)}, nil
}

// approvalQuestion describes everything that an approver needs to decide.
func approvalQuestion(a sessions.ApprovalDetails) string {
	const maxParamsLength = 1000
	var b strings.Builder
	fmt.Fprintf(&b, "%s requests %s", terminal.Line(a.AgentID), terminal.Line(a.Action))
	render.WriteNonEmpty(&b, " in %s", terminal.Line(a.Project))
	if params := terminal.Line(a.Params); params != "" && params != "{}" {
		fmt.Fprintf(&b, " with %s", render.Cut(params, maxParamsLength))
		if n := utf8.RuneCountInString(params); n > maxParamsLength {
			fmt.Fprintf(&b, " (CUT: %d more characters are not shown here, but the approval covers them)",
				n-maxParamsLength)
		}
	}
	fmt.Fprintf(&b, ". Reason: %s.", strings.TrimSuffix(terminal.Line(a.Why), "."))
	if len(a.Hidden) > 0 {
		fmt.Fprintf(&b, " Hidden from you: %s. The approval covers the true value.",
			terminal.Line(strings.Join(a.Hidden, ", ")))
	}
	render.WriteNonEmpty(&b, " Its declared risk is %s.", a.RiskTier)
	if a.GrantsFor > 0 {
		fmt.Fprintf(&b, " An approval is valid for %s.", render.Plural(a.GrantsFor, "second"))
	}
	for _, p := range a.Precedents[:min(len(a.Precedents), 3)] {
		fmt.Fprintf(&b, " Before: %s by %s (%s)", p.State, terminal.Line(p.AnsweredBy),
			render.Cut(terminal.Line(p.Reason), 200))
		for _, done := range p.Done {
			for _, o := range done.Outcomes {
				render.WriteNonEmpty(&b, ", outcome %s", o.Outcome)
			}
		}
		b.WriteString(".")
	}
	return b.String()
}

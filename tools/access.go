package tools

import (
	"context"
	"maps"

	"nomograph/graph"
	"nomograph/internal/caller"
	"nomograph/internal/normalize"
	"nomograph/policies/check"
	"nomograph/sessions"
)

// AccessQuestion is an access check that a gateway requests for its user, with the exact data that an approval covers.
type AccessQuestion struct {
	check.ActionCheck
	Subject string           `json:"subject" jsonschema:"id of the acting user or program" rule:"minLength=1,maxLength=1000"`
	Exactly graph.Parameters `json:"exactly" jsonschema:"subject, resource and action with their properties; an approval covers exactly these"`
}

// access converts the question for the session store. An approval applies to this caller only and, if the question
// names a project, to that project only.
func (q AccessQuestion) access(ctx context.Context) sessions.Access {
	exactly := graph.Parameters{}
	maps.Copy(exactly, q.Exactly)
	exactly["asked_by"] = caller.Identity(q.By)
	if q.Project != "" {
		exactly["project"] = normalize.Project(q.Project)
	}
	return sessions.Access{Check: q.ActionCheck, Subject: q.Subject, Exactly: exactly}
}

// AccessUnderApproval is an access question presented with an approval.
type AccessUnderApproval struct {
	AccessQuestion
	ApprovalID string `json:"approval_id" jsonschema:"id of a presented approval" rule:"minLength=1,maxLength=200"`
}

// AccessVerdict is the verdict, and whether the approval allows the action.
type AccessVerdict struct {
	Verdict check.Verdict `json:"verdict"`
	Granted bool          `json:"granted"`
}

// Denied reports whether the action is denied. Programs use it as the exit status.
func (j AccessVerdict) Denied() bool { return !j.Granted && j.Verdict.Denied() }

// AccessRequested is a denied access question for which approval is requested.
type AccessRequested struct {
	AccessQuestion
	EvaluationID string `json:"evaluation_id" jsonschema:"id of the denying verdict" rule:"minLength=1,maxLength=200"`
}

// AccessOperations are the operations that only AuthZEN uses. They are not in the catalog, so other transports do not
// serve them, but they run like all others.
var AccessOperations = []Operation{
	define(Operation{
		Name:        "judge_access",
		Title:       "Evaluate under an approval",
		Use:         "Evaluate whether an action is allowed. Counts an approval that a person gave for exactly this action.",
		Permission:  Read,
		Scope:       OfProject,
		FailsClosed: true,
	}, func(ctx context.Context, app *App, in AccessUnderApproval) (AccessVerdict, error) {
		asked := in.access(ctx)
		asked.Approval = in.ApprovalID
		verdict, granted, err := app.Sessions.CheckAccess(ctx, asked)
		return AccessVerdict{verdict, granted}, err
	}),
	define(Operation{
		Name:        "request_access",
		Title:       "Request approval",
		Use:         "Request approval of a denied action. A person decides.",
		Permission:  Decide,
		Scope:       OfProject,
		FailsClosed: true,
	}, func(ctx context.Context, app *App, in AccessRequested) (sessions.Approval, error) {
		return app.Sessions.RequestAccess(ctx, in.access(ctx), in.EvaluationID)
	}),
	define(Operation{
		Name:       "get_access_request",
		Title:      "Access request",
		Use:        "Show the state of an access request of the caller.",
		Permission: Decide,
		Scope:      Filtered,
		Hints:      readOnly,
	}, func(ctx context.Context, app *App, in sessions.ApprovalQuery) (sessions.Approval, error) {
		return app.Sessions.AccessRequest(ctx, in.ApprovalID, callerName(ctx))
	}),
}

package tools

import (
	"context"

	"nomograph/sessions"
)

var approvalOperations = []Operation{
	define(Operation{
		Name:       "cra_report_action",
		Title:      "Report an action",
		Toolset:    "cra",
		Use:        "Tell what you are about to do, and hear whether it is approved, denied or needs a person. Kept in the session's trail.",
		Permission: Decide,
		Scope:      Everybody,
		Hints:      Hints{},
		CLI:        CommandLine{Command: "session report", Args: []string{"action"}, Flags: sessionFlags},
		REST:       "POST /v1/action/report",
		Gate:       true,
	}, func(ctx context.Context, env *Env, in sessions.Report) (sessions.Reported, error) {
		in.By = caller(ctx)
		return env.Sessions.Report(ctx, in)
	}),
	define(Operation{
		Name:       "list_approvals",
		Title:      "Approvals",
		Toolset:    "manage",
		Use:        "List what agents ask people to approve, the newest first.",
		Permission: Govern,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "approval list"},
		REST:       "GET /v1/approvals",
	}, func(ctx context.Context, env *Env, in sessions.ApprovalsQuery) (sessions.ApprovalList, error) {
		return env.Sessions.Approvals(ctx, in)
	}),
	define(Operation{
		Name:       "get_approval",
		Title:      "An approval",
		Toolset:    "manage",
		Use:        "What an agent asks a person to approve, why, and how such requests were answered before.",
		Permission: Govern,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "approval show", Args: []string{"approval_id"}},
		REST:       "GET /v1/approvals/{approval_id}",
	}, func(ctx context.Context, env *Env, in sessions.ApprovalQuery) (sessions.ApprovalShown, error) {
		return env.Sessions.Approval(ctx, in)
	}),
	define(Operation{
		Name:       "grant_approval",
		Title:      "Grant an approval",
		Toolset:    "manage",
		Use:        "Allow exactly the action and parameters that an agent asked for, once or for a time. Whoever asked cannot grant.",
		Permission: Govern,
		Hints:      Hints{Destructive: true},
		CLI:        CommandLine{Command: "approval grant", Args: []string{"approval_id", "reason"}},
		REST:       "POST /v1/approvals/{approval_id}/grant",
	}, func(ctx context.Context, env *Env, in sessions.Grant) (sessions.Approval, error) {
		in.By = caller(ctx)
		return env.Sessions.Grant(ctx, in)
	}),
	define(Operation{
		Name:       "deny_approval",
		Title:      "Deny an approval",
		Toolset:    "manage",
		Use:        "Refuse what an agent asked for. The reason is kept, and told to the agent.",
		Permission: Govern,
		Hints:      Hints{Destructive: true},
		CLI:        CommandLine{Command: "approval deny", Args: []string{"approval_id", "reason"}},
		REST:       "POST /v1/approvals/{approval_id}/deny",
	}, func(ctx context.Context, env *Env, in sessions.Answer) (sessions.Approval, error) {
		in.By = caller(ctx)
		return env.Sessions.Deny(ctx, in)
	}),
}

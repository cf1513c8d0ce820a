package tools

import (
	"context"

	"nomograph/internal/apperr"
	"nomograph/policies/lab"
	"nomograph/policies/proposals"
)

var proposalOperations = inToolset("lab",
	define(Operation{
		Name:       "propose_change",
		Title:      "Propose a change of the rules",
		Use:        "Propose a change of rules or thresholds. The change is a pack, a value, a mode, or a finding of `suggest_policies`. It is replayed over recorded actions and stored with its reason. Another person approves it. Rules do not change before `apply_proposal`.",
		Kind:       Job,
		Permission: Decide,
		Scope:      OfProject,
		Command:    "policy propose",
		CLI:        CommandLine{Documents: "packs"},
		REST:       "POST /v1/proposals",
	}, method((*proposals.Store).Propose)),
	define(Operation{
		Name:       "list_proposals",
		Title:      "Proposals",
		Use:        "List proposed changes of the rules, newest first. Returns state, reason and replay.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "proposal list",
		REST:       "GET /v1/proposals",
	}, method((*proposals.Store).List)),
	define(Operation{
		Name:       "get_proposal",
		Title:      "Proposal",
		Use:        "Show a proposed change. Returns properties before and after, the replay, the reason, and the decisions it follows from.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "proposal show PROPOSAL_ID",
		REST:       "GET /v1/proposals/{proposal_id}",
	}, method((*proposals.Store).Get)),
	define(Operation{
		Name:       "open_proposal",
		Title:      "Open a proposal",
		Use:        "Replay a draft or stale proposal and ask for approval. The replay uses today's rules and ends an earlier approval. Only for the proposer, or with the permission govern.",
		Kind:       Job,
		Permission: Decide,
		Scope:      Filtered,
		Command:    "proposal open PROPOSAL_ID",
		REST:       "POST /v1/proposals/{proposal_id}/open",
	}, method((*proposals.Store).Reopen)),
	define(Operation{
		Name:       "withdraw_proposal",
		Title:      "Withdraw a proposal",
		Use:        "Withdraw a proposal that was not applied. Only for the proposer, or with the permission govern.",
		Permission: Decide,
		Scope:      Filtered,
		Hints:      destructive,
		Command:    "proposal withdraw PROPOSAL_ID",
		REST:       "POST /v1/proposals/{proposal_id}/withdraw",
	}, method((*proposals.Store).Withdraw)),
	define(Operation{
		Name:       "approve_proposal",
		Title:      "Approve a proposal",
		Toolset:    "manage",
		Use:        "Approve an open proposal. Pass the plan that `get_proposal` shows, so that you approve what you saw. `apply_proposal` then makes the change. The proposer cannot approve.",
		Permission: Govern,
		Hints:      destructive,
		Command:    "proposal approve PROPOSAL_ID REASON",
		REST:       "POST /v1/proposals/{proposal_id}/approve",
	}, method((*proposals.Store).Approve)),
	define(Operation{
		Name:       "reject_proposal",
		Title:      "Reject a proposal",
		Toolset:    "manage",
		Use:        "Reject a proposal. The reason is stored and shown to the proposer.",
		Permission: Govern,
		Hints:      destructive,
		Command:    "proposal reject PROPOSAL_ID REASON",
		REST:       "POST /v1/proposals/{proposal_id}/reject",
	}, method((*proposals.Store).Reject)),
	define(Operation{
		Name:       "apply_proposal",
		Title:      "Apply a proposal",
		Toolset:    "manage",
		Use:        "Make the change of an approved proposal, in one transaction. If the rules changed since its replay, nothing changes and the proposal is stale.",
		Permission: Govern,
		Hints:      destructive,
		Command:    "proposal apply PROPOSAL_ID",
		REST:       "POST /v1/proposals/{proposal_id}/apply",
	}, method((*proposals.Store).Apply)),
)

// replayRequest is a replay of a change, or of a proposal.
type replayRequest struct {
	lab.Request
	ProposalID string `json:"proposal_id,omitempty" jsonschema:"proposal to replay instead of packs, set and mode" rule:"minLength=8,maxLength=100"`
}

func replayPolicies(ctx context.Context, app *App, in replayRequest) (lab.Replay, error) {
	if in.ProposalID != "" {
		if len(in.Packs) > 0 || len(in.Set) > 0 || len(in.Mode) > 0 {
			return lab.Replay{}, apperr.New(apperr.Validation, "A proposal is a change of its own").
				WithHint("Leave out packs, `set` and `mode`, or leave out `proposal_id`")
		}
		change, err := app.Proposals.Change(ctx, in.ProposalID)
		if err != nil {
			return lab.Replay{}, err
		}
		in.Change = change
	}
	return app.Lab.Replay(ctx, in.Request)
}

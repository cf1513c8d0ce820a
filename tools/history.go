package tools

import (
	"context"

	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/history"
)

var historyOperations = inToolset("history",
	define(Operation{
		Name:       "get_history",
		Title:      "History",
		Use:        "Show the change history of a node. Kinds: policy, threshold, decision table, atlas, context. Each change has its time, author and reason. Manual edits show the interval in which they happened.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "history list KIND NAME",
		REST:       "GET /v1/history/{kind}/{name}",
	}, method((*history.Store).Entries)),
	define(Operation{
		Name:       "list_changes",
		Title:      "Audit",
		Use:        "List changes with author, time and reason, newest first. Covers rules, thresholds, tables, atlases, packs, tokens, approvals, proposals and appeals. For one node, use `get_history`.",
		Permission: Admin,
		Command:    "history audit",
		REST:       "GET /v1/history",
	}, method((*history.Store).Audit)),
	define(Operation{
		Name:       "compare_versions",
		Title:      "Compare versions",
		Use:        "Compare two states of a node. Kinds: policy, threshold, decision table, atlas, context. Give each state as a time, version or revision.",
		Permission: Read,
		Scope:      Filtered,
		Command:    "history diff KIND NAME",
		REST:       "GET /v1/history/{kind}/{name}/diff",
	}, method((*history.Store).Compare)),
	define(Operation{
		Name:       "revert",
		Title:      "Revert a change",
		Toolset:    "manage",
		Use:        "Revert a node to an earlier state. Kinds: policy, threshold, decision table, atlas, context. Give the state as a time, version or revision. The revert is a new change.",
		Permission: Govern,
		Rules:      true,
		Hints:      replacing,
		Command:    "history revert KIND NAME",
		REST:       "POST /v1/history/{kind}/{name}/revert",
	}, func(ctx context.Context, app *App, in change.RevertRequest) (change.RevertResult, error) {
		reverted, err := app.Change.Revert(ctx, in)
		if err == nil && in.Kind == policies.KindContext {
			app.Contexts.Wake()
		}
		return reverted, err
	}),
	define(Operation{
		Name:       "sync_policies",
		Title:      "Detect drift",
		Toolset:    "manage",
		Use:        "Detect drift and record manual edits. Compares policies, thresholds, tables, atlases and contexts with their history.",
		Kind:       Job,
		Permission: Govern,
		Ours:       "counts",
		Hints:      repeatable,
		Command:    "policy sync",
		REST:       "POST /v1/policies/sync",
	}, func(ctx context.Context, app *App, _ struct{}) (history.SyncResult, error) {
		return app.History.Sync(ctx)
	}),
)

package tools

import (
	"context"

	"nomograph/policies"
	"nomograph/policies/change"
	"nomograph/policies/history"
)

var historyOperations = []Operation{
	define(Operation{
		Name:       "get_history",
		Title:      "History",
		Toolset:    "history",
		Use:        "How a policy, threshold, decision table, atlas or context became what it is: what changed, when, by whom and why. Hand edits show the interval in which they happened.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "history list", Args: []string{"kind", "name"}},
		REST:       "GET /v1/history/{kind}/{name}",
	}, func(ctx context.Context, env *Env, in history.Query) (history.History, error) {
		return env.History.Of(ctx, in)
	}),
	define(Operation{
		Name:       "compare_versions",
		Title:      "Difference",
		Toolset:    "history",
		Use:        "What is different between two states of a policy, threshold, decision table, atlas or context, each a time, a version or a revision.",
		Permission: Read,
		Scope:      Filtered,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "history diff", Args: []string{"kind", "name"}},
		REST:       "GET /v1/history/{kind}/{name}/diff",
	}, func(ctx context.Context, env *Env, in history.Comparison) (history.Compared, error) {
		return env.History.Compare(ctx, in)
	}),
	define(Operation{
		Name:       "revert",
		Title:      "Go back",
		Toolset:    "manage",
		Use:        "Make a policy, threshold, decision table, atlas or context say again what it said at a time, in a version or in a revision. Going back is a new change.",
		Permission: Govern,
		Hints:      Hints{Destructive: true, Idempotent: true},
		CLI:        CommandLine{Command: "history revert", Args: []string{"kind", "name"}},
		REST:       "POST /v1/history/{kind}/{name}/revert",
	}, func(ctx context.Context, env *Env, in change.Reversion) (change.Reverted, error) {
		in.By = callerName(ctx)
		reverted, err := env.Change.Revert(ctx, in)
		if err == nil && in.Kind == policies.KindContext {
			env.Contexts.Wake()
		}
		return reverted, err
	}),
	define(Operation{
		Name:       "sync_policies",
		Title:      "Look for hand edits",
		Toolset:    "manage",
		Use:        "Compare every policy, threshold, decision table, atlas and context with what was recorded, and record what was changed by hand in the graph.",
		Kind:       Job,
		Permission: Govern,
		Ours:       "counts",
		Hints:      Hints{Idempotent: true},
		CLI:        CommandLine{Command: "policy sync"},
		REST:       "POST /v1/policies/sync",
	}, func(ctx context.Context, env *Env, _ struct{}) (history.Synced, error) {
		return env.History.Sync(ctx)
	}),
}

package tools

import (
	"context"

	"nomograph/tokens"
)

var tokenOperations = []Operation{
	define(Operation{
		Name:       "create_token",
		Title:      "Make a token",
		Toolset:    "tokens",
		Use:        "Make a token by which a caller over the network is known: its name, what it may do, which projects it may see. The secret is shown this once.",
		Permission: Admin,
		Ours:       "what an administrator set",
		CLI:        CommandLine{Command: "token create", Args: []string{"name"}, Value: "token"},
		REST:       "POST /v1/tokens",
	}, func(ctx context.Context, env *Env, in tokens.Creation) (tokens.Created, error) {
		in.By = callerName(ctx)
		return env.Tokens.Create(ctx, in)
	}),
	define(Operation{
		Name:       "list_tokens",
		Title:      "Tokens",
		Toolset:    "tokens",
		Use:        "List tokens: whose they are, what they may do, when they end. Never a secret.",
		Permission: Admin,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "token list"},
		REST:       "GET /v1/tokens",
	}, func(ctx context.Context, env *Env, in tokens.Query) (tokens.List, error) {
		return env.Tokens.Tokens(ctx, in)
	}),
	define(Operation{
		Name:       "rotate_token",
		Title:      "Rotate a token",
		Toolset:    "tokens",
		Use:        "Give a name a new secret with the same rights, while the old one still works for a while. The secret is shown this once.",
		Permission: Admin,
		Ours:       "what an administrator set",
		CLI:        CommandLine{Command: "token rotate", Args: []string{"name"}, Value: "token"},
		REST:       "POST /v1/tokens/{name}/rotate",
	}, func(ctx context.Context, env *Env, in tokens.Rotation) (tokens.Rotated, error) {
		in.By = callerName(ctx)
		return env.Tokens.Rotate(ctx, in)
	}),
	define(Operation{
		Name:       "revoke_token",
		Title:      "Revoke a token",
		Toolset:    "tokens",
		Use:        "End the tokens of a name: every server refuses them within two seconds. What was done with them stays.",
		Permission: Admin,
		Ours:       "what an administrator set",
		Hints:      Hints{Destructive: true},
		CLI:        CommandLine{Command: "token revoke", Args: []string{"name"}},
		REST:       "POST /v1/tokens/{name}/revoke",
	}, func(ctx context.Context, env *Env, in tokens.Revocation) (tokens.Revoked, error) {
		in.By = callerName(ctx)
		return env.Tokens.Revoke(ctx, in)
	}),
	define(Operation{
		Name:       "get_token_usage",
		Title:      "What tokens did",
		Toolset:    "tokens",
		Use:        "Calls, denials, refusals and bytes by name, operation and day.",
		Permission: Admin,
		Hints:      readOnly,
		CLI:        CommandLine{Command: "token usage", Args: []string{"name"}, Flags: map[string]string{"date_after": "since", "date_before": "until"}},
		REST:       "GET /v1/tokens/usage",
	}, func(ctx context.Context, env *Env, in tokens.UsageQuery) (tokens.Usage, error) {
		return env.Tokens.Usage(ctx, in)
	}),
}

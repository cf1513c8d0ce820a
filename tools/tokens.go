package tools

import "nomograph/tokens"

var tokenOperations = inToolset("tokens",
	define(Operation{
		Name:       "create_token",
		Title:      "Create a token",
		Use:        "Create an API token: name, permissions, visible projects. The secret is shown only once.",
		Permission: Admin,
		Ours:       "what an administrator set",
		Command:    "token create NAME",
		CLI:        CommandLine{Value: "token"},
		REST:       "POST /v1/tokens",
	}, method((*tokens.Store).Create)),
	define(Operation{
		Name:       "list_tokens",
		Title:      "Tokens",
		Use:        "List tokens: name, permissions, expiry. Never shows a secret.",
		Permission: Admin,
		Command:    "token list",
		REST:       "GET /v1/tokens",
	}, method((*tokens.Store).Tokens)),
	define(Operation{
		Name:       "rotate_token",
		Title:      "Rotate a token",
		Use:        "Rotate a token's secret. Permissions stay; the old secret works for a grace period. The new secret is shown only once.",
		Permission: Admin,
		Ours:       "what an administrator set",
		Command:    "token rotate NAME",
		CLI:        CommandLine{Value: "token"},
		REST:       "POST /v1/tokens/{name}/rotate",
	}, method((*tokens.Store).Rotate)),
	define(Operation{
		Name:       "revoke_token",
		Title:      "Revoke a token",
		Use:        "Revoke all tokens of a name. Every server refuses them within two seconds. Their history stays.",
		Permission: Admin,
		Ours:       "what an administrator set",
		Hints:      destructive,
		Command:    "token revoke NAME",
		REST:       "POST /v1/tokens/{name}/revoke",
	}, method((*tokens.Store).Revoke)),
	define(Operation{
		Name:       "get_token_usage",
		Title:      "Token usage",
		Use:        "Show calls and bytes by token name, operation and day. Counts denials and refusals separately.",
		Permission: Admin,
		Command:    "token usage NAME",
		REST:       "GET /v1/tokens/usage",
	}, method((*tokens.Store).Usage)),
)

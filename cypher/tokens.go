package cypher

// Statements of tokens, browser sessions and usage counts.
var (
	TokenNames     = writes("tokens/token_names")
	TokenCreate    = writes("tokens/token_create")
	TokenRotate    = writes("tokens/token_rotate")
	TokenRevoke    = writes("tokens/token_revoke")
	TokensList     = reads("tokens/tokens_list")
	TokensInForce  = reads("tokens/tokens_in_force").ofLeader()
	UsageAdd       = writes("tokens/usage_add")
	UsageRead      = reads("tokens/usage_read")
	SessionSignOut = writes("tokens/session_sign_out")
	ServerSeen     = writes("tokens/server_seen")
)

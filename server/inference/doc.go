// Package inference answers Claude Enterprise's inference hooks: signed requests about prompts and tool calls of an
// organization's members. Each becomes actions that check_action evaluates, as for the hooks of coding agents.
package inference

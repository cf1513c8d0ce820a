package tools

import (
	"cmp"
	"context"

	"nomograph/internal/caller"
)

// Permission is the permission that an operation needs.
type Permission = caller.Permission

// The permissions. Package caller describes them.
const (
	Read     = caller.Read
	Decide   = caller.Decide
	Announce = caller.Announce
	Federate = caller.Federate
	Review   = caller.Review
	Query    = caller.Query
	Govern   = caller.Govern
	Admin    = caller.Admin
)

// WithCaller sets the name under which the local user runs operations with ctx. Transports that authenticate callers
// use caller.With.
func WithCaller(ctx context.Context, agent string) context.Context {
	return caller.With(ctx, caller.Local(agent))
}

// callerName returns the caller's name, or "unknown".
func callerName(ctx context.Context) string {
	return cmp.Or(caller.From(ctx).Name, "unknown")
}

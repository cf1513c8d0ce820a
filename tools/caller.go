package tools

import (
	"context"

	"nomograph/internal/caller"
)

// Permission is the right that an operation needs.
type Permission = caller.Permission

// The permissions, as package access says what they are for.
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

// WithCaller notes under which name the user of this process acts in the operations run under ctx. A door that knows more of who
// calls notes it with caller.With.
func WithCaller(ctx context.Context, agent string) context.Context {
	return caller.With(ctx, caller.Local(agent))
}

// callerName names who acts; what nobody claimed is "unknown".
func callerName(ctx context.Context) string {
	if name := caller.From(ctx).Name; name != "" {
		return name
	}
	return "unknown"
}

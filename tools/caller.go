package tools

import (
	"context"

	"nomograph/access"
)

// Permission is the right that an operation needs.
type Permission = access.Permission

// The permissions, as package access says what they are for.
const (
	Read     = access.Read
	Decide   = access.Decide
	Announce = access.Announce
	Federate = access.Federate
	Review   = access.Review
	Query    = access.Query
	Govern   = access.Govern
	Admin    = access.Admin
)

// WithCaller notes under which name the user of this process acts in the operations run under ctx. A door that knows more of who
// calls notes it with access.With.
func WithCaller(ctx context.Context, agent string) context.Context {
	return access.With(ctx, access.Local(agent))
}

// caller names who acts; what nobody claimed is "unknown".
func caller(ctx context.Context) string {
	if name := access.From(ctx).Name; name != "" {
		return name
	}
	return "unknown"
}

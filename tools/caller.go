package tools

import "context"

type callerKey struct{}

// WithCaller notes on whose behalf the operations run under ctx act.
func WithCaller(ctx context.Context, agent string) context.Context {
	return context.WithValue(ctx, callerKey{}, agent)
}

// caller names who acts; what nobody claimed is "unknown".
func caller(ctx context.Context) string {
	if agent, ok := ctx.Value(callerKey{}).(string); ok && agent != "" {
		return agent
	}
	return "unknown"
}

package graph

import "context"

// Watch is told of each statement before it is sent, and by what it returns of how it ended. It may add to the context.
type Watch func(ctx context.Context, statement string) (context.Context, func(error))

func (w Watch) begin(ctx context.Context, statement string) (context.Context, func(error)) {
	if w == nil {
		return ctx, func(error) {}
	}
	return w(ctx, statement)
}

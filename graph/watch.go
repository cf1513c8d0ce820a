package graph

import "context"

// StatementObserver is called before each statement, and the function that it returns after it. It can add to the
// context.
type StatementObserver func(ctx context.Context, statement string) (context.Context, func(error))

func begin(ctx context.Context, watches []StatementObserver, statement string) (context.Context, func(error)) {
	switch len(watches) {
	case 0:
		return ctx, func(error) {}
	case 1:
		return watches[0](ctx, statement)
	}
	ctx, end := watches[0](ctx, statement)
	ctx, others := begin(ctx, watches[1:], statement)
	return ctx, func(err error) {
		others(err)
		end(err)
	}
}

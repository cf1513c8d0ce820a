package tools

import (
	"context"

	"nomograph/agents/exchange"
)

var exchangeOperations = []Operation{
	define(Operation{
		Name:       "follow_agent",
		Title:      "Follow an agent",
		Toolset:    "agents",
		Use:        "Have another server send the decisions that are shared there, and how they turn out: they count in calibration under an agent of its own.",
		Permission: Admin,
		Hints:      Hints{Idempotent: true, OpenWorld: true},
		CLI:        CommandLine{Command: "agent follow", Args: []string{"agent"}},
		REST:       "POST /v1/agents/follow",
	}, func(ctx context.Context, env *Env, in exchange.Follow) (exchange.Followed, error) {
		return env.Exchange.Follow(ctx, in)
	}),
	define(Operation{
		Name:       "subscribe_agent",
		Title:      "Subscribe",
		Toolset:    "agents",
		Use:        "Be sent what owners here share with you of their decisions, now and when it changes, at the address that is known here for your name.",
		Permission: Announce,
		Scope:      Filtered,
		Hints:      Hints{Idempotent: true, OpenWorld: true},
		CLI:        CommandLine{Command: "agent subscribe", Args: []string{"agent_id"}},
		REST:       "POST /v1/agents/subscriptions",
		CSTP:       "cstp.subscribe",
	}, func(ctx context.Context, env *Env, in exchange.Subscription) (exchange.Subscribed, error) {
		in.By = callerName(ctx)
		return env.Exchange.Subscribe(ctx, in)
	}),
	define(Operation{
		Name:       "receive_decisions",
		Title:      "Receive decisions",
		Toolset:    "agents",
		Use:        "Take what another server shares of its decisions. Servers that are followed call it; the same sent twice changes nothing.",
		Permission: Announce,
		Ours:       "counts",
		Scope:      Everybody,
		Hints:      Hints{Idempotent: true},
		CLI:        CommandLine{Command: "agent receive"},
		REST:       "POST /v1/agents/decisions",
		CSTP:       "cstp.receiveDecisions",
	}, func(ctx context.Context, env *Env, in exchange.Delivery) (exchange.Received, error) {
		in.By = callerName(ctx)
		return env.Exchange.Receive(ctx, in)
	}),
}

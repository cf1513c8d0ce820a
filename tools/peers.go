package tools

import (
	"context"

	"nomograph/agents/peers"
)

var peerOperations = inToolset("agents",
	define(Operation{
		Name:       "list_agents",
		Title:      "Agents of other servers",
		Use:        "List known servers and whether they respond. Shows how a check treats a missing answer. Never shows a token.",
		Permission: Announce,
		Scope:      AllProjects,
		CLI:        CommandLine{Command: "agent list"},
		REST:       "GET /v1/agents",
	}, func(ctx context.Context, app *App, in peers.ListQuery) (peers.List, error) {
		return app.Peers.Agents(ctx, in)
	}),
	define(Operation{
		Name:       "add_agent",
		Title:      "Add an agent",
		Use:        "Add or update another server by its address. Its token goes into the agents file.",
		Permission: Admin,
		Hints:      Hints{Idempotent: true, OpenWorld: true},
		CLI:        CommandLine{Command: "agent add NAME URL"},
		REST:       "POST /v1/agents",
	}, func(ctx context.Context, app *App, in peers.AddRequest) (peers.AddResult, error) {
		return app.Peers.Add(ctx, in)
	}),
	define(Operation{
		Name:       "remove_agent",
		Title:      "Remove an agent",
		Use:        "Remove another server. It is no longer asked or notified. Data that it sent stays.",
		Permission: Admin,
		Hints:      Hints{Destructive: true, Idempotent: true},
		CLI:        CommandLine{Command: "agent remove AGENT"},
		REST:       "POST /v1/agents/remove",
	}, func(ctx context.Context, app *App, in peers.RemoveRequest) (peers.RemoveResult, error) {
		return app.Peers.Remove(ctx, in)
	}),
	define(Operation{
		Name:       "get_agent_card",
		Title:      "Agent card",
		Use:        "Fetch the agent card and guardrails of another server. Also closes its breaker if it responds.",
		Permission: Announce,
		Scope:      AllProjects,
		Hints:      Hints{Idempotent: true, OpenWorld: true},
		CLI:        CommandLine{Command: "agent card AGENT"},
		REST:       "POST /v1/agents/card",
	}, func(ctx context.Context, app *App, in peers.CardQuery) (peers.CardResult, error) {
		return app.Peers.ReadCard(ctx, in)
	}),
	define(Operation{
		Name:       "discover_agents",
		Title:      "Discover agents",
		Use:        "Discover servers through registries and fetch their cards. Adds no server.",
		Permission: Admin,
		Hints:      Hints{Idempotent: true, OpenWorld: true},
		CLI:        CommandLine{Command: "agent discover REGISTRY"},
		REST:       "POST /v1/agents/discover",
	}, func(ctx context.Context, app *App, in peers.Discovery) (peers.Discovered, error) {
		return app.Peers.Discover(ctx, in)
	}),
	define(Operation{
		Name:       "list_registry",
		Title:      "Registry",
		Use:        "List the servers that this server publishes in its registry.",
		Permission: Federate,
		Scope:      AllProjects,
		CLI:        CommandLine{Command: "agent registry"},
		REST:       "GET /v1/agents/registry",
		CSTP:       "cstp.listAgents",
	}, func(ctx context.Context, app *App, in peers.RegistryQuery) (peers.Registry, error) {
		return app.Peers.Registry(ctx, in)
	}),
)

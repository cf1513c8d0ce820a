package tools

import (
	"context"

	"nomograph/agents/federation"
)

// asksOthers hints at operations that only read, of other servers.
var asksOthers = Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}

var federationOperations = []Operation{
	define(Operation{
		Name:       "query_agents",
		Title:      "Ask others for precedents",
		Toolset:    "agents",
		Use:        "Search what other servers share of their decisions, all at once and in one order. The question is sent to them.",
		Permission: Announce,
		Scope:      Everybody,
		Hints:      asksOthers,
		CLI:        CommandLine{Command: "agent query", Args: []string{"query"}, Flags: map[string]string{"agents": "agent", "date_after": "since"}},
		REST:       "POST /v1/agents/query",
	}, func(ctx context.Context, env *Env, in federation.Query) (federation.Found, error) {
		return env.Federation.Query(ctx, in)
	}),
	define(Operation{
		Name:       "check_agents",
		Title:      "Ask others' guardrails",
		Toolset:    "agents",
		Use:        "Ask the guardrails here and those of other servers whether an action is allowed: a block anywhere blocks. What it says of the action is sent to them.",
		Permission: Announce,
		Scope:      OfProject,
		Hints:      asksOthers,
		CLI:        CommandLine{Command: "agent check", Args: []string{"description"}, Flags: map[string]string{"agents": "agent", "agent_id": "as", "project": "for-project"}},
		REST:       "POST /v1/agents/check",
		Gate:       true,
	}, func(ctx context.Context, env *Env, in federation.Check) (federation.Checked, error) {
		in.By = callerName(ctx)
		return env.Federation.Check(ctx, in)
	}),
	define(Operation{
		Name:       "broadcast_intent",
		Title:      "Announce to others",
		Toolset:    "agents",
		Use:        "Tell other servers what you are about to do, and hear what their guardrails and precedents say to it. Every voice is kept.",
		Permission: Announce,
		Scope:      OfProject,
		Hints:      Hints{Idempotent: true, OpenWorld: true},
		CLI:        CommandLine{Command: "agent announce", Args: []string{"intent"}, Flags: map[string]string{"agents": "agent", "agent_id": "as", "project": "for-project"}},
		REST:       "POST /v1/agents/intents",
	}, func(ctx context.Context, env *Env, in federation.Broadcast) (federation.Heard, error) {
		in.By = callerName(ctx)
		return env.Federation.Broadcast(ctx, in)
	}),
	define(Operation{
		Name:       "seek_consensus",
		Title:      "Seek a consensus",
		Toolset:    "agents",
		Use:        "Ask named servers to agree before much is at stake, and wait for a quorum or the time-out. Rules see one that was reached as action.consensus.",
		Kind:       Job,
		Permission: Announce,
		Scope:      OfProject,
		Hints:      Hints{Idempotent: true, OpenWorld: true},
		CLI:        CommandLine{Command: "agent consensus", Args: []string{"intent"}, Flags: map[string]string{"agents": "agent", "agent_id": "as", "project": "for-project"}},
		REST:       "POST /v1/agents/consensus",
		Gate:       true,
	}, func(ctx context.Context, env *Env, in federation.Seeking) (federation.Consensus, error) {
		in.By = callerName(ctx)
		return env.Federation.Consensus(ctx, in)
	}),
}

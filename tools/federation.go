package tools

import "nomograph/agents/federation"

// readsOtherServers are the hints of operations that only read from other servers.
var readsOtherServers = Hints{ReadOnly: true, Idempotent: true, OpenWorld: true}

var federationOperations = inToolset("agents",
	define(Operation{
		Name:       "query_agents",
		Title:      "Query other servers",
		Use:        "Search shared decisions of other servers. Merges the results. The question is sent to these servers.",
		Permission: Announce,
		Scope:      AllProjects,
		Hints:      readsOtherServers,
		Command:    "agent query QUERY",
		REST:       "POST /v1/agents/query",
	}, method((*federation.Store).Query)),
	define(Operation{
		Name:        "check_agents",
		Title:       "Check other servers' guardrails",
		Use:         "Check an action against guardrails of this and other servers. A block on any server blocks. The action's description is sent to these servers.",
		Permission:  Announce,
		Scope:       OfProject,
		Hints:       readsOtherServers,
		Command:     "agent check DESCRIPTION",
		REST:        "POST /v1/agents/check",
		FailsClosed: true,
	}, method((*federation.Store).Check)),
	define(Operation{
		Name:       "broadcast_intent",
		Title:      "Announce to other servers",
		Use:        "Announce an intent to other servers. Returns what their guardrails and precedents say. All votes are stored.",
		Permission: Announce,
		Scope:      OfProject,
		Hints:      reachingOut,
		Command:    "agent announce INTENT",
		REST:       "POST /v1/agents/intents",
	}, method((*federation.Store).Broadcast)),
	define(Operation{
		Name:        "seek_consensus",
		Title:       "Seek a consensus",
		Use:         "Ask named servers to agree before a risky action. Waits for a quorum or the timeout. Rules see the result as action.consensus.",
		Kind:        Job,
		Permission:  Announce,
		Scope:       OfProject,
		Hints:       reachingOut,
		Command:     "agent consensus INTENT",
		REST:        "POST /v1/agents/consensus",
		FailsClosed: true,
	}, method((*federation.Store).Consensus)),
)
